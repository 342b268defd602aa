#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""interrupt.py BIN_DIR PROGRAMS_DIR: Ctrl-C and kill -9 leave valid files and no children."""
import filecmp
import os
import signal
import subprocess
import time

from e2e import PATIENCE, Failed, Place, check, children, main, need, wait_until

AT_WORK = 0.3  # seconds after its first step: any moment will do


def stopped(place, argv, begun, send, whole_group=False):
    """Start, send a signal soon after begun(process) has come true, and return (exit code, stdout, stderr)."""
    p = place.start(*argv, start_new_session=True)
    wait_until(lambda: begun(p), "it is at work", p)
    time.sleep(AT_WORK)
    check(p.poll() is None, f"{' '.join(argv)} ended by itself with {p.returncode}, before it could be interrupted")
    if whole_group:
        os.killpg(p.pid, send)
    else:
        p.send_signal(send)
    try:
        out, err = p.communicate(timeout=20 * PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failed(f"{' '.join(argv)} is still running 20 s after {send.name}")
    return p.returncode, out.decode(), err.decode()


def has_streams(recording):
    """One of each thread: all of them are at work."""
    return os.path.isdir(recording) and sum(name.endswith(".vtbe") for name in os.listdir(recording)) >= 3


def decodes(place, name):
    place.run("vtb-decode", name, "-o", name + ".json", expect=0)
    check(os.path.getsize(place.path(name + ".json")) > 0, "an empty trace")


def hunt_is_interrupted(place, programs):
    program = need(os.path.join(programs, "runs_long/tsan-gcc"))
    for send, group in ((signal.SIGTERM, False), (signal.SIGHUP, False), (signal.SIGINT, True)):
        code, out, err = stopped(place, ["vtb", "hunt", "--json", "--time=300", "--", program], lambda p: children(p.pid), send, group)
        check(code in (0, 3), f"an interrupted hunt ends with {code}\n{out}\n{err}")
        check('"complete": false' in out or '"complete":false' in out, f"an interrupted hunt does not say that it is incomplete\n{out}")
        place.none_left()


def recording_survives(place, programs):
    program = need(os.path.join(programs, "never_ends/tsan-gcc"))
    for send in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
        name = send.name + ".vtb"
        stopped(place, ["vtb-record", "-o", name, "--", program], lambda _, made=place.path(name): has_streams(made), send, whole_group=send != signal.SIGKILL)
        if send == signal.SIGKILL:
            # Nobody is left to end the program; it must not keep the recording from being read.
            decodes(place, name)
            for pid in place.left():
                os.kill(pid, signal.SIGKILL)
        else:
            place.none_left()
            decodes(place, name)


def decode_leaves_no_half_file(place, programs):
    place.run("vtb-record", "-o", "long.vtb", "--", need(os.path.join(programs, "runs_long/tsan-gcc")), expect=0)
    os.mkdir(place.path("whole"))
    place.run("vtb-decode", "long.vtb", "-o", "whole/long.json", expect=0)
    files = sorted(os.listdir(place.path("whole")))
    p = place.start("vtb-decode", "long.vtb", "-o", "long.json")
    time.sleep(0.01)
    p.send_signal(signal.SIGINT)
    p.communicate(timeout=20 * PATIENCE)
    left = sorted(n for n in os.listdir(place.dir) if n.endswith(".tmp") or (n.startswith("long.") and n != "long.vtb"))
    # The signal may also come after the files have got their names: then they are whole, whatever the exit code says.
    whole = left == files and all(filecmp.cmp(place.path(n), place.path("whole", n), shallow=False) for n in files)
    check(left == [] or whole, f"an interrupted decode leaves {left}")


def test(bin_dir, programs):
    for one in (hunt_is_interrupted, recording_survives, decode_leaves_no_half_file):
        with Place(bin_dir) as place:
            one(place, programs)


main(test)
