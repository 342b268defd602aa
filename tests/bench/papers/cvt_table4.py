# SPDX-License-Identifier: GPL-2.0-or-later
"""Table 4 of [CVT13]: runs until a random search finds a bug of type (c, v, t), with and without bounds on variables and threads.

The paper put its bugs into Montecarlo (8 threads, 235 variables by its count of globals and allocation statements); ours is a program of as many threads. Odds
are those that the strategy prints, and those that were measured: the printed ones are refuted if so few hits come by chance less often than once in 100 000."""
import math
import os

from tables import Table, driver, search, verdict

PAPER = {(0, 0, 2): (3.1, 2.7), (0, 0, 3): (3.7, 3.5), (0, 0, 4): (4.9, 3.8), (1, 1, 2): (1636.2, None), (1, 1, 3): (4889, None), (2, 1, 2): (28121, None)}
STRATEGIES = {'pct': 'none', 'pctvb': 'variables', 'pcttb': 'variables, threads'}
VARIABLES, ROUNDS = '20', '6'
BUDGET, PATIENCE = {0: 3000, 1: 50000, 2: 50000}, 25  # runs by c, seconds a search
REFUTED = 1e-5


def at_most(hits, n, p):
    """P(X <= hits), X binomial(n, p), from the logarithms."""
    return sum(math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)) for k in range(hits + 1))


def judge(hits, n, printed):
    if not 0 < printed < 1:
        return verdict(False, 'it prints no odds')
    return verdict(at_most(hits, n, printed) > REFUTED, f'{printed:.2g} is refuted by {hits} hits in {n}')


def paper_says(bug, strategy):
    if strategy == 'pctvb':
        return 'not in it'
    bounded, free = PAPER[bug]
    return bounded if strategy == 'pcttb' else free or 'none in 3 days'


def measure(o):
    program = os.path.join(o.build, 'bench-papers/bug_types/tsan-gcc')
    table = Table('(c, v, t)', 'strategy', 'bounds', 'runs', 'failing', 'odds printed', 'odds measured', 'runs for one', '(paper)', '')
    for bug in PAPER:
        c, v, t = map(str, bug)
        for strategy, bounds in STRATEGIES.items():
            got = search(driver(o), program, strategy, 1, BUDGET[bug[0]], o.seconds or PATIENCE, '--all', '--c', c, '--v', v, '--t', t, argument=[c, t, VARIABLES, ROUNDS])
            n, hits, printed = int(got['schedules']) - 1, int(got['failing']), float(got['bound'])
            table.add(bug, strategy, bounds, n, hits, f'{printed:.2g}', f'{hits / n:.2g}', f'{n / hits:.1f}' if hits else 'none', paper_says(bug, strategy), judge(hits, n, printed))
