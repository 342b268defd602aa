#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""leftovers.py BIN_DIR PROGRAM: what a killed vtb-record leaves beside its recording is removed by the next, and nothing else
that has a name like it."""
import fcntl
import os
import shutil
import signal
import subprocess

from e2e import Place, check, main, need

ATTEMPTS = 200


def beside(place):
    return sorted(name for name in os.listdir(place.dir) if ".new-" in name)


def kill_while_it_replaces(place, program):
    """Kill -9 as soon as its directory is seen; True if the directory was left."""
    p = place.start("vtb-record", "-o", "run.vtb", "--", program)
    while p.poll() is None and not beside(place):
        pass
    p.send_signal(signal.SIGKILL)
    p.communicate()
    for pid in place.left():
        os.kill(pid, signal.SIGKILL)
    return bool(beside(place))


def dead_pid():
    p = subprocess.Popen(["true"])
    p.wait()
    return p.pid


def copy(place, name, uid=None):
    shutil.copytree(place.path("good.vtb"), place.path(name))
    if uid is not None:
        os.chown(place.path(name), uid, uid)
    return name


def not_ours(place, dead):
    """Names that look like leftovers, each with one thing that says it is none."""
    names = [copy(place, f"run.vtb.new-{os.getpid()}"), copy(place, f"run.vtb.new-0{dead}"), copy(place, f"run.vtb.new-{dead}x"), copy(place, f"run.vtb.new-{dead}-"),
             copy(place, f"run.vtb.new-{dead}-0"), copy(place, f"run.vtb.new-{dead}.old"), copy(place, "run.vtb.new-"), copy(place, f"run.vtb.new--{dead}"),
             copy(place, f"other.vtb.new-{dead}"), copy(place, f"run.vtb.new-{2**32 + os.getpid()}"), copy(place, f"run.vtb.new-{dead}-7")]
    with open(place.path(f"run.vtb.new-{dead}-1"), "w") as f:
        f.write("a file")
    os.mkdir(place.path(f"run.vtb.new-{dead}-2"))
    with open(place.path(f"run.vtb.new-{dead}-2", "thesis.txt"), "w") as f:
        f.write("years of work")
    os.symlink("good.vtb", place.path(f"run.vtb.new-{dead}-3"))
    names += [f"run.vtb.new-{dead}-{i}" for i in (1, 2, 3)]
    if os.geteuid() == 0:
        names.append(copy(place, f"run.vtb.new-{dead}-4", uid=12345))
    return sorted(names)


def ours(place, dead):
    """What death at each moment leaves: nothing yet in it, a meta.json being written, a whole one."""
    os.mkdir(place.path(f"run.vtb.new-{dead}-8"))
    os.mkdir(place.path(f"run.vtb.new-{dead}-9"))
    with open(place.path(f"run.vtb.new-{dead}-9", f"meta.json.tmp{dead}.0"), "w") as f:
        f.write("{")
    copy(place, f"run.vtb.new-{dead}")


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        record = lambda name: place.run("vtb-record", "-o", name, "--", program, expect={0, 134})
        record("good.vtb")
        record("run.vtb")
        check(any(kill_while_it_replaces(place, program) for _ in range(ATTEMPTS)), "no kill -9 left anything: this test shows nothing")
        record("run.vtb")
        check(beside(place) == [], f"left beside the next recording: {beside(place)}")
        dead = dead_pid()
        kept = not_ours(place, dead)
        ours(place, dead)
        with locked_directory(place.path(f"run.vtb.new-{dead}-7")):
            record("run.vtb")
        check(beside(place) == kept, f"removed though not its own: {set(kept) - set(beside(place))}; left: {set(beside(place)) - set(kept)}")
        check(os.path.exists(place.path(f"run.vtb.new-{dead}-2", "thesis.txt")), "a user's file is gone")
        place.run("vtb-decode", "run.vtb", "-o", "t.json", expect=0)
        place.run("vtb-decode", "good.vtb", "-o", "t.json", expect=0)


class locked_directory:
    """A lock on a directory, as the vtb-record of another container has it."""

    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)

    def __enter__(self):
        fcntl.flock(self.fd, fcntl.LOCK_EX)

    def __exit__(self, kind, value, trace):
        os.close(self.fd)


main(test)
