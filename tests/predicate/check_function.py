#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""check_function.py BIN_DIR CC: what a function is given matters if --check-function names it; a name that the program has not is an error. A
program that is not sliced is named, with the reason, and everything in it counts. Strategies that leave nothing out put last what cannot matter."""
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

from e2e import Place, check, main

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "noted.c")
HUNT = ("vtb", "hunt", "--no-canary", "--refine=0.1")  # what is found is not explained: that takes longer than finding it
# options, schedules; None: exit 2, and why
ROWS = [(["--predicate"], 1), (["--check-function=note"], 2), (["--check-function=no?e"], 2), (["--assertions-only", "--check-function=note"], 2),
        (["--check-function=pthread_create"], 1), (["--check-function=note,nothere"], 'the program has no function "nothere"'),
        (["--check-function="], "give it a name"), (["--check-function=note", "--no-predicate"], "does not go with --no-predicate")]


def one(place, level, options, expected):
    refused = isinstance(expected, str)
    ran = place.run(*HUNT, "--strategy=dpor", *options, "-o", "out", "--", "./prog", expect=2 if refused else 0)
    if refused:
        check(expected in ran.err, f"{level} {options}: it says why: {expected}", ran)
        return
    schedules = re.search(r"search +(\d+) schedule", ran.out)
    check(schedules and int(schedules.group(1)) == expected, f"{level} {options}: {expected} schedules", ran)


def tells_why(place, level):
    for options, matter in ((["--check-function=note"], 1), ([], 0)):
        ran = place.run("vtb-synth", "./prog", "--why=write_one", *options, expect=0)
        check(ran.out.count("functions to be checked:") == matter, f"{level} {options}: --why tells of one of two accesses", ran)
    ran = place.run("vtb-synth", "./prog", "--why=main", "--check-function=nothere", expect=2)
    check('the program has no function "nothere"' in ran.err, "a name that is not there", ran)


def not_sliced(place, cc):
    subprocess.run([cc, "-s", "-fsanitize=thread", "-pthread", "-o", place.path("stripped"), SOURCE], check=True)
    ran = place.run(*HUNT, "--strategy=dpor", "--predicate", "-o", "out", "--", "./stripped", expect=0)
    said = " ".join(ran.out.split())
    check("orders at 0 of" in said and "stripped: it has no symbol table" in said, "it says that nothing is left out, and why", ran)


def classes(place, strategy, *options):
    ran = place.run(*HUNT, f"--strategy={strategy}", *options, "-o", "out", "--", "./late", expect=1)
    return int(re.search(r"search .* (\d+) class", ran.out).group(1))


def goes_last(place, cc):
    source = os.path.join(os.path.dirname(SOURCE), "late.c")
    subprocess.run([cc, "-O1", "-g", "-fsanitize=thread", "-pthread", "-o", place.path("late"), source], check=True)
    for strategy in ("cvt", "bestfirst"):
        all_alike, ordered = classes(place, strategy), classes(place, strategy, "--predicate")
        check(ordered < all_alike, f"{strategy}: found after {all_alike} classes, with --predicate after fewer: {ordered}")


def is_dropped(place):
    """cvt: what no assertion depends on is put by with --assertions-only, and the level is not said to be done."""
    counts = {}
    for option in ("--predicate", "--assertions-only"):
        ran = place.run(*HUNT, "--strategy=cvt", option, "-o", "out", "--", "./prog", expect=0)
        counts[option] = int(re.search(r"search +(\d+) schedule", ran.out).group(1))
        said = " ".join(ran.out.split())
        check(("schedules were put by" in said) == ("within 2 preemptions" not in said) == (option == "--assertions-only"), f"cvt {option}: what it says", ran)
    check(counts["--assertions-only"] < counts["--predicate"], f"cvt: fewer schedules: {counts}")


def explains_what_matters(place, cc):
    """Two orders decide alike whether it fails: the cause is the one that can matter, if that is known."""
    source = os.path.join(os.path.dirname(SOURCE), "bystander.c")
    subprocess.run([cc, "-O1", "-g", "-fsanitize=thread", "-pthread", "-o", place.path("bystander"), source], check=True)
    for option, variable in (("--no-predicate", "note"), ("--predicate", "ready"), ("--seed=1", "ready")):
        ran = place.run("vtb", "hunt", "--no-canary", option, "-o", "out", "--", "./bystander", expect=1)
        check(f"0.1 reads {variable} at bystander.c" in ran.out, f"{option}: the cause is about {variable}", ran)


def candidates_tell_what_matters(place):
    """Of a recorded run, however it went: what a candidate changes is told by orders that can matter."""
    place.run("vtb", "record", "-o", "recorded.vtb", "--", "./bystander")
    place.run("vtb", "decode", "-o", "trace.json", "recorded.vtb", expect=0)
    told = place.run("vtb", "synth", "--predicate", "-o", "schedules.json", "trace.json", expect=0).out
    check("of note" not in told, f"candidates are not told by orders of what nobody looks at: {told}")


def test(bin_dir, cc):
    with Place(bin_dir) as place:
        for level in ("-O0", "-O2"):
            subprocess.run([cc, level, "-g", "-fsanitize=thread", "-pthread", "-o", place.path("prog"), SOURCE], check=True)
            for options, expected in ROWS:
                one(place, level, options, expected)
            tells_why(place, level)
            is_dropped(place)
        not_sliced(place, cc)
        goes_last(place, cc)
        explains_what_matters(place, cc)
        candidates_tell_what_matters(place)
        place.none_left()


if __name__ == "__main__":
    main(test)
