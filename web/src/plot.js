// Panels of curves on uPlot: zoom, pan and read-off by mouse, touch and keyboard; marks on all of them.
import uPlot from 'uplot';
import { el, number } from './dom.js';
import { color, css, dash, onTheme } from './theme.js';

// Panels over the same axis move together.
export class Group {
  constructor(low, high, marks = []) {
    if (!(high > low)) [low, high] = [low - 0.5, low + 0.5]; // a run without length is a point
    this.full = [low, high];
    this.now = [low, high];
    this.marks = marks;
    this.panels = [];
  }

  show(low, high) {
    const [a, b] = this.full;
    const least = (b - a) * 1e-9;
    if (!(high - low > least)) return;
    const width = Math.min(high - low, b - a);
    low = Math.max(a, Math.min(low, b - width));
    this.now = [low, low + width];
    for (const p of this.panels) p.follow(this.now);
    if (this.changed) this.changed(this.now);
  }

  all() {
    this.show(...this.full);
  }

  zoom(factor, centre) {
    const [a, b] = this.now;
    const c = centre ?? (a + b) / 2;
    this.show(c - (c - a) * factor, c + (b - c) * factor);
  }

  pan(part) {
    const [a, b] = this.now;
    this.show(a + (b - a) * part, b + (b - a) * part);
  }

  time(t) {
    for (const p of this.panels) p.point(t);
  }

  key(event) {
    const act = {
      '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), 0: () => this.all(),
      Home: () => this.all(), ArrowLeft: () => this.pan(-0.25), ArrowRight: () => this.pan(0.25),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }
}

const MARK = { event: [4, 3], passage: [1, 3], switch: [8, 3, 2, 3], stop: [] };

// vertical lines with a sign on top, in the order of time
function drawMarks(u, marks) {
  const { ctx, bbox } = u;
  // many of them are ticks at the upper edge, so that the curves are seen
  const shown = marks.filter((m) => m.t >= u.scales.x.min && m.t <= u.scales.x.max).length;
  const many = shown > 40;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.font = `${10 * devicePixelRatio}px sans-serif`;
  ctx.textAlign = 'center';
  let last = -Infinity;
  for (const mark of marks) {
    const x = Math.round(u.valToPos(mark.t, 'x', true));
    if (x < bbox.left - 1 || x > bbox.left + bbox.width + 1) continue;
    ctx.strokeStyle = ctx.fillStyle = css(mark.kind === 'stop' ? '--bad' : '--mark');
    ctx.setLineDash(MARK[mark.kind].map((d) => d * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + (many && mark.kind !== 'stop' ? 8 * devicePixelRatio : bbox.height));
    ctx.stroke();
    if (x - last > 12 * devicePixelRatio) {
      ctx.fillText(mark.sign, x, bbox.top - 3 * devicePixelRatio);
      last = x;
    }
  }
  ctx.restore();
}

// logarithmic axes show log10 of the values: uPlot's own do not reach down to roundings
const logValues = (u, splits) => splits.map((v) => (v === null || Math.abs(v - Math.round(v)) > 1e-9 ? null : number(10 ** v, 2)));
const decades = { values: logValues, incrs: [1, 2, 3, 5, 10, 20, 50, 100] };
const timeValues = (u, splits) => splits.map((v) => (v === null || Math.abs(Math.log10(v) - Math.round(Math.log10(v))) > 1e-9 ? null : number(v, 2)));

// steps between ticks for values of any size: uPlot's own end at 1e-16 and 1e16
const steps = (u, axis, low, high) => {
  const size = Math.floor(Math.log10((high - low) || Math.abs(high) || 1));
  return [-3, -2, -1, 0, 1].flatMap((k) => [1, 2, 2.5, 5].map((d) => Number(`${d}e${size + k}`))).filter((d) => d > 0);
};

function axes(spec) {
  const common = {
    stroke: () => css('--soft'),
    grid: { stroke: () => css('--grid'), width: 1 },
    ticks: { stroke: () => css('--grid'), width: 1 },
    font: '12px system-ui, sans-serif',
    labelFont: '12px system-ui, sans-serif',
  };
  // as many digits as neighbours need to differ; what is zero but for rounding is zero
  const values = (u, splits) => {
    const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) : 1;
    const size = Math.max(...splits.map((v) => Math.abs(v ?? 0)));
    const digits = Math.min(15, Math.max(6, Math.ceil(Math.log10(size / step)) + 3)) || 6;
    return splits.map((v) => (v === null ? null : number(Math.abs(v) < 1e-9 * step ? 0 : v, digits)));
  };
  return [
    { ...common, ...(spec.logX ? (spec.decades ? decades : { values: timeValues }) : { values, incrs: steps }), label: spec.xLabel, labelSize: 18, size: 34 },
    {
      ...common,
      ...(spec.log ? decades : { values, incrs: steps }),
      label: spec.unit || undefined,
      labelSize: 18,
      size: (u, list) => 24 + 7.5 * Math.max(4, ...(list || []).map((s) => String(s ?? '').length)),
    },
    ...(spec.right ? [{ ...common, scale: 'r', side: 1, grid: { show: false }, ...(spec.logRight ? decades : { values, incrs: steps }), label: spec.unitRight || 'right axis', labelSize: 18, size: 60 }] : []),
  ];
}

// zoom by two fingers, pan by one where there is something outside
function touch(u, group) {
  const down = new Map();
  let before = null;
  const place = (e) => u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x');
  u.over.addEventListener('pointerdown', (e) => {
    if (e.pointerType === 'touch') down.set(e.pointerId, e);
    before = null;
  });
  u.over.addEventListener('pointermove', (e) => {
    if (!down.has(e.pointerId)) return;
    down.set(e.pointerId, e);
    const at = [...down.values()].map(place);
    const centre = at.reduce((a, b) => a + b, 0) / at.length;
    const width = Math.abs(at[0] - at[at.length - 1]);
    if (before && before.n === at.length) {
      const factor = at.length > 1 && width > 0 ? before.width / width : 1;
      const [a, b] = group.now;
      const shift = before.centre - centre;
      group.show(centre - (centre - a) * factor + shift, centre + (b - centre) * factor + shift);
      before = { n: at.length, centre: before.centre, width: before.width };
    } else before = { n: at.length, centre, width };
  });
  for (const name of ['pointerup', 'pointercancel', 'pointerleave'])
    u.over.addEventListener(name, (e) => {
      down.delete(e.pointerId);
      before = null;
    });
}

function mouse(u, group) {
  let held = null;
  u.over.addEventListener('mousedown', (e) => {
    if (!e.shiftKey) return;
    held = { x: e.clientX, range: group.now };
    e.stopImmediatePropagation();
    e.preventDefault();
  }, true);
  addEventListener('mousemove', (e) => {
    if (!held) return;
    const [a, b] = held.range;
    const shift = ((held.x - e.clientX) / u.over.clientWidth) * (b - a);
    group.show(a + shift, b + shift);
  });
  addEventListener('mouseup', () => {
    held = null;
  });
  u.over.addEventListener('wheel', (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    const at = u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x');
    group.zoom(e.deltaY < 0 ? 0.8 : 1.25, at);
  }, { passive: false });
  u.over.addEventListener('dblclick', () => group.all());
}

const firstAbove = (x) => x.find((v) => v > 0) ?? 1e-12;
const back = (v, log) => (log ? 10 ** v : v);
// log10 of what is above zero; an exact zero lies below all others
const log10 = (values, floor) => Array.from(values, (v) => (v >= 0 ? Math.log10(Math.max(v, floor)) : null));

// curves that lie on each other take turns: the first is a whole line, each of the others has pieces where it is seen
function heapsOf(spec) {
  const out = [], { curves } = spec;
  if (spec.least || curves.length > 40) return out;
  const heap = curves.map((c, i) => i);
  curves.forEach((c, i) => { heap[i] = heap[curves.findIndex((d, j) => j === i || covers(d, c))]; });
  curves.forEach((c, i) => {
    const all = heap.filter((h) => h === heap[i]).length, place = heap.slice(0, i).filter((h) => h === heap[i]).length;
    if (place > 0) out[i] = [0, 10 * place, 10, 10 * (all - 1 - place)];
  });
  return out;
}

const extent = (c) => {
  let low = Infinity, high = -Infinity;
  for (const v of c.low || c.value) if (v < low) low = v;
  for (const v of c.high || c.value) if (v > high) high = v;
  return [low, high];
};

// do two curves lie on each other for a good part of the run, so that only one is seen?
function covers(a, b) {
  const [low, high] = extent(b), near = 0.004 * (high - low || Math.abs(high) || 1);
  let same = 0;
  for (let i = 0; i < a.value.length; i++) same += Math.abs(a.value[i] - b.value[i]) <= near;
  return same > 0.2 * a.value.length;
}

/*
 * spec: {title, unit, xLabel, log, stairs, height, x: times, curves: [{name, value, low, high, colour}]}; a curve that was
 * thinned has the extremes between its points as a band.
 */
export class Panel {
  constructor(spec, group) {
    this.spec = spec;
    // wide bands lie below narrow ones
    if (spec.curves.some((c) => c.low)) {
      const size = new Map(spec.curves.map((c, i) => [c, c.low ? extent(c)[1] - extent(c)[0] : -1 - i]));
      spec.curves.forEach((c, i) => { c.colour ??= i; });
      spec.curves.sort((a, b) => size.get(b) - size.get(a));
    }
    spec.right = spec.curves.some((c) => c.right);
    this.group = group;
    this.hidden = new Set();
    this.legend = el('div', { class: 'legend' });
    this.stage = el('div', { class: 'stage', tabindex: 0, role: 'group', 'aria-label': this.words(), onkeydown: (e) => group.key(e) });
    this.node = el('figure', { class: 'panel' }, el('figcaption', {}, spec.title), this.legend, this.stage);
    group.panels.push(this);
    onTheme(() => this.redraw());
  }

  // what a person who does not see the picture is told
  words() {
    const { spec } = this;
    const of = spec.curves.slice(0, 6).map((c) => {
      const [low, high] = extent(c);
      return `${c.name} between ${number(low, 4)} and ${number(high, 4)}`;
    });
    return `${spec.title}: curves over ${spec.xLabel}. ${of.join('; ')}. Keys: plus and minus zoom, arrows move, 0 shows all.`;
  }

  // the columns of uPlot: times, then for each curve its value and, with a band, high and low
  data() {
    const { spec } = this;
    const isLog = (c) => (c.right ? spec.logRight : spec.log);
    let floor = Infinity;
    for (const c of spec.curves.filter(isLog)) for (const v of c.value) if (v > 0 && v < floor) floor = v;
    floor = Math.max(floor, spec.least || 0);
    const value = (v, c) => (isLog(c) ? log10(v, floor / 3) : v.some(Number.isNaN) ? Array.from(v, (x) => (Number.isNaN(x) ? null : x)) : v);
    const out = [spec.x];
    for (const c of spec.curves) {
      out.push(value(c.value, c));
      if (c.low) out.push(value(c.high, c), value(c.low, c));
    }
    return out;
  }

  series() {
    const out = [{}];
    this.bands = [];
    const { curves } = this.spec, heaps = heapsOf(this.spec);
    curves.forEach((c, i) => {
      const k = c.colour ?? i;
      const show = !this.hidden.has(i);
      out.push({
        label: c.name,
        scale: c.right ? 'r' : 'y',
        stroke: () => color(k),
        dash: c.thin ? [3, 3] : heaps[i] || dash(k),
        width: c.thin ? 1 : 1.6,
        show,
        points: { show: this.spec.x.length < 3 },
        paths: this.spec.stairs ? uPlot.paths.stepped({ align: -1 }) : undefined,
        spanGaps: true,
      });
      if (!c.low) return;
      this.bands.push({ series: [out.length, out.length + 1], fill: () => `${color(k)}55` });
      for (let b = 0; b < 2; b++) out.push({ label: '', scale: c.right ? 'r' : 'y', width: 0, stroke: 'transparent', show, points: { show: false } });
    });
    return out;
  }

  make() {
    const { spec, group } = this;
    const width = this.stage.clientWidth || 600;
    const range = (log) => (u, low, high) => {
      if (low === null || high === null) return [-1, 1];
      if (log) return high - low < 1 ? [low - 0.5, high + 0.5] : [low - 0.1, high + 0.1];
      if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high))) return uPlot.rangeNum(low - (Math.abs(low) || 1) * 1e-3, high + (Math.abs(high) || 1) * 1e-3, 0.1, true);
      return uPlot.rangeNum(low, high, 0.1, true);
    };
    const series = this.series();
    this.plot = new uPlot(
      {
        width,
        height: spec.height || 260,
        padding: [14, 22, 0, 0],
        legend: { show: false },
        scales: {
          x: { time: false, distr: spec.logX ? 3 : 1, range: () => (spec.logX ? [Math.max(group.now[0], firstAbove(spec.x)), group.now[1]] : group.now) },
          y: { range: range(spec.log) },
          ...(spec.right ? { r: { range: range(spec.logRight) } } : {}),
        },
        axes: axes(spec),
        series,
        bands: this.bands,
        cursor: { sync: { key: 'daedal' }, drag: { x: true, y: false, setScale: false }, points: { size: 6 } },
        hooks: {
          draw: [(u) => drawMarks(u, group.marks)],
          setCursor: [(u) => this.read(u.cursor.idx)],
          setSelect: [
            (u) => {
              if (u.select.width < 4) return;
              const low = u.posToVal(u.select.left, 'x');
              const high = u.posToVal(u.select.left + u.select.width, 'x');
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
              group.show(low, high);
            },
          ],
        },
      },
      this.data(),
      this.stage,
    );
    this.now = el('div', { class: 'now', hidden: true });
    this.plot.over.append(this.now);
    mouse(this.plot, group);
    touch(this.plot, group);
  }

  // into the page: the width is known from then on
  place() {
    this.names();
    this.make();
    new ResizeObserver(() => {
      const width = this.stage.clientWidth;
      if (width && Math.abs(width - this.plot.width) > 1) this.plot.setSize({ width, height: this.plot.height });
    }).observe(this.stage);
  }

  redraw() {
    this.names();
    if (this.plot) this.plot.redraw(false, true);
  }

  rebuild() {
    this.plot.destroy();
    this.hidden.clear();
    this.names();
    this.make();
  }

  names() {
    this.values = [];
    this.legend.replaceChildren(
      ...this.spec.curves.map((c, i) => {
        const value = el('span', { class: 'value' });
        this.values.push(value);
        const k = c.colour ?? i;
        const line = el('span', { class: 'line', 'aria-hidden': 'true', style: `border-top-color:${color(k)};border-top-style:${c.thin ? 'dotted' : dash(k).length ? (dash(k)[0] > 4 ? 'dashed' : 'dotted') : 'solid'};${c.thin ? 'border-top-width:1px' : ''}` });
        return el('button', { type: 'button', class: 'curve', 'aria-pressed': String(!this.hidden.has(i)), title: 'show or hide this curve', onclick: () => this.flip(i) },
          line, el('span', { class: 'name' }, c.right ? `${c.name} (right)` : c.name), value);
      }),
    );
  }

  flip(i) {
    if (this.hidden.has(i)) this.hidden.delete(i);
    else this.hidden.add(i);
    this.legend.children[i].setAttribute('aria-pressed', String(!this.hidden.has(i)));
    let k = 1;
    this.spec.curves.forEach((c, j) => {
      const n = c.low ? 3 : 1;
      if (j === i) for (let b = 0; b < n; b++) this.plot.setSeries(k + b, { show: !this.hidden.has(i) });
      k += n;
    });
  }

  read(index) {
    this.spec.curves.forEach((c, i) => {
      const v = index === null || index === undefined ? null : c.value[index];
      this.values[i].textContent = v === null || v === undefined ? '' : `= ${number(v, 7)}`;
    });
    if (this.group.read) this.group.read(index === null || index === undefined ? null : this.spec.x[index]);
  }

  follow([low, high]) {
    if (this.plot) this.plot.setScale('x', { min: low, max: high });
  }

  // where the animation is
  point(t) {
    if (!this.plot) return;
    const x = this.plot.valToPos(t, 'x');
    this.now.hidden = !(x >= 0 && x <= this.plot.over.clientWidth);
    this.now.style.left = `${x}px`;
  }
}

/* paths in the plane of two variables: axes of uPlot, lines of our own */
export class PathPanel {
  constructor(spec) {
    const log = (v, on) => (on ? Float64Array.from(v, (x) => (x > 0 ? Math.log10(x) : NaN)) : v);
    this.spec = { ...spec, paths: spec.paths.map((p) => ({ ...p, x: log(p.x, spec.logX), y: log(p.y, spec.logY) })) };
    this.box = this.extent();
    this.legend = el('div', { class: 'legend' });
    this.stage = el('div', { class: 'stage', tabindex: 0, role: 'group', 'aria-label': `${spec.title}: a path in the plane. Keys: plus and minus zoom, arrows move, 0 shows all.`, onkeydown: (e) => this.key(e) });
    this.node = el('figure', { class: 'panel' }, el('figcaption', {}, spec.title), this.legend, this.stage);
    onTheme(() => this.redraw());
  }

  extent() {
    const box = [Infinity, -Infinity, Infinity, -Infinity];
    for (const p of this.spec.paths)
      for (let i = 0; i < p.x.length; i++) {
        if (!Number.isFinite(p.x[i]) || !Number.isFinite(p.y[i])) continue;
        box[0] = Math.min(box[0], p.x[i]);
        box[1] = Math.max(box[1], p.x[i]);
        box[2] = Math.min(box[2], p.y[i]);
        box[3] = Math.max(box[3], p.y[i]);
      }
    if (!(box[0] <= box[1])) return [-1, 1, -1, 1];
    const pad = (a, b) => 0.06 * (b - a || Math.abs(a) || 1);
    const px = pad(box[0], box[1]), py = pad(box[2], box[3]);
    return [box[0] - px, box[1] + px, box[2] - py, box[3] + py];
  }

  // equal scales for motions in a plane
  fit(box) {
    const [a, b, c, d] = box;
    if (!this.spec.equal || !this.plot) return box;
    const w = this.plot.over.clientWidth || 1, h = this.plot.over.clientHeight || 1;
    const unit = Math.max((b - a) / w, (d - c) / h);
    const mx = (a + b) / 2, my = (c + d) / 2;
    return [mx - (unit * w) / 2, mx + (unit * w) / 2, my - (unit * h) / 2, my + (unit * h) / 2];
  }

  show(box) {
    this.now = this.fit(box);
    this.plot.batch(() => {
      this.plot.setScale('x', { min: this.now[0], max: this.now[1] });
      this.plot.setScale('y', { min: this.now[2], max: this.now[3] });
    });
  }

  key(e) {
    const [a, b, c, d] = this.now;
    const zoom = (f) => this.show([(a + b) / 2 - ((b - a) / 2) * f, (a + b) / 2 + ((b - a) / 2) * f, (c + d) / 2 - ((d - c) / 2) * f, (c + d) / 2 + ((d - c) / 2) * f]);
    const move = (x, y) => this.show([a + x * (b - a), b + x * (b - a), c + y * (d - c), d + y * (d - c)]);
    const act = {
      '+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), 0: () => this.show(this.box), Home: () => this.show(this.box),
      ArrowLeft: () => move(-0.2, 0), ArrowRight: () => move(0.2, 0), ArrowUp: () => move(0, 0.2), ArrowDown: () => move(0, -0.2),
    }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  }

  draw(u) {
    const { ctx } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    ctx.clip();
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.lineJoin = 'round';
    this.spec.paths.forEach((p, k) => {
      ctx.strokeStyle = ctx.fillStyle = color(k);
      ctx.setLineDash(dash(k).map((d) => d * devicePixelRatio));
      ctx.beginPath();
      let x = 0, y = 0;
      for (let i = 0; i < p.x.length; i++) {
        x = u.valToPos(p.x[i], 'x', true);
        y = u.valToPos(p.y[i], 'y', true);
        if (i) ctx.lineTo(x, y);
        else ctx.moveTo(x, y);
      }
      ctx.stroke();
      ctx.beginPath();
      ctx.arc(x, y, 4 * devicePixelRatio, 0, 7);
      ctx.fill();
    });
    ctx.restore();
  }

  place() {
    const { spec } = this;
    const width = this.stage.clientWidth || 400;
    const height = Math.min(420, Math.max(260, width * 0.75));
    this.names();
    this.plot = new uPlot(
      {
        width, height, padding: [10, 22, 0, 0], legend: { show: false },
        scales: { x: { time: false }, y: {} },
        axes: axes({ xLabel: spec.xLabel, unit: spec.yLabel, logX: spec.logX, log: spec.logY, decades: true }),
        series: [{}, { show: true, stroke: 'transparent', points: { show: false } }],
        cursor: { drag: { x: true, y: true, setScale: false }, points: { show: false } },
        hooks: {
          draw: [(u) => this.draw(u)],
          setCursor: [(u) => {
            const { left, top } = u.cursor;
            this.where.textContent = left >= 0 ? `(${number(back(u.posToVal(left, 'x'), spec.logX), 5)}, ${number(back(u.posToVal(top, 'y'), spec.logY), 5)})` : '';
          }],
          setSelect: [(u) => {
            const s = u.select;
            if (s.width < 4 || s.height < 4) return;
            const box = [u.posToVal(s.left, 'x'), u.posToVal(s.left + s.width, 'x'), u.posToVal(s.top + s.height, 'y'), u.posToVal(s.top, 'y')];
            u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            this.show(box);
          }],
        },
      },
      [[this.box[0], this.box[1]], [this.box[2], this.box[3]]],
      this.stage,
    );
    this.plot.over.addEventListener('dblclick', () => this.show(this.box));
    this.show(this.box);
    new ResizeObserver(() => {
      const w = this.stage.clientWidth;
      if (!w || Math.abs(w - this.plot.width) <= 1) return;
      this.plot.setSize({ width: w, height: Math.min(420, Math.max(260, w * 0.75)) });
      this.show(this.box);
    }).observe(this.stage);
  }

  names() {
    this.where = el('span', { class: 'value' });
    this.legend.replaceChildren(
      ...this.spec.paths.map((p, k) =>
        el('span', { class: 'curve' }, el('span', { class: 'line', 'aria-hidden': 'true', style: `border-top-color:${color(k)}` }), el('span', { class: 'name' }, p.name))),
      this.where,
    );
  }

  redraw() {
    this.names();
    if (this.plot) this.plot.redraw(false, true);
  }
}
