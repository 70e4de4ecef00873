/*
 * What people with few colours, a keyboard or a screen reader need: contrasts as WCAG 2.1 AA asks for, colours of curves that
 * differ for those who see no red or no green, and all that axe-core finds.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');

const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
const times = (matrix, v) => matrix.map((row) => row.reduce((s, a, i) => s + a * v[i], 0));
const XYZ = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];
// linear RGB as it is seen: Machado, Oliveira and Fernandes 2009, severity 1
const SEEN = {
  'all colours': [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  'no red': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  'no green': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
};

// WCAG 2.1: (L1 + 0.05) / (L2 + 0.05), L the relative luminance
export function contrast(a, b) {
  const [low, high] = [a, b].map((c) => times(XYZ, c.map(linear))[1]).sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function lab(c, seen) {
  const [x, y, z] = times(XYZ, times(SEEN[seen], c.map(linear)).map((v) => Math.min(1, Math.max(0, v))))
    .map((v, i) => v / [0.95047, 1, 1.08883][i]).map((v) => (v > 216 / 24389 ? Math.cbrt(v) : ((24389 / 27) * v + 16) / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const rgb = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);

// curves: [colour, kind of line]; the least distance of two with lines of one kind, over all ways of seeing
export function nearest(curves) {
  let least = Infinity;
  for (const seen of Object.keys(SEEN))
    curves.forEach(([a, line], i) => curves.slice(i + 1).filter((c) => c[1] === line).forEach(([b]) => {
      const [p, q] = [lab(a, seen), lab(b, seen)];
      least = Math.min(least, Math.hypot(...p.map((v, k) => v - q[k])));
    }));
  return least;
}

// the colours that a page draws curves with, and what they lie on
const colours = (page) => page.evaluate(() => ({
  curves: [...document.querySelectorAll('#plots .curve .line')].slice(0, 10).map((n) => [getComputedStyle(n).borderTopColor, getComputedStyle(n).borderTopStyle]),
  panel: getComputedStyle(document.querySelector('section')).backgroundColor,
  drawn: Object.fromEntries(['--ground', '--panel', '--soft', '--rod', '--mark', '--bad', '--text'].map((name) => [name, getComputedStyle(document.documentElement).getPropertyValue(name).trim()])),
}));
const hex = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));

// a page in its theme of now: texts and names by axe, drawn colours by the numbers
export async function accessible(page, what, truth) {
  await page.addScriptTag({ content: axe });
  const found = await page.evaluate(() => window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] }));
  for (const v of found.violations)
    truth(`${what}: ${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.any.map((a) => a.message).join(' ')}`).join(' | ')}`.slice(0, 600), false);
  truth(`${what}: axe found nothing to look at`, found.passes.length > 10);
  return found.passes.length;
}

export async function curveColours(page, what, truth) {
  const { curves, panel, drawn } = await colours(page);
  const list = curves.map(([c, line]) => [rgb(c), line]);
  const least = Math.min(...list.map(([c]) => contrast(c, rgb(panel))));
  // 3: WCAG 1.4.11 for graphics, 4.5: 1.4.3 for text. 25: ten times what is just noticeable side by side (2.3), as lines are thin
  truth(`${what}: ten curves, ${list.length}`, list.length === 10);
  truth(`${what}: contrast of curves ${least.toFixed(2)}`, least >= 3);
  truth(`${what}: distance of curves ${nearest(list).toFixed(1)}`, nearest(list) >= 25);
  for (const name of ['--soft', '--text', '--mark', '--bad']) {
    const c = contrast(hex(drawn[name]), rgb(panel));
    truth(`${what}: contrast of ${name} ${c.toFixed(2)}`, c >= 4.5);
  }
  truth(`${what}: contrast of rods`, contrast(hex(drawn['--rod']), hex(drawn['--ground'])) >= 3);
  return [least, nearest(list)];
}
