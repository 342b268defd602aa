#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""asks.py BIN_DIR PROGRAM SOURCE...: what a program does may depend on its ids, on processor time, on what /proc says. Either each run is told the
same, so that engines agree and a failure comes again in another process, or the statement names it and nothing is claimed."""
from e2e import Place, check, main, need

NAMED = {"getsid": "ids of processes or threads", "proc_schedstat": "what /proc says"}
UNFAULTED = "this machine does not let them fault"
HUNT = ("vtb", "hunt", "--seed=1", "--no-canary", "--time=300", "--refine=0.5", "--json")


def told(place, program, source):
    """The same in every run."""
    ran = place.run(*HUNT, "--budget=200", "--", program, source, expect=(0, 3))
    got = ran.json()
    check(not got["findings"], f"{source}: a correct program has a bug", ran)
    if UNFAULTED in got["statement"]:
        return named(place, program, source, UNFAULTED)
    check(got["engine"] == "snapshot", f"{source}: engine {got['engine']}", ran)
    check("Escaped control" not in got["statement"], f"{source}: named without need", ran)
    check(" diverged" not in got["statement"], f"{source}: runs were not the same again", ran)
    ran = place.run(*HUNT, "--", program, source, "broken", expect=1)
    check(ran.json()["findings"][0]["verdict"] == "assertion", f"{source}: the bug is not found", ran)
    for engine in ("auto", "exec", "forkserver"):
        place.run("vtb", "replay", "--run", f"--engine={engine}", "failure.json", expect=1)


def named(place, program, source, words):
    ran = place.run(*HUNT, "--budget=200", "--", program, source, expect=3)
    got = ran.json()
    check(not got["findings"], f"{source}: a correct program has a bug", ran)
    check(words in got["statement"], f"{source}: it is not named", ran)
    check("Complete" not in got["statement"], f"{source}: it claims to be complete", ran)


def test(bin_dir, program, *sources):
    need(program)
    with Place(bin_dir) as place:
        for source in sources:
            if source in NAMED:
                named(place, program, source, NAMED[source])
            else:
                told(place, program, source)
        place.none_left()


main(test)
