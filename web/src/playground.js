/*
 * The playground: a model at the left, its run at the right. The command runs as WebAssembly in a worker, so that the page
 * stays alive and a run can be ended; a parameter that moves runs the model again.
 */
import { el, number } from './dom.js';
import { equations, finals, happened, motion, plots, words } from './run.js';
import { toggle } from './theme.js';

const PATIENCE = 20000; // milliseconds that a run may take

// ---- the worker: one run at a time, a new worker after one that was ended ----

class Runner {
  constructor() {
    const code = document.getElementById('daedal').textContent;
    const glue = document.getElementById('worker').textContent;
    this.url = URL.createObjectURL(new Blob([code, glue], { type: 'text/javascript' }));
    this.start();
  }

  start() {
    this.worker = new Worker(this.url);
    this.busy = null;
    this.worker.onmessage = (e) => this.done(e.data);
    this.worker.onerror = (e) => this.done({ code: 9, err: `the run broke off: ${e.message || 'no memory'}` });
  }

  done(result) {
    clearTimeout(this.timer);
    const { busy } = this;
    this.busy = null;
    if (result.code === 9) this.restart();
    if (busy) busy(result);
    if (this.next) {
      const { job, resolve } = this.next;
      this.next = null;
      this.send(job, resolve);
    }
  }

  restart() {
    this.worker.terminate();
    this.start();
  }

  send(job, resolve) {
    this.busy = resolve;
    this.timer = setTimeout(() => this.stop(`ended after ${PATIENCE / 1000} seconds`), PATIENCE);
    this.worker.postMessage(job);
  }

  // the newest wish waits while a run goes on; older ones are forgotten
  run(job) {
    return new Promise((resolve) => {
      if (this.busy) this.next = { job, resolve };
      else this.send(job, resolve);
    });
  }

  stop(why) {
    if (!this.busy) return;
    this.worker.terminate();
    const { busy } = this;
    clearTimeout(this.timer);
    this.start();
    busy({ code: 8, err: why });
  }
}

// ---- the editor: text, line numbers, messages at their places ----

function messages(text) {
  const out = [];
  for (const line of text.split('\n')) {
    const found = /^[^:]*:(\d+):(\d+): (error|warning): (.*)$/.exec(line);
    if (found) out.push({ line: Number(found[1]), column: Number(found[2]), kind: found[3], text: found[4] });
    else if (/^daedal: /.test(line) && !/note: /.test(line)) out.push({ kind: 'error', text: line.slice(8) });
  }
  return out;
}

class Editor {
  constructor(changed) {
    this.text = el('textarea', { id: 'text', spellcheck: 'false', autocomplete: 'off', 'aria-label': 'text of the model', oninput: () => { this.number(); changed(); }, onscroll: () => this.scroll(), onkeydown: (e) => this.key(e) });
    this.lines = el('pre', { class: 'lines', 'aria-hidden': 'true' });
    this.marks = el('div', { class: 'marks', 'aria-hidden': 'true' });
    this.list = el('ul', { class: 'messages', 'aria-live': 'polite' });
    this.node = el('div', { class: 'editor' }, this.lines, el('div', { class: 'field' }, this.marks, this.text));
  }

  // tab indents; escape gives the key back to whoever moves through the page
  key(e) {
    if (e.key === 'Escape') this.free = true;
    else if (e.key === 'Tab' && !this.free && !e.shiftKey) {
      e.preventDefault();
      this.text.setRangeText('  ', this.text.selectionStart, this.text.selectionEnd, 'end');
      this.text.dispatchEvent(new Event('input'));
    } else if (e.key !== 'Shift') this.free = false;
  }

  set(text) {
    this.text.value = text;
    this.number();
    this.tell([]);
  }

  number() {
    const count = this.text.value.split('\n').length;
    this.lines.textContent = Array.from({ length: count }, (_, i) => i + 1).join('\n');
    this.scroll();
  }

  scroll() {
    this.lines.style.transform = `translateY(${-this.text.scrollTop}px)`;
    this.marks.style.transform = `translate(${-this.text.scrollLeft}px, ${-this.text.scrollTop}px)`;
  }

  place(m) {
    const lines = this.text.value.split('\n');
    return lines.slice(0, m.line - 1).reduce((n, l) => n + l.length + 1, 0) + m.column - 1;
  }

  // a wave under the place of each message; a click goes there
  tell(list) {
    this.list.replaceChildren(...list.map((m) => el('li', { class: m.kind }, m.line
      ? el('button', { type: 'button', onclick: () => { const at = this.place(m); this.text.focus(); this.text.setSelectionRange(at, at + 1); } }, `line ${m.line}, column ${m.column}`) : '', ` ${m.text}`)));
    this.marks.replaceChildren(...list.filter((m) => m.line).map((m) => el('span', { class: `caret ${m.kind}`, style: `top:calc(${m.line - 1} * 1.45em);left:calc(${m.column - 1} * 1ch)` })));
    this.text.setAttribute('aria-invalid', String(list.some((m) => m.kind === 'error')));
  }
}

// ---- the page ----

const models = JSON.parse(document.getElementById('models').textContent);
const runner = new Runner();
let sliders = new Map(); // name -> value that was moved
let soon = null;
let shown = null;

const editor = new Editor(() => { sliders = new Map(); later(600); });
const state = el('p', { class: 'state', role: 'status' });
const panel = el('div', { class: 'sliders' });
const result = el('div', { id: 'result' });
const stop = el('input', { id: 'stop', type: 'text', inputmode: 'decimal', size: 8, placeholder: "the model's", onchange: () => go() });
const tol = el('input', { id: 'tol', type: 'text', inputmode: 'decimal', size: 8, placeholder: '1e-6', onchange: () => go() });
const choice = el('select', { id: 'model', onchange: () => { sliders = new Map(); editor.set(models[choice.value]); go(true); } }, Object.keys(models).map((name) => el('option', { value: name }, name)));

function later(time) {
  clearTimeout(soon);
  soon = setTimeout(() => go(), time);
}

function job() {
  const args = ['/model.mo', '--report', '/out.json'];
  for (const [name, value] of sliders) args.push('--set', `${name}=${value}`);
  if (stop.value.trim()) args.push('--stop', stop.value.trim());
  if (tol.value.trim()) args.push('--tol', tol.value.trim());
  return { text: editor.text.value, args };
}

// around its value: from 0 to twice as much, so that both directions are open
function slider(p) {
  const id = `slider-${p.name}`;
  const low = p.value > 0 ? 0.05 * p.value : p.value < 0 ? 3 * p.value : -1, high = p.value > 0 ? 3 * p.value : p.value < 0 ? 0.05 * p.value : 1;
  const out = el('output', { for: id }, number(p.value, 5));
  const input = el('input', { type: 'range', id, min: low, max: high, step: (high - low) / 400, value: p.value,
    oninput: () => { sliders.set(p.name, Number(input.value)); out.textContent = number(Number(input.value), 5); go(); } });
  return el('div', { class: 'slider' }, el('label', { for: id, title: p.meaning || '' }, p.name), input, out);
}

function showSliders(data) {
  const names = data.parameters.filter((p) => p.value !== null).map((p) => p.name).join();
  if (panel.dataset.names === names && sliders.size) return;
  panel.dataset.names = names;
  panel.replaceChildren(...data.parameters.filter((p) => p.value !== null).slice(0, 24).map(slider));
}

function showRun(data) {
  const time = shown ? shown.motion?.t : undefined;
  const playing = shown ? shown.motion?.playing : true;
  const p = plots(data);
  const m = motion(data, p.group, { still: playing === false });
  result.replaceChildren(...[m && m.node, p.plots, p.accuracy, happened(data), finals(data), words(data), equations(data)].filter((n) => n));
  p.place();
  if (m) {
    m.place();
    if (time !== undefined) m.motion.show(time);
  }
  shown = { motion: m && m.motion, plots: p };
}

async function go(fresh) {
  clearTimeout(soon);
  if (fresh) shown = null;
  state.textContent = 'running ..';
  state.className = 'state';
  const begun = performance.now();
  const r = await runner.run(job());
  const list = messages(r.err || '');
  editor.tell(list);
  if (!r.data) {
    state.textContent = list.length ? `${list.length} message${list.length === 1 ? '' : 's'}` : r.err || 'no result';
    state.className = 'state bad';
    document.documentElement.dataset.ran = String(Number(document.documentElement.dataset.ran || 0) + 1);
    return;
  }
  const data = JSON.parse(r.data);
  const s = data.summary;
  state.textContent = `${data.ended ? 'solved' : s.status} in ${number((performance.now() - begun) / 1000, 2)} s: ${s.method}, ${s.steps} steps, t = ${number(s.t0, 5)} .. ${number(s.reached, 5)}${data.ended ? '' : `. ${s.message}`}`;
  state.className = data.ended ? 'state good' : 'state bad';
  showSliders(data);
  showRun(data);
  window.daedal = data; // for tests and for people with a console
  document.documentElement.dataset.ran = String(Number(document.documentElement.dataset.ran || 0) + 1);
}

function download() {
  const a = el('a', { href: URL.createObjectURL(new Blob([editor.text.value], { type: 'text/plain' })), download: 'model.mo' });
  a.click();
}

document.body.replaceChildren(...document.body.querySelectorAll('script'),
  el('header', {}, el('h1', {}, 'Daedal playground'), el('p', { class: 'lead' }, 'Write a model, see it move. Everything happens in this page; nothing leaves the machine.'), el('button', { type: 'button', class: 'theme', onclick: toggle }, 'Light or dark')),
  el('main', { class: 'play' },
    el('section', { class: 'left', 'aria-label': 'model' },
      el('div', { class: 'toolbar' }, el('label', { for: 'model' }, 'model'), choice, el('button', { type: 'button', id: 'run', onclick: () => go() }, 'Run'), el('button', { type: 'button', onclick: () => runner.stop('ended by you') }, 'End'), el('button', { type: 'button', onclick: download }, 'Save')),
      editor.node, editor.list,
      el('div', { class: 'toolbar' }, el('label', { for: 'stop' }, 'stop time'), stop, el('label', { for: 'tol' }, 'tolerance'), tol),
      el('h2', {}, 'Parameters'), panel, el('p', { class: 'note' }, 'A slider runs the model again at once. Escape, then Tab leaves the text.')),
    el('div', { class: 'right', role: 'region', 'aria-label': 'result' }, state, result)));
editor.set(models[choice.value]);
go(true);
document.documentElement.dataset.ready = 'yes';
