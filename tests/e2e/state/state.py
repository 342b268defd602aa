#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""state.py BIN_DIR GCC: states that are damaged, cut off, of another program or in use are used as far as they are whole, or refused in one line with exit code 2.
--max-disk bounds what is written, --keep=failures leaves failure.json alone, and the names of a command from elsewhere are not run."""
import json
import os
import random
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from e2e import Place, check, main  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
BUDGET = "--budget=4000"


def build(place, gcc, name, *more):
    place.run(gcc, "-g", "-O1", "-fsanitize=thread", *more, "-o", name, os.path.join(HERE, name + ".c"), "-pthread", expect=0)
    return "./" + name


def hunt(place, program, *more, expect=None):
    return place.run("vtb", "hunt", "--json", "--no-canary", "--time=60", "--strategy=dpor", "--no-predicate", BUDGET, "--state=st", *more, "--", program, expect=expect)


def refused(place, what, ran, word, alone=True):
    check(ran.code == 2 and ran.err.count("\n") == 1 and word in ran.err and not ran.out, f"{what}: not refused in one line that says {word}", ran)
    if alone:
        place.none_left()


def counts(ran):
    return [ran.json()[key] for key in ("schedules", "classes", "complete", "stopped")]


def damaged_runs(place, program, whole):
    """Cut off anywhere, or with a byte changed anywhere behind the header: the same counts."""
    rng = random.Random(4)
    runs = place.path("st", "runs.vtb")
    with open(runs, "rb") as f:
        good = f.read()
    for i in range(6):
        at = rng.randrange(32, len(good))
        bad = good[:at] if i % 2 else good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :]
        with open(runs, "wb") as f:
            f.write(bad)
        ran = hunt(place, program)
        check(counts(ran) == counts(whole), f"{'cut off' if i % 2 else 'changed'} at {at}: other counts than {counts(whole)}", ran)
        check(ran.json()["state"]["answered"] < counts(whole)[0], f"nothing was missed of a file that is damaged at {at}", ran)
    for bad, word in ((good[:8] + b"\2" + good[9:], "version 2"), (b"x" + good[1:], "not a file of kept runs"), (good[:20] + b"\0\0" + good[22:], "header")):
        with open(runs, "wb") as f:
            f.write(bad)
        refused(place, word, hunt(place, program), word)
    with open(runs, "wb") as f:
        f.write(b"mine")
    refused(place, "somebody's file", hunt(place, program), "not a file of kept runs")
    check(open(runs, "rb").read() == b"mine", "somebody's file was changed")
    with open(runs, "wb") as f:
        f.write(good)


def changed(text, old, new):
    check(old in text, f"state.json has no {old}")
    return text.replace(old, new)


def damaged_description(place):
    path = place.path("st", "state.json")
    with open(path) as f:
        good = f.read()
    for text, word in (("", "state.json"), ("{", "state.json"), ("[]", "state.json"), (changed(good, '"version": 1', '"version": 2'), "version"), (changed(good, '"facts"', '"fact"'), "facts"),
                       (changed(good, '"$TZ", "value": ""', '"$TZ", "value": "UTC"'), "not of the hunt beside it")):
        with open(path, "w") as f:
            f.write(text)
        refused(place, f"state.json that is {text[:20]!r}...", place.run("vtb", "resume", "st"), word)
    state = json.loads(good)
    state["writer"] = "0x1"
    state["argv"] = ["/bin/touch", place.path("touched")]
    with open(path, "w") as f:
        json.dump(state, f)
    ran = place.run("vtb", "resume", "st")
    check(ran.code == 2 and "/bin/touch" in ran.err and "--run" in ran.err and not os.path.exists(place.path("touched")), "a command from elsewhere", ran)
    with open(path, "w") as f:
        f.write(good)


def another_hunt(place, gcc, program):
    refused(place, "no state", place.run("vtb", "resume", "nothing"), "no hunt is kept there")
    refused(place, "other arguments", place.run("vtb", "hunt", "--state=st", "--", program, "more"), "the command")
    refused(place, "another engine", hunt(place, program, "--engine=exec"), "--engine")
    with open(place.path("st", "runs.vtb"), "rb") as f:
        before = f.read()
    build(place, gcc, "many", "-DROUNDS=4")
    refused(place, "a rebuilt program", place.run("vtb", "resume", "st"), "the program")
    check(open(place.path("st", "runs.vtb"), "rb").read() == before, "a refused state was changed")
    build(place, gcc, "many", "-DROUNDS=3")
    ran = place.run("vtb", "resume", "--json", "st")
    check(ran.json()["state"]["answered"] > 0, "the same program again is not taken for the same", ran)
    size = os.path.getsize(place.path("st", "runs.vtb"))
    p = place.start("vtb", "hunt", "--no-canary", "--time=100", "--strategy=pct", "--state=st", "--", program)
    try:
        end = time.monotonic() + 90
        while os.path.getsize(place.path("st", "runs.vtb")) == size and time.monotonic() < end:  # then it is at work
            time.sleep(0.1)
        refused(place, "in use", hunt(place, program), "another hunt", alone=False)
    finally:
        p.kill()
        p.communicate()
    place.none_left()


def other_input(place, gcc):
    """What a program reads from a file is no part of its facts: that it reads something else is seen by what it does."""
    reads = build(place, gcc, "reads")
    shutil.rmtree(place.path("st"))
    for number in (1, 2):
        with open(place.path("number"), "w") as f:
            f.write(str(number))
        ran = place.run("vtb", "hunt", "--no-canary", "--state=st", "--", reads, "number")
        if number == 1:
            check(ran.code == 0, "nothing is found there", ran)
    refused(place, "another input", ran, "does something else")


def bounded(place, gcc, program):
    shutil.rmtree(place.path("st"))
    ran = hunt(place, program, "--max-disk=40K")
    size = sum(os.path.getsize(place.path("st", name)) for name in os.listdir(place.path("st")))
    check(size <= 40 << 10 and ran.json()["state"]["full"] and ran.json()["state"]["added"] > 0, f"--max-disk=40K: {size} bytes", ran)
    told = place.run("vtb", "hunt", "--no-canary", "--strategy=dpor", "--no-predicate", BUDGET, "--state=st", "--max-disk=40K", "--", program)
    check("--max-disk" in told.out, "that the state is full is not told", told)
    shutil.rmtree(place.path("st"))
    fails = build(place, gcc, "fails")
    ran = hunt(place, fails, "--keep=failures", "-o", "out", expect=1)
    check(not os.path.exists(place.path("st")) and sorted(os.listdir(place.path("out"))) == ["failure.json", "order.dot", "order.svg"], "--keep=failures keeps other things", ran)
    hunt(place, program, "--keep=failures")
    check(os.path.exists(place.path("st", "runs.vtb")), "a hunt whose budget was spent cannot go on")
    shutil.rmtree(place.path("out"))
    ran = place.run("vtb", "hunt", "--no-canary", "-o", "out", "--max-disk=2K", "--", fails)
    check(ran.code == 1 and not os.listdir(place.path("out")) and "--max-disk leaves no room" in ran.out, "files larger than --max-disk stay", ran)


def test(bin_dir, gcc):
    with Place(bin_dir) as place:
        program = build(place, gcc, "many", "-DROUNDS=3")
        whole = hunt(place, program)
        check(whole.json()["state"]["added"] > 0, "nothing was kept", whole)
        damaged_runs(place, program, whole)
        damaged_description(place)
        another_hunt(place, gcc, program)
        other_input(place, gcc)
        bounded(place, gcc, program)


main(test)
