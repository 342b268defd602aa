#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""per_test.py BIN_DIR SOURCES CC CXX FRAMEWORK...: build a test program with each framework, hunt its tests one by one: only the test with
the race fails, by its name; the others do not. Frameworks that are not installed are left out; none at all: skipped."""
import os
import shutil
import subprocess
import sys
from xml.etree import ElementTree

from e2e import SKIPPED, Place, check, main

LIBRARIES = {"googletest": ["-lgtest_main", "-lgtest"], "catch2": [], "cmocka": ["-lcmocka"], "doctest": [], "boost": [],
             "check": ["-lcheck", "-lsubunit", "-lm", "-lrt"]}
# test -> verdicts allowed
WANT = {
    "googletest": {"Account.Sequential": ["sequential"], "Account.Concurrent": ["exit"], "Two/P.Joined/0": ["none"], "Two/P.Joined/1": ["none"]},
    "catch2": {"one, alone": ["sequential"], "two at a time [x]": ["exit"]},
    "cmocka": {"cmocka": ["exit"]},
    "check": {"check": ["exit"]},
    "doctest": {"one, alone": ["sequential"], "two at a time [x]": ["exit"]},
    "boost": {"alone": ["sequential"], "pairs/together": ["exit"]},
    "ctest": {"whole": ["exit"], "sequential": ["sequential"]},
}
NAMED = {"googletest": ("Account.Concurrent", "Account.Concurrent at"), "catch2": ("two at a time [x]", "two at a time [x] at"), "cmocka": ("cmocka", "together at"), "check": ("check", "pair:together at"),
         "doctest": ("two at a time [x]", "two at a time [x] at"), "boost": ("pairs/together", "pairs/together at"), "ctest": ("whole", "together at")}
FRAMEWORK = {"googletest": "googletest", "catch2": "Catch2", "cmocka": "cmocka", "ctest": "ctest", "check": "Check", "doctest": "doctest", "boost": "Boost.Test"}


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


def check_junit(place, name, ran):
    """All tests are in it, the failing one with its failure, and only that."""
    suite = ElementTree.parse(place.path("all.xml")).getroot()
    cases = {case.get("name"): case.find("flakyFailure") is not None for case in suite}
    broken = NAMED[name][0]
    check(cases == {test: test == broken for test in WANT[name]}, f"JUnit has {cases}", ran)
    check((suite.get("tests"), suite.get("flakes"), suite.get("failures")) == (str(len(cases)), "1", "0"), f"JUnit counts {suite.attrib}", ran)


def table(place, name):
    """The table at the end, and what is out of time is said and proves nothing."""
    ran = place.run("vtb", "hunt", "--per-test", "-q", "--time=30", "--c=1", "-o", place.path("out"), "--", place.path(name), timeout=120, expect=1)
    lines = ran.out.splitlines()
    check("1 test: 1 with a bug" in lines[-1] and lines[-2].split()[:2] == [name, "BUG"], "no table at the end", ran)


def beside(place, name):
    """A test called like the program, hunted where that lies."""
    ran = place.run("vtb", "hunt", "--per-test", "-q", "--time=30", "--c=1", "--", "./" + name, timeout=120, expect=1)
    check(os.path.exists(place.path(name + "-2", "failure.json")), "no failure.json beside the program of that name", ran)


def hunt(place, name):
    ran = place.run("vtb", "hunt", "--per-test", "--json", "--seed=1", "--time=60", "--c=1", f"--junit={place.path('all.xml')}", "-o", place.path("out", name), "--", place.path(name), timeout=240, expect=1)
    got = ran.json()
    check(got["framework"] == FRAMEWORK[name], f"framework {got['framework']}", ran)
    check_junit(place, name, ran)
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
        if "cmocka" in names and done:
            table(place, "cmocka")
            beside(place, "cmocka")
        place.run("vtb", "hunt", "--per-test", "--", "/bin/true", expect=2)
    return 0 if done else SKIPPED


main(test)
