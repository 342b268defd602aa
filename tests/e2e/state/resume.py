#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""resume.py BIN_DIR GCC [--all | --loses]: a hunt with --state that is killed at any moment and resumed comes to what it comes to without that: the same findings, tuples,
counts and statement. --all: every strategy and one job and two, at a dozen moments each. --loses: how much work a kill costs."""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from e2e import Failed, Place, check, main  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
OTHERWISE = ("seconds", "schedules_per_second", "state", "cross_checked")
LOST_SECONDS = 10


def build(place, gcc, name, *more):
    place.run(gcc, "-g", "-O1", "-fsanitize=thread", *more, "-o", name, os.path.join(HERE, name.split("-")[0] + ".c"), "-pthread", expect=0)
    return "./" + name


def told(ran):
    """All that must not depend on how often the hunt was killed."""
    found = ran.json()
    for name in OTHERWISE:
        found.pop(name, None)
    found["statement"] = re.sub(r" [\d,]+ runs? (was|were) repeated on a slower engine, with the same outcome\.", "", found["statement"])
    return found


def compare(what, whole, parts):
    a, b = told(whole), told(parts)
    different = [f"{key}: {a[key]} / {b.get(key)}" for key in a if a[key] != b.get(key)]
    check(not different and whole.code == parts.code, f"{what}: not what it is without a kill: " + "; ".join(different)[:3000], parts)


def kill_after(place, seconds, argv):
    """True if it was killed, and had not ended by itself."""
    p = place.start(*argv, start_new_session=True)
    try:
        p.communicate(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        return True


def hunt(*more):
    return ["vtb", "hunt", "--json", "--no-canary", "--time=300", "-o", "out", *more]


def killed_and_resumed(place, rng, program, options, kills):
    """Once without a kill; then with a kill at each of so many moments of one hunt, each as late as the hunt has been at work on its own."""
    what = " ".join([program, *options])
    whole = place.run(*hunt("--state=whole", *options), "--", program, timeout=600)  # who keeps runs has no search by states beside
    check(whole.json()["stopped"] in ("bound", "found", "budget"), f"{what}: no time to end", whole)
    for name in ("whole", "st", "out"):
        shutil.rmtree(place.path(name), ignore_errors=True)
    hit = 0
    for _ in range(kills):
        hit += kill_after(place, rng.uniform(0.05, whole.seconds * 1.2), [*hunt("--state=st", *options), "--", program])
    place.none_left()
    if not os.path.exists(place.path("st", "state.json")):
        place.run(*hunt("--state=st", *options), "--", program, timeout=600)
    parts = place.run("vtb", "resume", "--json", "st", timeout=600)
    compare(what, whole, parts)
    again = place.run("vtb", "resume", "--json", "st", timeout=600)  # nothing is left to run
    compare(what + ", told again", whole, again)
    # with two jobs each server tells its classes anew, and a run that two of them made has two numbers, of which one is found
    check(again.json()["state"]["added"] <= whole.json()["schedules"] / 100, f"{what}: much was run though all is kept", again)
    print(f"{what}: {whole.json()['schedules']} schedules, {len(whole.json()['findings'])} findings, killed {hit} of {kills} times, "
          f"{parts.json()['state']['answered']} answered, {os.path.getsize(place.path('st', 'runs.vtb'))} bytes: the same", flush=True)
    return hit


def loses_little(place, program):
    """Runs that were made ten seconds before the kill are kept."""
    log, made = place.path("log"), []
    p = place.start(*hunt("--engine=forkserver", "--keep-files", "--state=st"), "--", program, log, start_new_session=True)
    end = time.monotonic() + 35
    while time.monotonic() < end:
        made.append((time.monotonic(), os.path.getsize(log) if os.path.exists(log) else 0))
        time.sleep(0.1)
    check(p.poll() is None, "it has ended by itself")
    killed = time.monotonic()
    p.kill()
    p.communicate()
    place.none_left()
    old = max(n for at, n in made if at < killed - LOST_SECONDS)
    p = place.start("vtb", "resume", "--json", "st", start_new_session=True)
    time.sleep(8)
    p.send_signal(signal.SIGINT)
    out, err = p.communicate(timeout=60)
    match = re.search(rb'"answered": (\d+)', out)
    check(match, f"it does not say what was kept: {out.decode()}\n{err.decode()}")
    kept = int(match.group(1))
    check(old > 10, f"only {old} runs in 25 s")
    check(kept >= old - 3, f"{old} runs were made {LOST_SECONDS} s before the kill, {kept} are kept")
    print(f"killed after 35 s: {old} runs were made {LOST_SECONDS} s before, {made[-1][1]} in all, {kept} are kept", flush=True)


def test(bin_dir, gcc, *more):
    rng = random.Random(17)
    with Place(bin_dir) as place:
        if not more:
            few = build(place, gcc, "many-few", "-DROUNDS=2")
            killed_and_resumed(place, rng, few, [], 3)
            fails = build(place, gcc, "fails")
            killed_and_resumed(place, rng, fails, ["--keep-going", "--strategy=dpor"], 2)
            killed_and_resumed(place, rng, fails, ["--keep-going", "--strategy=pcttb", "--jobs=1", "--budget=3000"], 1)
            return
        if "--loses" in more:
            loses_little(place, build(place, gcc, "slow"))
            return
        hit = 0
        programs = [(build(place, gcc, "many", "-DROUNDS=3"), ["--budget=60000"]), (build(place, gcc, "fails"), ["--keep-going", "--budget=30000"])]
        for program, bound in programs:
            for strategy in ("portfolio", "dpor", "cvt", "random", "dfs", "pos", "pct", "surw", "exitblock", "bestfirst", "pctvb", "pcttb"):
                for jobs in ("1", "2"):
                    for engine in ("snapshot", "forkserver"):
                        # explaining a failure has a time of its own, which is not enough on engine forkserver: a resumed hunt gets further
                        if engine == "forkserver" and (program == "./fails" or strategy not in ("portfolio", "dpor", "cvt", "random")):
                            continue
                        fewer = ["--budget=3000"] if engine == "forkserver" else bound[-1:]
                        hit += killed_and_resumed(place, rng, program, [f"--strategy={strategy}", f"--jobs={jobs}", f"--engine={engine}", *bound[:-1], *fewer],
                                                  12 if strategy in ("portfolio", "dpor", "cvt", "random") else 3)
        for options in (["--match-states", "--strategy=dfs"], ["--predicate", "--strategy=dpor"], ["--equivalence=reads-from", "--strategy=dpor"]):
            hit += killed_and_resumed(place, rng, programs[1][0], [*options, "--keep-going"], 3)
        check(hit > 100, f"only {hit} hunts were killed while they were at work")


main(test)
