#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""fakes.py BUILD_DIR [all]: no test passes, or is skipped, when the commands that it runs print nothing.

Each test's own command line is run with a directory of commands in place of ours, and of drivers in place of those in tests/, that print
nothing and end with 0, 2 or 77. It must fail, unless it is skipped before it has run one of them. One test for each script that runs
commands, or with `all` each test of the set."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

CODES = (0, 2, 77)
SKIPPED = 77
SECONDS = 60
OURS = ("bin", "tests")
MARK = "was-run"
REAL = {"e2e.package": "cmake --install takes the commands from where they were built, by absolute paths, not from bin"}
LEAST = 20  # scripts; fewer: the command lines are not understood


def tests(build):
    """What ctest would run: (name, command, environment)."""
    shown = subprocess.run(["ctest", "--show-only=json-v1", "-LE", "nightly|open"], cwd=build, stdout=subprocess.PIPE, check=True)
    for test in json.loads(shown.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        yield test["name"], test.get("command", []), properties.get("ENVIRONMENT", [])


def runs_commands(build, command):
    return any(replaced(word, build, "") != word for word in command[1:])


def script(command):
    return next((word for word in command if word.endswith((".py", ".sh"))), None)


def fake_build(build, where, code):
    """The build directory as it is, but for its commands, which leave a mark that they were run."""
    os.mkdir(where)
    for name in os.listdir(build):
        if name not in (*OURS, "Testing"):
            os.symlink(os.path.join(build, name), os.path.join(where, name))
    for folder in OURS:
        os.mkdir(os.path.join(where, folder))
        for name in os.listdir(os.path.join(build, folder)):
            path = os.path.join(where, folder, name)
            if not os.path.isfile(os.path.join(build, folder, name)):
                continue
            with open(path, "w", encoding="ascii") as f:
                end = 2 if code == SKIPPED and folder == "tests" else code  # a driver may say that its machine cannot
                f.write(f"#!/bin/sh\n: >'{where}/{MARK}'\nexit {end}\n")
            os.chmod(path, 0o755)
    return where


def replaced(word, build, fake):
    ours = tuple(os.path.join(build, folder) for folder in OURS)
    return word.replace(build, fake, 1) if word == build or word in ours or word.startswith(tuple(o + os.sep for o in ours)) else word


def ends(command, environment, where):
    """The exit code, or None if it had to be stopped: that is a failure too, by ctest's time-out."""
    env = dict(os.environ, TMPDIR=where, VTB_PATIENCE="1", PYTHONDONTWRITEBYTECODE="1")
    env.update(pair.split("=", 1) for pair in environment if not pair.startswith("VTB_PATIENCE="))
    try:
        done = subprocess.run(command, env=env, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


def chosen(build, every):
    seen = set()
    for name, command, environment in tests(build):
        if not script(command) or not runs_commands(build, command) or (not every and script(command) in seen) or name in REAL:
            continue
        seen.add(script(command))
        yield name, command, environment


def wrong_of(name, command, environment, build, fakes, top):
    for code, fake in fakes.items():
        mark = os.path.join(fake, MARK)
        if os.path.exists(mark):
            os.remove(mark)
        end = ends([replaced(word, build, fake) for word in command], environment, top)
        if end == SKIPPED and not os.path.exists(mark):
            return  # something else is not here
        if end in (0, SKIPPED):
            yield f"{name}: {'passes' if end == 0 else 'is skipped'} with commands that print nothing and exit {code}"


def main(build, *options):
    build, wrong, count = os.path.abspath(build), [], 0
    top = tempfile.mkdtemp(prefix="vtb-fakes.")
    try:
        fakes = {code: fake_build(build, os.path.join(top, f"exit-{code}"), code) for code in CODES}
        for name, command, environment in chosen(build, "all" in options):
            count += 1
            wrong += wrong_of(name, command, environment, build, fakes, top)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    print("\n".join(wrong + [f"{count} tests, {len(CODES)} exit codes, {len(wrong)} not noticed"]))
    return 1 if wrong or count < LEAST else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
