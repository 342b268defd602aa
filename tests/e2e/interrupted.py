#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""interrupted.py BIN_DIR COMPILER: a signal handler changes two variables between two reads of the thread that it interrupts. The story shows the handler, what it
wrote and where that was read; that the message was printed before the program came to its end is no cause."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static int low = 1, high = 10;

static void widen(int signal)
{
	(void)signal;
	low = 100;
	high = 200;
}

static void *look(void *arg)
{
	int from = low, to = high;

	if (to - from != 9 && to - from != 100) {
		fprintf(stderr, "from %d to %d\\n", from, to);
		abort();
	}
	return arg;
}

int main(void)
{
	pthread_t thread;

	signal(SIGHUP, widen);
	pthread_create(&thread, NULL, look, NULL);
	pthread_kill(thread, SIGHUP);
	return pthread_join(thread, NULL);
}
"""


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(compiler)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--time=30", "--refine=1", "--", "./prog", expect=1)
        for step in ("sends signal 1", "handles signal 1", "writes high = 200", "reads high = 200"):
            check(step in ran.out, f"the story does not show: {step}", ran)
        check("ends the process" not in ran.out, "a cause that only says that it failed", ran)


main(test)
