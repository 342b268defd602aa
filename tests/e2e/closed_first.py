#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""closed_first.py BIN_DIR CC: who creates a thread closes a descriptor first, and that thread writes to the other end, or to the same file by another number,
later. That descriptor had the lowest number, by which all of them are called; that it is closed makes the write no operation on something else. Partial-order
reduction turns the two round, and finds what fails then; walks see no class that it does not know."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ends[2], fails, range;

static void *writer(void *arg)
{
	const long n = write(ends[1], "x", 1);

	assert(!fails || n < 0);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	signal(SIGPIPE, SIG_IGN);
	fails = argc > 2;
	range = !strcmp(argv[1], "range");
	if (strcmp(argv[1], "socket") ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 2;
	pthread_create(&t, 0, writer, 0);
	if (range)
		close_range(ends[0], ends[0], 0);
	else
		close(ends[0]);
	pthread_join(t, 0);
	return 0;
}
"""


def test(bin_dir, cc):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(cc)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for kind in ("pipe", "socket", "range"):
            for strategy in ("portfolio", "dpor"):
                hunt = ("vtb", "hunt", "--seed=1", "--no-canary", "--time=60", f"--strategy={strategy}", "--json", "--", "./prog", kind)
                place.run(*hunt, "fails", expect=1)
                ran = place.run(*hunt, expect=0)
                check(ran.json()["complete"] and ran.json()["classes"] == 2, f"{kind}, {strategy}: {ran.json()['classes']} classes, not 2", ran)


main(test)
