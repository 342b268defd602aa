#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""papers.py BUILD [--seconds S] [--seeds N] [--figures DIR] [--list] [--parts NAMES]: tables of the five papers (docs/papers.md), by name with blanks between; all without one.

A part is a file and a line in PARTS. It prints tables, row by row; a row whose last cell is "met" or "not met: why" is counted. A part that fails is one that is not met, and
the others are measured all the same. into_docs.py puts what was printed into docs/papers.md."""
import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable

import cvt_factor
import cvt_figure7
import cvt_histograms
import cvt_table1
import cvt_table2
import cvt_table3
import cvt_table4
import gambit_figure5
import gambit_table2
import medium
import other_benches
import rivet_orders
from tables import Table


@dataclass
class Part:
    name: str
    paper: str
    title: str
    measure: Callable
    targets: str  # of ninja


PARTS = [
    Part('table1', 'CVT13', 'table 1: schedules to the first bug', cvt_table1.measure, 'bench-search table1 fair'),
    Part('overhead', 'CVT13', 'table 2: what a run costs by variables tracked', cvt_table2.measure, 'bench-engine'),
    Part('chess', 'CVT13', 'table 3: VT-CHESS and CHESS', cvt_table3.measure, 'bench-search table1 fair'),
    Part('random', 'CVT13', 'table 4: random search for bugs by type', cvt_table4.measure, 'bench-search bench-papers'),
    Part('factor', 'CVT13', 'section 2: the factor (Q/v)^(c-v)', cvt_factor.measure, 'bench-search bench-papers'),
    Part('frequencies', 'CVT13', 'figure 7: how often variables are accessed', cvt_figure7.measure, 'bench-search fair'),
    Part('histograms', 'CVT13', 'schedules to the first bug over 100 seeds', cvt_histograms.measure, 'bench-search five fair'),
    Part('medium', 'CVT13', '10^6 private accesses a run', medium.measure, 'bench-search bench-papers vtb vtb-hunt vtb_cxx vtb_omp vtb-canary'),
    Part('figure6', 'CVT13', 'figure 6: PCT and PCTVB by how rare the variable is', other_benches.figure6, 'bench-search bench-figure6'),
    Part('priorities', 'GAMBIT10', 'table 2: schedules to each bug by priority', gambit_table2.measure, 'bench-search corpus five'),
    Part('memory', 'GAMBIT10', 'figure 5: memory of the execution tree', gambit_figure5.measure, 'bench-search corpus'),
    Part('blocks', 'EXITBLOCK99', 'orders of atomic blocks, with and without RW', rivet_orders.measure, 'bench-search corpus'),
    Part('abstraction', 'AGA14', 'table 2 and figures 12, 13: runs with predicate dependence', other_benches.predicate, 'failures'),
    Part('diagnosis', 'CONCBUGASSIST15', 'table 5.2: seconds to a diagnosis', other_benches.explain, 'vtb vtb-hunt vtb_cxx vtb_omp vtb-canary'),
]
ALWAYS = 'vtb_rt vtb_stub_libtsan.so.2'


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument('build')
    p.add_argument('--seconds', type=float, default=0)
    p.add_argument('--seeds', type=int, default=0)
    p.add_argument('--figures', default='')
    p.add_argument('--list', action='store_true')
    p.add_argument('--parts', default='', type=str.split)
    o = p.parse_args()
    unknown = [name for name in o.parts if name not in [part.name for part in PARTS]]
    if unknown:
        sys.exit(f'no part "{unknown[0]}" (parts: {" ".join(part.name for part in PARTS)})')
    o.build = os.path.abspath(o.build)
    o.source = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../..'))
    return o


def make(o, parts):
    targets = ' '.join([ALWAYS] + [part.targets for part in parts]).split()
    done = subprocess.run(['ninja', '-C', o.build, '--quiet', *targets], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'cannot build what is measured:\n{done.stdout[-2000:]}{done.stderr[-2000:]}')


@dataclass
class Count:
    """What came of a part."""
    part: Part
    rows: int
    met: int
    missed: list  # of words
    seconds: float


def why_failed(problem):
    return ' '.join(str(problem).split())[:300] or type(problem).__name__


def show(o, part):
    """Have the part print its tables, and then what came of them."""
    began, failed = time.monotonic(), []
    print(f'\n[{part.paper}] {part.title} (script/bench papers {part.name})', flush=True)
    Table.printed.clear()
    try:
        part.measure(o)
    except (Exception, SystemExit) as problem:
        failed = [f'not met: the part came to no end: {why_failed(problem)}']
        print(f'\n{failed[0]}')
    tables = list(Table.printed)
    count = Count(part, sum(len(t.rows) for t in tables), sum(t.met() for t in tables), [w for t in tables for w in t.missed()] + failed, time.monotonic() - began)
    print(f'\n{part.name}: {count.rows} rows, {count.met} met, {len(count.missed)} not met, {count.seconds:.0f} s, load {os.getloadavg()[0]:.1f}', flush=True)
    return count


def summary(counts):
    print('\nsummary')
    table = Table('part', 'paper', 'rows', 'met', 'not met', 's', '')
    for c in counts:
        table.add(c.part.name, c.part.paper, c.rows, c.met, len(c.missed), f'{c.seconds:.0f}', '')
    table.add(f'{len(counts)} of {len(PARTS)} parts', '', sum(c.rows for c in counts), sum(c.met for c in counts), sum(len(c.missed) for c in counts),
              f'{sum(c.seconds for c in counts):.0f}', '')
    print()
    for c in counts:
        for words in c.missed:
            print(f'{c.part.name}: {words}')


def main():
    o = arguments()
    if o.list:
        print('\n'.join(f'{part.name:12} [{part.paper}] {part.title}' for part in PARTS))
        return
    parts = [part for part in PARTS if not o.parts or part.name in o.parts]
    make(o, parts)
    summary([show(o, part) for part in parts])


if __name__ == '__main__':
    main()
