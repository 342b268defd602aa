#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ends.py BIN_DIR OUTCOMES COMPILER [NAME|all [LEVEL...]]: small programs in which threads go round for ever, or only until the right one goes on. Every schedule
comes to its end soon, in one of the ways in which the program can end, and does what it was to do; dpor says that it has left nothing out. Where levels are named the searches have more time."""
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import Place, check, hooked, main  # noqa: E402

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int q, f, g;
static volatile int x, y, many[600];
static pthread_rwlock_t l = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

"""
# What the threads do; how the program ends; whether all that goes round only looks: then dpor is complete. Else it is cut off.
PROGRAMS = {
    # While the third goes round in vain nobody else can go on: it does not do that before others have ended.
    "in vain": (["q++; x = 1;", "y = x;", "while (q != 2) ;"], {"livelock"}, True),
    # What it waits for changes, and it is not its turn yet: it waits for the next change.
    "tickets": (["int r = q++; while (f != r) ; f++; g++;", "int r = q++; while (f != r) ; f++; g++;", "g++; int r = q++; while (f != r) ; f++;"], {"exit"}, True),
    # Its rounds are told apart by what it reads, not by who waits beside it meanwhile: only while nobody does are accesses told in stretches.
    "reader of a sequence": (["for (int k, r;;) { while ((k = q) & 1) ; r = x; if (k == q) break; } while (q != 1) ;", "q++; x++; q++;", "while (q != 2) ; q++;"],
                             {"exit", "livelock"}, True),
    # The process ends at any time: beside who goes round, and who lets that go on.
    "ends meanwhile": (["exit(0);", "while (!f && !g) ;", "f = 1;"], {"exit"}, True),
    # A barrier that opens before it is ready for the next time. Who waits gives way so many times in a row: held back at another of them each time, it goes round all the same.
    "opens too early": (["for (int r = 1; r < 3; r++) if (atomic_fetch_add(&f, 1) == 1) { g = r; f = 0; } else for (unsigned n = 1; g < r; n = n < 8 ? 2 * n : n) "
                         "for (unsigned i = 0; i < n; i++) sched_yield();"] * 2, {"exit", "livelock"}, True),
    # At -O0 what a load gives goes over the stack: a round begins there, between the two things that it looks at.
    "test, then test and set": (["for (;;) { while (atomic_load(&f)) ; if (!__atomic_test_and_set(&q, 5)) break; } f = 1; x++; f = 0; q = 0;"] * 2, {"exit"}, True),
    # It looks at many words, more than one of which has the same place in a table of 256.
    "many words": (["int any = 0; while (!any) { any = f; for (int i = 0; i < 16; i++) any |= many[i * i]; }", "y = 1; x = y; f = 1;"], {"exit"}, True),
    # Each changes for a moment what the other waits for, and only who looks just then comes further. By some orders of priority nobody ever does.
    "withdraw": (["g = 1; q = 0; while (f && q == 0) ; g = 0; g = 1; while (f) { g = 0; g = 1; } g = 0;",
                  "f = 1; while (g) { f = 0; f = 1; } f = 0; f = 1; while (g) { f = 0; f = 1; } f = 0;"], {"exit"}, False),
    # Two let each other go on for ever, and by most orders of priority nobody ever asks the third.
    "two and a third": (["f = 1; while (g) { f = 0; f = 1; } y++; f = 0;", "g = 1; while (f) { g = 0; g = 1; } x++; g = 0;",
                         "f = 1; while (g) { f = 0; f = 1; } x = y; f = 0;"], {"exit"}, False),
    # The same, and there is no way out: it never waits for all at once, and is a livelock all the same.
    "no way out": (["f = 1; while (g) { f = 0; f = 1; } f = 0;", "q = 1; g = 1; while (f || q) { g = 0; g = 1; } g = 0;",
                    "f = 1; while (g) { f = 0; f = 1; } f = 0;"], {"livelock"}, False),
    # Time that passes is a way out, too.
    "until time has passed": (["while (!q) { f = 1; while (!q && f) g = 1; g = 0; }", "while (!q) { g = 0; while (!q && !g) f = 0; f = 1; }", "usleep(1000); q = 1;"], {"exit"}, False),
    # It counts in what libc keeps for it, and goes on.
    "counts in a key": (["pthread_key_t k; pthread_key_create(&k, 0); while (!f && (long)pthread_getspecific(k) < 400) pthread_setspecific(k, (char *)pthread_getspecific(k) + 1);",
                         "x = 1;"], {"exit"}, True),
    # It counts, never reads what it knows, and there is no way out of its loop but that the process ends.
    "counts for ever": (["for (;;) x++;", "y = 1; exit(0);"], {"exit"}, False),
    # A writer that has only arrived at a free lock keeps nobody out.
    "prefers writers": (["x = 1; pthread_rwlock_wrlock(&l); y = 3; pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); y++; pthread_rwlock_unlock(&l);"], {"exit"}, True),
    # While one reads, another may be let go on, and then a writer arrive, before which it was. When that arrives is no operation for dpor.
    "prefers writers to more readers": (["x = 1; pthread_rwlock_wrlock(&l); y = 3; pthread_rwlock_unlock(&l);", "pthread_rwlock_rdlock(&l); f = 1; pthread_rwlock_unlock(&l);",
                                         "pthread_rwlock_rdlock(&l); g = 1; pthread_rwlock_unlock(&l);"], {"exit"}, False),
}
# Each run takes a second: only if asked for by name.
SLOW = {
    # What it counts is no news to anybody, and who computes does not give way all the time.
    "counts and gives way": (["while (!f) { sched_yield(); x++; }", "y = 1;"], {"livelock"}, False),
}


def source(threads):
    out = HEAD + "".join(f"static void *thread_{i}(void *arg) {{ {text} return arg; }}\n" for i, text in enumerate(threads))
    out += f"\nint main(void)\n{{\n\tpthread_t t[{len(threads)}];\n\n"
    out += "".join(f"\tpthread_create(&t[{i}], 0, thread_{i}, 0);\n" for i in range(len(threads)))
    return out + "".join(f"\tpthread_join(t[{i}], 0);\n" for i in range(len(threads))) + "\treturn 0;\n}\n"


def one(place, outcomes, name, strategy, seconds):
    _, endings, looks = {**PROGRAMS, **SLOW}[name]
    for _ in range(2):  # processor time holds threads back, too, where the machine is busy: not twice
        ran = place.run(outcomes, "./prog", strategy, "-", "60" if looks and strategy == "dpor" else seconds if looks else "0.1", timeout=100, expect=0)
        lines = ran.out.splitlines()
        if "diverged=0" in lines[-1]:
            break
    check({line.split()[0] for line in lines[:-1]} <= endings, f"{name}, {strategy}: ends otherwise", ran)
    check("diverged=0" in lines[-1], f"{name}, {strategy}: schedules diverged", ran)
    check(strategy != "dpor" or looks or "complete=0" in lines[-1], f"{name}: dpor says that it is complete", ran)
    if strategy == "dpor" and looks:
        check("complete=1" in lines[-1], f"{name}: dpor does not say that it is complete", ran)
        check({line.split()[0] for line in lines[:-1]} == endings, f"{name}: dpor has not seen every ending", ran)


def test(bin_dir, outcomes, compiler, only="all", *levels):
    check(only in {"all", *PROGRAMS, *SLOW}, f"there is no program {only!r}")
    with Place(bin_dir) as place:
        for name, (threads, _, _) in {**PROGRAMS, **SLOW}.items():
            if name in SLOW if only == "all" else name != only:
                continue
            with open(place.path("prog.c"), "w") as f:
                f.write(source(threads))
            for level in levels or ("-O2",):
                place.run(*hooked("tsan", shlex.split(compiler)), "-std=gnu11", "-g", level, "-w", "-o", "prog", "prog.c", "-pthread", expect=0)
                for strategy in ("dpor", "dfs", "cvt"):
                    one(place, os.path.abspath(outcomes), name, strategy, "0.5" if levels else "0.2")
        place.none_left()


main(test)
