#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""natural.py PROGRAM EXPECT_JSON: of 100 free runs of the plain build at least 95 pass, or all fail if expect.json says so."""
import subprocess

from e2e import check, main, need
from expect import load

RUNS = 100
MUST_PASS = 95


def passes(program):
    try:
        return subprocess.run([program], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test(program, expect_path):
    need(program)
    want = load(expect_path)
    runs = RUNS if want["natural"] == "passes" else 5
    passed = sum(passes(program) for _ in range(runs))
    if want["correct"]:
        check(passed == runs, f"a correct program failed in {runs - passed} of {runs} free runs")
    elif want["natural"] == "passes":
        check(passed >= MUST_PASS, f"only {passed} of {runs} free runs pass")
    else:
        check(passed == 0, f"{passed} of {runs} free runs pass, none was to")


main(test)
