#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""weak_orders.py BIN_DIR COMPILER: two threads and two atomic variables, with orders of all strengths. Where C11 allows what no interleaving shows, the
first line of a hunt that finds nothing does not say "in all schedules", and the statement names the places."""
import os
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y;
static __thread int got;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
#define SET(what, how) atomic_store_explicit(&what, 1, memory_order_##how)
#define GET(what, how) got += atomic_load_explicit(&what, memory_order_##how)
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
static void *a(void *arg) { FIRST; return arg; }
static void *b(void *arg) { SECOND; return arg; }
int main(void)
{
	pthread_t t[2];
	atomic_store_explicit(&x, 0, memory_order_relaxed);
	atomic_store_explicit(&y, 0, memory_order_relaxed);
	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return atomic_load_explicit(&x, memory_order_relaxed) + atomic_load_explicit(&y, memory_order_relaxed) > 2;
}
"""
# What is told is the user's line, not the library's that has the hook.
BY_LIBRARY = """#include <atomic>
#include <thread>
static std::atomic<int> x, y;
static int got[2];
int main()
{
	std::thread t([] { x.store(1, std::memory_order_relaxed); got[0] = y.load(std::memory_order_relaxed); });
	std::thread u([] { y.store(1, std::memory_order_relaxed); got[1] = x.load(std::memory_order_relaxed); });
	t.join();
	u.join();
}
"""
# Also where there is no time for all of it.
LONG = BY_LIBRARY.replace("#include <thread>", "#include <mutex>\n#include <thread>").replace("	t.join();", """	std::mutex m;
	int n = 0;
	auto more = [&] { for (int i = 0; i < 50; i++) { std::lock_guard g(m); n++; } };
	std::thread v(more), w(more);
	v.join();
	w.join();
	t.join();""")
# Whole programs: what threads do, by number, and how many there are; words of the first line and of the statement.
MANY = """#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, y, own[5000];
static __thread int got;
#define SET(what, how) atomic_store_explicit(&what, 1, memory_order_##how)
#define GET(what, how) got += atomic_load_explicit(&what, memory_order_##how)
#define ADD(what, how) atomic_fetch_add_explicit(&what, 1, memory_order_##how)
static void *body(void *arg)
{
	switch ((int)(long)arg) { BODIES }
	return arg;
}
int main(void)
{
	pthread_t t[THREADS];
	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], 0, body, (void *)i);
	for (long i = 0; i < THREADS; i++)
		pthread_join(t[i], 0);
	return atomic_load_explicit(&x, memory_order_relaxed) > 9;
}
"""
WEAK, ALL = "  in all sequentially consistent schedules", "  in all schedules"
PROGRAMS_OF_MANY = [
    (4, "case 0: SET(x, release); break; case 1: SET(y, release); break; case 2: GET(x, acquire); GET(y, acquire); break; case 3: GET(y, acquire); GET(x, acquire);",
     WEAK, "three threads or more"),
    (4, "case 0: SET(x, seq_cst); break; case 1: SET(y, seq_cst); break; case 2: GET(x, seq_cst); GET(y, seq_cst); break; case 3: GET(y, seq_cst); GET(x, seq_cst);",
     ALL, None),
    (3, "default: ADD(x, acq_rel); ADD(y, acq_rel);", ALL, None),
    (3, "default: ADD(x, relaxed);", ALL, None),
    # Far behind: the 23rd thread and the 24th, and behind 5 000 others.
    (24, "case 22: SET(x, relaxed); GET(y, relaxed); break; case 23: SET(y, relaxed); GET(x, relaxed);", WEAK, "prog.c:10 before prog.c:10"),
    (2, "case 0: for (int i = 0; i < 5000; i++) ADD(own[i], relaxed); SET(x, relaxed); GET(y, relaxed); break; case 1: SET(y, relaxed); GET(x, relaxed);",
     WEAK, "prog.c:10 before prog.c:10"),
]
# What the two threads do, and whether it is weak.
PROGRAMS = [
    ("SET(x, relaxed); GET(y, relaxed)", "SET(y, relaxed); GET(x, relaxed)", True),
    ("SET(x, release); GET(y, acquire)", "SET(y, release); GET(x, acquire)", True),
    ("SET(x, seq_cst); GET(y, seq_cst)", "SET(y, seq_cst); GET(x, acquire)", True),
    ("SET(x, seq_cst); GET(y, seq_cst)", "SET(y, seq_cst); GET(x, seq_cst)", False),
    ("LOCK; SET(x, relaxed); GET(y, relaxed); UNLOCK", "LOCK; SET(y, relaxed); GET(x, relaxed); UNLOCK", False),
    ("SET(x, relaxed); GET(x, relaxed)", "SET(x, relaxed); GET(x, relaxed)", False),
    ("SET(x, relaxed); SET(y, relaxed)", "GET(y, acquire); GET(x, relaxed)", True),
    ("SET(x, relaxed); SET(y, release)", "GET(y, relaxed); GET(x, relaxed)", True),
    ("SET(x, relaxed); SET(y, release)", "GET(y, acquire); GET(x, relaxed)", False),
    ("SET(x, relaxed); SET(y, release)", "GET(x, relaxed); GET(y, acquire)", False),
    ("GET(x, relaxed); SET(y, relaxed)", "GET(y, acquire); SET(x, relaxed)", True),
    ("GET(x, relaxed); SET(y, release)", "GET(y, acquire); SET(x, relaxed)", False),
]


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(SOURCE)
        place.run(*hooked("pads", shlex.split(compiler)), "-w", "-g", "-O1", f"-DFIRST={PROGRAMS[0][0]}", f"-DSECOND={PROGRAMS[0][1]}", "-o", "pads", "prog.c", "-pthread", expect=0)
        place.run(*hooked("pads", shlex.split(compiler)), "-w", "-g", "-O1", f"-DFIRST={PROGRAMS[3][0]}", f"-DSECOND={PROGRAMS[3][1]}", "-o", "strong", "prog.c", "-pthread", expect=0)
        for name, words in ("pads", "  in all sequentially consistent schedules"), ("strong", "  in all schedules"):
            ran = place.run("vtb", "hunt", "--no-canary", "--time=20", "--", f"./{name}", expect=(0,), timeout=60)
            check(ran.out.splitlines()[0].endswith(words), f"{name}: {ran.out.splitlines()[0]}", ran)
        for first, second, weak in PROGRAMS:
            place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", f"-DFIRST={first}", f"-DSECOND={second}", "-o", "prog", "prog.c", "-pthread", expect=0)
            ran = place.run("vtb", "hunt", "--no-canary", "--time=20", "--", "./prog", expect=(0,), timeout=60)
            line, said = ran.out.splitlines()[0], " ".join(ran.out.split())
            check(line.endswith("  in all sequentially consistent schedules" if weak else "  in all schedules"), f"{first} | {second}: {line}", ran)
            check(("turned round" in said) == weak and ("prog.c:10 before prog.c:10" in said) == weak, f"{first} | {second}: the statement", ran)
        # What is the last of PROGRAMS and not weak, but by runs that end at states met before.
        ran = place.run("vtb", "hunt", "--no-canary", "--time=20", "--strategy=dfs", "--match-states", "--", "./prog", expect=(0,), timeout=60)
        check(ran.out.splitlines()[0].endswith(WEAK) and "not every run was looked at" in " ".join(ran.out.split()), "states met before", ran)
        with open(place.path("prog.c"), "w") as f:
            f.write(MANY)
        for threads, bodies, words, why in PROGRAMS_OF_MANY:
            place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", f"-DTHREADS={threads}", f"-DBODIES={bodies}", "-o", "prog", "prog.c", "-pthread", expect=0)
            ran = place.run("vtb", "hunt", "--no-canary", "--time=60", "--", "./prog", expect=(0,), timeout=90)
            line, said = ran.out.splitlines()[0], " ".join(ran.out.split())
            check(line.endswith(words), f"{bodies}: {line}", ran)
            check(why in said if why else said.endswith("interleavings only."), f"{bodies}: the statement", ran)
        with open(place.path("prog.cc"), "w") as f:
            f.write(BY_LIBRARY)
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-std=c++17", "-o", "prog", "prog.cc", "-lstdc++", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--time=20", "--", "./prog", expect=(0,), timeout=60)
        check("prog.cc:7 before prog.cc:7, and prog.cc:8 before prog.cc:8" in " ".join(ran.out.split()), "the user's lines", ran)
        with open(place.path("prog.cc"), "w") as f:
            f.write(LONG)
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-std=c++17", "-o", "prog", "prog.cc", "-lstdc++", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--time=4", "--", "./prog", expect=(0, 3), timeout=60)
        check("then the time was over" in ran.out and "prog.cc:8 before prog.cc:8, and prog.cc:9 before prog.cc:9" in " ".join(ran.out.split()), "the user's lines at the end", ran)


main(test)
