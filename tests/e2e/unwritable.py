#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unwritable.py BIN_DIR PROGRAM CORRECT: a find whose failure.json cannot be written is told all the same; what a limit of the size of files forbids is an error
with one line; a report that standard output does not take is an error, unless a bug was found; who has closed it wants none."""
import json
import os

from e2e import check, main, need, Place


def redirected(place, how, *argv, expect):
    return place.run("sh", "-c", f'exec "$@" {how}', "sh", *argv, expect=expect)


def standard_output(place, program, correct):
    hunt = ("vtb", "hunt", "--no-canary", "--time=300")
    for argv, code in (((*hunt, "--", correct), 3), ((*hunt, "--json", "--", correct), 3), ((*hunt, "--", program), 1), (("vtb", "hunt", "--help"), 3), (("vtb", "doctor"), 3)):
        ran = redirected(place, ">/dev/full", *argv, expect=code)
        check(ran.err.count("standard output cannot be written completely") == 1, "nobody says that the report was lost, or twice", ran)
    ran = redirected(place, ">&-", *hunt, "--", correct, expect=0)
    check("standard output" not in ran.err, "who wants no output is told of it", ran)
    check(not os.path.exists(place.path("failure.json")), "the correct program has a failure.json")
    redirected(place, "<&- >&- 2>&-", *hunt, "--", program, expect=1)
    with open(place.path("failure.json"), encoding="utf-8") as f:
        check(json.load(f)["format"] == "vtb-failure", "failure.json is another file")


def test(bin_dir, program, correct):
    with Place(bin_dir) as place:
        os.makedirs(place.path("failure.json/in the way"))
        ran = place.run("vtb", "hunt", "--no-canary", "--time=300", "--", need(program), timeout=100, expect=1)
        check(ran.out.startswith("BUG"), "the find is not told", ran)
        check("not written: failure.json: " in ran.out, "it is not said that the file could not be written", ran)
        check("vtb replay" not in ran.out, "a file that is not there cannot be replayed", ran)
        ran = place.run("vtb", "hunt", "--no-canary", "--json", "--time=300", "--", need(program), timeout=100, expect=1)
        check(ran.json()["verdict"] == "assertion" and ran.json()["failure"] is None, "the find is not in the JSON", ran)
        check(ran.err.count("not written: failure.json: ") == 1, "nobody says that the file was lost", ran)
        ran = place.run("vtb", "hunt", "--no-canary", "-q", "--time=300", "--", need(program), timeout=100, expect=1)
        check(ran.err.count("\n") == 1 and ran.err.startswith("vtb-hunt: not written: failure.json: "), "with -q it is not said in one line that the file was lost", ran)
        ran = place.run("prlimit", "--fsize=4096", "vtb", "hunt", "--", need(program), timeout=100, expect=2)
        check(ran.err.count("\n") == 1 and "File too large" in ran.err, "a limit of the size of files is not one line with its cause", ran)
        os.rmdir(place.path("failure.json/in the way"))
        os.rmdir(place.path("failure.json"))
        standard_output(place, need(program), need(correct))


main(test)
