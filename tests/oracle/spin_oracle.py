#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""spin_oracle.py BIN_DIR OUTCOMES CC FIRST COUNT [SECONDS [BUILD]]: random programs that wait by spinning (spinning.py), at -O0 to -O2, under
vtb (BUILD: tsan or pads) against brute force on their models. FIRST: a seed, or several with commas, of which each program is built at each level.

For each program a partial-order search, a depth-first search and another one without a bound, each for SECONDS at most. None sees an ending that the model has not: no livelock
of a program that can go on, no run that hangs. If one says that nothing is left out it has seen every ending, also that nobody gets any further.
Unless SECONDS are few, for one in HUNTED a hunt looks for one exit status: if it says that its (c, v) is the lowest, a depth-first search finds no lower one."""
import itertools
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import model
import spinning
from e2e import Place, check, hooked, main

STUCK = {"deadlock", "condition-deadlock", "lost-wakeup", "livelock"}
TOGETHER = 25  # programs in one file
HUNTED = 4
QUICK = 0.2  # with less time than this for a search nothing is hunted
STATES = 10000
STRATEGIES = ("dpor", "dfs")
OTHERS = ("dpor+reads-from", "dfs+states", "dfs+sure", "exitblock", "exitblock+rw", "bestfirst+exhaust", "cvt", "portfolio")  # one for each program


def programs(seeds, count):
    for seed in seeds:
        one = spinning.generate(seed)
        try:
            one["want"] = model.reachable(one, limit=STATES)
            # A reader that waited before a writer arrived goes first, too, as in glibc; the model knows no order of arrival.
            one["may"] = one["want"] | (model.reachable({**one, "prefers_writers": False}, limit=STATES) if one["prefers_writers"] else set())
        except model.TooLarge:
            continue
        count -= 1
        yield one
        if not count:
            return


def batches(first, count):
    """Programs that stand in one file, and how that is built."""
    if "," in first:
        named = list(programs(map(int, first.split(",")), count))
        return [(level, named) for level in ("-O0", "-O1", "-O2")]
    several = list(programs(itertools.count(int(first)), count))
    return [(f"-O{k // TOGETHER % 3}", several[k:k + TOGETHER]) for k in range(0, count, TOGETHER)]


def build(place, how, cc, level, several):
    with open(place.path("prog.c"), "w") as f:
        f.write(spinning.together(several))
    place.run(*hooked(how, cc), "-g", level, "-w", "-pthread", "-o", "prog", "prog.c", expect=0)


def search(place, outcomes, strategy, number, seconds, sleeps, c="-"):
    """The endings, each with its lowest (c, v), and the line about how the search ended."""
    for _ in range(2):  # processor time holds threads back, too, where the machine is busy: not twice
        ran = place.run(outcomes, "./prog", strategy, str(c), str(seconds), str(number), timeout=seconds + 20, expect=0)
        if "diverged=0" in ran.out:
            break
    found, end = {}, {}
    for line in ran.out.splitlines():
        words = line.split()
        if words[0] == "end":
            end = dict(w.split("=") for w in words[1:])
        else:
            kind = ("exit", int(words[1])) if words[0] == "exit" else ("deadlock",) if words[0] in STUCK else (words[0],)
            lowest = int(words[2]), int(words[3])
            found[kind] = min(found.get(kind, lowest), lowest)
    check(sleeps or end.get("diverged") == "0", "schedules diverged", ran)
    return found, end


def merges(how, cc, one):
    """gcc's sanitizer tells of one write where a part of a word is changed: then what is complete is so for hooked accesses, as a hunt says."""
    return how == "tsan" and "clang" not in cc[0] and any(step[0] == "put-bits" for body in one["bodies"] for step in body)


def one_program(place, outcomes, one, number, seconds, merged):
    """The strategies that had to see everything, and did."""
    said = []
    for strategy in (*STRATEGIES, OTHERS[one["seed"] % len(OTHERS)]):
        got, end = search(place, outcomes, strategy, number, seconds, one["sleeps"])
        extra, missing = sorted(set(got) - one["may"]), sorted(one["want"] - set(got))
        check(not extra, f"{strategy}: not in the model: {extra}")
        if end["complete"] == "1" or (strategy == "dfs" and end["exhausted"] == "1"):
            if merged:
                continue
            check(not missing, f"{strategy}: not seen, in {end}: {missing}")
            said.append(strategy)
    return said


def lowest_tuple(place, outcomes, one, number, seconds):
    """A hunt for one ending. 1: it says that its (c, v) is the lowest, and no lower one was found."""
    exits = sorted(e for e in one["want"] if e[0] == "exit")
    if one["seed"] % HUNTED or one["sleeps"] or len(exits) < 2:
        return 0
    target = exits[one["seed"] // HUNTED % len(exits)]
    ran = place.run("vtb", "hunt", "--json", "--seed=1", f"--time={max(1, seconds)}", "--no-canary", f"--fail-if=exit={target[1]}", "--", "./prog", str(number), timeout=60)
    found = [f for f in ran.json()["findings"] if f["verdict"] == "exit" and f["tuple"] and f["minimal"]]
    if not found:
        return 0
    said = found[0]["tuple"]["c"], found[0]["tuple"]["v"]
    got, _ = search(place, outcomes, "dfs", number, seconds, False, said[0])
    check(target not in got or got[target] >= said, f"(c, v) of {target} is said to be {said} at least; found by depth-first search: {got.get(target)}", ran)
    return 1


def test(bin_dir, outcomes, cc, first, count, seconds="1", how="tsan"):
    outcomes, compiler, seconds = os.path.abspath(outcomes), shlex.split(cc), float(seconds)
    lowest, failed, stuck, n, said = 0, [], 0, 0, dict.fromkeys(STRATEGIES + OTHERS, 0)
    with Place(bin_dir) as place:
        for level, several in batches(first, int(count)):
            build(place, how, compiler, level, several)
            for number, one in enumerate(several):
                n, stuck = n + 1, stuck + (("deadlock",) in one["want"])
                try:
                    for strategy in one_program(place, outcomes, one, number, seconds, merges(how, compiler, one)):
                        said[strategy] += 1
                    lowest += seconds >= QUICK and lowest_tuple(place, outcomes, one, number, seconds)
                except Exception as e:
                    print(f"program {one['seed']} at {level}: FAILED: {e}\n{spinning.HEAD}{one['text']}\nmodel: {one['want']}\n", flush=True)
                    failed.append(one["seed"])
        place.none_left()
    print(f"{n} programs, {stuck} can get stuck; everything was seen, and this said: {said}; {lowest} tuples said to be the lowest are")
    check(not failed, f"programs {failed} differ from the model")


if __name__ == "__main__":
    main(test)
