// Formulas of a model as MathML: the text that the library prints (Modelica's operators and functions) is parsed here.

const NS = 'http://www.w3.org/1998/Math/MathML';
const GREEK = {
  alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', zeta: 'ζ', eta: 'η', theta: 'θ', kappa: 'κ',
  lambda: 'λ', mu: 'μ', nu: 'ν', xi: 'ξ', rho: 'ρ', sigma: 'σ', tau: 'τ', phi: 'φ', chi: 'χ', psi: 'ψ', omega: 'ω',
  Gamma: 'Γ', Delta: 'Δ', Theta: 'Θ', Lambda: 'Λ', Sigma: 'Σ', Phi: 'Φ', Psi: 'Ψ', Omega: 'Ω', pi: 'π',
};

function m(tag, ...children) {
  const node = document.createElementNS(NS, tag);
  node.append(...children.filter((c) => c !== null));
  return node;
}

const gap = () => { const node = m('mspace'); node.setAttribute('width', '0.17em'); return node; };
const op = (text) => m('mo', text);
const row = (...children) => (children.length === 1 ? children[0] : m('mrow', ...children));

// x1 -> x with index 1; phi_2 -> φ with index 2; a[1,2] -> a with index 1,2; longer names stay upright words
export function nameNode(text) {
  const found = /^([A-Za-z]+?)_?(\d+)?(\[[^\]]*\])?$/.exec(text);
  if (!found) return m('mtext', text);
  let stem = found[1];
  let head = '';
  if (!GREEK[stem] && stem.length > 1) {
    const greek = Object.keys(GREEK).find((g) => g.length > 2 && stem.endsWith(g));
    if (greek && stem.length - greek.length <= 2) {
      head = stem.slice(0, -greek.length);
      stem = greek;
    }
  }
  const shown = head + (GREEK[stem] || stem);
  const base = m('mi', shown);
  if (shown.length > 1) base.setAttribute('mathvariant', 'normal');
  const index = [found[2], found[3] && found[3].slice(1, -1)].filter((s) => s).join(',');
  return index ? m('msub', base, m(/^\d+$/.test(index) ? 'mn' : 'mtext', index)) : base;
}

class Reader {
  constructor(text) {
    this.token = [];
    const pattern = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|('(?:[^'\\]|\\.)*'|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?:\[[^\]]*\])?)|("(?:[^"\\]|\\.)*")|(<=|>=|<>|==|:=|\.[-+*/^]|[-+*/^()=<>,{};:]))/y;
    let at = 0;
    while (at < text.trimEnd().length) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) throw new Error(`cannot read '${text.slice(at, at + 20)}'`);
      if (found[1]) this.token.push({ kind: 'number', text: found[1] });
      else if (found[2]) this.token.push({ kind: 'name', text: found[2] });
      else if (found[3]) this.token.push({ kind: 'text', text: found[3] });
      else this.token.push({ kind: 'op', text: found[4] });
      at = pattern.lastIndex;
    }
    this.at = 0;
  }

  peek(text) {
    const t = this.token[this.at];
    return t && (t.kind === 'op' || t.kind === 'name') && t.text === text;
  }

  take(text) {
    if (!this.peek(text)) return false;
    this.at++;
    return true;
  }

  need(text) {
    if (!this.take(text)) throw new Error(`'${text}' is missing`);
  }
}

// levels of binding: each returns {node, level}; a child of a lower level gets brackets
const LEVEL = { condition: 0, or: 1, and: 2, relation: 3, sum: 4, product: 5, sign: 6, power: 7, atom: 8 };
const RELATION = { '<': '<', '>': '>', '<=': '≤', '>=': '≥', '==': '=', '<>': '≠' };

const atom = (node) => ({ node, level: LEVEL.atom });
const fence = (e, level) => (e.level < level ? m('mrow', op('('), e.node, op(')')) : e.node);

function condition(r) {
  if (!r.take('if')) return either(r);
  const rows = [];
  const test = condition(r);
  r.need('then');
  rows.push([condition(r).node, row(m('mtext', 'if\u00a0'), test.node)]);
  while (r.take('elseif')) {
    const next = condition(r);
    r.need('then');
    rows.push([condition(r).node, row(m('mtext', 'if\u00a0'), next.node)]);
  }
  r.need('else');
  rows.push([condition(r).node, m('mtext', 'else')]);
  const cells = rows.map((pair) => m('mtr', ...pair.map((c) => m('mtd', c))));
  return atom(m('mrow', op('{'), m('mtable', ...cells)));
}

function either(r) {
  let left = both(r);
  while (r.take('or')) left = { node: row(left.node, m('mtext', '\u00a0or\u00a0'), both(r).node), level: LEVEL.or };
  return left;
}

function both(r) {
  let left = relation(r);
  while (r.take('and'))
    left = { node: row(fence(left, LEVEL.and), m('mtext', '\u00a0and\u00a0'), fence(relation(r), LEVEL.and)), level: LEVEL.and };
  return left;
}

function relation(r) {
  if (r.take('not')) return { node: row(m('mtext', 'not\u00a0'), fence(relation(r), LEVEL.sign)), level: LEVEL.sign };
  const left = sum(r);
  for (const [text, shown] of Object.entries(RELATION))
    if (r.take(text)) return { node: row(fence(left, LEVEL.sum), op(shown), fence(sum(r), LEVEL.sum)), level: LEVEL.relation };
  return left;
}

function sum(r) {
  const minus = r.take('-');
  let left = product(r);
  if (minus) left = { node: row(op('\u2212'), fence(left, LEVEL.product)), level: LEVEL.sum };
  while (r.peek('+') || r.peek('-') || r.peek('.+') || r.peek('.-')) {
    const sign = r.token[r.at++].text.endsWith('+') ? '+' : '\u2212';
    left = { node: row(left.node, op(sign), fence(product(r), LEVEL.product)), level: LEVEL.sum };
  }
  return left;
}

// a name of several letters
const isWord = (node) => {
  const base = node.localName === 'msub' ? node.firstElementChild : node;
  return (base.localName === 'mi' || base.localName === 'mtext') && base.textContent.length > 1;
};

// a quotient is written as a fraction, a product without a sign unless numbers would touch
function product(r) {
  let left = signed(r);
  while (r.peek('*') || r.peek('/') || r.peek('.*') || r.peek('./')) {
    const divide = r.token[r.at++].text.endsWith('/');
    const right = signed(r);
    if (divide) left = { node: m('mfrac', left.node, right.node), level: LEVEL.product };
    else {
      const second = fence(right, LEVEL.product);
      const digit = (second.firstElementChild || second).localName === 'mn' || second.localName === 'mn';
      // words would run into each other
      const words = isWord(right.node) || isWord(left.node.lastElementChild || left.node) || isWord(left.node);
      left = { node: row(fence(left, LEVEL.product), op(digit || words ? '·' : '\u2062'), second), level: LEVEL.product };
    }
  }
  return left;
}

function signed(r) {
  if (r.take('-')) return { node: row(op('\u2212'), fence(signed(r), LEVEL.product)), level: LEVEL.sum };
  if (r.take('+')) return signed(r);
  return power(r);
}

function power(r) {
  const base = primary(r);
  if (!r.take('^') && !r.take('.^')) return base;
  const exponent = signed(r);
  return { node: m('msup', fence(base, LEVEL.atom), exponent.node), level: LEVEL.power };
}

function list(r, end) {
  const out = [];
  while (!r.peek(end)) {
    out.push(condition(r));
    if (!r.take(',') && !r.take(';') && !r.take(':')) break;
  }
  r.need(end);
  return out;
}

const commas = (items) => items.flatMap((e, i) => (i ? [op(','), e.node] : [e.node]));

// der(x) is x with a dot, der(der(x)) with two; of a word, and of more than a name: d/dt
function derivative(argument, dots) {
  const simple = argument.level === LEVEL.atom && ['mi', 'msub', 'mtext', 'mover'].includes(argument.node.localName) && !isWord(argument.node);
  if (simple && dots <= 2) {
    const accent = op(dots === 1 ? '˙' : '¨');
    const mark = (node) => {
      const over = m('mover', node, accent);
      over.setAttribute('accent', 'true');
      return over;
    };
    if (argument.node.localName !== 'msub') return atom(mark(argument.node));
    const [base, index] = argument.node.children;
    return atom(m('msub', mark(base), index));
  }
  const d = dots === 1 ? m('mi', 'd') : m('msup', m('mi', 'd'), m('mn', String(dots)));
  const below = dots === 1 ? row(m('mi', 'd'), m('mi', 't')) : row(m('mi', 'd'), m('msup', m('mi', 't'), m('mn', String(dots))));
  return { node: isWord(argument.node) ? m('mfrac', row(d, gap(), argument.node), below) : row(m('mfrac', d, below), fence(argument, LEVEL.atom)), level: LEVEL.product };
}

function call(r, name) {
  if (name === 'der') {
    let dots = 1;
    while (r.peek('der') && r.token[r.at + 1] && r.token[r.at + 1].text === '(') {
      r.at += 2;
      dots++;
    }
    const argument = condition(r);
    for (let i = 0; i < dots; i++) r.need(')');
    return derivative(argument, dots);
  }
  const arguments_ = list(r, ')');
  if (name === 'sqrt' && arguments_.length === 1) return atom(m('msqrt', arguments_[0].node));
  if (name === 'abs' && arguments_.length === 1) return atom(row(op('|'), arguments_[0].node, op('|')));
  if (name === 'exp' && arguments_.length === 1)
    return { node: m('msup', m('mi', 'e'), arguments_[0].node), level: LEVEL.power };
  const head = m('mi', name);
  head.setAttribute('mathvariant', 'normal');
  return atom(row(head, op('\u2061'), op('('), ...commas(arguments_), op(')')));
}

function primary(r) {
  const t = r.token[r.at++];
  if (!t) throw new Error('the formula ends too early');
  if (t.kind === 'number') {
    const parts = /^(.*)[eE]\+?(-?\d+)$/.exec(t.text);
    if (!parts) return atom(m('mn', t.text));
    const power10 = m('msup', m('mn', '10'), m('mn', parts[2].replace('-', '\u2212')));
    return { node: row(m('mn', parts[1]), op('·'), power10), level: LEVEL.product };
  }
  if (t.kind === 'text') return atom(m('mtext', t.text));
  if (t.kind === 'name') {
    if (r.take('(')) return call(r, t.text);
    return atom(t.text === 'time' ? m('mi', 't') : nameNode(t.text));
  }
  if (t.text === '(') {
    const inner = list(r, ')');
    return inner.length === 1 ? inner[0] : atom(row(op('('), ...commas(inner), op(')')));
  }
  if (t.text === '{') return atom(row(op('{'), ...commas(list(r, '}')), op('}')));
  throw new Error(`unexpected '${t.text}'`);
}

// a formula or an equation; what cannot be read stays text
export function formula(text) {
  const node = document.createElementNS(NS, 'math');
  node.setAttribute('display', 'block');
  node.setAttribute('aria-label', text);
  try {
    const r = new Reader(text);
    const left = condition(r);
    if (r.take('=')) node.append(row(left.node, op('='), condition(r).node));
    else node.append(left.node);
    if (r.at < r.token.length) throw new Error('text follows the formula');
    return node;
  } catch {
    const plain = document.createElement('code');
    plain.textContent = text;
    return plain;
  }
}
