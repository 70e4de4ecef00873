// Colours of curves and marks, in light and dark. Neighbours differ in hue, lightness and dash, so that they can be told
// apart without seeing colours; each has a contrast of at least 3 against its ground.

const curves = {
  light: ['#0066aa', '#c44e00', '#007a59', '#a8468a', '#2583bd', '#946800', '#6b3fa0', '#4a4a4a', '#8c3f0a', '#00706a'],
  dark: ['#5ab4f0', '#ff9b57', '#35c79a', '#e79ac6', '#a4dcff', '#f0c24b', '#bfa3f2', '#d0d0d0', '#e0a870', '#6fd6cc'],
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
