# SPDX-License-Identifier: GPL-2.0-or-later
"""Figure 5 of [GAMBIT10]: memory of the execution tree over the runs of a search that finds nothing, and what happens at its bound:
schedules are left out, or with a file on a disk (--max-memory of a hunt) none are.

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
BOUND, RUNS, DISK = 100000, 30000, '/var/tmp'  # bytes, runs; where vtb's files are, too
WIDE = ('--c', '255', '--v', '255', '--priority', 'pb', '--budget', str(RUNS))  # breadth first: the tree grows


def followed(o, program, more):
    """(runs, nodes alive) as the search goes on, and what it says at its end."""
    done = subprocess.run([driver(o), '--all', '--waiting', str(EVERY), '--seconds', str(o.seconds or PATIENCE), *more, 'bestfirst', '1', program], capture_output=True, text=True,
                          check=True)
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith('waiting ')]
    words = done.stdout.splitlines()[-1].split()
    return [(int(runs), int(alive)) for _, runs, alive in rows], dict(zip(words[::2], words[1::2]))


def bounded(o, name, table):
    """A search whose tree grows: as it likes, at a bound, and at the bound with the rest in a file."""
    program, memory = os.path.join(o.build, 'corpus', name, 'tsan-gcc'), ['--memory', str(BOUND)]
    free, ends = followed(o, program, WIDE)
    for where, more in (('left out', memory), ('on disk', [*memory, '--disk', DISK])):
        points, got = followed(o, program, [*WIDE, *more])
        most = max(n for _, n in points)
        same = (points, got['classes'], got['dropped']) == (free, ends['classes'], '0')
        why = f'{DISK} cannot be used' if got['disk'] == '0' else 'it is another search'
        table.add(name, f"{max(n for _, n in free)}, {ends['classes']} classes", where, f"{most}, {got['classes']} classes", got['dropped'], f"{int(got['disk']) / 1e6:.1f}",
                  got['seconds'], verdict(same, why) if where == 'on disk' else verdict(most * NODE <= BOUND, f'{most * NODE} bytes'))


def measure(o):
    table = Table('program', 'search', 'runs', 'most nodes', 'nodes of runs', 'MB (16 bytes a node)', 'MB here', 'at the end', '')
    for name in PROGRAMS:
        program = os.path.join(o.build, 'corpus', name, 'tsan-gcc')
        for search, more in SEARCHES:
            points, got = followed(o, program, more)
            most, last, runs = max(n for _, n in points), points[-1][1], int(got['schedules'])
            judged = verdict(last == 0, f'{last} nodes left') if got['end'] == 'exhausted' else ''
            table.add(name, search, f"{runs}, {got['end']}", most, f'{most / runs:.2f}', f'{most * PAPERS_NODE / 1e6:.3f}', f'{most * NODE / 1e6:.3f}', last, judged)
            if o.figures:
                line(os.path.join(o.figures, f"figure5-{name}-{search.replace(' ', '').replace(',', '-')}.svg"), f'{name}, {search}: nodes of the tree', points, 'runs', 'nodes')
    bounds = Table('program', f'pb, {RUNS} runs: nodes', f'over {BOUND // 1000} kB', 'most nodes', 'left out', 'MB on disk', 's', '')
    for name in PROGRAMS:
        bounded(o, name, bounds)
