# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 3 of [CVT13]: CHESS and VT-CHESS on RegionOwnership, c = 3 and t = 2: the first v stops of a schedule choose its variables; and beside them sets of
variables taken in turn. CHESS is v = c, where any variable may be chosen."""
import os

from tables import Table, driver, search, verdict, why_none

PATIENCE = 30
ROWS = [('No VB', ('--variables', 'dynamic', '--v', '3'), 132507), ('v = 2', ('--variables', 'dynamic', '--v', '2'), 47248), ('v = 1', ('--variables', 'dynamic', '--v', '1'), 30437),
        ('v = 2, static', ('--v', '2'), None), ('v = 1, static', ('--v', '1'), None)]


def measure(o):
    table = Table('program', 'bound', 'bug (paper)', 'schedules', '(paper)', 's', '')
    for folder in ('table1', 'fair'):
        program = os.path.join(o.build, folder, 'region_ownership', 'tsan-gcc')
        for name, more, paper in ROWS:
            got = search(driver(o), program, 'cvt', 1, 10**9, o.seconds or PATIENCE, '--c', '3', *more, argument=['1'])
            first, ran = int(got.get('first', 0)), int(got.get('schedules', 0))
            wants = 'v = 1' not in name
            judged = verdict(bool(first) == wants and (not paper or not wants or first <= paper), why_none(got) if wants else f'found in {first} schedules') if paper else ''
            table.add(folder, name, f"{'yes' if first else 'no'} ({'yes' if wants else 'no'})", first or f"{ran}, {got.get('end')}", paper or '', got.get('seconds'), judged)
