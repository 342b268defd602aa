#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""shares.py BIN_DIR CC CXX [all]: how much of a program its slice holds: accesses that can matter to a report of a failure, and those of which the
order with another thread's can. `all`: every program at -O0 to -O2; else those of which it is known how many at most, in percent."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "e2e"))

from e2e import Place, check, main

# program: percent at most of all, and by order, at -O1
MOST = {"larger/file_scanner.c": (40, 30)}
SMALL = ("indexer.c", "indexer_mutex.c", "halves.c", "writers.c", "hash_table.c", "skip_list.c", "allocator.c", "scanner.c")


def programs():
    return [*SMALL, *sorted("larger/" + name for name in os.listdir(os.path.join(HERE, "larger")))]


def shares(place, compilers, program, level):
    """Accesses, those that matter to a failure, those of which the order does."""
    compiler = compilers[program.endswith(".cc")].split()
    done = subprocess.run([*compiler, level, "-g", "-fsanitize=thread", "-pthread", "-o", place.path("sliced"), os.path.join(HERE, program)],
                          capture_output=True, text=True)
    check(done.returncode == 0, f"{program} does not compile:\n{done.stderr}")
    said = place.run("vtb-synth", "./sliced", "--why=main", expect=None)
    found = [re.search(f"sliced:{how} failures ([0-9]+), .* of ([0-9]+) accesses", said.out) for how in ("", " by their order:")]
    check(all(found), f"{program}: it says how many", said)
    return int(found[0].group(2)), int(found[0].group(1)), int(found[1].group(1))


def percent(n, of):
    return f"{100 * n / max(of, 1):3.0f} % {f'({n}/{of})':>9}"


def test(bin_dir, cc, cxx, which=""):
    print(f"{'':28} {'all':>15} {'by order':>15}   accesses that can matter to a report of a failure")
    with Place(bin_dir) as place:
        for program in programs() if which else sorted(MOST):
            for level in ("-O0", "-O1", "-O2") if which and "/" in program else ("-O1",):
                n, some, ordered = shares(place, (cc, cxx), program, level)
                print(f"{program} {level:<{27 - len(program)}} {percent(some, n):>15} {percent(ordered, n):>15}", flush=True)
                most = MOST.get(program, (100, 100)) if not which else (100, 100)
                check(some * 100 <= most[0] * n and ordered * 100 <= most[1] * n, f"{program} {level}: at most {most} percent")


if __name__ == "__main__":
    main(test)
