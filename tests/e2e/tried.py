#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tried.py BIN_DIR SOURCES CC CXX [PROGRAM...]: programs as users write them, each with its bug and with -DFIXED. The text of a hunt without
options (but for the clock's) names the lines that SOURCES/expect.txt lists, the kind of mistake and the repair; --verify-fix says FIXED of the repaired program
and finds the bug again in the other."""
import glob
import os
import re

from e2e import check, main, Place


def expected(sources, only):
    with open(os.path.join(sources, "expect.txt"), encoding="utf-8") as f:
        rows = [[cell.strip() for cell in line.split("|")] for line in f if line.strip() and not line.startswith("#")]
    return [row for row in rows if not only or row[0] in only]


LIBRARIES = {"#include <gtest/": ["-lgtest_main", "-lgtest"]}


def source(sources, name):
    return glob.glob(os.path.join(sources, "*", name))[0]


def libraries(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return [word for included, words in LIBRARIES.items() if included in text for word in words]


def build(place, sources, name, compilers):
    path, (stem, ending) = source(sources, name), os.path.splitext(name)
    compiler, standard = (compilers[1], ["-std=c++20"]) if ending == ".cc" else (compilers[0], [])
    for output, options in ((stem, []), (stem + ".fixed", ["-DFIXED"])):
        place.run(compiler, *standard, *options, "-g", "-O1", "-fsanitize=thread", "-pthread", path, "-o", output, *libraries(path), expect=0)
    return stem


def line_of(sources, name, words):
    with open(source(sources, name), encoding="utf-8") as f:
        text = f.read()
    words = words.replace("\\n", "\n").replace("\\t", "\t")
    check(words in text, f"{name}: has no {words!r}")
    return text.count("\n", 0, text.index(words)) + 1


def reads_right(place, sources, row, stem):
    name, kind, lines, repair = row
    ran = place.run("vtb", "hunt", "--no-canary", "--refine=30", "--", "./" + stem, expect=1)  # runs are the limit, not the clock
    text = re.sub(r"\s+", " ", ran.out)
    for words in lines.split(" & "):
        place_named = f"{name}:{line_of(sources, name, words)}"
        check(re.search(re.escape(place_named) + r"\b", text), f"{name}: {place_named} ({words}) is not named", ran)
    # how many variables it is about may take longer to tell than the test has
    check(kind == "-" or f"cause {kind}:" in text or f"cause {kind} of several variables:" in text, f"{name}: the cause is not said to be: {kind}", ran)
    told = re.split(" (?:repair|advice) ", text, 1)[-1].partition(" replay ")[0]
    check(repair == "-" or repair in told, f"{name}: the repair is not: {repair}", ran)


def fix_is_told(place, stem):
    fixed = place.run("vtb", "hunt", "--no-canary", "--time=400", "--verify-fix=failure.json", "--", "./" + stem + ".fixed")
    check(fixed.code == 0 and fixed.out.startswith("FIXED"), f"{stem}: the repaired program is not FIXED", fixed)
    still = place.run("vtb", "hunt", "--no-canary", "--verify-fix=failure.json", "--", "./" + stem)
    check(still.code == 1, f"{stem}: without the repair it does not fail", still)


def test(bin_dir, sources, c, cxx, *only):
    with Place(bin_dir) as place:
        for row in expected(sources, only):
            stem = build(place, sources, row[0], (c, cxx))
            reads_right(place, sources, row, stem)
            fix_is_told(place, stem)


main(test)
