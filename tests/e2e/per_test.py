#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""per_test.py BIN_DIR SOURCES CC CXX FRAMEWORK...: build a test program with each framework, hunt its tests one by one: only the test with
the race fails, by its name; the others do not. Frameworks that are not installed are left out; none at all: skipped."""
import os
import shutil
import subprocess
import sys

from e2e import SKIPPED, Place, check, main

LIBRARIES = {"googletest": ["-lgtest_main", "-lgtest"], "catch2": [], "cmocka": ["-lcmocka"]}
# test -> verdicts allowed
WANT = {
    "googletest": {"Account.Sequential": ["sequential"], "Account.Concurrent": ["exit"], "Two/P.Joined/0": ["none"], "Two/P.Joined/1": ["none"]},
    "catch2": {"one, alone": ["sequential"], "two at a time [x]": ["exit"]},
    "cmocka": {"cmocka": ["exit"]},
    "ctest": {"whole": ["exit"], "sequential": ["sequential"]},
}
NAMED = {"googletest": ("Account.Concurrent", "Account.Concurrent at"), "catch2": ("two at a time [x]", "two at a time [x] at"), "cmocka": ("cmocka", "together at"), "ctest": ("whole", "together at")}
FRAMEWORK = {"googletest": "googletest", "catch2": "Catch2", "cmocka": "cmocka", "ctest": "ctest"}


def build(place, sources, compilers, name):
    source = next(os.path.join(sources, name + end) for end in (".c", ".cc") if os.path.exists(os.path.join(sources, name + end)))
    argv = [compilers[source.endswith(".cc")], "-g", "-O1", "-fsanitize=thread", source, "-o", place.path(name), *LIBRARIES[name], "-pthread"]
    return subprocess.run(argv, stderr=subprocess.DEVNULL).returncode == 0


def make_ctest(place, sources, compilers):
    if not shutil.which("ctest") or not build(place, sources, compilers, "cmocka"):
        return False
    os.mkdir(place.path("ctest"))
    with open(place.path("ctest", "CTestTestfile.cmake"), "w") as f:
        f.write(f'add_test(whole "{place.path("cmocka")}")\nadd_test(sequential "/bin/true")\n')
    return True


def hunt(place, name):
    ran = place.run("vtb", "hunt", "--per-test", "--json", "--seed=1", "--time=60", "--c=1", "-o", place.path("out"), "--", place.path(name), timeout=240, expect=1)
    got = ran.json()
    check(got["framework"] == FRAMEWORK[name], f"framework {got['framework']}", ran)
    verdicts = {test["name"]: test["hunt"]["verdict"] for test in got["tests"]}
    check(verdicts.keys() == WANT[name].keys(), f"tests {list(verdicts)}", ran)
    for test, verdict in verdicts.items():
        check(verdict in WANT[name][test], f"{test}: verdict {verdict}, expected {WANT[name][test]}", ran)
    broken, words = NAMED[name]
    finding = next(test["hunt"]["findings"][0] for test in got["tests"] if test["name"] == broken)
    check((finding["test"] or "").startswith(words), f"the failing test is called {finding['test']}", ran)
    check(os.path.exists(place.path(finding["failure"])), "no failure.json", ran)
    place.none_left()


def test(bin_dir, sources, cc, cxx, *names):
    done = 0
    with Place(bin_dir) as place:
        os.mkdir(place.path("out"))
        for name in names:
            if make_ctest(place, sources, (cc, cxx)) if name == "ctest" else build(place, sources, (cc, cxx), name):
                hunt(place, name)
                done += 1
        place.run("vtb", "hunt", "--per-test", "--", "/bin/true", expect=2)
    return 0 if done else SKIPPED


main(test)
