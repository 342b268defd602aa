#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""input.py BIN_DIR PROGRAM READS_NOTHING: what a pipe or a file brings is the input of every run, also in several processes, and of a replay."""
import fcntl
import json
import os
import threading

from e2e import Place, check, main, need

NONE = b"%99d\n" % 150 * 800  # longer than a pipe holds by itself; few numbers, as each is read in every run
BUG = NONE + b"3\n"
SET_PIPE_SIZE = 1031
FEW_RUNS = "--budget=50"


def pour(end, data, stays_open):
    try:
        for at in range(0, len(data), 65536):
            os.write(end, data[at : at + 65536])
    except BrokenPipeError:
        pass
    if not stays_open:
        os.close(end)


def widen(end):
    for size in (2 << 20, 1 << 20):
        try:
            fcntl.fcntl(end, SET_PIPE_SIZE, size)
            return
        except OSError:
            pass


def piped(place, data, argv, expect, stays_open=False):
    """Run it with these bytes from a pipe. They are in it before anybody reads, as a writer that is late is one that is silent."""
    read, write = os.pipe()
    widen(write)
    pouring = threading.Thread(target=pour, args=(write, data, stays_open))
    pouring.start()
    pouring.join(0.5)  # as much of it as there is room for
    ran = place.run(*argv, stdin=read, expect=expect)
    os.close(read)
    pouring.join()
    if stays_open:
        os.close(write)
    return ran


def silent(place, hunt):
    """What a pipe has brought before it is silent is all: it is said, and nothing is complete."""
    ran = piped(place, NONE, [*hunt[:2], FEW_RUNS, *hunt[2:]], (3,), stays_open=True)
    check("nothing came for a second after 80000 bytes" in " ".join(ran.out.split()), "it is not said", ran)
    check("Complete" not in ran.out, "it claims to be complete", ran)


def of_a_file(place, hunt):
    """The bytes of a file are kept as well; a replay has them, and says so when the file has changed."""
    path = place.path("numbers")
    with open(path, "wb") as f:
        f.write(BUG)
    with open(path, "rb") as f:
        place.run(*hunt, stdin=f, expect=(1,))
    kept = json.load(open(place.path("failure.json")))["input"]
    check(kept["size"] == 80002 and "bytes" in kept, f"kept: {kept['size']}")
    same = place.run("sh", "-c", "vtb replay --run failure.json < numbers", expect=(1,))
    check("something else" not in same.out, "it is not the same file", same)
    with open(path, "w", encoding="ascii") as f:
        f.write("1\n")
    changed = place.run("sh", "-c", "vtb replay --run failure.json < numbers", expect=(1,))
    check("holds something else now" in changed.out, "it is not said that the file has changed", changed)
    with open(path, "wb") as f:
        f.write(b"skipped\n" + BUG)
    place.run("sh", "-c", f"(read first; {' '.join(hunt)}) < numbers", expect=(1,))


def unread(place, program):
    """A file that no run reads is no input."""
    place.run("sh", "-c", f"echo 7 > numbers; vtb hunt --time=20 -- {program} < numbers", expect=(1,))
    check("input" not in json.load(open(place.path("failure.json"))), "it is kept")


def too_long(place, hunt):
    """Bytes of more than 1 MB are not kept: the same must come again."""
    long = BUG + bytes(1000000)
    piped(place, long, hunt, (1,))
    kept = json.load(open(place.path("failure.json")))["input"]
    check(kept["size"] == 1080002 and "bytes" not in kept, f"kept: {kept}")
    ran = place.run("vtb", "replay", "--run", "failure.json", expect=(2,))
    check("1080002 bytes of standard input" in ran.err, "it is not said what is missing", ran)
    piped(place, long, ("vtb", "replay", "--run", "failure.json"), (1,))
    piped(place, b"else\n", ("vtb", "replay", "--run", "failure.json"), (2,))


def test(bin_dir, program, reads_nothing):
    need(program)
    with Place(bin_dir) as place:
        hunt = ["vtb", "hunt", "--seed=1", "--time=300", "--refine=1", "--", program]
        for options in ([], ["--jobs=2"], ["--engine=exec"]):
            ran = piped(place, BUG, [*hunt[:2], *options, *hunt[2:]], (1,))
            check("BUG  assertion failed" in ran.out, "the bug is not found", ran)
            place.run("vtb", "replay", "--run", "failure.json", expect=(1,))  # standard input is /dev/null here
        fixed = place.run("vtb", "hunt", "--verify-fix=failure.json", "--time=300", "--", program, expect=(1,))
        check("still" in fixed.out.lower(), "a repair is judged with the same input", fixed)
        piped(place, NONE, hunt, (0,))
        silent(place, hunt)
        too_long(place, hunt)
        of_a_file(place, hunt)
        unread(place, reads_nothing)
        ran = place.run("sh", "-c", f"head -c 70000000 /dev/zero | {' '.join(hunt)}", expect=(2, 3))
        check("longer than 64 MB" in ran.err + ran.out, "the limit is not named", ran)


main(test)
