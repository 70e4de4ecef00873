// Columns of numbers as the command writes them: base64 of little-endian arrays, decoded when they are first looked at.


function bytes(text) {
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out.buffer;
}

function array(code, rows) {
  if (code.c !== undefined) return new Float64Array(rows).fill(code.c === null ? NaN : code.c);
  return Float64Array.from(code.k === 'f4' ? new Float32Array(bytes(code.v)) : new Float64Array(bytes(code.v)));
}

// extremes between the rows, as 16-bit numbers between the lowest and the highest
function extremes(code, text) {
  const raw = new Uint16Array(bytes(text));
  const out = new Float64Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = code.from + ((code.to - code.from) * raw[i]) / 65535;
  return out;
}

export class Table {
  constructor(data) {
    this.rows = data.rows;
    this.points = data.points;
    this.columns = data.columns;
    this.time = array(data.time, data.rows);
    this.kept = new Map();
  }

  get names() {
    return this.columns.map((c) => c.name);
  }

  thinned() {
    return this.points > this.rows;
  }

  // {value, low, high}; low and high only where points between the rows leave the line between them
  column(i) {
    if (!this.kept.has(i)) {
      const code = this.columns[i];
      const out = { value: array(code, this.rows) };
      if (code.low) {
        out.low = extremes(code, code.low);
        out.high = extremes(code, code.high);
      }
      this.kept.set(i, out);
    }
    return this.kept.get(i);
  }
}
