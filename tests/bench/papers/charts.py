# SPDX-License-Identifier: GPL-2.0-or-later
"""Bars and lines as SVG."""
import os

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 480, 260, 60, 40, 30


def _frame(title, x_name, y_name, top):
    return [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="11">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>', f'<text x="{LEFT}" y="18" font-size="13">{title}</text>',
            f'<text x="{WIDTH - 10}" y="{HEIGHT - 6}" text-anchor="end">{x_name}</text>', f'<text x="{LEFT - 6}" y="{TOP + 8}" text-anchor="end">{top:g}</text>',
            f'<text x="{LEFT - 6}" y="{HEIGHT - BOTTOM}" text-anchor="end">0</text>', f'<text x="6" y="{HEIGHT / 2}">{y_name}</text>',
            f'<line x1="{LEFT}" y1="{HEIGHT - BOTTOM}" x2="{WIDTH - 10}" y2="{HEIGHT - BOTTOM}" stroke="#888"/>']


def _write(path, lines):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as f:
        f.write('\n'.join(lines + ['</svg>', '']))


def bars(path, title, rows, x_name, y_name):
    """A bar for each (from, height)."""
    top, room = max(h for _, h in rows), WIDTH - 10 - LEFT
    out = _frame(title, x_name, y_name, top)
    for i, (x, h) in enumerate(rows):
        high, left, wide = (HEIGHT - TOP - BOTTOM) * h / top, LEFT + room * i / len(rows), room / len(rows)
        out.append(f'<rect x="{left:.1f}" y="{HEIGHT - BOTTOM - high:.1f}" width="{max(1, wide - 1):.1f}" height="{high:.1f}" fill="#3050b0"><title>{x}: {h}</title></rect>')
        if i % max(1, len(rows) // 8) == 0:
            out.append(f'<text x="{left:.1f}" y="{HEIGHT - BOTTOM + 14}">{x}</text>')
    _write(path, out)


def line(path, title, points, x_name, y_name):
    """A line through (x, y)."""
    top, last, room = max(y for _, y in points) or 1, max(x for x, _ in points) or 1, WIDTH - 10 - LEFT
    out = _frame(title, x_name, y_name, top)
    path_points = ' '.join(f'{LEFT + room * x / last:.1f},{HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / top:.1f}' for x, y in points)
    out += [f'<polyline points="{path_points}" fill="none" stroke="#3050b0"/>', f'<text x="{WIDTH - 10}" y="{HEIGHT - BOTTOM + 14}" text-anchor="end">{last:g}</text>']
    _write(path, out)
