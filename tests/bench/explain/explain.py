#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""explain.py BUILD SOURCES CORPUS: seconds of a hunt of each program, and of what it does after the find; replays that shrinking takes there and in the corpus."""
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time


def hunt(build, program, place):
    env = dict(os.environ, VTB_LOG="shrink=debug")
    begin = time.monotonic()
    ran = subprocess.run([os.path.join(build, "bin", "vtb-hunt"), "--json", "--no-canary", "-o", place, "--", program], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    replays = sum(int(n) for n in re.findall(r"replays=(\d+)", ran.stderr))
    return time.monotonic() - begin, json.loads(ran.stdout)["findings"], replays


def build_one(source, program, flags):
    compiler = ["gcc"] if source.endswith(".c") else ["g++", "-std=c++20"]
    subprocess.run([*compiler, "-g", *flags, "-fsanitize=thread", "-pthread", "-o", program, source], check=True)


def one(build, source, place):
    program = os.path.join(place, os.path.basename(source)[:-2])
    build_one(source, program, ["-O0"])
    seconds, findings, replays = hunt(build, program, place)
    return seconds, findings[0]["explained"]["runs"], len(findings[0]["cores"]), replays


def corpus(build, sources, place):
    """Replays that it took to shrink the failures of the corpus, program by program."""
    replays = []
    for source in sorted(glob.glob(os.path.join(sources, "*", "prog.c*"))):
        program = os.path.join(place, os.path.basename(os.path.dirname(source)))
        build_one(source, program, ["-O1"])
        _, findings, n = hunt(build, program, place)
        if findings and n:
            replays.append(n)
    return replays


def main(build, sources, more):
    with tempfile.TemporaryDirectory() as place:
        rows = [(os.path.basename(s)[:-2], *one(build, s, place)) for s in sorted(glob.glob(os.path.join(sources, "*", "*.c")))]
        replays = [row[4] for row in rows if row[4]] + corpus(build, more, place)
    for name, seconds, runs, cores, _ in rows:
        print(f"{name}: {runs} runs for {cores} core{'s' if cores > 1 else ''}\t{seconds:.2f}\ts\t< 1")
    print(f"together, {len(rows)} programs\t{sum(r[1] for r in rows):.2f}\ts\t< 10")
    print(f"replays to shrink a failure, median of {len(replays)} (most: {max(replays)})\t{statistics.median(replays):.0f}\t\t< 200")


main(*sys.argv[1:])
