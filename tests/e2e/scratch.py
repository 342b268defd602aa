#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scratch.py BIN_DIR PROGRAM KILLS: what runs of PROGRAM (file_acts) write lies below --scratch=DIR and nowhere else. It is
gone after the hunt, whoever is killed; a DIR that is full, another's or not there is said and nothing is changed.
With few KILLS each act is done by one kind of user."""
import os
import random
import signal
import subprocess
import sys
import time

from e2e import Place, check, children, main, need, wait_until
from file_kills import parts

PREFIX = "vtb-scratch-"
FEW = 2
ACTS = ["append", "remove_tree", "swap_directories", "change_mode", "child_program", "unreadable"]


def command(scratch, program, act, top, *options):
    return ["env", "-C", os.path.join(top, "in"), "vtb", "hunt", "--json", "--no-canary", "--strategy=random", "--seed=1", "--budget=6", "--time=60",
            f"--scratch={scratch}", *options, "--", program, act, os.path.join(top, "in")]


def make(place, view, kind, name, mode=0o700):
    path = place.path(name)
    os.mkdir(path)
    os.chmod(path, mode)
    if kind == "user" and os.geteuid() == 0:
        os.chown(path, view.USER, view.USER)
    return path


def same(before, after, story):
    for name in sorted(before.keys() | after.keys()):
        check(before.get(name) == after.get(name), f"{name}: {before.get(name)} became {after.get(name)}\n{story}")


def written(scratch):
    """Bytes in files below it."""
    total = 0
    for path in [os.path.join(d, f) for d, _, files in os.walk(scratch) for f in files]:
        try:
            total += os.lstat(path).st_blocks * 512
        except FileNotFoundError:
            pass
    return total


def one_act(place, view, kind, program, act, scratch, *options):
    import json
    top = place.path(kind)
    before = view.tree(top)
    code, out, err = view.run(place, kind, command(scratch, program, act, top, "-o", place.dir, *options))
    story = f"{kind}, {act} {options}: exit {code}\n{out}\n{err}"
    same(before, view.tree(top), story)
    check(os.listdir(scratch) == [], f"left: {os.listdir(scratch)}\n{story}")
    check(code == 0 and json.loads(out)["verdict"] == "none" and json.loads(out)["files"] != "plain", story)


def lies_there(place, view, kind, program, scratch):
    """A hunt of runs that write 257 MB: they are seen below DIR while it lasts."""
    argv = command(scratch, program, "large", place.path(kind), "-o", place.dir, "--budget=100000", "--time=1000")
    p = subprocess.Popen(view.as_user(kind, argv), cwd=place.dir, env=place.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: written(scratch) > 100 << 20, f"{kind}: 100 MB are in the scratch", p)
    p.send_signal(signal.SIGINT)
    p.wait()
    check(os.listdir(scratch) == [], f"left: {os.listdir(scratch)}")


def processes_of(place, p):
    """vtb's guard among them."""
    return [pid for pid in place.left() if pid == p.pid or pid in children(p.pid)]


def state_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            return f.read().rpartition(") ")[2][0]
    except OSError:
        return "X"


def halt(pids):
    """All of them, before the first is killed: the guard must not see vtb's end and clean up. Who waits for a child that is halted between
    vfork() and exec() stays in state D, and goes no further either."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    wait_until(lambda: all(state_of(pid) in "DTZX" for pid in pids), "they are halted")


def killed(place, view, kind, program, scratch, moment, guard_too):
    """kill -9; without the guard nobody is left to remove it: the next hunt does."""
    top = place.path(kind)
    before = view.tree(top)
    argv = command(scratch, program, "remove_tree", top, "-o", place.dir, "--budget=100000", "--time=1000")
    p = subprocess.Popen(view.as_user(kind, argv), cwd=place.dir, env=place.env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: os.listdir(scratch), "something is in the scratch", p)
    time.sleep(moment)
    dying = processes_of(place, p) if guard_too else [p.pid]
    halt(dying)
    for pid in dying:
        os.kill(pid, signal.SIGKILL)
    p.wait()
    place.none_left()
    left = bool(os.listdir(scratch))
    if guard_too:
        view.run(place, kind, command(scratch, program, "append", top, "-o", place.dir))
    check(os.listdir(scratch) == [], f"{kind}: killed after {moment:.3f} s, left: {os.listdir(scratch)}")
    same(before, view.tree(top), f"{kind}: killed after {moment:.3f} s")
    return left


def group_killed(place, view, kind, program, scratch):
    """kill -9 of the whole group: the guard is not in it."""
    argv = command(scratch, program, "remove_tree", place.path(kind), "-o", place.dir, "--budget=100000", "--time=1000")
    p = subprocess.Popen(view.as_user(kind, argv), cwd=place.dir, env=place.env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_until(lambda: os.listdir(scratch), "something is in the scratch", p)
    os.killpg(p.pid, signal.SIGKILL)
    p.wait()
    wait_until(lambda: not os.listdir(scratch), f"{kind}: it is removed when the whole group was killed")
    place.none_left()


def left_by(place, view, kind, program, scratch, maker, gone):
    """A directory of a process with this number, which nobody has locked."""
    path = make(place, view, kind, os.path.join(scratch, f"{PREFIX}{maker}-abcdef"))
    view.run(place, kind, command(scratch, program, "append", place.path(kind), "-o", place.dir))
    check(os.path.isdir(path) != gone, f"{kind}: what a process that {'is dead' if gone else 'lives'} has made is {'still there' if gone else 'gone'}")
    if not gone:
        os.rmdir(path)


def refused(place, view, kind, program, scratch, words):
    top = place.path(kind)
    before, there = view.tree(top), os.path.isdir(scratch) and sorted(os.listdir(scratch))
    code, out, err = view.run(place, kind, command(scratch, program, "append", top, "-o", place.dir))
    check(code == 2 and words in err, f"{kind}, --scratch={scratch}: exit {code}, not a word of '{words}'\n{out}\n{err}")
    check((os.path.isdir(scratch) and sorted(os.listdir(scratch))) == there, f"something was made in {scratch}")
    after, own = view.tree(top), os.path.relpath(scratch, top)
    before.pop(own, None)  # its times: something was made there and removed
    after.pop(own, None)
    same(before, after, f"--scratch={scratch}")


def refusals(place, view, kind, program):
    refused(place, view, kind, program, place.path("nowhere"), "No such file or directory")
    refused(place, view, kind, program, program, "it is no directory")
    refused(place, view, kind, program, make(place, view, kind, kind + ".all", 0o777), "everybody may put something else")
    refused(place, view, kind, program, os.path.join(place.path(kind), "in", "d2"), "the program changes")
    if os.geteuid():
        return
    other = make(place, view, "root", kind + ".other", 0o755)
    os.chown(other, 54321, 54321)
    refused(place, view, kind, program, other, "it belongs to another user")
    if kind == "user":
        refused(place, view, kind, program, make(place, view, "root", "unwritable", 0o755), "cannot make a directory there")


def no_room(place, view, kind, program, scratch, *options, around=()):
    top = place.path(kind)
    before = view.tree(top)
    argv = command(scratch, program, "large", top, "-o", place.dir, *options)
    code, out, err = view.run(place, "root", [*around, *view.as_user(kind, argv)]) if around else view.run(place, kind, argv)
    check(code == 3 and "--scratch" in out, f"{kind}: a scratch without room: exit {code}\n{out}\n{err}")
    check(os.listdir(scratch) == [] and PREFIX not in err, f"left: {os.listdir(scratch)}\n{err}")
    same(before, view.tree(top), "a scratch without room")


def full_disk(place, view, kind, program):
    """A file system of 4 MB, mounted where no other test sees it."""
    small = make(place, view, kind, kind + ".small")
    owner = view.USER if kind == "user" else 0
    script = f"mount -t tmpfs -o size=4m,mode=700,uid={owner} none {small} && \"$@\"; code=$?; ls -A {small} >&2; exit $code"
    no_room(place, view, kind, program, small, around=["unshare", "-m", "sh", "-c", script, "sh"])


def test(bin_dir, program, kills):
    need(program)
    program, view, rng = os.path.abspath(program), parts(), random.Random(1)
    with Place(bin_dir) as place:
        left = 0
        kinds = view.kinds(["root", "user"], bin_dir, program)
        for at, kind in enumerate(kinds):
            view.prepare(place, kind, place.path(kind))
            scratch = make(place, view, kind, kind + ".scratch")
            for act in ACTS if int(kills) > FEW else ACTS[at::len(kinds)]:
                one_act(place, view, kind, program, act, scratch)
            one_act(place, view, kind, program, "append", scratch, "--engine=exec")
            one_act(place, view, kind, program, "append", scratch, "--jobs=2", "--budget=60")
            lies_there(place, view, kind, program, scratch)
            no_room(place, view, kind, program, scratch, "--scratch-size=8")
            if os.geteuid() == 0:
                full_disk(place, view, kind, program)
            refusals(place, view, kind, program)
            for i in range(int(kills)):
                left += killed(place, view, kind, program, scratch, rng.uniform(0, 0.6), i % 2)
            group_killed(place, view, kind, program, scratch)
            dead = subprocess.Popen(["true"])  # and not waited for
            wait_until(lambda: state_of(dead.pid) == "Z", "a process is dead")
            left_by(place, view, kind, program, scratch, dead.pid, True)
            left_by(place, view, kind, program, scratch, os.getpid(), False)
            dead.wait()
        check(left, "no kill -9 left anything: that part of the test shows nothing")
        place.none_left()
    print(f"{len(ACTS)} acts, {kills} kills each: nothing left, {left} times removed by the next")


main(test)
