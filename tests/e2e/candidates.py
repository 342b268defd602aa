#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""candidates.py BIN_DIR PROGRAM...: of the schedules that vtb-synth makes of a passing recording at least half replay as
predicted, on average of the programs: how many there are of one of them depends on how its threads happened to meet. With
--table a line for each program, and no judgement: script/bench candidates."""
import json
import os
import sys

from e2e import Place, check, main, need

ATTEMPTS = 10  # a recording that passes


def recorded(place, program):
    for _ in range(ATTEMPTS):
        ran = place.run("vtb-record", "-q", "-o", "run.vtb", "--timeout=10", "--", program)
        if ran.code == 0:
            return place.run("vtb-decode", "-q", "run.vtb", "-o", "trace.json", expect=0)
    return None


def replayed(place, program):
    """Results of the candidates in their order, and how many of each one's departures are guesses."""
    if not recorded(place, program):
        return [], []
    made = place.run("vtb-synth", "--json", "--v=2", "--time=1", "trace.json", "-o", "schedules.json", expect=(0, 3))
    if made.code == 3:
        return [], []
    guesses = [c["guesses"] for c in json.loads(made.out)["candidates"]]
    if not guesses:
        return [], []
    ran = place.run("vtb-replay", "-q", "--json", "--times=1", "--run", "schedules.json", timeout=300, expect=(0, 1, 3))
    return [s["result"] for s in json.loads(ran.out)["schedules"]], guesses


def name_of(program):
    return os.path.basename(os.path.dirname(program))


def table(bin_dir, *programs):
    for program in programs:
        with Place(bin_dir) as place:
            results, guesses = replayed(place, program)
        print(f"{name_of(program)}\t{len(results) - results.count('diverged')} of {len(results)}\tas predicted\t")


def test(bin_dir, *programs):
    shares, all_of_them, confirmed = [], 0, 0
    for program in programs:
        with Place(bin_dir) as place:
            results, guesses = replayed(place, need(program))
        check(len(results) == len(guesses), f"{program}: {len(guesses)} candidates, {len(results)} results")
        check(guesses == sorted(guesses), f"{program}: guesses are not last: {guesses}")
        sure = guesses.count(0)
        check(len(guesses) - sure <= max(8, sure // 4), f"{program}: {sure} candidates without a guess, {len(guesses)} together")
        if results:
            shares.append(1 - results.count("diverged") / len(results))
        all_of_them += len(results)
        confirmed += results.count("confirmed")
    told = ", ".join(f"{share:.2f}" for share in shares)
    check(len(shares) * 2 >= len(programs), f"only {len(shares)} programs have candidates")
    check(all_of_them >= 20 and sum(shares) * 2 >= len(shares), f"of {all_of_them} candidates these shares replay as predicted: {told}")
    check(confirmed > 0, "no candidate was confirmed")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(*sys.argv[2:])
    else:
        main(test)
