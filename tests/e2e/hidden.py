#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hidden.py BIN_DIR OUTCOMES COMPILER: two threads call functions whose state lies hidden in libc or in the kernel. Partial-order reduction, which tries
another order only of operations that depend on each other, comes upon both endings."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void handler(int signal) { (void)signal; }
static struct rlimit limit = { 100, 100 }, found;
static char here[4096];
static int result;
"""
# What each thread does; both orders give other results.
PROGRAMS = {
    "environment": ('setenv("VTB_HIDDEN", "1", 1);', 'result = getenv("VTB_HIDDEN") != NULL;'),
    "environment, the text itself": ('static char text[] = "VTB_HIDDEN=1"; putenv(text);', 'result = getenv("VTB_HIDDEN") != NULL;'),
    "random": ("random();", "result = random() == 1804289383;"),
    "rand": ("srand(7);", "result = rand() == 1804289383;"),
    "lrand48": ("lrand48();", "result = lrand48() == 0;"),
    "directory": ('chdir("/");', 'getcwd(here, sizeof(here)); result = strcmp(here, "/") == 0;'),
    "mask of files": ("umask(0123);", "result = umask(077) == 0123;"),
    "limits": ("setrlimit(RLIMIT_NOFILE, &limit);", "getrlimit(RLIMIT_NOFILE, &found); result = found.rlim_cur == 100;"),
    "priorities": ("setpriority(PRIO_PROCESS, 0, 3);", "result = getpriority(PRIO_PROCESS, 0) == 3;"),
    "signals": ("signal(SIGUSR1, handler);", "result = signal(SIGUSR1, SIG_IGN) == handler;"),
}


def source(first, second):
    return HEAD + f"""
static void *a(void *arg) {{ {first} return arg; }}
static void *b(void *arg) {{ {second} return arg; }}

int main(void)
{{
	pthread_t t[2];

	pthread_create(&t[0], 0, a, 0);
	pthread_create(&t[1], 0, b, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return result ? 3 : 4;
}}
"""


def test(bin_dir, outcomes, compiler):
    with Place(bin_dir) as place:
        for name, bodies in PROGRAMS.items():
            with open(place.path("prog.c"), "w") as f:
                f.write(source(*bodies))
            place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "2", timeout=60, expect=0)
            endings = {tuple(line.split()[:2]) for line in ran.out.splitlines()[:-1]}
            check(endings == {("exit", "3"), ("exit", "4")}, f"{name}: not both endings", ran)


main(test)
