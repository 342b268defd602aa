# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 2 of [CVT13]: what a run costs without tracked variables, with one (v = 1) and with all, in times native: the kernels of script/bench engine, one round. The paper's
programs are others, in Java; beside ours stands the span of its column v-all / v1."""
import os
import re

from other_benches import bench
from tables import Table, verdict

KERNELS = 'matmul chase hash quicksort'
PAPER = '2.9 to 106'  # v-all / v1
LIMIT = {'tsan': 3.5, 'pads': 1.1}
ROWS = {'control, no variable of it tracked': 'v = 0', 'control, one variable (v = 1)': 'v = 1', 'control all variables': 'all'}


def measured(o):
    """kernel, build -> column -> times native."""
    found = {}
    for name, value, unit, *_ in bench(o, 'engine', VTB_BENCH_KERNELS=KERNELS, VTB_BENCH_ROUNDS='1'):
        kernel, rest = name.split(', ', 1)
        build = 'pads' if rest.startswith('pads, ') else 'tsan'
        column = ROWS.get(re.sub('^pads, ', '', rest))
        if column and unit == 'times native':
            found.setdefault((kernel, build), {})[column] = float(value)
    return found


def why_more(row, limit):
    """What is left where nothing is tracked are operations that are no accesses; the rest is the variable's own accesses."""
    if row['v = 0'] > limit:
        return f"{row['v = 1']:.2f} times native; {row['v = 0']:.2f} with no variable tracked, where only its locks and threads are operations (load {os.getloadavg()[0]:.0f})"
    return f"{row['v = 1']:.2f} times native; the accesses to the variable make the difference to {row['v = 0']:.2f} (v = 0; load {os.getloadavg()[0]:.0f})"


def measure(o):
    table = Table('program', 'build', 'v = 0', 'v = 1', 'all', 'all / v = 1', '(paper)', 'target for v = 1', '')
    for (kernel, build), row in measured(o).items():
        if len(row) < len(ROWS.values()):
            table.add(kernel, build, *[row.get(c, '-') for c in ROWS.values()], '', PAPER, '', verdict(False, 'not measured'))
            continue
        table.add(kernel, build, *[f'{row[c]:.2f}' for c in ROWS.values()], f"{row['all'] / row['v = 1']:.1f}", PAPER, f'<= {LIMIT[build]}',
                  verdict(row['v = 1'] <= LIMIT[build], why_more(row, LIMIT[build])))
