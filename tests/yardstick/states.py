# SPDX-License-Identifier: GPL-2.0-or-later
"""n counters under one lock, run with and without --match-states on the real engine.

states.py BIN PROGRAM LEAST..MOST

Blocks of n threads in any order: n! runs; the ways on from 2^n states: n * 2^(n-1). Each run goes one way on from each state that it is the first
to come to, so the search runs n * 2^(n-1) - (2^n - 1) + 1 times. With all points (dfs) the runs of n = 2 are counted with and without.
"""
import json
import math
import subprocess
import sys


def hunt(binaries, program, n, *options):
    command = [binaries + "/vtb", "hunt", "--json", "--no-canary", *options, "--", program, str(n)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def runs_of_search(result):
    """Without the hunt's own first run."""
    return result["schedules"] - 1


def blocks(binaries, program, n):
    code, result = hunt(binaries, program, n, "--strategy=exitblock", "--match-states")
    trouble = []
    if result["engine"] != "snapshot":
        sys.exit(77)  # this machine cannot; the statement says so
    if code != 0 or "every order of atomic blocks was executed" not in result["statement"]:
        trouble.append("not finished: " + result["statement"])
    if runs_of_search(result) > n * 2 ** (n - 1):
        trouble.append(f"{runs_of_search(result)} runs, {n * 2 ** (n - 1)} ways on from all states")
    if runs_of_search(result) != n * 2 ** (n - 1) - 2**n + 2:
        trouble.append(f"{runs_of_search(result)} runs, {n * 2 ** (n - 1) - 2 ** n + 2} expected")
    print(f"{n} counters: {runs_of_search(result)} runs, {result['states']} states, {math.factorial(n)} orders")
    return trouble


def all_points(binaries, program):
    code, result = hunt(binaries, program, 2, "--match-states")
    if result["engine"] != "snapshot":
        sys.exit(77)
    print(f"2 counters, all points: {runs_of_search(result)} runs, {result['states']} states")
    trouble = [] if code == 0 and result["complete"] else ["not complete: " + result["statement"]]
    if not 0 < result["states"] <= 100 or runs_of_search(result) > 150:
        trouble.append(f"{result['states']} states in {runs_of_search(result)} runs: equal states look different")
    return trouble


def main():
    binaries, program, sizes = sys.argv[1:]
    least, most = map(int, sizes.split(".."))
    trouble = all_points(binaries, program) if least == 2 else []
    for n in range(least, most + 1):
        trouble += blocks(binaries, program, n)
    print("\n".join(trouble))
    sys.exit(bool(trouble))


main()
