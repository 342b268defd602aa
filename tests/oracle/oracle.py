#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""oracle.py BIN_DIR OUTCOMES CC FIRST COUNT [large]: random programs, built with -fsanitize=thread and run under vtb, against brute force
on a model of the same programs.

For each program: an unbounded partial-order search sees exactly the endings that the model has without wake-ups by chance; a depth-first search
with at most two deviations sees exactly those that the model reaches with two, each with the lowest (c, v); and a hunt for
one of the endings reports the (c, v) that the model has for it.

Large programs: what each strategy sees of the endings, and that it sees all of them if it says so or came to its end; one in four built with pads."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import model
import program
from e2e import Place, check, main

DEADLOCKS = {"deadlock", "condition-deadlock", "lost-wakeup"}
C_MAX = 2


def build(place, cc, one, *wrapper):
    with open(place.path("prog.c"), "w") as f:
        f.write(one["text"])
    level = "-O1" if one["seed"] % 2 else "-O0"
    hooks = [] if wrapper else ["-fsanitize=thread"]
    done = subprocess.run([*wrapper, cc, "-g", level, "-Wall", *hooks, "-pthread", "-o", place.path("prog"), place.path("prog.c")], capture_output=True, text=True)
    check(done.returncode == 0, f"the program does not compile:\n{done.stderr}")


def search(place, outcomes, strategy, c, seconds):
    """{ending: (c, v)} and the line about how the search ended."""
    ran = place.run(outcomes, "./prog", strategy, str(c), str(seconds), timeout=seconds + 60, expect=0)
    found, end = {}, {}
    for line in ran.out.splitlines():
        words = line.split()
        if words[0] == "end":
            end = dict(w.split("=") for w in words[1:])
            continue
        kind = ("exit", int(words[1])) if words[0] == "exit" else ("deadlock",) if words[0] in DEADLOCKS else (words[0],)
        tuple_cv = (int(words[2]), int(words[3]))
        found[kind] = min(found.get(kind, tuple_cv), tuple_cv)
    check(end.get("diverged") == "0", "schedules diverged", ran)
    return found, end


def same_endings(want, got, what):
    missing, extra = sorted(set(want) - set(got)), sorted(set(got) - set(want))
    check(not missing and not extra, f"{what}: not seen: {[(e, want[e]) for e in missing]}; not in the model: {extra}")


def same_tuples(want, got, what):
    wrong = {e: (want[e], got[e]) for e in want if want[e] != got[e]}
    check(not wrong, f"{what}: (c, v) of the model and of the search differ: {wrong}")


def hunt(place, want, target):
    """Hunt for one exit status, or for what always counts as a failure."""
    rule = f"exit={target[1]}" if target else "never"
    failing = {e: cv for e, cv in want.items() if e[0] != "exit" or e == target}
    ran = place.run("vtb", "hunt", "--json", "--seed=1", "--time=20", "--c=4", "--v=4", "--no-canary", f"--fail-if={rule}", "--", "./prog", timeout=60)
    got = ran.json()
    if set(failing) == set(want):
        check(ran.code == 1 and (got["verdict"] == "regardless" or got["tuple"]), "all endings fail, but the hunt found none", ran)
        return
    check(ran.code == 1 and got["tuple"], f"nothing found; the model fails with {failing}", ran)
    tuple_cv = (got["tuple"]["c"], got["tuple"]["v"])
    seen = "deadlock" if got["verdict"] in DEADLOCKS else got["verdict"]
    lowest = min(cv for e, cv in failing.items() if e[0] == seen)
    check(tuple_cv == lowest, f"the hunt's (c, v) is {tuple_cv}, the model has {lowest} of {failing}", ran)


def one_program(place, outcomes, cc, one, want):
    build(place, cc, one)
    got, end = search(place, outcomes, "dpor", "-", 20)
    if end["exhausted"] == "1":
        same_endings(want, got, "dpor")
    else:
        check(set(got) <= set(want), f"dpor: not in the model: {sorted(set(got) - set(want))}")
    want = model.endings(one, limit=400000, chance=True)
    cheap = {e: cv for e, cv in want.items() if cv[0] <= C_MAX}
    got, end = search(place, outcomes, "dfs", C_MAX, 20)
    if end["exhausted"] == "1":
        same_endings(cheap, got, "dfs")
        same_tuples(cheap, got, "dfs")
    exits = sorted((e for e in want if e[0] == "exit"), key=lambda e: (want[e], e))
    if len(want) > 1 and max(want.values()) <= (4, 4):
        hunt(place, want, exits[-1] if exits else None)
    return end


ALL = ("dpor", "dpor+reads-from", "dfs+states", "dfs+sure", "exitblock", "exitblock+rw", "exitblock+states")  # without a bound
BOUNDED = ("dfs", "bestfirst+exhaust", "cvt", "portfolio")


def all_endings(place, outcomes, strategy, want, by_chance, seconds):
    """Everything that the model has: what chance can do too if it takes chances. True if it had to be all."""
    got, end = search(place, outcomes, strategy, "-", seconds)
    check(set(got) <= by_chance, f"{strategy}: not in the model: {sorted(set(got) - by_chance)}")
    blocks = strategy.startswith("exitblock")
    if end["exhausted"] != "1" or (blocks and end["disciplined"] != "1") or (blocks and end["unexplored"] == "1"):
        return False
    all_of_them = by_chance if strategy.startswith("dfs+") else want
    if strategy == "exitblock+rw":
        all_of_them = {e for e in want if e != ("deadlock",)}
    missing = sorted(all_of_them - set(got))
    check(not missing, f"{strategy}: not seen: {missing}")
    return True


def bounded_endings(place, outcomes, strategy, cheap, by_chance, seconds):
    got, end = search(place, outcomes, strategy, 1, seconds)
    check(set(got) <= by_chance, f"{strategy}: not in the model: {sorted(set(got) - by_chance)}")
    if cheap is None or strategy in ("cvt", "portfolio") or end["exhausted"] != "1":
        return False
    want = {e: cv for e, cv in cheap.items() if cv[0] <= 1}
    same_endings(want, got, strategy)
    if strategy == "dfs":
        same_tuples(want, got, strategy)
    return True


def large_program(place, outcomes, cc, one, want):
    pads = one["seed"] % 4 == 0
    build(place, cc, one, *([os.path.join(place.bin, "vtb"), "cc"] if pads else []))
    by_chance = model.reachable(one, chance=True)
    try:
        cheap = model.endings(one, limit=60000, chance=True)
    except model.TooLarge:
        cheap = None
    compared = [s for s in ALL if all_endings(place, outcomes, s, want, by_chance, 10)]
    compared += [s for s in BOUNDED if bounded_endings(place, outcomes, s, cheap, by_chance, 10)]
    return compared


def large_programs(first, count):
    for seed in range(first, first + count):
        one = program.generate(seed, large=True)
        try:
            want = model.reachable(one)
        except model.TooLarge:
            continue
        yield one, want


def programs(first, count):
    """Programs of which the model can be enumerated, and that end in more than one way."""
    seed = first
    while count:
        one = program.generate(seed)
        seed += 1
        try:
            want = model.endings(one)
        except model.TooLarge:
            continue
        if len(want) > 1:
            count -= 1
            yield one, want


def test(bin_dir, outcomes, cc, first, count, size="small"):
    failed, large = [], size == "large"
    with Place(bin_dir) as place:
        for one, want in (large_programs if large else programs)(int(first), int(count)):
            try:
                if large:
                    print(f"program {one['seed']}: {len(want)} endings, all seen by {', '.join(large_program(place, os.path.abspath(outcomes), cc, one, want))}", flush=True)
                    continue
                end = one_program(place, os.path.abspath(outcomes), cc, one, want)
                print(f"program {one['seed']}: {len(want)} endings, {end['schedules']} schedules", flush=True)
            except Exception as e:
                print(f"program {one['seed']}: FAILED: {e}\n{one['text']}\nmodel: {want}\n", flush=True)
                failed.append(one["seed"])
        place.none_left()
    check(not failed, f"programs {failed} differ from the model")


main(test)
