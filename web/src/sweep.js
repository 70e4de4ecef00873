// The page of a sweep: every run a line over parallel axes, or a point of a map over two parameters; one is chosen.
import { el, number, section, table } from './dom.js';
import { Table } from './decode.js';
import { Group, Panel } from './plot.js';
import { css, dark, onTheme } from './theme.js';

// from blue to yellow in even steps of lightness, for eyes that see no red or green too; the first is lighter on a dark ground
const scale = [[38, 38, 110], [40, 80, 150], [20, 125, 140], [70, 165, 100], [170, 195, 60], [250, 225, 60]];

function shade(part) {
  const x = Math.min(0.9999, Math.max(0, part)) * (scale.length - 1), i = Math.floor(x), f = x - i;
  const from = i === 0 && dark() ? [92, 100, 205] : scale[i];
  return `rgb(${from.map((c, k) => Math.round(c + (scale[i + 1][k] - c) * f)).join(',')})`;
}

const EDGE = 14; // points stay inside of the map

function range(values) {
  let low = Infinity, high = -Infinity;
  for (const v of values) if (Number.isFinite(v)) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : [0, 1];
}

class Sheet {
  constructor(label, height) {
    this.canvas = el('canvas', { class: 'sheet', tabindex: 0, role: 'img', 'aria-label': label });
    this.height = height;
  }

  place(draw) {
    const fit = () => {
      const width = this.canvas.clientWidth || 600;
      this.canvas.style.height = `${this.height}px`;
      this.canvas.width = width * devicePixelRatio;
      this.canvas.height = this.height * devicePixelRatio;
      const ctx = this.canvas.getContext('2d');
      ctx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      this.width = width;
      draw(ctx, width, this.height);
    };
    this.redraw = fit;
    fit();
    let seen = this.canvas.clientWidth;
    new ResizeObserver(() => {
      if (this.canvas.clientWidth === seen) return;
      seen = this.canvas.clientWidth;
      fit();
    }).observe(this.canvas);
    onTheme(fit);
  }
}

// the curves of the chosen run, where the page has them; `choose` before `place` says which are the first
function chosenCurves(list) {
  const tables = new Map(list.map((c) => [c.member, new Table(c.table)]));
  const note = el('p', { class: 'note' });
  const node = el('div', {}, note);
  let panel = null, placed = false;
  const spec = (t) => {
    const names = t.columns.map((c, i) => i).slice(0, 8);
    return { x: t.time, curves: names.map((i, k) => ({ name: t.columns[i].name, colour: k, ...t.column(i) })) };
  };
  const fill = (t) => {
    const ends = [t.time[0], t.time[t.rows - 1]];
    if (!panel) {
      panel = new Panel({ title: 'Curves of this run', xLabel: 'time', ...spec(t) }, new Group(Math.min(...ends), Math.max(...ends)));
      node.append(panel.node);
      if (placed) panel.place();
      return;
    }
    Object.assign(panel.spec, spec(t));
    panel.group.full = panel.group.now = [Math.min(...ends), Math.max(...ends)];
    if (placed) panel.rebuild();
  };
  return {
    node,
    choose(member) {
      const t = tables.get(member);
      note.textContent = t ? '' : 'The curves of this run are not in this page; the command above computes them.';
      if (t) fill(t);
      if (panel) panel.node.hidden = !t;
    },
    place() {
      placed = true;
      if (panel) panel.place();
    },
  };
}

export function sweep(data) {
  const runs = new Table(data.runs);
  const column = (i) => runs.column(i).value;
  const varied = data.varied, results = data.results;
  let chosen = 0, measure = results[0];
  const details = el('div', { 'aria-live': 'polite' });
  const show = chosenCurves(data.curves || []);

  // the command that runs the chosen member alone
  const again = () => `daedal run ${data.name} ${varied.map((i) => {
    const initial = /^initial\((.*)\)$/.exec(runs.columns[i].name);
    return `--${initial ? 'init' : 'set'} '${initial ? initial[1] : runs.columns[i].name}=${column(i)[chosen]}'`;
  }).join(' ')} --report run.html`;

  const tell = () => {
    const rows = runs.columns.map((c, i) => [c.name, number(column(i)[chosen], 12)]);
    const bad = data.messages.find((m) => m.row === chosen);
    show.choose(column(0)[chosen]);
    details.replaceChildren(el('h3', {}, `Run ${column(0)[chosen]}: ${data.status[data.status_of[chosen]]}`),
      ...(bad ? [el('p', { class: 'bad' }, bad.text)] : []), el('pre', { tabindex: 0 }, again()), table(null, rows.slice(1), 'the chosen run'));
  };
  const choose = (row) => {
    if (row < 0 || row >= runs.rows) return;
    chosen = row;
    tell();
    lines.redraw();
    if (map.redraw) map.redraw();
  };

  const picker = el('select', { id: 'measure', onchange: () => { measure = Number(picker.value); lines.redraw(); if (map.redraw) map.redraw(); } },
    results.map((i) => el('option', { value: i }, runs.columns[i].name)));
  const first = el('select', { id: 'axis-x', onchange: () => map.redraw() }, varied.map((i, k) => el('option', { value: i, selected: k === 0 }, runs.columns[i].name)));
  const second = el('select', { id: 'axis-y', onchange: () => map.redraw() }, varied.map((i, k) => el('option', { value: i, selected: k === 1 }, runs.columns[i].name)));

  // ---- parallel coordinates: the parameters, then what came out ----
  const lines = new Sheet('parallel coordinates: one line for each run; up and down choose another run', 320);
  // as many results as there is room for, the one that colours among them
  const axes = (width) => {
    const most = Math.max(1, Math.min(6, Math.floor(width / 76) - varied.length));
    const shown = results.slice(0, most);
    return [...varied, ...(shown.includes(measure) ? shown : [...shown.slice(0, most - 1), measure])];
  };
  const spot = (k, n, width) => 46 + (k * (width - 92)) / Math.max(1, n - 1);
  const level = (v, [low, high]) => 290 - (250 * (v - low)) / (high - low || 1);

  const drawLines = (ctx, width) => {
    const list = axes(width), ranges = list.map((i) => range(column(i))), m = column(measure), mr = range(m);
    ctx.clearRect(0, 0, width, 320);
    ctx.globalAlpha = Math.max(0.12, Math.min(0.9, 60 / runs.rows));
    const line = (row) => {
      ctx.beginPath();
      list.forEach((i, k) => {
        const v = column(i)[row];
        if (Number.isFinite(v)) ctx.lineTo(spot(k, list.length, width), level(v, ranges[k]));
      });
      ctx.stroke();
    };
    for (let r = 0; r < runs.rows; r++) {
      ctx.strokeStyle = Number.isFinite(m[r]) ? shade((m[r] - mr[0]) / (mr[1] - mr[0] || 1)) : css('--bad');
      line(r);
    }
    ctx.globalAlpha = 1;
    ctx.strokeStyle = css('--text');
    ctx.lineWidth = 2.5;
    line(chosen);
    ctx.lineWidth = 1;
    ctx.fillStyle = css('--text');
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    list.forEach((i, k) => {
      const x = spot(k, list.length, width);
      ctx.strokeStyle = css('--soft');
      ctx.beginPath();
      ctx.moveTo(x, 40);
      ctx.lineTo(x, 290);
      ctx.stroke();
      const { name } = runs.columns[i], room = Math.max(3, Math.floor(width / list.length / 8));
      ctx.fillText(name.length > room ? `${name.slice(0, room - 1)}…` : name, x, 16);
      ctx.fillText(number(ranges[k][1], 4), x, 32);
      ctx.fillText(number(ranges[k][0], 4), x, 306);
    });
  };

  const nearestLine = (x, y, width) => {
    const list = axes(width), ranges = list.map((i) => range(column(i)));
    let best = -1, least = 20;
    for (let r = 0; r < runs.rows; r++)
      for (let k = 0; k + 1 < list.length; k++) {
        const a = spot(k, list.length, width), b = spot(k + 1, list.length, width);
        if (x < a - 1 || x > b + 1) continue;
        const ya = level(column(list[k])[r], ranges[k]), yb = level(column(list[k + 1])[r], ranges[k + 1]);
        const far = Math.abs(ya + ((yb - ya) * (x - a)) / (b - a) - y);
        if (far < least) [best, least] = [r, far];
      }
    return best;
  };

  // ---- the map: two parameters, the colour is what came out ----
  const map = varied.length > 0 ? new Sheet('map of the runs over two parameters', 380) : {};
  const box = (width) => [64, 16, width - 150, 310];
  const where = (row, width) => {
    const [x, y, w, h] = box(width);
    const xr = range(column(Number(first.value)));
    const yi = varied.length > 1 ? Number(second.value) : measure, yr = range(column(yi));
    const part = (v, [low, high]) => (high > low ? (v - low) / (high - low) : 0.5);
    return [x + EDGE + (w - 2 * EDGE) * part(column(Number(first.value))[row], xr), y + h - EDGE - (h - 2 * EDGE) * part(column(yi)[row], yr)];
  };
  const drawMap = (ctx, width) => {
    const [x, y, w, h] = box(width), m = column(measure), mr = range(m);
    const yi = varied.length > 1 ? Number(second.value) : measure;
    const xr = range(column(Number(first.value))), yr = range(column(yi));
    ctx.clearRect(0, 0, width, 380);
    ctx.strokeStyle = css('--grid');
    ctx.strokeRect(x, y, w, h);
    const size = Math.max(2.5, Math.min(9, 120 / Math.sqrt(runs.rows)));
    for (let r = 0; r < runs.rows; r++) {
      const [px, py] = where(r, width);
      const good = Number.isFinite(m[r]) && data.status[data.status_of[r]] === 'ok';
      if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
      ctx.fillStyle = good ? shade((m[r] - mr[0]) / (mr[1] - mr[0] || 1)) : css('--bad');
      ctx.beginPath();
      if (good) ctx.arc(px, py, size, 0, 7);
      else ctx.rect(px - size, py - size, 2 * size, 2 * size);
      ctx.fill();
      if (r === chosen) {
        ctx.strokeStyle = css('--text');
        ctx.lineWidth = 2.5;
        ctx.beginPath();
        ctx.arc(px, py, size + 3, 0, 7);
        ctx.stroke();
        ctx.lineWidth = 1;
      }
    }
    ctx.fillStyle = css('--text');
    ctx.font = '12px system-ui, sans-serif';
    ctx.textAlign = 'center';
    ctx.fillText(`${runs.columns[Number(first.value)].name}`, x + w / 2, y + h + 36);
    ctx.fillText(number(xr[0], 4), x + EDGE, y + h + 18);
    ctx.fillText(number(xr[1], 4), x + w - EDGE, y + h + 18);
    ctx.textAlign = 'right';
    ctx.fillText(number(yr[0], 4), x - 6, y + h - EDGE + 4);
    ctx.fillText(number(yr[1], 4), x - 6, y + EDGE + 4);
    ctx.save();
    ctx.translate(14, y + h / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textAlign = 'center';
    ctx.fillText(runs.columns[yi].name, 0, 0);
    ctx.restore();
    for (let k = 0; k < 100; k++) {
      ctx.fillStyle = shade(1 - k / 99);
      ctx.fillRect(x + w + 20, y + k * 2, 14, 2.5);
    }
    ctx.fillStyle = css('--text');
    ctx.textAlign = 'left';
    ctx.fillText(number(mr[1], 4), x + w + 38, y + 10);
    ctx.fillText(number(mr[0], 4), x + w + 38, y + 200);
    ctx.fillText(runs.columns[measure].name.slice(0, 14), x + w + 20, y + 220);
  };
  const nearestPoint = (x, y, width) => {
    let best = -1, least = 30;
    for (let r = 0; r < runs.rows; r++) {
      const [px, py] = where(r, width), far = Math.hypot(px - x, py - y);
      if (far < least) [best, least] = [r, far];
    }
    return best;
  };

  const key = (e) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    choose(chosen + step);
  };
  const click = (sheet, nearest) => {
    sheet.canvas.addEventListener('click', (e) => {
      const b = sheet.canvas.getBoundingClientRect();
      choose(nearest(e.clientX - b.left, e.clientY - b.top, sheet.width));
    });
    sheet.canvas.addEventListener('keydown', key);
  };
  click(lines, nearestLine);
  if (map.canvas) click(map, nearestPoint);

  const failed = data.status_of.filter((s) => data.status[s] !== 'ok').length;
  const chooseAxes = el('p', { class: 'choose' }, el('label', { for: 'measure' }, 'colour: '), picker,
    varied.length > 1 && [' ', el('label', { for: 'axis-x' }, 'across: '), first, ' ', el('label', { for: 'axis-y' }, 'up: '), second]);
  return {
    nodes: [
      section('map', varied.length > 1 ? 'Map over two parameters' : 'Over the parameter', el('p', { class: 'note' }, `${data.members} runs${data.members > runs.rows ? `, ${runs.rows} of them, evenly chosen, in this page` : ''}; ${failed ? `${failed} did not end well (red squares)` : 'all ended well'}. Click a point, or use the arrow keys, to see its numbers.`), chooseAxes, map.canvas),
      section('lines', 'All runs', el('p', { class: 'note' }, 'Parallel coordinates: one line for each run, from its parameters at the left to what came out at the right. Click a line to choose it.'), lines.canvas),
      section('run', 'The chosen run', details, show.node),
    ],
    place: () => {
      if (map.canvas) map.place(drawMap);
      lines.place(drawLines);
      tell();
      show.place();
    },
  };
}
