#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""same_verdict.py BIN_DIR PROGRAM...: a hunt says the same of a program with a private view of files, in memory and on a disk,
and without one (--keep-files): verdict, tuple, schedules, classes, and signature of what was found."""
import os

from e2e import Place, check, main

MEMBERS = ("verdict", "tuple", "complete", "schedules", "classes", "executions")
WAYS = {"memory": [], "disk": ["--scratch=scratch"], "none": ["--keep-files"]}


def said(place, way, program):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--engine=forkserver", "--strategy=dfs", "--c=1", "--time=60",
                    "--seed=1", "--budget=300", *WAYS[way], "--", program, timeout=150)
    got = ran.json()
    found = [f["signature"] for f in got["findings"]]
    return [(m, str(got[m])) for m in MEMBERS if m in got] + [("findings", str(found))], ran


def compare(place, program):
    want, first = said(place, "none", program)
    for way in ("memory", "disk"):
        got, ran = said(place, way, program)
        wrong = [f"{a[0]}: {a[1]} without a view, {b[1]} with one ({way})" for a, b in zip(want, got) if a != b]
        if wrong:
            return f"{program}: {'; '.join(wrong)}\n{first.story()}\n{ran.story()}"
    return ""


def test(bin_dir, *programs):
    failed, n = [], 0
    with Place(bin_dir) as place:
        os.mkdir(place.path("scratch"))
        for path in [os.path.abspath(p) for p in programs if os.path.exists(p)]:
            wrong = compare(place, path)
            n += 1
            if wrong:
                print(wrong, flush=True)
                failed.append(path)
        place.none_left()
    check(not failed and n, f"{len(failed)} of {n}: {' '.join(failed)}")
    print(f"{n} programs: the same with and without a view")


main(test)
