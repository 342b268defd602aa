#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""triage.py BIN_DIR PROGRAM: recordings that failed and passed, and what made the difference: the order of operations, or an environment
variable, the input, the clock, addresses, memory that was never written, or another process, which no schedule changes."""
import os
import subprocess

from e2e import PATIENCE, Place, check, main, need

MANY = 40  # recordings, until one of each kind is there


def record(place, name, program, what, env=None, stdin=None):
    """True: the run failed."""
    with open(place.path(stdin) if stdin else os.devnull, "rb") as f:
        ran = subprocess.run(["vtb", "record", "-o", name, "--", program, what], cwd=place.dir, env=dict(place.env, **(env or {})), stdin=f,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60 * PATIENCE)
    check(ran.returncode in (0, 134), f"recording {what}: {ran.returncode} {ran.stderr!r}")
    return ran.returncode != 0


def both(place, program, what, settings):
    """Recordings of runs that failed, and that passed."""
    failed, passed = [], []
    for i in range(MANY):
        name = f"{what}-{i}.vtb"
        (failed if record(place, name, program, what, **settings(i)) else passed).append(name)
        if len(failed) > 1 and len(passed) > 1:
            return failed + passed
    check(False, f"{what}: {len(failed)} failed, {len(passed)} passed")


def triage(place, program, what, recordings):
    ran = place.run("vtb", "triage", "--json", "--time=8", "--seed=1", *recordings, "--", program, what, timeout=120)
    return ran, ran.json()


def named(got, word):
    return any(text.startswith(word + ":") for text in got["differs"])


def check_other(place, program, what, words, settings):
    recordings = both(place, program, what, settings)
    ran, got = triage(place, program, what, recordings)
    check(ran.code == 3 and got["answer"] == "not-schedule-dependent", f"{what}: {got['answer']}", ran)
    for word in words:
        check(named(got, word), f"{what} is not named {word}: {got['differs']}", ran)
    for word in {"environment", "input", "clock", "addresses", "uninitialised memory", "other processes"} - set(words):
        check(not named(got, word), f"{what} is named {word}: {got['differs']}", ran)
    shown = place.run("vtb", "triage", "--time=8", "--seed=1", *recordings, "--", program, what, timeout=120, expect=3)
    check(shown.out.count("NOT SCHEDULE-DEPENDENT") == 1 and f"{words[0]}:" in shown.out and "of them: assertion" in shown.out, "the text does not say so", shown)


def check_order(place, program):
    recordings = both(place, program, "order", lambda i: {"env": {"SLOW": "1"} if i % 2 else {}})
    ran, got = triage(place, program, "order", recordings)
    check(ran.code == 1 and got["answer"] == "still-fails", f"order: {got['answer']}", ran)
    check(got["aimed"] > 0 and got["hunt"]["findings"], "the hunt does not begin at the orders of failing runs", ran)
    check(any(s["variable"] == "sum" and s["passing"] == 0 for s in got["suspects"]), f"no order of only failing runs is named: {got['suspects']}", ran)


def child_says(place, i):
    with open(place.path("child.txt"), "w", encoding="utf-8") as f:
        f.write("bad\n" if i % 2 else "good\n")
    return {}


def test(bin_dir, program):
    program = os.path.abspath(need(program))
    with Place(bin_dir) as place:
        for name, text in (("good.txt", "good\n"), ("bad.txt", "bad\n")):
            with open(place.path(name), "w", encoding="utf-8") as f:
                f.write(text)
        check_order(place, program)
        check_other(place, program, "env", ["environment"], lambda i: {"env": {"BAD": "1"} if i % 2 else {}})
        check_other(place, program, "input", ["input"], lambda i: {"stdin": "bad.txt" if i % 2 else "good.txt"})
        check_other(place, program, "child", ["other processes"], lambda i: child_says(place, i))
        check_other(place, program, "clock", ["clock"], lambda i: {})
        # addresses are not random in recordings; what else lies on the stack moves them
        check_other(place, program, "address", ["addresses", "environment"], lambda i: {"env": {"PAD": "x" * (8 + 16 * (i % 2))}})
        check_other(place, program, "fill", ["uninitialised memory", "environment"], lambda i: {"env": {"MALLOC_PERTURB_": "1" if i % 2 else "2"}})


main(test)
