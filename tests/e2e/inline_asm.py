#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inline_asm.py BIN_DIR COMPILER [all]: a program with -fsanitize=thread whose lock is inline assembler. Its instructions get hooks: what they compute is what they
compute alone, whatever their operands; classes are as many as where the compiler has made the same atomic operations; a lock that is left out is found, by all engines, and
so is a fault of such an instruction, at its line. A process that is made is left alone, and the statement says so.
Locks as libraries write them, with the lock and without: a waiting thread spins on a variable of its own stack (mcs), or on what a pointer leads to (spin). Without any atomic
instruction, by moves alone: Peterson's lock (turns), and a ring whose entries must be there before they can be taken. What was compiled without hooks computes as it did."""
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


def by_moves(place, compiler, flags):
    """The order in which two moves stand is what the program rests on."""
    for name in ("turns.c", "ring.c"):
        build(place, compiler, name, *flags)
        got, ran = hunt(place)
        check(got["complete"] and not any("prog" in n for n in got["unhooked"]), f"{name} {flags}: not complete, or {got['unhooked']} without hooks", ran)
        build(place, compiler, name, *flags, "-DBUG")
        hunt(place, expect=1)


PLAIN = """
long table[64];
%s
long compute(void) { long sum = 0; for (long i = 0; i < 50; i++) sum += get20(i) + get39(i); return sum; }
"""
HOOKED = """
#include <pthread.h>
#include "moves.h"
long compute(void);
static unsigned given, taken;
static void *thread(void *arg) { STORE(&taken, compute() == 0 && LOAD(&given) == 1); return arg; }
int main(void) { pthread_t t; STORE(&given, 1); pthread_create(&t, 0, thread, 0); pthread_join(t, 0); return LOAD(&taken) != 1; }
"""


def leaves_what_computes(place, compiler):
    """Beside inline assembler a short function of a file without hooks may get some, too, but none that lies far from all that has them."""
    with open(place.path("plain.c"), "w", encoding="utf-8") as f:
        f.write(PLAIN % "\n".join(f"__attribute__((noipa)) long get{i}(long i) {{ return table[(i + {i}) % 64]; }}" for i in range(40)))
    with open(place.path("hooked.c"), "w", encoding="utf-8") as f:
        f.write(HOOKED)
    place.run(compiler, "-g", "-O1", "-c", "plain.c", expect=0)
    for flags in ((), ("-DBUILTINS",)):
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", "-I", LOCKS, *flags, "-o", "prog", "plain.o", "hooked.c", expect=0)
        got, ran = hunt(place)
        names = " ".join(got["unhooked"])
        check("more functions of prog" in names or "get20()" in names, f"{names} are without hooks", ran)
        check((got["accesses"] >= 50) != bool(flags), f"{got['accesses']} accesses have hooks, {flags}", ran)


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
        for flags in (("-O0",), ("-O1",), ("-O2", "-no-pie", "-fno-pie"), ("-O3",)) if more else (("-O0",), ("-O2",)):
            by_moves(place, compiler, flags)
        leaves_what_computes(place, compiler)
        for name in ("spin.c", "mcs.c", "turns.c", "ring.c"):
            ours, ran = classes(place, compiler, name)
            theirs, _ = classes(place, compiler, name, "-DBUILTINS")
            check(ours == theirs, f"{name}: {ours} classes, {theirs} where the compiler makes the same operations", ran)
            build(place, compiler, name, "-O1", "-DBUG")
            hunt(place, expect=1)
        if more:
            by_all_engines(place, compiler)
    return None


main(test)
