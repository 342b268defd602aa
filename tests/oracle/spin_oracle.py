#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""spin_oracle.py BIN_DIR OUTCOMES CC FIRST COUNT [SECONDS [BUILD]]: random programs that wait by spinning (spinning.py), at -O0 to -O2, under
vtb (BUILD: tsan or pads) against brute force on their models.

For each program a partial-order search, a depth-first search and another one without a bound, each for SECONDS at most. None sees an ending that the model has not: no livelock
of a program that can go on, no run that hangs. If one says that nothing is left out it has seen every ending, also that nobody gets any further."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import model
import spinning
from e2e import Place, check, hooked, main

STUCK = {"deadlock", "condition-deadlock", "lost-wakeup", "livelock"}
TOGETHER = 25  # programs in one file
STATES = 10000
STRATEGIES = ("dpor", "dfs")
OTHERS = ("dpor+reads-from", "dfs+states", "exitblock", "exitblock+rw", "bestfirst+exhaust", "cvt", "portfolio")  # one for each program


def programs(first, count):
    seed = first
    while count:
        one = spinning.generate(seed)
        seed += 1
        try:
            one["want"] = model.reachable(one, limit=STATES)
        except model.TooLarge:
            continue
        count -= 1
        yield one


def build(place, how, cc, level, several):
    with open(place.path("prog.c"), "w") as f:
        f.write(spinning.together(several))
    place.run(*hooked(how, cc), "-g", level, "-w", "-pthread", "-o", "prog", "prog.c", expect=0)


def search(place, outcomes, strategy, number, seconds, sleeps):
    """The endings, and the line about how the search ended."""
    ran = place.run(outcomes, "./prog", strategy, "-", str(seconds), str(number), timeout=seconds + 20, expect=0)
    found, end = set(), {}
    for line in ran.out.splitlines():
        words = line.split()
        if words[0] == "end":
            end = dict(w.split("=") for w in words[1:])
        else:
            found.add(("exit", int(words[1])) if words[0] == "exit" else ("deadlock",) if words[0] in STUCK else (words[0],))
    check(sleeps or end.get("diverged") == "0", "schedules diverged", ran)
    return found, end


def one_program(place, outcomes, one, number, seconds):
    """The strategies that had to see everything, and did."""
    said = []
    for strategy in (*STRATEGIES, OTHERS[one["seed"] % len(OTHERS)]):
        got, end = search(place, outcomes, strategy, number, seconds, one["sleeps"])
        extra, missing = sorted(got - one["want"]), sorted(one["want"] - got)
        check(not extra, f"{strategy}: not in the model: {extra}")
        if end["complete"] == "1" or (strategy == "dfs" and end["exhausted"] == "1"):
            check(not missing, f"{strategy}: not seen, in {end}: {missing}")
            said.append(strategy)
    return said


def test(bin_dir, outcomes, cc, first, count, seconds="1", how="tsan"):
    failed, said = [], dict.fromkeys(STRATEGIES + OTHERS, 0)
    everything = list(programs(int(first), int(count)))
    with Place(bin_dir) as place:
        for number, one in enumerate(everything):
            if number % TOGETHER == 0:
                level = f"-O{number // TOGETHER % 3}"
                build(place, how, shlex.split(cc), level, everything[number:number + TOGETHER])
            try:
                for strategy in one_program(place, os.path.abspath(outcomes), one, number % TOGETHER, float(seconds)):
                    said[strategy] += 1
            except Exception as e:
                print(f"program {one['seed']} at {level}: FAILED: {e}\n{spinning.HEAD}{one['text']}\nmodel: {one['want']}\n", flush=True)
                failed.append(one["seed"])
        place.none_left()
    print(f"{len(everything)} programs, {sum(('deadlock',) in one['want'] for one in everything)} can get stuck; everything was seen, and this said: {said}")
    check(not failed, f"programs {failed} differ from the model")


if __name__ == "__main__":
    main(test)
