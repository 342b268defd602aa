#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""spins.py BIN_DIR SOURCE BUILD LEVEL COMPILER: a program that waits by spinning. As it is, a hunt comes to its end or makes more than
10 000 schedules in ten seconds, and finds nothing. With -DBROKEN it fails. BUILD: tsan or pads; `assumed` instead of LEVEL: the program is of
those that cannot be told from a spin, and the hunt must say so."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import Place, check, hooked, main  # noqa: E402

MANY = 10000
SECONDS = 10
# With one preemption the whole bound is searched: the lowest tuple is known.
LOWEST = {"handshake": (1, 1, 2)}

NOBODY_WAITS = {"computes", "few_words"}
# Whether they spin cannot be told: who waits is given thousands of rounds each time.
COUNTS = {"tries"}
ENOUGH = 30
# Built with this there are no other classes.
ALIKE = {"gaps": "-DROOM=8"}


def build(place, source, how, flags, compiler):
    place.run(*hooked(how, shlex.split(compiler)), "-std=gnu11", "-g", *flags, "-o", "prog", source, "-pthread", expect=0)


def hunt(place, *args, seconds=SECONDS):
    return place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", f"--time={seconds}", *args, "--", "./prog", timeout=90)


def goes_on(place):
    ran = hunt(place, f"--budget={ENOUGH}", seconds=80)
    got = ran.json()
    check(got["verdict"] == "none", "a correct program is said to fail", ran)
    check(got["complete"] or got["schedules"] >= ENOUGH, "a schedule hangs", ran)


def correct(place, name, slow):
    ran = hunt(place)
    got = ran.json()
    check(name not in NOBODY_WAITS or "held back" not in got["statement"], "a thread that computes is taken for one that spins", ran)
    check(got["verdict"] == "none", "a correct program is said to fail", ran)
    if slow:
        return
    check(got["complete"] or got["schedules"] > MANY, f"neither complete nor more than {MANY} schedules", ran)


def alike(place, source, name, how, level, compiler):
    """A schedule in which a round does not count as one that was before makes more rounds, and so more classes."""
    classes = []
    for flags in ([], [ALIKE[name]]):
        build(place, source, how, [level, *flags], compiler)
        ran = hunt(place)
        classes.append(ran.json()["classes"])
    check(classes[0] == classes[1], f"{classes[0]} classes, and {classes[1]} without room on the stack", ran)


def broken(place, name):
    ran = hunt(place, "--refine=0.5")
    check(ran.json()["verdict"] in ("assertion", "livelock"), "the failure was not found", ran)
    if name not in LOWEST:
        return
    ran = hunt(place, "--strategy=dfs", "--c=1")
    found = ran.json()["findings"][0]["tuple"]
    check((found["c"], found["v"], found["t"]) == LOWEST[name], f"the lowest tuple is {LOWEST[name]}", ran)


def assumed(place, source):
    line = 1 + next(i for i, text in enumerate(open(source)) if "held back here" in text)
    ran = hunt(place, "--strategy=dfs")
    got = ran.json()
    check(ran.code == 3 and not got["complete"], "complete, although what the thread would have done is not known", ran)
    near = [f"prog.c:{n}" for n in (line - 1, line, line + 1)]  # of a short loop: it is held back at one of its operations
    check(any(words in got["statement"] for words in near), f"the statement does not name line {line}", ran)
    check("thread 0.0" in got["statement"], "the statement does not name the thread", ran)


def test(bin_dir, source, how, level, compiler):
    name = os.path.basename(os.path.dirname(source))
    with Place(bin_dir) as place:
        if level == "assumed":
            build(place, source, how, ["-O1"], compiler)
            assumed(place, source)
            return
        build(place, source, how, [level], compiler)
        if name in COUNTS:
            goes_on(place)
        else:
            correct(place, name, name == "computes" and how == "pads" and level == "-O0")  # 300 000 accesses a run
        if name in ALIKE:
            alike(place, source, name, how, level, compiler)
        build(place, source, how, [level, "-DBROKEN"], compiler)
        broken(place, name)


main(test)
