# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5 of [GAMBIT10]: memory of the execution tree over the runs of a search that finds nothing, and what happens at its bound.

The paper counts 16 bytes a node that is alive; here a node has NODE bytes, and both are told."""
import os
import subprocess

from charts import line
from tables import Table, driver, verdict

NODE, PAPERS_NODE = 40, 16  # bytes: struct vtb_tree_node
PATIENCE, EVERY = 20, 500
SEARCHES = [('full, mdpor,pb', ('--c', '255', '--v', '255', '--priority', 'mdpor,pb')), ('full, rand', ('--c', '255', '--v', '255', '--priority', 'rand')),
            ('PB(2), mdpor', ('--c', '2', '--v', '2', '--priority', 'mdpor'))]
PROGRAMS = ['ok_buffer', 'ok_lock_order']
BOUND = 100000  # bytes


def followed(o, program, more):
    """(runs, nodes alive) as the search goes on, and what it says at its end."""
    done = subprocess.run([driver(o), '--all', '--waiting', str(EVERY), '--seconds', str(o.seconds or PATIENCE), *more, 'bestfirst', '1', program], capture_output=True, text=True,
                          check=True)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith('waiting ')]
    words = done.stdout.splitlines()[-1].split()
    return [(int(runs), int(alive)) for _, runs, alive in rows], dict(zip(words[::2], words[1::2]))


def measure(o):
    table = Table('program', 'search', 'runs', 'most nodes', 'nodes of runs', 'MB (16 bytes a node)', 'MB here', 'at the end', '')
    bounds = Table('program', f'bound of {BOUND // 1000} kB', 'most nodes', 'left out', '')
    for name in PROGRAMS:
        program = os.path.join(o.build, 'corpus', name, 'tsan-gcc')
        for search, more in SEARCHES:
            points, got = followed(o, program, more)
            most, last, runs = max(n for _, n in points), points[-1][1], int(got['schedules'])
            judged = verdict(last == 0, f'{last} nodes left') if got['end'] == 'exhausted' else ''
            table.add(name, search, f"{runs}, {got['end']}", most, f'{most / runs:.2f}', f'{most * PAPERS_NODE / 1e6:.3f}', f'{most * NODE / 1e6:.3f}', last, judged)
            if o.figures:
                line(os.path.join(o.figures, f"figure5-{name}-{search.replace(' ', '').replace(',', '-')}.svg"), f'{name}, {search}: nodes of the tree', points, 'runs', 'nodes')
        points, got = followed(o, program, [*SEARCHES[1][1], '--memory', str(BOUND)])
        most = max(n for _, n in points)
        bounds.add(name, SEARCHES[1][0], most, got['dropped'], verdict(most * NODE <= BOUND, f'{most * NODE} bytes'))
    return [table, bounds]
