#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""walk_candidates.py BIN_DIR PROGRAM...: random walks over a passing recording, without the program, are of use: of each strategy's
candidates at least half replay as predicted, all that depart after nothing that could have changed, and each strategy finds a failure."""
import json

from candidates import recorded
from e2e import Place, check, main, need

WALKS = "random", "pos", "surw"


def candidates(place, strategy):
    """(result of the replay, how many departures are guesses) of each."""
    made = place.run("vtb-synth", "--json", f"--strategy={strategy}", "--budget=1000", "--seed=1", "trace.json", "-o", "schedules.json",
                     expect=0).json()
    ran = place.run("vtb-replay", "-q", "--json", "--times=1", "--run", "schedules.json", timeout=100, expect=(0, 1, 3)).json()
    return [(replayed["result"], made["guesses"]) for replayed, made in zip(ran["schedules"], made["candidates"])]


def test(bin_dir, *programs):
    of = {strategy: [] for strategy in WALKS}
    for program in programs:
        with Place(bin_dir) as place:
            check(recorded(place, need(program)), f"{program}: no recording passed")
            for strategy in WALKS:
                of[strategy] += candidates(place, strategy)
    for strategy, found in of.items():
        results = [result for result, _ in found]
        check(len(found) >= len(programs) and results.count("diverged") * 2 <= len(found), f"{strategy}: {found}")
        check(("diverged", 0) not in found, f"{strategy}: a candidate without a guess diverged: {found}")
        check("confirmed" in results, f"{strategy}: none fails: {found}")


main(test)
