#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Without one row of the table of primitive models its pair must fail: the correct program is found to or takes too many operations, or
the broken one's failure is not found with its verdict and c. usage: without.py BIN ROW CORRECT BROKEN BROKEN.expect.json"""
import json
import os
import subprocess
import sys


class Unreadable(Exception):
    """The hunt itself went wrong: that says nothing about the row."""


def hunt(bin_dir, row, program):
    env = dict(os.environ, VTB_TEST_WITHOUT=row)
    command = [os.path.join(bin_dir, "vtb-hunt"), "--json", "--no-canary", "--budget=300", "--time=20", "--", program]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    if done.returncode not in (0, 1, 3):
        raise Unreadable(f"exit code {done.returncode}\n{done.stderr}")
    try:
        result = json.loads(done.stdout)
        return done.returncode, result["verdict"], result["tuple"], result["points"]
    except (ValueError, KeyError) as e:
        raise Unreadable(f"{e!r} in what it prints: {done.stdout[:2000]!r}\n{done.stderr}") from e


def read(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def missed(bin_dir, row, correct, broken, expectation):
    """How the pair shows that the row is not there, or None."""
    status, verdict, _, points = hunt(bin_dir, row, correct)
    if status in (1, 3) and verdict != "none":
        return f"the correct program fails: {verdict}"
    most = read(expectation.replace("broken.expect", "correct.expect")).get("points_most")
    if most is not None and points > most:
        return f"the correct program takes {points} operations, not {most}"
    expected = read(expectation)
    verdicts = expected["verdict"] if isinstance(expected["verdict"], list) else [expected["verdict"]]
    _, verdict, found, _ = hunt(bin_dir, row, broken)
    if verdict not in verdicts or (expected["tuple"] and found and found["c"] != expected["tuple"]["c"]):
        return f"the broken program's failure is not found as it is: {verdict} {found}"
    return None


def main():
    bin_dir, row, correct, broken, expectation = sys.argv[1:]
    try:
        how = missed(bin_dir, row, correct, broken, expectation)
    except Unreadable as e:
        print(f"without '{row}' the hunt itself fails: {e}")
        return 1
    print(f"without '{row}' {how or 'the pair behaves as with it'}")
    return 0 if how else 1


if __name__ == "__main__":
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    sys.exit(main())
