/*
 * The motion of a mechanism: shapes whose coordinates are columns of a table, drawn for one time after the other. Bodies in
 * space are projected here by one rotation and a perspective division: a library for that would be ten times this page.
 */
import { el, number } from './dom.js';
import { Table } from './decode.js';
import { color, css, onTheme } from './theme.js';

const SPEEDS = [0.125, 0.25, 0.5, 1, 2, 4, 8];

// the time of the model where the whole run takes between 2 and 60 seconds, else a speed at which it takes about 10
function pace(span) {
  if (span >= 2 && span <= 60) return 1;
  const raw = span / 10;
  const unit = 10 ** Math.floor(Math.log10(raw));
  return unit * [1, 2, 5, 10].find((k) => k * unit >= raw * 0.99);
}

export class Motion {
  constructor(draw, options = {}) {
    this.table = new Table(draw.table);
    this.shapes = draw.shapes;
    this.dims = draw.dims;
    this.options = options;
    this.t0 = this.table.time[0];
    this.t1 = this.table.time[this.table.rows - 1];
    this.from = Math.min(this.t0, this.t1);
    this.to = Math.max(this.t0, this.t1);
    this.t = this.from;
    this.rate = pace(this.to - this.from || 1);
    this.turn = [0.6, 0.35];
    this.extent();
    this.build();
    onTheme(() => this.draw());
  }

  at(column, row, part) {
    const v = this.table.column(column).value;
    return part ? v[row] + (v[row + 1] - v[row]) * part : v[row];
  }

  // the row before a time, and how far behind it the time lies; times may run backwards
  find(t) {
    const { time, rows } = this.table;
    const way = time[rows - 1] < time[0] ? -1 : 1;
    let low = 0, high = rows - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((time[middle] - t) * way > 0) high = middle;
      else low = middle;
    }
    const span = time[low + 1] - time[low];
    return rows < 2 || span === 0 ? [low, 0] : [low, Math.min(1, Math.max(0, (t - time[low]) / span))];
  }

  // the box that everything stays in
  extent() {
    const d = this.dims;
    this.low = new Array(d).fill(Infinity);
    this.high = new Array(d).fill(-Infinity);
    for (const s of this.shapes)
      for (let k = 0; k + d <= s.a.length && k < (s.k === 'force' ? 1 : s.n) * d; k += d)
        for (let i = 0; i < d; i++)
          for (const v of this.table.column(s.a[k + i]).value) {
            if (v < this.low[i]) this.low[i] = v;
            if (v > this.high[i]) this.high[i] = v;
          }
    for (let i = 0; i < d; i++) if (!(this.low[i] <= this.high[i])) [this.low[i], this.high[i]] = [-1, 1];
    this.size = Math.max(...this.low.map((l, i) => this.high[i] - l)) || 1;
    this.centre = this.low.map((l, i) => (l + this.high[i]) / 2);
    this.radius = this.size * 0.018;
    this.strongest = this.strength();
  }

  // the largest force of the run; and the one whose arrow is a quarter of the whole: peaks, as at singular positions, are cut
  strength() {
    const d = this.dims, most = new Float64Array(this.table.rows);
    for (const s of this.shapes.filter((q) => q.k === 'force')) {
      const parts = s.a.slice(d, 2 * d).map((c) => this.table.column(c).value);
      for (let r = 0; r < this.table.rows; r++) {
        const size = Math.hypot(...parts.map((p) => p[r]));
        if (size > most[r] && Number.isFinite(size)) most[r] = size;
      }
    }
    most.sort();
    this.usual = most[Math.floor(0.8 * most.length)] || most[most.length - 1];
    return most[most.length - 1];
  }

  build() {
    const id = `motion-${Motion.count = (Motion.count || 0) + 1}`;
    this.canvas = el('canvas', { class: 'motion', tabindex: this.dims === 3 ? 0 : undefined, role: 'img', 'aria-label': `the motion of ${this.options.name || 'the mechanism'}${this.dims === 3 ? '; arrow keys turn the view' : ''}` });
    this.play_ = el('button', { type: 'button', class: 'play', onclick: () => (this.playing ? this.stop() : this.play()) }, 'Play');
    this.slider = el('input', { type: 'range', id, min: 0, max: 1000, step: 1, value: 0, 'aria-label': 'time', oninput: () => { this.stop(); this.show(this.from + ((this.to - this.from) * this.slider.value) / 1000); } });
    this.clock = el('output', { for: id, class: 'clock' });
    this.speed = el('select', { 'aria-label': 'speed' }, SPEEDS.map((s) => el('option', { value: s, selected: s === 1 }, `${s}×`)));
    const trace = el('input', { type: 'checkbox', checked: this.shapes.some((s) => s.k === 'trace'), onchange: () => { this.trace = trace.checked; this.draw(); } });
    this.trace = trace.checked;
    const arrows = this.shapes.some((s) => s.k === 'arrow') || this.strongest > 0;
    const force = el('input', { type: 'checkbox', onchange: () => { this.force = force.checked; this.draw(); } });
    this.node = el('div', { class: 'mover' }, this.canvas,
      el('div', { class: 'controls' }, this.play_, this.slider, this.clock,
        el('label', {}, 'speed ', this.speed), el('label', { class: 'check' }, trace, ' trace'),
        arrows && el('label', { class: 'check' }, force, this.strongest > 0 ? ` forces (largest ${number(this.strongest, 3)})` : ' forces')),
      this.rate !== 1 && el('p', { class: 'note' }, `At speed 1× one second shows ${number(this.rate, 3)} of the model's time.`));
    if (this.dims === 3) this.turning();
  }

  turning() {
    let held = null;
    this.canvas.style.touchAction = 'none';
    this.canvas.addEventListener('pointerdown', (e) => { held = [e.clientX, e.clientY, ...this.turn]; this.canvas.setPointerCapture(e.pointerId); });
    this.canvas.addEventListener('pointermove', (e) => {
      if (!held) return;
      this.turn = [held[2] + (e.clientX - held[0]) * 0.01, Math.max(-1.5, Math.min(1.5, held[3] + (e.clientY - held[1]) * 0.01))];
      this.draw();
    });
    for (const n of ['pointerup', 'pointercancel']) this.canvas.addEventListener(n, () => { held = null; });
    this.canvas.addEventListener('keydown', (e) => {
      const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[e.key];
      if (!step) return;
      e.preventDefault();
      this.turn = [this.turn[0] + step[0], this.turn[1] + step[1]];
      this.draw();
    });
  }

  place() {
    const fit = () => {
      const width = this.canvas.clientWidth || 600;
      const aspect = this.dims === 3 ? 0.7 : Math.min(0.75, Math.max(0.3, (this.high[1] - this.low[1] + this.size * 0.15) / (this.high[0] - this.low[0] + this.size * 0.15)));
      const height = Math.min(Math.round(width * aspect), Math.max(300, innerHeight * 0.5));
      this.canvas.style.height = `${height}px`;
      this.canvas.width = Math.round(width * devicePixelRatio);
      this.canvas.height = Math.round(height * devicePixelRatio);
      this.draw();
    };
    fit();
    let seen = this.canvas.clientWidth;
    new ResizeObserver(() => {
      if (this.canvas.clientWidth === seen) return;
      seen = this.canvas.clientWidth;
      fit();
    }).observe(this.canvas);
    this.show(this.options.whole ? this.to : this.from);
    if (!this.options.still && !matchMedia('(prefers-reduced-motion: reduce)').matches) this.play();
  }

  play() {
    if (this.t >= this.to) this.t = this.from;
    this.playing = true;
    this.play_.textContent = 'Pause';
    let before = null;
    const frame = (now) => {
      if (!this.playing || !this.canvas.isConnected) return;
      if (before !== null) {
        const next = this.t + ((now - before) / 1000) * this.rate * Number(this.speed.value);
        this.show(next > this.to ? this.from : next);
      }
      before = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  stop() {
    this.playing = false;
    this.play_.textContent = 'Play';
  }

  show(t) {
    this.t = Math.min(this.to, Math.max(this.from, t));
    this.slider.value = Math.round((1000 * (this.t - this.from)) / (this.to - this.from || 1));
    this.clock.textContent = `t = ${number(this.t, 4)}`;
    this.draw();
    if (this.options.moved) this.options.moved(this.t);
  }

  // from the coordinates of the model to pixels
  camera() {
    const { width, height } = this.canvas;
    if (this.dims === 2) {
      const unit = Math.min(width / (this.high[0] - this.low[0] + this.size * 0.16), height / (this.high[1] - this.low[1] + this.size * 0.16));
      return { unit, place: (p) => [width / 2 + (p[0] - this.centre[0]) * unit, height / 2 - (p[1] - this.centre[1]) * unit, 0, 1] };
    }
    const [a, b] = this.turn;
    const ca = Math.cos(a), sa = Math.sin(a), cb = Math.cos(b), sb = Math.sin(b);
    const reach = Math.hypot(...this.low.map((l, i) => this.high[i] - l)) / 2 || 1;
    const unit = (0.46 * Math.min(width, height)) / reach, far = 4 * reach;
    return {
      unit,
      place: (p) => {
        const x = p[0] - this.centre[0], y = p[1] - this.centre[1], z = p[2] - this.centre[2];
        const u = ca * x + sa * y, v = -sa * x + ca * y;
        const depth = cb * v - sb * z, up = sb * v + cb * z;
        const scale = far / (far + depth);
        return [width / 2 + u * unit * scale, height / 2 - up * unit * scale, depth, scale];
      },
    };
  }

  draw() {
    const { canvas, dims } = this;
    const ctx = canvas.getContext('2d');
    if (!ctx || !canvas.width) return;
    const [row, part] = this.find(this.t);
    const camera = this.camera();
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    ctx.lineCap = ctx.lineJoin = 'round';
    if (dims === 3) this.floor(ctx, camera);
    const point = (s, k) => {
      const p = [];
      for (let i = 0; i < dims; i++) p.push(this.at(s.a[k * dims + i], row, part));
      return camera.place(p);
    };
    const tip = (s) => {
      const force = Array.from({ length: dims }, (_, i) => this.at(s.a[dims + i], row, part));
      const length = Math.min(Math.hypot(...force) / this.usual, 1.6), scale = (0.25 * this.size * length) / (Math.hypot(...force) || 1);
      return camera.place(force.map((f, i) => this.at(s.a[i], row, part) + scale * f));
    };
    const list = this.shapes.map((s, i) => {
      const p = [];
      if (s.k === 'force') p.push(point(s, 0), tip(s));
      else for (let k = 0; k < s.n; k++) p.push(point(s, k));
      const rest = s.a.slice(s.n * dims).map((c) => this.at(c, row, part));
      return { s, i, p, rest, depth: p.reduce((sum, q) => sum + q[2], 0) / (p.length || 1) };
    });
    if (this.trace) for (const e of list) this.paint(ctx, camera, e, row, 'trace');
    if (dims === 3) list.sort((a, b) => b.depth - a.depth);
    for (const e of list) if (e.s.k !== 'trace') this.paint(ctx, camera, e, row, e.s.k);
  }

  // the ground under a body in space
  floor(ctx, camera) {
    const z = this.low[2], n = 8;
    ctx.strokeStyle = css('--grid');
    ctx.lineWidth = devicePixelRatio;
    ctx.beginPath();
    for (let i = 0; i <= n; i++)
      for (const flip of [0, 1]) {
        const s = (i / n - 0.5) * this.size * 1.2, e = this.size * 0.6;
        const ends = flip ? [[s, -e], [s, e]] : [[-e, s], [e, s]];
        ends.forEach(([x, y], k) => {
          const p = camera.place([this.centre[0] + x, this.centre[1] + y, z]);
          if (k) ctx.lineTo(p[0], p[1]);
          else ctx.moveTo(p[0], p[1]);
        });
      }
    ctx.stroke();
  }

  paint(ctx, camera, { s, i, p, rest }, row, kind) {
    const dot = Math.max(this.radius * camera.unit, 2.5 * devicePixelRatio);
    const path = (closed) => {
      ctx.beginPath();
      p.forEach((q, k) => (k ? ctx.lineTo(q[0], q[1]) : ctx.moveTo(q[0], q[1])));
      if (closed) ctx.closePath();
    };
    if (kind === 'line') {
      ctx.strokeStyle = css('--rod');
      ctx.lineWidth = Math.max(dot * (this.shapes.length > 300 ? 0.3 : 0.75), devicePixelRatio);
      path(false);
      ctx.stroke();
    } else if (kind === 'curve') {
      ctx.strokeStyle = css('--soft');
      ctx.lineWidth = 1.5 * devicePixelRatio;
      path(false);
      ctx.stroke();
    } else if (kind === 'polygon') {
      ctx.fillStyle = `${color(0)}55`;
      ctx.strokeStyle = color(0);
      ctx.lineWidth = 1.5 * devicePixelRatio;
      path(true);
      ctx.fill();
      ctx.stroke();
    } else if (kind === 'circle') {
      ctx.fillStyle = color(s.c ?? 0);
      ctx.beginPath();
      ctx.arc(p[0][0], p[0][1], rest.length ? Math.max(rest[0] * camera.unit * p[0][3], 1.5) : dot * 1.5 * p[0][3], 0, 7);
      ctx.fill();
    } else if (kind === 'ring') {
      ctx.strokeStyle = css('--soft');
      ctx.lineWidth = 1.5 * devicePixelRatio;
      ctx.beginPath();
      ctx.arc(p[0][0], p[0][1], rest[0] * camera.unit * p[0][3], 0, 7);
      ctx.stroke();
    } else if (kind === 'ground') this.ground(ctx, p[0], dot);
    else if (kind === 'spring') this.spring(ctx, p, dot);
    else if ((kind === 'arrow' || kind === 'force') && this.force) this.arrow(ctx, p, dot);
    else if (kind === 'trace' && (s.k === 'trace' || (s.k === 'circle' && !this.shapes.some((q) => q.k === 'trace') && this.shapes.length < 60))) this.path(ctx, camera, s, i, row);
  }

  ground(ctx, [x, y], dot) {
    ctx.fillStyle = css('--panel');
    ctx.strokeStyle = css('--soft');
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x - dot * 1.6, y + dot * 2.4);
    ctx.lineTo(x + dot * 1.6, y + dot * 2.4);
    ctx.closePath();
    ctx.fill();
    ctx.stroke();
    ctx.beginPath();
    ctx.arc(x, y, dot * 0.7, 0, 7);
    ctx.fill();
    ctx.stroke();
  }

  spring(ctx, [a, b], dot) {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy) || 1;
    const nx = -dy / length, ny = dx / length, n = 12;
    ctx.strokeStyle = color(2);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(a[0], a[1]);
    for (let k = 1; k < 2 * n; k++) {
      const side = k < 3 || k > 2 * n - 3 ? 0 : (k % 2 ? 1 : -1) * dot * 1.2;
      ctx.lineTo(a[0] + (dx * k) / (2 * n) + nx * side, a[1] + (dy * k) / (2 * n) + ny * side);
    }
    ctx.lineTo(b[0], b[1]);
    ctx.stroke();
  }

  arrow(ctx, [a, b], dot) {
    const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy);
    if (length < 1) return;
    const ux = dx / length, uy = dy / length, h = Math.min(dot * 2, length * 0.4);
    ctx.strokeStyle = ctx.fillStyle = color(1);
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    ctx.moveTo(a[0], a[1]);
    ctx.lineTo(b[0], b[1]);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(b[0], b[1]);
    ctx.lineTo(b[0] - h * ux + h * 0.5 * uy, b[1] - h * uy - h * 0.5 * ux);
    ctx.lineTo(b[0] - h * ux - h * 0.5 * uy, b[1] - h * uy + h * 0.5 * ux);
    ctx.fill();
  }

  // where a point has been; long ones in at most 1500 pieces
  path(ctx, camera, s, i, row) {
    const { dims } = this;
    const n = Math.min(row, this.table.rows - 1), stride = Math.max(1, Math.ceil(n / 1500));
    ctx.strokeStyle = `${color(i)}aa`;
    ctx.lineWidth = 1.3 * devicePixelRatio;
    ctx.beginPath();
    for (let r = 0; r <= n; r += stride) {
      const p = [];
      for (let k = 0; k < dims; k++) p.push(this.table.column(s.a[k]).value[r]);
      const q = camera.place(p);
      if (r) ctx.lineTo(q[0], q[1]);
      else ctx.moveTo(q[0], q[1]);
    }
    ctx.stroke();
  }
}
