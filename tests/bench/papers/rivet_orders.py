# SPDX-License-Identifier: GPL-2.0-or-later
"""What [EXITBLOCK99] compares: how many schedules it takes to run every order of atomic blocks, with RW pruning and without, beside all classes
(dpor) and all orders of operations with two preemptions (dfs). Programs of the corpus that keep to the locking discipline, without a bug and with one.
Then what blocks that end early (--region) show of programs that do not keep to it."""
import os

from tables import Table, driver, search, verdict

BUDGET, PATIENCE = 100000, 5
PROGRAMS = ['ok_counter', 'ok_lock_order', 'ok_buffer', 'ok_once', 'ok_rwlock', 'ok_cpp_transfer', 'philosophers', 'lock_cycle', 'three_locks', 'if_wait', 'split_section']
COLUMNS = [('ExitBlock', 'exitblock', ()), ('ExitBlock-RW', 'exitblock', ('--rw',)), ('dpor', 'dpor', ()), ('dfs, c <= 2', 'dfs', ('--c', '2', '--v', '255'))]


def numbers(got):
    whole = int(got['schedules']) if got.get('end') == 'exhausted' else 0
    return whole, int(got.get('first', 0)), int(got.get('schedules', 0))


def cell(o, name, strategy, more):
    """Schedules of the whole search, 0 if it did not come to its end, and the first that failed."""
    got = search(driver(o), os.path.join(o.build, 'corpus', name, 'tsan-gcc'), strategy, 1, BUDGET, o.seconds or PATIENCE, '--all', *more, argument=[])
    return numbers(got)


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


UNLOCKED = ['account', 'fig2', 'double_checked', 'trylock_hint', 'rwlock_by_hand', 'ok_counter', 'split_section']
REGIONS = [('ExitBlock', 'exitblock', ()), ('ops:4', 'exitblock', ('--region=ops:4',)), ('ops:1', 'exitblock', ('--region=ops:1',)),
           ('module', 'exitblock', ('--region=module',)), ('dpor', 'dpor', ())]


def region_cell(o, name, strategy, more):
    got = search(driver(o), os.path.join(o.build, 'corpus', name, 'tsan-gcc'), strategy, 1, BUDGET, o.seconds or PATIENCE, '--all', *more, argument=[])
    return text(*numbers(got)), numbers(got), int(got.get('classes', 0))


def judge_regions(cells):
    """Blocks of one operation are all orders of operations: they show every bug that there is, and, where no failure ends runs with others on their way,
    every class."""
    (_, blocks, _), one, all_classes = cells[0], cells[2], cells[4]
    if not one[1][0] or not all_classes[1][0]:
        return verdict(False, 'a search did not come to its end')
    if bool(one[1][1]) != bool(all_classes[1][1]):
        return verdict(False, 'ops:1 and dpor do not agree on whether there is a bug')
    if not one[1][1] and one[2] != all_classes[2]:
        return verdict(False, f'ops:1 shows {one[2]} classes of {all_classes[2]}')
    return verdict(one[1][0] >= blocks[0], f'ops:1 has fewer orders than blocks have: {one[1][0]} and {blocks[0]}')


def measure_regions(o):
    table = Table('program', *[c[0] for c in REGIONS], '')
    for name in UNLOCKED:
        cells = [region_cell(o, name, strategy, more) for _, strategy, more in REGIONS]
        table.add(name, *[c[0] for c in cells], judge_regions(cells))


def measure(o):
    table = Table('program', *[c[0] for c in COLUMNS], '')
    for name in PROGRAMS:
        cells = [cell(o, name, strategy, more) for _, strategy, more in COLUMNS]
        table.add(name, *[text(*c) for c in cells], judge(cells))
    measure_regions(o)
