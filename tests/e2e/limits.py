#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""limits.py BIN_DIR SOURCE_DIR PROGRAM: a correct program passes each limit of the runtime. It is no bug; what is refused is named;
where the runtime's table grows, what stands behind the limit is known as well as the rest."""
import json
import os
import re

from e2e import Failed, Place, check, main, need

ROW = re.compile(r'^VTB_LIMIT\((\w+),\s*(\d+),\s*(GROWS|REFUSES),\s*"([^"]*)"\)')
# Where the number is not the table's: descriptors run out where the second one of each no longer fits, which lies from 700 on.
ENOUGH = {"DESCRIPTORS": 400}


def limits(source_dir):
    with open(os.path.join(source_dir, "runtime", "sched", "run_limits.def")) as f:
        rows = [m.groups() for m in map(ROW.match, f) if m]
    if len(rows) < 10:
        raise Failed(f"the table has {len(rows)} rows")
    return rows


USER = 12345


def count_of(name, entries):
    return ENOUGH.get(name, int(entries) + int(entries) // 10 + 4)


def pass_one(place, program, name, entries, then, what):
    n = count_of(name, entries)
    hunt = ("vtb", "hunt", "--seed=1", "--time=300", "--timeout=60", "--budget=4", "--json")
    ran = place.run(*BEFORE.get(name, lambda *_: [])(place, n), "prlimit", "--nofile=1024:1024", *hunt, "--", program, name, str(n), timeout=150)
    got = ran.json()
    check(not got["findings"], f"{name}: a correct program has a bug", ran)
    if then == "GROWS" or name == "SEMBUFS":  # the kernel says no first
        check(got["verdict"] in ("none", "sequential"), f"{name}: verdict {got['verdict']}", ran)
        return
    check(ran.code == 3, f"{name}: exit {ran.code}", ran)
    check(what in ran.out, f"{name}: the limit is not named", ran)


def make_levels(place, n):
    """Directories that an overlay does not rename as they are: those of a user."""
    path = place.path("levels")
    for _ in range(n):
        os.mkdir(path)
        if os.geteuid() == 0:
            os.chown(path, USER, USER)
        path = os.path.join(path, "d")
    os.chmod(place.dir, 0o777)
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"] if os.geteuid() == 0 else []


def events_of(place, program, n):
    ran = place.run("vtb", "record", "-o", f"early{n}", "--", program, "EARLY", str(n), timeout=100)
    check(ran.code == 0, "not recorded", ran)
    ran = place.run("vtb", "decode", "-o", f"early{n}.json", f"early{n}", timeout=100)
    said = re.search(r": ([0-9,]+) events", ran.out + ran.err)
    check(ran.code == 0 and said, "not decoded", ran)
    return int(said.group(1).replace(",", ""))


def show_early(place, program, n):
    """A block that stands behind the limit is told of as much as one before it."""
    less, more = (events_of(place, program, at + 100) - events_of(place, program, at) for at in (20, n))
    if less != more or less < 200:
        raise Failed(f"EARLY: 100 more blocks are {less} more events first, {more} behind {n}")


def failing(place, program, name, n, kind):
    ran = place.run("vtb", "hunt", "--seed=1", "--time=300", "--budget=10", "--json", "--", program, name, str(n), "fails", timeout=150)
    got = ran.json()
    check(got["findings"] and got["findings"][0]["signature"].startswith(kind), f"{name}: no {kind} found", ran)
    return ran


def show_frames(place, program, n):
    """Whose block it was is told with the innermost functions, not with those that were there when the table was full."""
    ran = failing(place, program, "FRAMES", n, "memory")
    with open(place.path("failure.json"), encoding="utf-8") as f:
        trace = json.load(f)["trace"]
    stacks = [[trace["sites"][i]["function"] for i in o["stack"]] for o in trace["objects"] if "stack" in o]
    check(any(s[:3] == ["innermost", "last_caller", "frames"] for s in stacks), f"FRAMES: the block's stacks are {stacks}", ran)


def show_lost(place, program, n):
    failing(place, program, "LOST", n, "lost-wakeup")


BEFORE = {"LEVELS": make_levels}
SHOWS = {"EARLY": show_early, "FRAMES": show_frames, "LOST": show_lost}


def test(bin_dir, source_dir, program):
    need(program)
    with Place(bin_dir) as place:
        for row in limits(source_dir):
            pass_one(place, program, *row)
            if row[0] in SHOWS:
                SHOWS[row[0]](place, program, count_of(row[0], row[1]))
        place.none_left()


main(test)
