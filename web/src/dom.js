// Elements from data. Text only ever enters a page as text: there is no innerHTML in these sources.

export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'value') node.value = value;
    else node.setAttribute(key, value === true ? '' : value);
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of children.flat(Infinity))
    if (child !== undefined && child !== null && child !== false) node.append(child);
  return node;
}

export function section(id, title, ...children) {
  return el('section', { id, 'aria-labelledby': `${id}-title` }, el('h2', { id: `${id}-title` }, title), ...children);
}

// rows of cells; the first cell of a row is its heading
export function table(head, rows, label) {
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': label },
    el(
      'table',
      {},
      head && el('thead', {}, el('tr', {}, head.map((h) => el('th', { scope: 'col' }, h)))),
      el('tbody', {}, rows.map((r) =>
        el('tr', {}, r.map((c, i) => (i ? el('td', {}, c) : el('th', { scope: 'row' }, c)))))),
    ),
  );
}

// a number as people read it: all its digits up to `digits`, no zeros at the end
export function number(value, digits = 10) {
  if (value === null || value === undefined) return '–';
  if (Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞';
  if (value === 0) return '0';
  const size = Math.abs(value);
  const text = size < 1e-4 || size >= 1e9 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  const tidy = text.includes('.') ? text.replace(/\.?0+(e|$)/, '$1') : text;
  return tidy.replace('-', '\u2212').replace('e+', 'e').replace(/e-/, 'e\u2212');
}

export const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
