#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""interrupted.py BIN_DIR COMPILER: a signal handler changes two variables between two reads of the thread that it interrupts. The story shows the handler, what it
wrote and where that was read; that the message was printed before the program came to its end is no cause. A handler of SIGABRT decides what becomes of abort() and of
a failed assertion; if the program ends by the signal after all, the report says what was said first."""
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

ABORTS = """#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode;
static jmp_buf back;
static int is_set;

static void handle(int signal_number)
{
	if (!strcmp(mode, "leaves"))
		_exit(0);
	if (!strcmp(mode, "jumps"))
		longjmp(back, 1);
	if (strcmp(mode, "returns")) {
		signal(signal_number, SIG_DFL);
		if (!strcmp(mode, "raises"))
			raise(signal_number);
		else
			abort();
	}
}

static void *look(void *arg)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (setjmp(back))
		return arg;
	assert(is_set == 0);
	if (!strcmp(mode, "leaves"))
		abort();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	mode = argc > 1 ? argv[1] : "";
	signal(SIGABRT, handle);
	pthread_create(&thread, NULL, look, NULL);
	is_set = 1;
	return pthread_join(thread, NULL);
}
"""


def aborts(place, compiler):
    with open(place.path("aborts.c"), "w", encoding="utf-8") as f:
        f.write(ABORTS)
    place.run(*compiler, "-g", "-O1", "-o", "aborts", "aborts.c", "-pthread", expect=0)
    for mode, code in {"leaves": 0, "jumps": 0, "returns": 1, "raises": 1, "aborts": 1}.items():
        ran = place.run("vtb", "hunt", "--no-canary", "--json", "--refine=0.1", "--time=30", "--", "./aborts", mode, expect=code)
        got = ran.json()
        said = got["findings"][0]["message"] if code else ""
        check(not code or (got["verdict"] == "assertion" and said.endswith("aborts.c:36: look: Assertion `is_set == 0' failed.")), f"{mode}: {said}", ran)
        check(code or got["complete"], f"{mode}: not complete", ran)


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(compiler)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--time=30", "--refine=1", "--", "./prog", expect=1)
        for step in ("sends SIGHUP", "handles SIGHUP", "writes high = 200", "reads high = 200"):
            check(step in ran.out, f"the story does not show: {step}", ran)
        check("ends the process" not in ran.out, "a cause that only says that it failed", ran)
        aborts(place, hooked("tsan", shlex.split(compiler)))


main(test)
