#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""lock_classes.py BIN_DIR COMPILER: threads lock a file with a descriptor each, and end the lock by unlocking or by closing. Whoever comes while another has it has tried,
which is an operation. Partial-order reduction comes to as many classes as there are, to each once, and agrees with the searches of a portfolio."""
import shlex

from e2e import Place, check, hooked, main

PROGRAM = """#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

static int files[%(threads)d];
static volatile int counter;

static void *add(void *arg)
{
	const int *file = arg;

	for (int i = 0; i < %(times)d; i++) {
		flock(*file, LOCK_EX);
		counter = counter + 1;
		%(ends)s(*file%(how)s);
	}
	return NULL;
}

int main(void)
{
	pthread_t t[%(threads)d];

	for (int i = 0; i < %(threads)d; i++)
		files[i] = open("locked", O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < %(threads)d; i++)
		pthread_create(&t[i], NULL, add, &files[i]);
	for (int i = 0; i < %(threads)d; i++)
		pthread_join(t[i], NULL);
	assert(counter == %(threads)d * %(times)d);
	return 0;
}
"""
# Threads, how often each locks, how it ends, and the classes: two orders, in each of which the second has tried too early or not; where all come twice or
# three come as a search of all orders by random walks counts them.
PROGRAMS = [(2, 1, "flock", 4), (2, 1, "close", None), (2, 2, "flock", 40), (3, 1, "flock", 60)]


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        for threads, times, ends, classes in PROGRAMS:
            with open(place.path("prog.c"), "w", encoding="utf-8") as f:
                f.write(PROGRAM % {"threads": threads, "times": times, "ends": ends, "how": ", LOCK_UN" if ends == "flock" else ""})
            place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            for strategy in ("dpor", "portfolio"):
                ran = place.run("vtb", "hunt", "--no-canary", "--symmetry=off", "--no-predicate", "--json", "--time=60", "--strategy=" + strategy, "--", "./prog", timeout=100, expect=0)
                said = ran.json()
                check(said["complete"], f"{threads} threads, {times} times, {ends}, {strategy}: not complete", ran)
                if classes:
                    check(said["classes"] == classes, f"{threads} threads, {times} times, {strategy}: {said['classes']} classes, not {classes}", ran)
                if classes and strategy == "dpor":
                    check(said["schedules"] == classes, f"{threads} threads, {times} times: {said['schedules']} schedules", ran)


main(test)
