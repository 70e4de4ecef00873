/*
 * node still.mjs MOTION.json OUT.svg: the motion of a mechanism (`daedal run .. --animate MOTION.json`) as a small svg that moves
 * by itself, for pages; what cannot move it shows one frame.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Table } from './src/decode.js';

const [from, to] = process.argv.slice(2);
const FRAMES = 48, STILL = 15, WIDTH = 360, SECONDS = 6;
const data = JSON.parse(readFileSync(from, 'utf8'));
const { dims, shapes } = data.draw;
const table = new Table(data.draw.table);

// the rows at even times
const rows = Array.from({ length: FRAMES }, (_, k) => {
  const t = table.time[0] + ((table.time[table.rows - 1] - table.time[0]) * k) / (FRAMES - 1);
  let row = 0;
  while (row < table.rows - 2 && Math.abs(table.time[row + 1] - table.time[0]) <= Math.abs(t - table.time[0])) row++;
  return row;
});
const at = (column, row) => table.column(column).value[row];
// bodies in space as the report shows them at first
const flat = (p) => {
  if (dims === 2) return p;
  const [ca, sa, cb, sb] = [Math.cos(0.6), Math.sin(0.6), Math.cos(0.35), Math.sin(0.35)];
  return [ca * p[0] + sa * p[1], sb * (-sa * p[0] + ca * p[1]) + cb * p[2]];
};
const point = (s, k, row) => flat(Array.from({ length: dims }, (_, i) => at(s.a[k * dims + i], row)));

const box = [Infinity, -Infinity, Infinity, -Infinity];
for (const s of shapes)
  for (const row of rows)
    for (let k = 0; k < (s.k === 'force' ? 1 : s.n); k++) {
      const [x, y] = point(s, k, row);
      box[0] = Math.min(box[0], x);
      box[1] = Math.max(box[1], x);
      box[2] = Math.min(box[2], y);
      box[3] = Math.max(box[3], y);
    }
const size = Math.max(box[1] - box[0], box[3] - box[2]), pad = 0.09 * size;
const unit = Math.min(WIDTH / (box[1] - box[0] + 2 * pad), 260 / (box[3] - box[2] + 2 * pad));
const height = Math.round((box[3] - box[2] + 2 * pad) * unit), width = Math.round((box[1] - box[0] + 2 * pad) * unit);
const joint = Math.max(0.024 * size * unit, 3);
const n = (v) => String(Math.round(v * 10) / 10);
const place = ([x, y]) => [n((x - box[0] + pad) * unit), n((box[3] - y + pad) * unit)];

// an attribute that is the same in all frames does not move
const moving = (name, values) => {
  const same = values.every((v) => v === values[0]);
  return [`${name}="${values[STILL]}"`, same ? '' : `<animate attributeName="${name}" values="${values.join(';')}" dur="${SECONDS}s" repeatCount="indefinite"/>`];
};
const element = (tag, style, attributes) => {
  const parts = attributes.map(([name, values]) => moving(name, values));
  const inner = parts.map((p) => p[1]).join('');
  return `<${tag} ${style} ${parts.map((p) => p[0]).join(' ')}${inner ? `>${inner}</${tag}>` : '/>'}`;
};
const way = (s, change = (p) => p) => rows.map((row) => change(Array.from({ length: s.n }, (_, k) => place(point(s, k, row)))).map((p) => p.join(',')).join(' '));
const zigzag = ([a, b]) => {
  const [x, y] = a.map(Number), [u, v] = b.map(Number), length = Math.hypot(u - x, v - y) || 1, parts = 20;
  return Array.from({ length: parts + 1 }, (_, k) => {
    const side = k < 2 || k > parts - 2 ? 0 : (k % 2 ? 1 : -1) * joint * 0.8;
    return [n(x + ((u - x) * k) / parts - ((v - y) / length) * side), n(y + ((v - y) * k) / parts + ((u - x) / length) * side)];
  });
};
const draw = {
  line: (s) => element('polyline', `fill="none" stroke="#5b6673" stroke-width="${n(Math.max(joint * 0.7, 2))}" stroke-linejoin="round" stroke-linecap="round"`, [['points', way(s)]]),
  curve: (s) => element('polyline', 'fill="none" stroke="#8a96a3" stroke-width="1.5"', [['points', way(s)]]),
  polygon: (s) => element('polygon', 'fill="#0072b2" fill-opacity="0.3" stroke="#0072b2" stroke-width="1.5"', [['points', way(s)]]),
  spring: (s) => element('polyline', 'fill="none" stroke="#008a63" stroke-width="1.5"', [['points', way(s, zigzag)]]),
  circle: (s) => disc(s, 'fill="#0072b2"'),
  ring: (s) => disc(s, 'fill="none" stroke="#8a96a3" stroke-width="1.5"'),
  ground: (s) => element('polygon', 'fill="#fff" stroke="#5b6673" stroke-width="1.5"', [['points', way(s, ([[x, y]]) => [[x, y], [n(x - joint), n(Number(y) + 1.6 * joint)], [n(Number(x) + joint), n(Number(y) + 1.6 * joint)]])]]),
  trace: (s) => `<polyline fill="none" stroke="#c44e00" stroke-opacity="0.6" points="${Array.from({ length: Math.min(400, table.rows) }, (_, k) => place(point(s, 0, Math.floor((k * (table.rows - 1)) / (Math.min(400, table.rows) - 1)))).join(',')).join(' ')}"/>`,
};
function disc(s, style) {
  const p = rows.map((row) => place(point(s, 0, row)));
  const r = s.a.length > s.n * dims ? at(s.a[s.n * dims], 0) * unit : joint;
  return element('circle', `${style} r="${n(r)}"`, [['cx', p.map((q) => q[0])], ['cy', p.map((q) => q[1])]]);
}
const order = ['trace', 'curve', 'ring', 'spring', 'polygon', 'line', 'ground', 'circle'];
// forces are shown on request only
const list = shapes.filter((s) => order.includes(s.k)).sort((a, b) => order.indexOf(a.k) - order.indexOf(b.k));
writeFileSync(to, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img"><title>${data.name}</title><rect width="${width}" height="${height}" rx="6" fill="#f6f7f9"/>\n${list.map((s) => draw[s.k](s)).join('\n')}\n</svg>\n`);
