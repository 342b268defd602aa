#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""symmetry.py BIN_DIR PROGRAMS_DIR N...: with more threads that are alike, the schedules up to the first find stay as few."""
import os

from e2e import Place, check, main, need

MOST = {"alike_setters": 6, "alike_publish": 20}  # schedules


def first_find(place, program, n, *options, most=6):
    """Its number among all runs of the hunt, the hunt's own first run included. The time limit ends the search for a lower tuple; a loaded machine
    may need more time for the few schedules themselves."""
    for seconds in (2, 20, 100):
        result = place.run("vtb", "hunt", "--json", "--no-canary", f"--time={seconds}", *options, "--", program, str(n), expect=(0, 1, 3)).json()
        if result["findings"]:
            return result["findings"][0]["schedule"]
        if result["schedules"] > most:
            break
    return None


def cheap(place, programs, numbers):
    for name, most in MOST.items():
        program = need(os.path.join(programs, name, "tsan-gcc"))
        for n in sorted({int(n) for n in numbers} | ({2} if name == "alike_publish" else set())):
            found = first_find(place, program, n, most=most)
            check(found and found <= most, f"{name} with {n}: found by schedule {found}, not by {most}")
    found = first_find(place, need(os.path.join(programs, "alike_setters", "tsan-gcc")), numbers[-1], "--symmetry=off", "--strategy=cvt", "--budget=100")
    check(not found or found > MOST["alike_setters"], f"--symmetry=off changes nothing: found by schedule {found}")


def test(bin_dir, programs, *numbers):
    with Place(bin_dir) as place:
        cheap(place, programs, numbers)


main(test)
