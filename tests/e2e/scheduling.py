#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""scheduling.py BIN_DIR COMPILER: how a thread is scheduled is what the program has set in this run, with every engine: no run finds what an earlier
one has set."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>

static int before, x;

static void *sets(void *arg)
{
	const struct sched_param none = { 0 };
	struct sched_param param;

	pthread_getschedparam(pthread_self(), &before, &param);
	pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
	x++;
	return arg;
}

static void *other(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], 0, sets, 0);
	pthread_create(&t[1], 0, other, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return before != SCHED_OTHER;
}
"""


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for engine, carrier in (("snapshot", "fibers"), ("forkserver", "fibers"), ("forkserver", "threads")):
            ran = place.run("vtb-hunt", f"--engine={engine}", f"--carrier={carrier}", "--strategy=random", "--budget=40", "./prog", timeout=100)
            check("NONE FOUND" in ran.out, f"{engine}, {carrier}: a run finds what another has set", ran)


main(test)
