# SPDX-License-Identifier: GPL-2.0-or-later
"""What [EXITBLOCK99] compares: how many schedules it takes to run every order of atomic blocks, with RW pruning and without, beside all classes
(dpor) and all orders of operations with two preemptions (dfs). Programs of the corpus that keep to the locking discipline, without a bug and with one."""
import os

from tables import Table, driver, search, verdict

BUDGET, PATIENCE = 100000, 5
PROGRAMS = ['ok_counter', 'ok_lock_order', 'ok_buffer', 'ok_once', 'ok_rwlock', 'ok_cpp_transfer', 'philosophers', 'lock_cycle', 'three_locks', 'if_wait', 'split_section']
COLUMNS = [('ExitBlock', 'exitblock', ()), ('ExitBlock-RW', 'exitblock', ('--rw',)), ('dpor', 'dpor', ()), ('dfs, c <= 2', 'dfs', ('--c', '2', '--v', '255'))]


def cell(o, name, strategy, more):
    """Schedules of the whole search, 0 if it did not come to its end, and the first that failed."""
    got = search(driver(o), os.path.join(o.build, 'corpus', name, 'tsan-gcc'), strategy, 1, BUDGET, o.seconds or PATIENCE, '--all', *more, argument=[])
    whole = int(got['schedules']) if got.get('end') == 'exhausted' else 0
    return whole, int(got.get('first', 0)), int(got.get('schedules', 0))


def text(whole, first, schedules):
    return (str(whole) if whole else f'> {schedules}') + (f', bug {first}' if first else '')


def judge(cells):
    """RW leaves out orders and no bug."""
    (whole, first, ran), (rw, rw_first, rw_ran) = cells[:2]
    if bool(first) and not rw_first:
        return verdict(False, 'RW does not find what ExitBlock finds')
    if whole and not rw:
        return verdict(False, f'RW has not ended after {rw_ran} schedules')
    return verdict(not whole or rw <= whole, f'RW runs {rw} schedules, ExitBlock {whole}')


def measure(o):
    table = Table('program', *[c[0] for c in COLUMNS], '')
    for name in PROGRAMS:
        cells = [cell(o, name, strategy, more) for _, strategy, more in COLUMNS]
        table.add(name, *[text(*c) for c in cells], judge(cells))
    return [table]
