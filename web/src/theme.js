// Colours of curves and marks, in light and dark. Four are whole lines, three dashed, three dotted; within each of these a person
// who sees no red or no green tells them apart too (distances in CIELAB above 25), and all have a contrast of at least 3 to their ground:
// test/access.mjs measures both. Pictures of the command have the light ones (cli/draw.c).

const curves = {
  light: ['#0045a4', '#a50e0c', '#3a9259', '#956ea2', '#5e79c9', '#c3630c', '#321765', '#396951', '#660000', '#08516a'],
  dark: ['#0093f5', '#e17d00', '#77d18b', '#9a87ad', '#9fc7bc', '#ffe949', '#89baff', '#f4ffda', '#d27948', '#a3e3ff'],
};
const dashes = [[], [], [], [], [7, 4], [7, 4], [7, 4], [2, 3], [2, 3], [2, 3]];

const listeners = new Set();
const media = matchMedia('(prefers-color-scheme: dark)');

export const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === 'dark' : media.matches;
};

export function toggle() {
  document.documentElement.dataset.theme = dark() ? 'light' : 'dark';
  for (const f of listeners) f();
}

export function onTheme(f) {
  listeners.add(f);
}

media.addEventListener('change', () => {
  for (const f of listeners) f();
});

export const color = (i) => curves[dark() ? 'dark' : 'light'][i % 10];
export const dash = (i) => dashes[i % 10];

// kept, as an animation asks for each shape
const kept = new Map();
export function css(name) {
  const key = `${name} ${dark()}`;
  if (!kept.has(key)) kept.set(key, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return kept.get(key);
}
