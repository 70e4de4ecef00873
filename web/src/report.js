// The page of a run, of a motion alone, or of a sweep: made from the data that stand in it.
import { el } from './dom.js';
import { equations, finals, happened, motion, parameters, plots, reproduce, words } from './run.js';
import { sweep } from './sweep.js';
import { toggle } from './theme.js';

function navigation(sections) {
  const links = sections.map((s) => el('a', { href: `#${s.id}` }, s.querySelector('h2').textContent));
  return el('nav', { 'aria-label': 'sections' }, links);
}

function head(data) {
  const s = data.summary;
  const good = !s || s.status === 'ok' || data.ended;
  return el('header', {}, el('h1', {}, data.title),
    el('p', { class: 'lead' }, s && el('span', { class: good ? 'status good' : 'status bad' }, good ? '✓ solved' : `✕ ${s.status}`), ` ${data.lead}`),
    s && !good && el('p', { class: 'bad' }, [s.message, s.advice].filter((x) => x).join(' ')),
    el('button', { type: 'button', class: 'theme', onclick: toggle }, 'Light or dark'));
}

function foot(data) {
  return el('footer', {}, el('p', {}, `Written by daedal ${data.version}. This page holds all its data and asks for nothing from the network. `, 'Curves by uPlot (MIT licence).'),
    el('details', {}, el('summary', {}, 'Licence of uPlot'), el('pre', { tabindex: 0 }, document.getElementById('licenses').textContent)));
}

function parts(data) {
  if (data.page === 'sweep') return sweep(data);
  if (data.page === 'motion') {
    const m = motion(data, null);
    return { nodes: [m.node], place: m.place };
  }
  const p = data.solution ? plots(data) : { place: () => {} };
  const m = motion(data, p.group);
  return {
    nodes: [m && m.node, p.plots, p.accuracy, happened(data), finals(data), words(data), equations(data), parameters(data)],
    place: () => { p.place(); if (m) m.place(); },
  };
}

function start() {
  const data = JSON.parse(document.getElementById('data').textContent);
  const { nodes, place } = parts(data);
  const sections = [...nodes.filter((n) => n), reproduce(data)];
  document.title = data.title;
  document.body.replaceChildren(...[...document.body.querySelectorAll('script')],
    el('a', { class: 'skip', href: '#content' }, 'Skip to the content'), head(data),
    sections.length > 2 && data.page !== 'motion' ? navigation(sections) : '', el('main', { id: 'content' }, sections), foot(data));
  place();
  document.documentElement.dataset.ready = 'yes';
}

start();
