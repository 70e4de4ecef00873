// The pages of the gallery: headings, paragraphs, lists, code, tables; bold and code inside a line.
import { el } from './dom.js';

function inline(text) {
  const out = [];
  const pattern = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\([^)]*\)|!\[([^\]]*)\]\([^)]*\)/g;
  let at = 0;
  for (let f = pattern.exec(text); f; f = pattern.exec(text)) {
    out.push(text.slice(at, f.index));
    if (f[1] !== undefined) out.push(el('code', {}, f[1]));
    else if (f[2] !== undefined) out.push(el('strong', {}, f[2]));
    else if (f[3] !== undefined) out.push(f[3]);
    at = pattern.lastIndex;
  }
  out.push(text.slice(at));
  return out;
}

const kinds = [
  { test: (l) => /^ {4}/.test(l), make: (ls) => el('pre', { tabindex: 0 }, ls.map((l) => l.slice(4)).join('\n')) },
  { test: (l) => /^\|/.test(l), make: tableOf },
  { test: (l) => /^!\[/.test(l), make: () => null },
  { test: (l) => /^[-*] /.test(l), make: (ls) => el('ul', {}, items(ls).map((l) => el('li', {}, inline(l)))), more: (l) => /^ {2}\S/.test(l) },
  { test: (l) => /^#+ /.test(l), make: (ls) => ls.map((l) => el('h3', {}, inline(l.replace(/^#+ /, '')))) },
];

function items(lines) {
  const out = [];
  for (const l of lines) {
    if (/^[-*] /.test(l)) out.push(l.slice(2));
    else out[out.length - 1] += ` ${l.trim()}`;
  }
  return out;
}

function tableOf(lines) {
  const rows = lines.filter((l) => !/^\|[-| :]+\|?$/.test(l)).map((l) => l.replace(/^\||\|\s*$/g, '').split('|').map((c) => c.trim()));
  return el('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'table' }, el('table', {}, rows.map((r, i) =>
    el('tr', {}, r.map((c) => el(i ? 'td' : 'th', i ? {} : { scope: 'col' }, inline(c)))))));
}

export function markdown(text) {
  const out = [];
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; ) {
    if (!lines[i].trim()) {
      i++;
      continue;
    }
    const kind = kinds.find((k) => k.test(lines[i]));
    const block = [];
    if (kind) while (i < lines.length && (kind.test(lines[i]) || (kind.more && block.length && kind.more(lines[i])))) block.push(lines[i++]);
    else while (i < lines.length && lines[i].trim() && !kinds.some((k) => k.test(lines[i]))) block.push(lines[i++]);
    out.push(kind ? kind.make(block) : el('p', {}, inline(block.join(' '))));
  }
  return out.flat().filter((n) => n);
}
