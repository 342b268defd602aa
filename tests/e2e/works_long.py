#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""works_long.py BIN_DIR PROGRAM: where threads do very much of their own the first answer, before anything is made simpler with time of its own,
has few preemptions all the same, since runs are told and compared by what threads share."""
import os

from e2e import Place, check, main, need

FEW = 3      # preemptions; each of some 60 stretches of its own may have one


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for frees in ("0", "7000"):
            failure = os.path.join(place.dir, frees, "failure.json")
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=3", "--jobs=1", "--refine=0.01", "--budget=200", "--time=300", "-o", os.path.join(place.dir, frees), "--",
                            program, frees, timeout=150)
            got = ran.json()
            check(got["verdict"] == "exit-status" or got["findings"], f"{frees} frees: nothing was found", ran)
            finding = got["findings"][0]
            check(finding["tuple"]["c"] <= FEW, f"{frees} frees: tuple {finding['tuple']}", ran)
            check(finding["confirmed"] == finding["replays"] == 3, f"{frees} frees: {finding['confirmed']} of {finding['replays']} replays", ran)
            again = place.run("vtb", "replay", "--run", failure, timeout=100)
            check(again.code == 1, f"{frees} frees: the replay has exit code {again.code}", again)
        place.none_left()


main(test)
