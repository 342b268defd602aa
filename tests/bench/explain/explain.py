#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explain.py BUILD SOURCES: seconds of a hunt of each program, and of what it does after the find."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import time


def one(build, source, place):
    program = os.path.join(place, os.path.basename(source)[:-2])
    subprocess.run(["gcc", "-g", "-O0", "-fsanitize=thread", "-pthread", "-o", program, source], check=True)
    begin = time.monotonic()
    ran = subprocess.run([os.path.join(build, "bin", "vtb-hunt"), "--json", "--no-canary", "-o", place, "--", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    seconds = time.monotonic() - begin
    finding = json.loads(ran.stdout)["findings"][0]
    return seconds, finding["explained"]["runs"], len(finding["cores"])


def main(build, sources):
    with tempfile.TemporaryDirectory() as place:
        rows = [(os.path.basename(s)[:-2], *one(build, s, place)) for s in sorted(glob.glob(os.path.join(sources, "*", "*.c")))]
    for name, seconds, runs, cores in rows:
        print(f"{name}: {runs} runs for {cores} core{'s' if cores > 1 else ''}\t{seconds:.2f}\ts\t< 1")
    print(f"together, {len(rows)} programs\t{sum(r[1] for r in rows):.2f}\ts\t< 10")


main(*sys.argv[1:])
