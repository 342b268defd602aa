# SPDX-License-Identifier: GPL-2.0-or-later
"""The factor (Q/v)^(c-v) of [CVT13], section 2: how many schedules of exactly c preemptions there are at any variables, against those at v of them. Two threads
touch each of Q variables twice, every schedule is run (dfs). The formula assumes v and c much smaller than Q: rows with few variables are not judged."""
import os

from tables import Table, driver, search, verdict

PATIENCE = 20
ROWS = [(q, c, v) for c, v, most in ((2, 1, 16), (3, 1, 8), (3, 2, 8)) for q in (2, 4, 8, 16) if q <= most]
JUDGED = 8  # variables, at least
WITHIN = 2  # times the formula, either way: it is asymptotic


def schedules(o, q, c, v):
    """Of at most c preemptions at most v variables; None if there was no time for all."""
    got = search(driver(o), os.path.join(o.build, 'bench-papers/many_variables/tsan-gcc'), 'dfs', 1, 10**9, o.seconds or PATIENCE, '--all', '--c', str(c), '--v', str(v), argument=[q, 2])
    return int(got['schedules']) if got.get('end') == 'exhausted' else None


def exactly(o, q, c, v):
    whole, below = schedules(o, q, c, v), schedules(o, q, c - 1, v)
    return None if whole is None or below is None else whole - below


def measure(o):
    table = Table('Q', 'c', 'v', 'any variables', 'v variables', 'ratio', '(Q/v)^(c-v)', '')
    for q, c, v in ROWS:
        whole, few, formula = exactly(o, q, c, c), exactly(o, q, c, v), (q / v) ** (c - v)
        if not whole or not few:
            table.add(q, c, v, whole or 'not ended', few or 'not ended', '', f'{formula:g}', verdict(False, 'no time to run all schedules'))
            continue
        measured = whole / few
        table.add(q, c, v, whole, few, f'{measured:.1f}', f'{formula:g}',
                  verdict(formula / WITHIN <= measured <= formula * WITHIN, f'{measured / formula:.1f} times the formula, which takes the accesses to a variable for many') if q >= JUDGED else '')
