#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""odds.py DRIVER PROGRAM C V DEPTH STRATEGY...: on a real program whose bug has the given depth, the strategy (pct, pctvb, pcttb) with C = DEPTH - 1
change points hits at least as often as the bound that it prints says: an exact binomial test does not refute it at 1e-4."""
import math
import subprocess
import sys

RUNS = 4000
REFUTED = 1e-4


def at_most(hits, n, p):
    """P(X <= hits), X binomial(n, p): summed from the logarithms."""
    return sum(math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)) for k in range(hits + 1))


def check(driver, program, c, v, strategy):
    command = [driver, '--all', '--budget', str(RUNS), '--c', c, '--v', v, strategy, '1', program]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    got = dict(zip(words[::2], words[1::2]))
    n, hits, bound = int(got['schedules']) - 1, int(got['failing']), float(got['bound'])
    chance = at_most(hits, n, bound)
    print(f'{program}, {strategy}: {hits} of {n} runs fail, the bound says {bound:.4g} ({bound * n:.1f}); as few by chance: {chance:.3g}')
    return n >= RUNS - 1 and 0 < bound < 1 and chance > REFUTED


def main():
    driver, program, c, v, depth, *strategies = sys.argv[1:]
    if int(depth) != int(c) + 1:
        sys.exit('a bug of depth d needs d - 1 change points')
    assert at_most(140, 20000, 0.01) < REFUTED < at_most(190, 20000, 0.01)  # the test can fail
    sys.exit(not all([check(driver, program, c, v, s) for s in strategies]))


main()
