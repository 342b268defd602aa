#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""out_dir.py BIN_DIR PROGRAM CORRECT: -o makes the directory. When nothing is found there, a failure.json of an earlier hunt, with its pictures, has another name
afterwards; one that is none of ours stays, and so does one when something is found or a fix is asked about. One schedule is
singular. A file is no place for it, and where the directory has been removed under the hunt, that is said."""
import os

from e2e import Place, check, main, need


def hunt(place, program, expect, *more):
    return place.run("vtb", "hunt", "--time=30", "--c=1", "-o", place.path("a", "b"), *more, "--", program, timeout=60, expect=expect)


GONE = ("sh", "-c", 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', "sh")


def no_place(place, program):
    ran = place.run("vtb", "hunt", "-o", program, "--", program, expect=2)
    check("Not a directory" in ran.err, "an executable file is a place to write to", ran)
    ran = place.run(*GONE, "vtb", "hunt", "--", "./prog", expect=2)
    check("the current directory has no name any more" in ran.err, "the cause is not told", ran)
    ran = place.run(*GONE, "vtb", "hunt", "--no-canary", "--refine=1", "-o", place.path("c"), "--", os.path.abspath(program), expect=1)
    check("3 of 3" in ran.out, "an absolute path is not found", ran)


def test(bin_dir, program, correct):
    need(program)
    need(correct)
    with Place(bin_dir) as place:
        hunt(place, program, 1)
        names = sorted(os.listdir(place.path("a", "b")))
        check(names == ["failure.json", "order.dot", "order.svg"], f"-o has {names}")
        hunt(place, program, 1)
        check(sorted(os.listdir(place.path("a", "b"))) == names, "a second failure puts the first aside")
        place.run("vtb", "hunt", "--time=30", "--c=1", f"--verify-fix={place.path('a', 'b', 'failure.json')}", "--", correct, timeout=60)
        check(sorted(os.listdir(place.path("a", "b"))) == names, "verify-fix puts its own file aside")
        ran = hunt(place, correct, (0, 3))
        check(sorted(os.listdir(place.path("a", "b"))) == [name + ".old" for name in names], "an old failure.json stays beside none", ran)
        check("is now failure.json.old" in ran.err, "it is not told", ran)
        with open(place.path("a", "b", "failure.json"), "w") as f:
            f.write("{}")
        hunt(place, correct, (0, 3))
        check(os.path.exists(place.path("a", "b", "failure.json")), "somebody else's file was renamed")
        for round_, now in ((1, ".old"), (2, ".old.2")):
            for name in names:
                with open(place.path("a", "b", name), "w") as f:
                    f.write(f"{round_} is mine")
                if round_ == 1:
                    os.unlink(place.path("a", "b", name + ".old"))
            ran = hunt(place, program, 1)
            check("a file that vtb has not written is now" in ran.err, "it is not told that somebody's file has another name", ran)
            for name in names:
                with open(place.path("a", "b", name + now)) as f:
                    check(f.read() == f"{round_} is mine", f"somebody's {name} is not kept", ran)
        ran = place.run("vtb", "hunt", "-o", place.path("a"), "--", "/bin/true", timeout=60)
        no_place(place, program)
        check("1 schedule," in ran.out and "1 schedules" not in ran.out, "1 schedule is not singular", ran)
        place.none_left()


main(test)
