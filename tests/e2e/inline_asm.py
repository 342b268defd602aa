#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inline_asm.py BIN_DIR COMPILER [all]: a program with -fsanitize=thread whose lock is inline assembler. Its instructions get hooks: what they compute is what they
compute alone, whatever their operands; classes are as many as where the compiler has made the same atomic operations; a lock that is left out is found, by all engines, and
so is a fault of such an instruction, at its line. A process that is made is left alone, and the statement says so.
Locks as libraries write them, with the lock and without: a waiting thread spins on a variable of its own stack (mcs), or on what a pointer leads to (spin)."""
import os
import sys

from e2e import SKIPPED, check, main, Place

LOCKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "inline_asm")
SAME = ("--no-canary", "--json", "--time=60", "--strategy=dpor")


def build(place, compiler, name, *flags):
    place.run(compiler, "-g", "-fsanitize=thread", "-pthread", *flags, "-o", "prog", os.path.join(LOCKS, name), timeout=60, expect=0)


def hunt(place, *args, flags=("--no-canary", "--json", "--time=60", "--refine=0.1"), expect=0):
    ran = place.run("vtb", "hunt", *flags, "--", "./prog", *args, timeout=100, expect=expect)
    return ran.json(), ran


def computes_the_same(place, compiler, level):
    build(place, compiler, "forms.c", level)
    got, ran = hunt(place)
    check(got["complete"] and not any("prog" in n for n in got["unhooked"]), f"{level}: not complete, or {got['unhooked']} without hooks", ran)
    got, ran = hunt(place, "bug", expect=1)
    check("total == 2" in got["findings"][0]["message"], f"{level}: without the lock something else fails", ran)
    got, ran = hunt(place, "fault", expect=1)
    check("(SIGSEGV) at forms.c:" in got["findings"][0]["message"], f"{level}: the fault has no line", ran)
    got, ran = hunt(place, "fork")
    check("in place of the compiler" in got["statement"], f"{level}: not a word of what went without hooks after fork()", ran)


def classes(place, compiler, name, *flags):
    build(place, compiler, name, "-O1", *flags)
    got, ran = hunt(place, flags=SAME)
    check(got["complete"], f"{name} {flags}: not complete", ran)
    return got["classes"], ran


def by_all_engines(place, compiler):
    build(place, compiler, "forms.c", "-O1")
    for how in (["--engine=forkserver"], ["--engine=exec", "--carrier=threads"], ["--dirty=mprotect"], ["--dirty=copy"]):
        flags = ("--no-canary", "--json", "--time=60", "--refine=0.1", *how)
        got, ran = hunt(place, flags=flags)
        check(got["complete"], f"{how}: not complete", ran)
        _, ran = hunt(place, "bug", flags=flags, expect=1)


def test(bin_dir, compiler, *more):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        for level in ("-O0", "-O1", "-O2", "-O3") if more else ("-O1",):
            computes_the_same(place, compiler, level)
        for name in ("spin.c", "mcs.c"):
            ours, ran = classes(place, compiler, name)
            theirs, _ = classes(place, compiler, name, "-DBUILTINS")
            check(ours == theirs, f"{name}: {ours} classes, {theirs} where the compiler makes the same operations", ran)
            build(place, compiler, name, "-O1", "-DBUG")
            hunt(place, expect=1)
        if more:
            by_all_engines(place, compiler)
    return None


main(test)
