#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""before_main.py BIN_DIR OUTCOMES COMPILER: static objects are made, and used, before main, where nothing is controlled: glibc leaves its own state in
them. Programs that are correct end in every order, and by themselves."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier, alone;
static int x, y;
static pthread_t later;

static void write_it(void) { pthread_rwlock_wrlock(&lock); x++; pthread_rwlock_unlock(&lock); }
static void *sets(void *arg) { *(int *)arg = 1; return arg; }
static void read_it(void) { pthread_rwlock_rdlock(&lock); y = x; pthread_rwlock_unlock(&lock); }
"""
# The environment says to the constructor which program it is. Before main, what the threads do, and at the end.
PROGRAMS = {
    "a lock that was written": ("write_it();", "write_it();", "read_it();", "return pthread_rwlock_destroy(&lock) || x != 2 || !y;"),
    "written, then read": ("write_it(); read_it();", "write_it();", "read_it();", "return x != 2 || !y;"),
    "held for reading": ("pthread_rwlock_rdlock(&lock);", "y = pthread_rwlock_trywrlock(&lock);", "read_it(); x = 0;",
                         "pthread_rwlock_unlock(&lock); if (y != 16 && y != 0) return 9; write_it(); return x != 1;"),
    "held for writing": ("pthread_rwlock_wrlock(&lock);", "x = pthread_rwlock_trywrlock(&lock);", "y = pthread_rwlock_tryrdlock(&lock);",
                         "pthread_rwlock_unlock(&lock); return x != 16 || y != 16 || pthread_rwlock_trywrlock(&lock);"),
    "a thread that is over": ("pthread_t t; pthread_create(&t, 0, sets, &x); pthread_join(t, 0);", "y = x;", "", "return x != 1 || y != 1;"),
    "one of two threads": ("pthread_t t[2]; pthread_create(&t[0], 0, sets, &x); pthread_create(&later, 0, sets, &y); pthread_join(t[0], 0);",
                           "pthread_join(later, 0);", "", "return x != 1 || y != 1;"),
    "a barrier": ("pthread_barrier_init(&barrier, 0, 2);", "pthread_barrier_wait(&barrier);", "pthread_barrier_wait(&barrier);",
                  "return pthread_barrier_destroy(&barrier);"),
    "a barrier that was used": ("pthread_barrier_init(&alone, 0, 1); pthread_barrier_wait(&alone);", "pthread_barrier_wait(&alone);",
                                "pthread_barrier_wait(&alone);", "return pthread_barrier_destroy(&alone);"),
}


def functions(at, *bodies):
    before, first, second, after = bodies
    return (f"static void before{at}(void) {{ {before} }}\nstatic int after{at}(void) {{ {after} }}\n" +
            f"static void *first{at}(void *arg) {{ {first} return arg; }}\nstatic void *second{at}(void *arg) {{ {second} return arg; }}\n")


def source():
    texts = [functions(at, *bodies) for at, bodies in enumerate(PROGRAMS.values())]
    table = ", ".join(f"{{ before{at}, first{at}, second{at}, after{at} }}" for at in range(len(texts)))
    return HEAD + "".join(texts) + f"""
static const struct {{
	void (*before)(void);
	void *(*first)(void *), *(*second)(void *);
	int (*after)(void);
}} all[] = {{ {table} }}, *program;

static __attribute__((constructor)) void start(void)
{{
	program = &all[getenv("VTB_PROGRAM") ? atoi(getenv("VTB_PROGRAM")) : 0];
	program->before();
}}

int main(void)
{{
	pthread_t t[2];

	pthread_create(&t[0], 0, program->first, 0);
	pthread_create(&t[1], 0, program->second, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return program->after();
}}
"""


def test(bin_dir, outcomes, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for at, name in enumerate(PROGRAMS):
            place.env["VTB_PROGRAM"] = str(at)
            ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "60", timeout=100, expect=0)
            lines = ran.out.splitlines()
            check([line.split()[:2] for line in lines[:-1]] == [["exit", "0"]], f"{name}: it does not end well", ran)
            check(" complete=1 " in lines[-1], f"{name}: not every order", ran)


main(test)
