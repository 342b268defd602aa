#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""starters.py BIN_DIR PROGRAM: a hunt of what only starts PROGRAM (env, a script that execs it or waits for it, a script in front of a
script, nice, ctest, Python with a thread) is a hunt of PROGRAM, with its arguments, directory and environment; and so is the replay of what it
finds. PROGRAM fails by an assertion in some orders only."""
import ctypes
import json
import os
import shutil
import sys

from e2e import PATIENCE, SKIPPED, Place, check, main, need


def can_trace():
    """Containers may forbid it."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if ctypes.CDLL(None, use_errno=True).ptrace(0, 0, None, None) == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def script(place, name, *lines):
    with open(place.path(name), "w", encoding="utf-8") as f:
        f.write("\n".join(("#!/bin/sh", *lines, "")))
    os.chmod(place.path(name), 0o755)
    return place.path(name)


def hunt(place, *command, expect=1):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--time=300", "--", *command, timeout=150, expect=expect)
    return ran, ran.json()


def check_found(place, program, *command):
    ran, got = hunt(place, *command)
    check(got["verdict"] == "assertion", f"{command}: verdict {got['verdict']}", ran)
    check(program in got["program"], f"{command}: hunted was {got['program']}", ran)
    check(os.path.basename(command[0]) == "env" or f"Hunted was {program} as " in got["statement"], f"{command}: the statement does not say what was hunted", ran)
    return got["program"]


STARTS = """
import subprocess, sys, threading
thread = threading.Thread(target=print)
thread.start()
thread.join()
subprocess.run(["true"])
sys.exit(subprocess.run([sys.argv[1]]).returncode)
"""


def check_with_threads(place, program):
    """What starts it has threads itself; and it is hunted itself where it starts nothing with hooks."""
    check_found(place, program, sys.executable, "-c", STARTS, program)
    if shutil.which("ctest"):
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--budget=1", "--", sys.executable, "-c", STARTS, "ctest", timeout=100, expect=(1, 3))
        check(ran.json()["program"][0] == sys.executable, f"what starts threads without hooks: {ran.json()['program']}", ran)
    with open(place.path("CTestTestfile.cmake"), "w", encoding="utf-8") as f:
        f.write(f'add_test(flaky "{program}")\n')
    if shutil.which("ctest"):
        check_found(place, program, "ctest", "-R", "flaky")
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--budget=1", "--", sys.executable, "-c", STARTS, "true", timeout=100, expect=3)
    check(ran.json()["program"][0] == sys.executable, f"what starts nothing with hooks: {ran.json()['program']}", ran)
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=4", "--", sys.executable, "-c", "import threading, time; time.sleep(60)", timeout=100)
    check(ran.seconds < 7 * PATIENCE, f"a program that was looked at in vain costs {ran.seconds:.1f} s of 4", ran)


def test(bin_dir, program):
    need(program)
    if not can_trace():
        print("skipped: ptrace is not allowed here")
        return SKIPPED
    with Place(bin_dir) as place:
        os.mkdir(place.path("there"))
        check_found(place, program, "env", "GREETING=hello", program)
        check_found(place, program, script(place, "execs.sh", f'exec {program} "$@"'))
        check_found(place, program, script(place, "outer.sh", f'exec {place.path("execs.sh")} "$@"'), "x")
        check_found(place, program, "nice", program)
        waits = script(place, "waits.sh", "echo before", "cd there", "GREETING='a  b'; export GREETING; unset LC_ALL", f'{program} "one argument" "$1"', "echo after")
        called = check_found(place, program, waits, "two")
        check(called[:3] == ["env", "-u", "LC_ALL"] and sorted(called[3:-3]) == ["GREETING=a  b", f"PWD={place.path('there')}"] and called[-3:] == [program, "one argument", "two"], f"called as {called}")
        with open(place.path("failure.json"), encoding="utf-8") as f:
            check(f'"cwd": {json.dumps(place.path("there"))}' in f.read(), "failure.json names another directory")
        place.run("vtb", "replay", "--run", "failure.json", expect=1)
        ran, got = hunt(place, script(place, "fails.sh", "exit 3"))
        check(got["program"] == [place.path("fails.sh")] and got["verdict"] == "regardless", f"a script that starts nothing: {got['program']} {got['verdict']}", ran)
        check_with_threads(place, program)
        place.none_left()


main(test)
