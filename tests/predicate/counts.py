#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""counts.py BIN_DIR FAILURES CC [whole]: programs of which it is known how many runs partial-order reduction makes, with and without predicate
dependence. Every search must say that it is complete."""
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from e2e import Place, check, main

# program, argument, how, runs
ROWS = [("indexer", n, "all", runs) for n, runs in ((11, 1), (12, 8), (13, 64))]
ROWS += [(program, n, "assertions", 1) for program in ("indexer", "indexer_mutex") for n in (11, 13, 32)]
ROWS += [("indexer", n, "predicate", 1) for n in (11, 13, 32)]
ROWS += [("halves", 0, "predicate", 1)]
ROWS += [("writers", 2, "all", 6), ("writers", 2, "predicate+reads-from", 2)]
ROWS += [("writers", n, "predicate+reads-from", n) for n in (3, 5)]
ROWS += [("hash_table", 2, "predicate", 1)]
WHOLE = [("indexer", n, "all", runs) for n, runs in ((14, 512), (15, 4096))] + [("halves", 0, "all", 12870)]
WHOLE += [(program, n, "assertions", 1) for program in ("indexer", "indexer_mutex") for n in range(11, 33)]
WHOLE += [("indexer", n, "predicate", 1) for n in range(11, 33)]
WHOLE += [row for n in (3, 4, 5, 6) for row in (("writers", n, "all", math.factorial(n)), ("writers", n, "predicate+reads-from", n))]


def build(place, cc, program):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), program + ".c")
    done = subprocess.run([*cc, "-O1", "-g", "-fsanitize=thread", "-pthread", "-o", place.path(program), source], capture_output=True, text=True)
    check(done.returncode == 0, f"{program} does not compile:\n{done.stderr}")


def unasked(place, cc):
    """A hunt that does not come to its end leaves out what cannot matter, and says so; one that does, or is told not to, runs every class."""
    build(place, cc.split(), "indexer")
    for options, argument, least, most, says in (([], 12, 8, 8, False), ([], 14, 257, 300, True), (["--no-predicate"], 14, 512, 512, False)):
        ran = place.run("vtb", "hunt", "--strategy=dpor", *options, "-o", "out", "--", "./indexer", str(argument), expect=0)
        schedules = int(re.search(r"search +([0-9,]+) schedule", ran.out).group(1).replace(",", ""))
        check(least <= schedules <= most, f"{argument} {options}: {least} to {most} schedules", ran)
        check(("that can matter to a failure" in " ".join(ran.out.split())) == says, f"{argument} {options}: it tells what it left out", ran)


def observed(place, cc):
    """Of writes only the last matters, if it is read at all: no matter in which order the others came."""
    build(place, cc.split(), "writers")
    for options, runs in ((["--no-predicate"], 120), (["--predicate", "--equivalence=order"], 120), (["--predicate"], 5)):
        ran = place.run("vtb", "hunt", "--strategy=dpor", *options, "-o", "out", "--", "./writers", "5", expect=0)
        check(f"{runs} schedules" in ran.out and "Complete" in ran.out, f"writers 5 {options}: {runs} schedules", ran)


def test(bin_dir, failures, cc, whole=""):
    rows = ROWS + WHOLE * (whole == "whole")
    with Place(bin_dir) as place:
        unasked(place, cc)
        observed(place, cc)
        for program in sorted({row[0] for row in rows}):
            build(place, cc.split(), program)
        for program, argument, how, runs in rows:
            ran = place.run(os.path.abspath(failures), f"./{program}", how, "100000", str(argument), timeout=600, expect=0)
            end = dict(w.split("=") for w in ran.out.splitlines()[-1].split()[1:])
            check(end["complete"] == "1" and int(end["schedules"]) == runs, f"{program} {argument}, {how}: {runs} runs are right", ran)
        place.none_left()


if __name__ == "__main__":
    main(test)
