// The parts of a page about one run: plots, what happened, numbers, words.
import { count, el, number, section, table } from './dom.js';
import { Table } from './decode.js';
import { formula, nameNode } from './formula.js';
import { markdown } from './markdown.js';
import { Motion } from './motion.js';
import { Group, Panel, PathPanel } from './plot.js';

const MOST = 10; // curves of a panel at first

// events, singular positions, changes of the method and an early end, in the order of time
export function marks(summary) {
  const list = [
    ...(summary.events_met || []).map((e) => ({ t: e.t, kind: 'event', sign: 'E', text: `event: ${e.event}` })),
    ...(summary.passages || []).map((p) => ({ t: p.t, kind: 'passage', sign: 'S', text: `singular position passed, smallest singular value ${number(p.smallest, 3)}${p.accuracy ? `, error below about ${number(p.accuracy, 2)}` : ''}` })),
    ...(summary.switches || []).map((s) => ({ t: s.t, kind: 'switch', sign: 'M', text: `method changed from ${s.from} to ${s.to} (form ${s.form}): ${s.why}` })),
  ];
  if (summary.reached !== summary.t1) list.push({ t: summary.reached, kind: 'stop', sign: '■', text: `end of the run: ${summary.status}` });
  return list.sort((a, b) => a.t - b.t);
}

const kinds = { event: 'E  event (dashed)', passage: 'S  singular position (dotted)', switch: 'M  change of method (dash-dot)', stop: '■  early end (line)' };

function markNote(list) {
  const present = Object.keys(kinds).filter((k) => list.some((m) => m.kind === k));
  return present.length > 0 && el('p', { class: 'note' }, `Marks on the plots: ${present.map((k) => kinds[k]).join(', ')}.`);
}

function toolbar(group) {
  const button = (text, label, act) => el('button', { type: 'button', 'aria-label': label, title: label, onclick: act }, text);
  return el('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'zoom of all plots' },
    button('+', 'zoom in', () => group.zoom(0.5)), button('−', 'zoom out', () => group.zoom(2)),
    button('←', 'earlier', () => group.pan(-0.25)), button('→', 'later', () => group.pan(0.25)),
    button('all', 'show the whole run', () => group.all()),
    el('span', { class: 'hint' }, 'Drag to zoom, shift-drag to move, double click for all; ctrl and wheel zoom at the pointer.'));
}

// a panel of many variables begins with some of them, spread over the list
function firstOf(list) {
  if (list.length <= MOST) return list;
  return Array.from({ length: MOST }, (_, i) => list[Math.round((i * (list.length - 1)) / (MOST - 1))]);
}

const label = (c) => (c.unit ? `${c.name} [${c.unit}]` : c.name);

function curvePanel(data, solution, spec, group, first) {
  const curve = (i, k, right) => ({ name: solution.columns[i].name, colour: k, column: i, right, ...solution.column(i) });
  const panel = new Panel({
    title: spec.title === 'Curves' ? spec.series.slice(0, 4).map((s) => s.label).join(', ') : spec.title, unit: spec.unit, unitRight: spec.unit_right, xLabel: data.independent, log: spec.log_y, logRight: spec.log_right, logX: spec.log_x, x: solution.time,
    curves: firstOf(spec.series).map((s, k) => ({ ...curve(s.at[0], k, s.right), name: s.label })),
  }, group);
  const own = solution.columns.map((c, i) => i).filter((i) => !solution.columns[i].extra);
  const shown = new Set(data.panels.flatMap((p) => p.series.flatMap((s) => s.at)));
  if (spec.series.length > MOST || spec.left_out > 0 || (first && own.some((i) => !shown.has(i))))
    panel.node.append(chooser(panel, own, solution, curve));
  return panel;
}

// the other variables of a long list, by name
function chooser(panel, series, solution, curve) {
  const id = `pick-${chooser.count = (chooser.count || 0) + 1}`;
  const by = new Map(series.map((i) => [solution.columns[i].name, i]));
  const options = el('datalist', { id: `${id}-list` });
  const input = el('input', { id, list: `${id}-list`, autocomplete: 'off', placeholder: `one of ${series.length} variables`,
    onfocus: () => { if (!options.children.length) options.append(...series.map((i) => el('option', { value: solution.columns[i].name }))); },
    onchange: () => {
      const found = by.get(input.value);
      if (found === undefined) return;
      const { curves } = panel.spec;
      if (!curves.some((c) => c.column === found)) {
        const used = new Set(curves.map((c) => c.colour));
        let free = 0;
        while (used.has(free)) free++;
        curves.push(curve(found, free));
        panel.rebuild();
      }
      input.value = '';
    } });
  const clear = el('button', { type: 'button', onclick: () => { panel.spec.curves.splice(0, panel.spec.curves.length - 1); panel.rebuild(); } }, 'keep only the last');
  return el('div', { class: 'picker' }, el('label', { for: id }, 'add a curve '), input, options, clear);
}

function pathPanel(data, solution, spec) {
  if (spec.dims === 3) return spacePanel(data, spec);
  const paths = spec.series.map((s) => ({ name: s.label, x: solution.column(s.at[0]).value, y: solution.column(s.at[1]).value }));
  const one = spec.series.length === 1;
  const [a, b] = spec.series[0].at;
  return new PathPanel({ title: spec.title, paths, equal: spec.equal, logX: spec.log_x, logY: spec.log_y, xLabel: one ? label(solution.columns[a]) : 'x', yLabel: one ? label(solution.columns[b]) : 'y' });
}

// paths in space: a drawing that can be turned, of the way of each point
function spacePanel(data, spec) {
  const shapes = spec.series.flatMap((s) => [{ k: 'trace', n: 1, a: s.at }, { k: 'circle', n: 1, a: s.at }]);
  const m = new Motion({ table: data.solution, dims: 3, shapes }, { name: spec.title, still: true, whole: true });
  return { node: el('figure', { class: 'panel' }, el('figcaption', {}, `${spec.title}: ${spec.series.map((s) => s.label).join(', ')}`), m.node), place: () => m.place() };
}

function thinNote(solution) {
  if (!solution.thinned()) return null;
  const band = solution.columns.some((c) => c.low);
  return el('p', { class: 'note' }, `The run has ${solution.points} points; ${solution.rows} of them are in this page, evenly chosen. `
    + (band ? 'Where a curve moves between them faster than they can show, a band shows its lowest and highest values.' : 'Between them no curve leaves the drawn lines by more than a pixel.'));
}

// more than a factor of 10 between the least and the largest
const wide = (v) => v.reduce((a, b) => Math.max(a, b), 0) > 10 * v.reduce((a, b) => Math.min(a, b), Infinity);

function accuracy(data, group, solution) {
  const steps = new Table(data.steps);
  const out = [];
  const curve = (i, colour) => ({ name: i || !data.summary.mesh ? steps.columns[i].name : 'size of intervals', colour, ...steps.column(i) });
  // drift at this line is as small as the numbers of a computer allow
  const rounding = (i, colour) => steps.columns[i].rounding && { name: `${steps.columns[i].name}: rounding`, colour, thin: true, value: new Float64Array(steps.rows).fill(steps.columns[i].rounding) };
  const drift = steps.columns.map((c, i) => i).slice(1);
  // of many steps the highest of neighbours: roundings jump between zero and their size
  const few = Math.ceil(steps.rows / 300);
  const highest = (c) => (few < 2 ? c : { ...c, low: undefined, high: undefined, value: c.value.map((v, i) => (c.high || c.value).slice(Math.max(0, i - few), i + few + 1).reduce((a, b) => Math.max(a, b), v)) });
  if (drift.length) {
    const any = drift.some((i) => steps.column(i).value.some((v) => v > 0));
    const panel = new Panel({ title: few < 2 ? 'Drift from the constraints' : 'Drift from the constraints, highest of neighbouring steps', xLabel: data.independent, log: any, least: 1e-18, height: 200, x: steps.time, curves: [...drift.map((i, k) => highest(curve(i, k))), ...drift.map((i, k) => rounding(i, k)).filter((c) => any && c)] }, group);
    out.push(panel);
  }
  if (steps.rows > 1 || steps.points > 1)
    out.push(new Panel({ title: data.summary.mesh ? `Mesh: sizes of ${count(data.summary.mesh, 'interval')}` : `Step sizes (${count(data.summary.steps, 'step')}, ${data.summary.rejected} rejected)`, xLabel: data.independent, log: wide(steps.column(0).value), stairs: true, height: 180, x: steps.time, curves: [curve(0, 2)] }, group));
  return out;
}

// all plots of a run; {node, place, group}
export function plots(data) {
  const solution = new Table(data.solution);
  const { summary } = data;
  const ends = [solution.time[0], solution.time[solution.rows - 1]];
  const list = marks(summary);
  const group = new Group(Math.min(...ends), Math.max(...ends), list);
  const panels = data.panels.map((p, i) => (p.dims > 1 ? pathPanel(data, solution, p) : curvePanel(data, solution, p, group, i === 0)));
  const exact = accuracy(data, group, solution);
  const where = el('span', { class: 'note', 'aria-live': 'off' });
  group.read = (t) => { where.textContent = t === null ? '' : `${data.independent} = ${number(t, 7)}`; };
  return {
    group,
    solution,
    plots: section('plots', 'Plots', toolbar(group), where, markNote(list), el('div', { class: 'panels' }, panels.map((p) => p.node)), thinNote(solution)),
    accuracy: exact.length > 0 && section('accuracy', data.summary.mesh ? 'Mesh and accuracy' : 'Steps and drift', ...driftWords(data), el('div', { class: 'panels wide' }, exact.map((p) => p.node))),
    place: () => [...panels, ...exact].forEach((p) => p.place()),
  };
}

function driftWords(data) {
  const { summary } = data;
  const rows = Object.entries(summary.drift || {}).map(([name, d]) => [`drift, ${name}`, number(d.max, 3), number(d.final, 3)]);
  if (summary.error_max)
    for (const [name, v] of Object.entries(summary.error_max)) rows.push([`${{ x: 'variables', v: 'first derivatives', a: 'second derivatives', y: 'multipliers' }[name] || name}: distance from the known solution`, number(v, 3), number((summary.error_final || {})[name], 3)]);
  for (const r of summary.reference || []) rows.push([`distance from the reference at ${data.independent} = ${number(r.t, 6)}`, '', number(r.error, 3)]);
  const out = [];
  if (rows.length) out.push(table(['quantity', 'largest', 'at the end'], rows, 'accuracy'));
  if (summary.estimated_error !== undefined)
    out.push(el('p', {}, `Estimated error: ${number(summary.estimated_error, 3)}, ${number(summary.estimated_error_in_tolerances, 3)} times the tolerance; meshes of ${(summary.mesh_history || []).join(', ')} intervals; rounding is amplified ${number(summary.condition, 2)} times.`));
  return out;
}

export function motion(data, group, options = {}) {
  if (!data.draw) return null;
  const m = new Motion(data.draw, { name: data.title, moved: (t) => group && group.time(t), ...options });
  return { node: section('motion', 'Motion', m.node, data.draw.note && el('p', { class: 'note' }, data.draw.note)), place: () => m.place(), motion: m };
}

export function happened(data) {
  const list = marks(data.summary);
  if (!list.length) return null;
  const shown = list.slice(0, 500);
  return section('events', 'What happened', table([data.independent, 'what'], shown.map((m) => [number(m.t, 10), m.text]), 'what happened'),
    list.length > 500 && el('p', { class: 'note' }, `and ${list.length - 500} more`));
}

export function finals(data) {
  const f = data.summary.final;
  if (!f) return null;
  const meta = new Map(data.solution ? data.solution.columns.filter((c) => !c.extra).map((c) => [c.name, c]) : []);
  const rows = Object.entries(f).map(([name, v]) => {
    const c = meta.get(name) || {};
    return [name, number(v, 12), [c.unit, c.what].filter((s) => s).join(', ')];
  });
  const extra = Object.entries(data.summary.parameters || {}).map(([name, v]) => [name, number(v, 12), 'unknown parameter, found']);
  const measured = Object.entries(data.summary.measures || {}).map(([name, v]) => [name, number(v, 12), 'measured']);
  return section('final', `Values at ${data.independent} = ${number(data.summary.reached, 8)}`, table(['variable', 'value', 'unit, meaning'], [...measured, ...extra, ...rows], 'final values'));
}

export function parameters(data) {
  if (!data.parameters || !data.parameters.length) return null;
  return section('parameters', 'Parameters', table(['parameter', 'value', 'meaning'],
    data.parameters.map((p) => [p.name, p.value === null ? 'follows from the others' : `${number(p.value, 12)}${p.unit ? ` ${p.unit}` : ''}`, p.meaning || '']), 'parameters'));
}

export function words(data) {
  const s = data.summary;
  const rows = [['method', s.method], ['form', s.form], ['stabilization', s.stabilize], ['steps', `${s.steps}, ${s.rejected} rejected`],
    ['evaluations', s.evaluations], ['factorizations', s.factorizations], ['Newton iterations', s.newton || undefined], ['time to solve', `${number(s.seconds, 3)} s`]];
  if (s.moved > 0) rows.push(['initial values', `moved by ${number(s.moved, 3)} to a consistent point`]);
  if (s.audit && s.audit.equation) rows.push(['audit', `worst relative residual ${number(s.audit.worst, 2)}, ${s.audit.equation} at ${number(s.audit.time, 6)}`]);
  return section('choice', 'What was chosen, and why', data.words.map((w) => el('p', {}, w)),
    table(null, rows.filter((r) => r[1] !== undefined && r[1] !== '').map(([a, b]) => [a, String(b)]), 'the run in numbers'));
}

// a variable that is only another name says nothing: w = w
const says = (e) => { const [left, right] = e.split(' = '); return left !== right; };
// what happens at events, as it is written
const whens = (text) => (text || '').match(/^[ \t]*when\b[^]*?\bend\s+when\s*;/gm) || [];

export function equations(data) {
  const out = [];
  if (data.equations && data.equations.length)
    out.push(el('div', { class: 'math' }, data.equations.filter(says).map((e) => el('div', {}, formula(e)))),
      data.equations_more > 0 && el('p', { class: 'note' }, `and ${data.equations_more} more equations`));
  for (const w of whens(data.source)) out.push(el('pre', { tabindex: 0 }, w.replace(new RegExp(`^${/^[ \t]*/.exec(w)[0]}`, 'gm'), '')));
  if (data.hidden && data.hidden.length)
    out.push(el('h3', {}, 'Hidden constraints'), el('p', {}, 'Derivatives of the equations that the solution satisfies too; the solver keeps them.'),
      el('div', { class: 'math' }, data.hidden.map((e) => el('div', {}, formula(e)))));
  if (data.explain) out.push(el('details', {}, el('summary', {}, 'Structure'), el('pre', { tabindex: 0 }, data.explain)));
  if (data.text) out.push(el('div', { class: 'page' }, markdown(data.text.replace(/^# .*\n/, ''))));
  if (data.source) out.push(el('details', {}, el('summary', {}, 'Text of the model'), el('pre', { tabindex: 0 }, data.source)));
  return out.length ? section('equations', 'Equations', ...out) : null;
}

export function reproduce(data) {
  const copy = el('button', { type: 'button', onclick: () => navigator.clipboard && navigator.clipboard.writeText(data.command).then(() => { copy.textContent = 'Copied'; }) }, 'Copy');
  return section('reproduce', 'How to reproduce', el('pre', { tabindex: 0 }, data.command), copy,
    el('p', {}, `Daedal ${data.version}. ${data.source ? 'The text of the model is under Equations.' : ''}`));
}

export { nameNode };
