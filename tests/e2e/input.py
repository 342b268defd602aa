#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""input.py BIN_DIR PROGRAM READS_NOTHING: what a pipe or a file brings is the input of every run, also in several processes, and of a replay."""
import json

from e2e import Place, check, main, need

BUG = "yes 3 | head -40001"  # longer than a pipe holds
NONE = "yes 3 | head -40000"


def silent(place, hunt):
    """What a pipe has brought before it is silent is all: it is said, and nothing is complete."""
    ran = place.run("sh", "-c", f"({NONE}; sleep 3) | {hunt.format('--budget=50')}", timeout=60, expect=(3,))
    check("nothing came for a second after 80000 bytes" in " ".join(ran.out.split()), "it is not said", ran)
    check("Complete" not in ran.out, "it claims to be complete", ran)


def of_a_file(place, hunt):
    """The bytes of a file are kept as well; a replay has them, and says so when the file has changed."""
    path = place.path("numbers")
    place.run("sh", "-c", f"({BUG}) > numbers; {hunt.format('')} < numbers", expect=(1,))
    kept = json.load(open(place.path("failure.json")))["input"]
    check(kept["size"] == 80002 and "bytes" in kept, f"kept: {kept['size']}")
    same = place.run("sh", "-c", "vtb replay --run failure.json < numbers", expect=(1,))
    check("something else" not in same.out, "it is not the same file", same)
    with open(path, "w", encoding="ascii") as f:
        f.write("1\n")
    changed = place.run("sh", "-c", "vtb replay --run failure.json < numbers", expect=(1,))
    check("holds something else now" in changed.out, "it is not said that the file has changed", changed)
    place.run("sh", "-c", f"(echo skipped; {BUG}) > numbers; (read first; {hunt.format('')}) < numbers", expect=(1,))


def unread(place, program):
    """A file that no run reads is no input."""
    place.run("sh", "-c", f"echo 7 > numbers; vtb hunt --time=20 -- {program} < numbers", expect=(1,))
    check("input" not in json.load(open(place.path("failure.json"))), "it is kept")


def too_long(place, hunt):
    """Bytes of more than 1 MB are not kept: the same must come again."""
    long = "(yes 3 | head -40001; head -c 1000000 /dev/zero)"
    place.run("sh", "-c", f"{long} | {hunt.format('')}", expect=(1,))
    kept = json.load(open(place.path("failure.json")))["input"]
    check(kept["size"] == 1080002 and "bytes" not in kept, f"kept: {kept}")
    ran = place.run("vtb", "replay", "--run", "failure.json", expect=(2,))
    check("1080002 bytes of standard input" in ran.err, "it is not said what is missing", ran)
    place.run("sh", "-c", f"{long} | vtb replay --run failure.json", expect=(1,))
    place.run("sh", "-c", "echo else | vtb replay --run failure.json", expect=(2,))


def test(bin_dir, program, reads_nothing):
    need(program)
    with Place(bin_dir) as place:
        hunt = f"vtb hunt --seed=1 --time=20 --refine=1 {{}} -- {program}"
        for options in ("", "--jobs=2", "--engine=exec"):
            ran = place.run("sh", "-c", f"{BUG} | {hunt.format(options)}", expect=(1,))
            check("BUG  assertion failed" in ran.out, "the bug is not found", ran)
            place.run("vtb", "replay", "--run", "failure.json", expect=(1,))  # standard input is /dev/null here
        fixed = place.run("vtb", "hunt", "--verify-fix=failure.json", "--time=3", "--", program, expect=(1,))
        check("still" in fixed.out.lower(), "a repair is judged with the same input", fixed)
        place.run("sh", "-c", f"{NONE} | {hunt.format('')}", expect=(0,))
        silent(place, hunt)
        too_long(place, hunt)
        of_a_file(place, hunt)
        unread(place, reads_nothing)
        ran = place.run("sh", "-c", f"head -c 70000000 /dev/zero | {hunt.format('')}", expect=(2, 3))
        check("longer than 64 MB" in ran.err + ran.out, "the limit is not named", ran)


main(test)
