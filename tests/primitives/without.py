#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Without one row of the table of primitive models its pair must fail: the correct program is found to, or the broken one's failure is
not found with its verdict and c. usage: without.py BIN ROW CORRECT BROKEN BROKEN.expect.json"""
import json
import os
import subprocess
import sys


def hunt(bin_dir, row, program):
    env = dict(os.environ, VTB_TEST_WITHOUT=row)
    command = [os.path.join(bin_dir, "vtb-hunt"), "--json", "--budget=300", "--time=20", "--", program]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=100)
    try:
        result = json.loads(done.stdout)
        return done.returncode, result["verdict"], result["tuple"]
    except (ValueError, KeyError):
        return done.returncode, "?", None


def main():
    bin_dir, row, correct, broken, expectation = sys.argv[1:]
    status, verdict, found = hunt(bin_dir, row, correct)
    if status in (1, 3) and verdict != "none":
        print(f"without '{row}' the correct program fails: {verdict}")
        return 0
    with open(expectation) as f:
        expected = json.load(f)
    verdicts = expected["verdict"] if isinstance(expected["verdict"], list) else [expected["verdict"]]
    status, verdict, found = hunt(bin_dir, row, broken)
    if verdict not in verdicts or (expected["tuple"] and found and found["c"] != expected["tuple"]["c"]):
        print(f"without '{row}' the broken program's failure is not found as it is: {verdict} {found}")
        return 0
    print(f"without '{row}' the pair behaves as with it")
    return 1


if __name__ == "__main__":
    os.chdir(os.environ.get("TMPDIR", "/tmp"))
    sys.exit(main())
