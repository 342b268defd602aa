#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""elsewhere.py BIN_DIR SOURCE CC: a failure replays where the same build does more or less before it comes to the operations of the schedule; --verify-fix tells it
there as well. So does one whose directory and program have names that are no text."""
import os
import shutil

from e2e import SKIPPED, Place, check, main


def odd_names(place):
    directory, name = os.fsencode(place.dir) + b"/d\xff\n%ff", b"./pr\xe9g"
    os.mkdir(directory)
    shutil.copy(place.path("prog"), os.path.join(directory, name))
    ran = place.run("env", "-C", directory, "vtb", "hunt", "--no-canary", "--refine=1", "--", name, b"\xfe", expect=1)
    check("looks_round.c:12" in ran.out, "names are not found in a file whose path is no text", ran)
    place.run("vtb", "replay", "--run", os.path.join(directory, b"failure.json"), expect=1)


def test(bin_dir, source, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-o", "prog", source, "-pthread", expect=0)
        place.env["LOOKED_AT"] = "six___"
        place.run("vtb", "hunt", "--no-canary", "--", "./prog", expect=1)
        for name in ("six___", "", "a longer name than that"):
            place.env["LOOKED_AT"] = name
            ran = place.run("vtb", "replay", "--json", "failure.json", "--", "./prog", expect=1)
            check(ran.json()["schedules"][0]["by_name"] == (name != "six___"), f"{name!r}: by name, or not, against expectation", ran)
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--verify-fix=failure.json", "--", "./prog", expect=1)
            check(ran.json()["fix"]["hit"] == 1, f"{name!r}: --verify-fix does not fail under the schedule that is known", ran)
        odd_names(place)
        place.none_left()
    return None


main(test)
