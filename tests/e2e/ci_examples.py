#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ci_examples.py BIN_DIR BUILD_DIR SOURCES EXAMPLES: docs/examples/github.yml and gitlab.yml without their services: the lines that they have a shell run,
one after another, in a fresh clone of a small project with a bug, with an installed vtb in the place of the packages' installation, and 30 seconds for 300.
The hunt leaves with 1, which turns the job red; what runs all the same writes reports, and what the services are told to take is there."""
import glob
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

from ci_docs import install, needs
from e2e import Place, check, main

TAKEN = {"github.yml": ["vtb/failure.sarif", "vtb", "vtb.xml", "summary"], "gitlab.yml": ["vtb", "vtb.xml"]}


def github(text):
    """[(script, runs always)] of the steps, as a runner would give them to bash."""
    steps = []
    for step in re.split(r"^      - ", text.split("steps:\n")[1], flags=re.M)[1:]:
        block = re.search(r"^        run: \|\n((?:          .*\n|\n)+)", step + "\n", re.M) or re.search(r"^        run: (.*\n)", step + "\n", re.M)
        if block:
            steps.append((re.sub(r"^          ", "", block[1], flags=re.M), "if: always()" in step))
    return steps


def gitlab(text):
    steps = []
    for key, always in (("script", False), ("after_script", True)):
        block = re.search(rf"^  {key}:\n((?:    - .*\n)+)", text, re.M)
        check(block, f"there is no {key}")
        steps += [(line, always) for line in re.findall(r"^    - (.*\n)", block[1], re.M)]
    return steps


def clone(place, sources, name):
    """A project that somebody has just checked out."""
    origin = place.path("origin")
    if not os.path.exists(origin):
        os.mkdir(origin)
        shutil.copy(os.path.join(sources, "ctest", "CMakeLists.txt"), origin)
        shutil.copy(os.path.join(sources, "cmocka.c"), origin)
        git = ["git", "-c", "user.name=n", "-c", "user.email=n@localhost", "-C", origin]
        for argv in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "project"]):
            subprocess.run([*git, *argv], check=True)
    subprocess.run(["git", "clone", "-q", origin, place.path(name)], check=True)
    return place.path(name)


def run_steps(place, work, steps):
    """The exit code of the job: steps after a failed one only if they always run."""
    place.env["GITHUB_STEP_SUMMARY"] = os.path.join(work, "summary")
    failed = 0
    for script, always in steps:
        script = "".join(line for line in script.splitlines(True) if not line.startswith("apt-get ")).replace("--time=300", "--time=30")
        if script.strip() and (always or not failed):
            ran = place.run("bash", "-e", "-c", f"cd {work}\n{script}", timeout=300)
            check(ran.code == 0 or "vtb hunt" in script, "a step fails", ran)
            failed = failed or ran.code
    return failed


def check_reports(work, name):
    for path in TAKEN[name]:
        check(os.path.exists(os.path.join(work, path)) and os.path.getsize(os.path.join(work, path)), f"{name}: there is no {path} to take")
    suite = xml.etree.ElementTree.parse(os.path.join(work, "vtb.xml")).getroot()
    check(list(suite.iter("flakyFailure")), f"{name}: JUnit has no failure")
    sarifs = glob.glob(os.path.join(work, "vtb", "**", "*.sarif"), recursive=True)
    check(sarifs and all(json.load(open(path))["runs"][0]["results"] for path in sarifs), f"{name}: SARIF without results")
    check(glob.glob(os.path.join(work, "vtb", "**", "*.html"), recursive=True), f"{name}: no page")


def test(bin_dir, build, sources, examples):
    needs("cmocka.c", "ctest/CMakeLists.txt")
    with Place(bin_dir) as place:
        install(place, build)
        for name, steps_of in (("github.yml", github), ("gitlab.yml", gitlab)):
            with open(os.path.join(examples, name), encoding="utf-8") as f:
                steps = steps_of(f.read())
            check(len(steps) >= 4, f"{name}: only {len(steps)} steps")
            work = clone(place, sources, name)
            code = run_steps(place, work, steps)
            check(code == 1, f"{name}: the job leaves with {code}")
            check_reports(work, name)
        place.none_left()


main(test)
