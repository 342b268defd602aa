#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""time_kept.py BIN_DIR PROGRAMS_DIR: a hunt ends with --time and with Ctrl-C whatever it is doing, and what was proved is told before it
is made simpler."""
import os
import signal
import time

from e2e import PATIENCE, Place, check, main, need

LATE = 10.0 * PATIENCE  # 2 s on a quiet machine; where many programs run, a killed one takes seconds to be gone


def program(programs, name):
    return need(os.path.join(programs, name, "tsan-gcc"))


def ruled_out(text):
    return "lower ones were not ruled out" not in " ".join(text.split())


def hunt(place, limit, *argv):
    ran = place.run("vtb", "hunt", "--no-canary", f"--time={limit}", *argv, timeout=60)
    check(ran.seconds < limit + LATE, f"--time={limit}, but it took {ran.seconds:.1f} s", ran)
    return ran


def hunt_to_a_find(place, limit, *argv):
    """In a few seconds; where that is too little for the first run that fails, with more."""
    ran = hunt(place, limit, *argv)
    while ran.code == 3 and limit < 100:
        limit *= 3
        ran = hunt(place, limit, *argv)
    check(ran.code == 1 and "BUG" in ran.out, "what failed is lost", ran)
    return ran


def time_is_kept(place, programs):
    """First runs that fail slowly; a batch in which some runs have no end; levels below that nobody rules out."""
    fails = hunt_to_a_find(place, 2, "--", program(programs, "fails_slowly"))
    check("in every schedule" not in fails.out, "a few runs do not show every schedule", fails)
    hunt(place, 1, "--keep-going", "--strategy=random", "--", program(programs, "ends_rarely"))
    stages = hunt_to_a_find(place, 1, "--refine=100", "--", program(programs, "two_stages"), "10")
    check(not ruled_out(stages.out), "a claim that was not checked", stages)
    place.none_left()


def start_and_find(place, programs, threads):
    """A hunt that searches levels below its find for longer than this test lasts, and the line that told of the find."""
    p = place.start("vtb", "hunt", "--no-canary", "--time=3000", "--refine=2000", "--", program(programs, "two_stages"), threads, start_new_session=True)
    line = p.stderr.readline().decode()
    check("found: assertion failed" in line and "replayed 3 of 3" in line, f"the first line is {line!r}")
    check(p.poll() is None, "the hunt was over when it told what it had found")
    return p


def signals_are_kept(place, programs):
    """While levels below are searched, by each signal; the find stays and can be replayed."""
    for send in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        p = start_and_find(place, programs, "10")
        time.sleep(0.2)
        p.send_signal(send)
        begin = time.monotonic()
        out = p.communicate(timeout=60 * PATIENCE)[0].decode()
        late = time.monotonic() - begin
        check(late < LATE, f"{send.name}: {late:.1f} s")
        check(p.returncode == 1 and not ruled_out(out), f"{send.name}: exit {p.returncode}\n{out}")
        place.run("vtb-replay", "--run", "failure.json", expect=1)
        place.none_left()


def told_at_once(place, programs):
    """A line on stderr and the file, long before the hunt is over."""
    for threads in ("5", "50"):
        p = start_and_find(place, programs, threads)
        place.run("vtb-replay", "--run", "failure.json", expect=1)
        check(p.poll() is None, "the find was told when the hunt was over")
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=60 * PATIENCE)


def memory_is_kept(place, programs):
    """What holds more than it may says what was done by then; with room enough it says nothing of memory."""
    full = place.run("vtb", "hunt", "--json", "--no-canary", "--time=20", "--max-memory=1", "--", program(programs, "runs_long"), expect=3)
    check(full.json()["stopped"] == "memory" and full.seconds < 15 * PATIENCE, "a limit of 1 MB is not kept", full)
    check("not hooked" not in full.json()["statement"], "it speaks of hooks, and nothing ran", full)
    room = place.run("vtb", "hunt", "--json", "--no-canary", "--time=1", "--max-memory=4000", "--", program(programs, "runs_long"))
    check(room.json()["stopped"] != "memory" and "memory" not in room.json()["statement"], "it ended for want of memory", room)


def test(bin_dir, programs):
    for one in (memory_is_kept, time_is_kept, signals_are_kept, told_at_once):
        with Place(bin_dir) as place:
            one(place, programs)


main(test)
