#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pruning_oracle.py BIN_DIR FAILURES CC FIRST COUNT [SCHEDULES]: random programs (pruning.py) at -O0 to -O2, with and without predicate
dependence; of C++ where CC is a compiler of it.

Where the search without pruning says that it is complete, each search with it that says so has found the same failures; those for assertions
alone the same assertions, and so has cvt. Any difference is a defect."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import pruning
from e2e import Place, check, main

TOGETHER = 10  # programs in one file
HOWS = ("predicate", "predicate+reads-from", "assertions", "later")


def throws(cc):
    return cc[0].endswith("++")


def build(place, cc, level, seeds):
    source = place.path("prog.cc" if throws(cc) else "prog.c")
    with open(source, "w") as f:
        f.write(pruning.together(seeds, throws(cc)))
    done = subprocess.run([*cc, "-g", level, "-fsanitize=thread", "-pthread", "-o", place.path("prog"), source], capture_output=True, text=True)
    check(done.returncode == 0, f"the programs do not compile:\n{done.stderr}")


def search(place, failures, how, number, schedules):
    """The failures, and the line about how the search ended."""
    ran = place.run(failures, "./prog", how, str(schedules), str(number), timeout=600, expect=0)
    lines = ran.out.splitlines()
    end = dict(w.split("=") for w in lines[-1].split()[1:])
    return {line for line in lines if line.startswith("failure ")}, end


def one_program(place, failures, number, schedules, totals):
    want, end = search(place, failures, "all", number, schedules)
    if end["complete"] != "1":
        totals["too large"] += 1
        return
    totals["compared"] += 1
    totals["failing"] += bool(want)
    totals["all"] += int(end["schedules"])
    for how in HOWS:
        got, ended = search(place, failures, how, number, 4 * schedules + 1000)
        expected = want if how != "assertions" else {f for f in want if f.startswith("failure assertion ")}
        missing, extra = sorted(expected - got), sorted(got - want)
        check(not extra, f"{how}: not without pruning: {extra}")
        check(not missing or ended["complete"] != "1", f"{how}: not found, in {ended}: {missing}")
        check(not missing, f"{how}: not found, and not complete: {ended}: {missing}")
        totals[how] += int(ended["schedules"])
        totals["incomplete"] += ended["complete"] != "1"
        totals["left out"] += not ended["places"].startswith("0/")


def bounded(place, failures, number, totals):
    """cvt with --assertions-only drops what no assertion depends on: within the same bound the same assertions fail."""
    want, end = search(place, failures, "all+cvt", number, 2000)
    got, ended = search(place, failures, "assertions+cvt", number, 2000)
    if end["exhausted"] != "1" or ended["exhausted"] != "1":
        return
    expected = {f for f in want if f.startswith("failure assertion ")}
    check(expected <= got <= want, f"cvt: {sorted(got)} are not {sorted(expected)}")
    totals["cvt"] += int(end["schedules"])
    totals["cvt, dropped"] += int(end["schedules"]) - int(ended["schedules"])


def test(bin_dir, failures, cc, first, count, schedules="1000"):
    totals = dict.fromkeys(("too large", "compared", "failing", "incomplete", "left out", "all", *HOWS, "cvt", "cvt, dropped"), 0)
    failed, seeds = [], list(range(int(first), int(first) + int(count)))
    with Place(bin_dir) as place:
        for number, seed in enumerate(seeds):
            if number % TOGETHER == 0:
                level = f"-O{number // TOGETHER % 3}"
                build(place, cc.split(), level, seeds[number:number + TOGETHER])
            try:
                one_program(place, os.path.abspath(failures), number % TOGETHER, int(schedules), totals)
                bounded(place, os.path.abspath(failures), number % TOGETHER, totals)
            except Exception as e:
                print(f"program {seed} at {level}: FAILED: {e}\n{pruning.generate(seed, throws(cc.split()))}\n", flush=True)
                failed.append(seed)
        place.none_left()
    print(f"{len(seeds)} programs: {totals}")
    check(not failed, f"programs {failed} do not fail alike")
    check(totals["compared"] * 2 > len(seeds), "most programs are too large to be compared")


if __name__ == "__main__":
    main(test)
