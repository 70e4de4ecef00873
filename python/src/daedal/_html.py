"""What a notebook shows of a result: its numbers and a small plot."""

import html

import numpy as np

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b")


def curve_svg(t, rows, width=420, height=140, most=400):
    """Up to six components as polylines."""
    rows = [np.real(np.asarray(row, dtype=complex)) for row in rows[:len(COLOURS)]]
    if len(t) < 2 or not rows:
        return ""
    pick = np.unique(np.linspace(0, len(t) - 1, min(len(t), most)).astype(int))
    low = min(np.nanmin(row) for row in rows)
    high = max(np.nanmax(row) for row in rows)
    if not np.isfinite(low) or not np.isfinite(high):
        return ""
    x = (t[pick] - t[0]) / (t[-1] - t[0]) * (width - 10) + 5
    lines = []
    for colour, row in zip(COLOURS, rows):
        y = height - 5 - (row[pick] - low) / ((high - low) or 1) * (height - 10)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y))
        lines.append(f'<polyline fill="none" stroke="{colour}" points="{points}"/>')
    return (f'<svg width="{width}" height="{height}" style="border:1px solid #ccc">'
            + "".join(lines) + "</svg>")


def result_html(result):
    axis = "t" if "t" in result else "x"
    t = np.asarray(result.get(axis, []))
    rows = result._rows() if "y" in result else []
    facts = [("status", f"{result.get('status')}: {result.get('message')}")]
    if len(t):
        facts.append((axis, f"{t[0]:.6g} .. {t[-1]:.6g}, {len(t)} points"))
    if "method" in result:
        facts.append(("method", f"{result.get('method')}, form {result.get('form')}"))
    if result.get("drift"):
        facts.append(("drift", ", ".join(f"{k} {v:.2g}" for k, v in result.get("drift").items())))
    table = "".join(f"<tr><th style='text-align:left'>{html.escape(k)}</th>"
                    f"<td style='text-align:left'>{html.escape(str(v))}</td></tr>"
                    for k, v in facts)
    names = ", ".join(f"<span style='color:{c}'>{html.escape(n)}</span>"
                      for c, (n, _) in zip(COLOURS, rows))
    return f"<table>{table}</table>{curve_svg(t, [row for _, row in rows])}<div>{names}</div>"
