#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""file_kills.py BIN_DIR PROGRAM TIMES [SEED]: whoever is killed at whatever moment of a hunt on a program that writes (vtb, the
server of runs, a run; TERM, HUP, INT twice, KILL), the files are what they were, and no process, mount or file is left."""
import importlib.util
import os
import random
import signal
import subprocess
import sys
import time

from e2e import Place, check, children, main, need, wait_until

WAYS = [("vtb", [signal.SIGTERM]), ("vtb", [signal.SIGHUP]), ("vtb", [signal.SIGINT, signal.SIGINT]), ("vtb", [signal.SIGKILL]),
        ("server", [signal.SIGKILL]), ("server", [signal.SIGTERM]), ("run", [signal.SIGKILL]), ("run", [signal.SIGTERM])]
ACTS = ["swap_directories", "make_and_rename", "append", "remove_tree", "child_program", "big", "shared_memory",
        "temporary_name", "system_v"]


def parts():
    """tree(), prepare() and the rest of file_view.py, which runs as a program otherwise."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "file_view.py")
    spec = importlib.util.spec_from_loader("file_view", loader=None)
    module = importlib.util.module_from_spec(spec)
    with open(path, encoding="utf-8") as f:
        text = f.read().replace("\nmain(test)\n", "\n")
    exec(compile(text, path, "exec"), module.__dict__)  # pylint: disable=exec-used
    return module


def victims(p, who):
    if who == "vtb":
        return [p.pid]
    servers = children(p.pid)
    return servers if who == "server" else [r for s in servers for r in children(s)]


def strike(p, who, signals, moment):
    """True if somebody was there to be hit: the moment counts from when one is there."""
    wait_until(lambda: victims(p, who), f"{who} is there", p)
    time.sleep(moment)
    hit = False
    for number in signals:
        for pid in victims(p, who):
            try:
                os.kill(pid, number)
                hit = True
            except ProcessLookupError:
                pass
        time.sleep(0.01)
    return hit


def one(place, view, program, kind, act, who, signals, moment):
    top = place.path(kind)
    if not os.path.exists(top):
        view.prepare(place, kind, top)
    before, outside = view.tree(top), view.world()
    command = ["vtb", "hunt", "--no-canary", "--strategy=random", "--seed=1", "--budget=100000", "--time=1.2", "-o", place.dir,
               "--", program, act, os.path.join(top, "in")]
    p = subprocess.Popen(view.as_user(kind, command), cwd=place.dir, env=place.env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    hit = strike(p, who, signals, moment)
    said = p.communicate(timeout=60)[0].decode("utf-8", "replace")
    place.none_left()
    after = view.tree(top)
    story = f"{kind}, {act}: {who} got {signals} after {moment:.3f} s; exit {p.returncode}\n{said}"
    for name in sorted(before.keys() | after.keys()):
        check(before.get(name) == after.get(name), f"{name}: {before.get(name)} became {after.get(name)}\n{story}")
    if act != "system_v" or who == "run":  # who is killed would have removed the kernel's own objects
        check(view.world() == outside, f"left behind: {view.world()} instead of {outside}\n{story}")
    subprocess.run([program, "clean"], check=False, stderr=subprocess.DEVNULL)
    return hit


def test(bin_dir, program, times, seed="1"):
    need(program)
    view, rng, hits = parts(), random.Random(int(seed)), 0
    kinds = view.kinds(["root", "user"], bin_dir, program)
    with Place(bin_dir) as place:
        for i in range(int(times)):
            who, signals = WAYS[i % len(WAYS)]
            kind, act = kinds[i // len(WAYS) % len(kinds)], ACTS[i % len(ACTS)]
            hits += one(place, view, os.path.abspath(program), kind, act, who, signals, rng.uniform(0.02, 0.6))
    check(hits > int(times) // 2, f"only {hits} of {times} signals met somebody")
    print(f"{times} moments, {hits} hit: as before")


if __name__ == "__main__":
    main(test)
