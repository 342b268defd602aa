#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""closed_first.py BIN_DIR CC: who creates a thread closes a descriptor first, and that thread writes to the other end, or to the same file by another number,
later. That descriptor had the lowest number, by which all of them are called; that it is closed makes the write no operation on something else. Partial-order
reduction turns the two round, and finds what fails then; walks see no class that it does not know.
A thread that waits for one of many descriptors goes on waiting for what it was called with when its number is closed, or stands for another file. An event that is
told once is told to either of two who wait. Who prints to a stream that was closed fails there."""
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

WAITS = """#define _GNU_SOURCE
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2], others[2], set, got, first;
static const char *kind;

static void *wait_there(void *number)
{
	struct pollfd one = { ends[0], POLLIN, 0 };
	struct epoll_event event;
	fd_set reads;

	FD_ZERO(&reads);
	FD_SET(ends[0], &reads);
	if (!strcmp(kind, "poll"))
		poll(&one, 1, -1);
	else if (!strcmp(kind, "select"))
		select(ends[0] + 1, &reads, 0, 0, 0);
	else if (epoll_wait(set, &event, 1, strcmp(kind, "once") ? -1 : 10) == 1 && !__atomic_fetch_add(&got, 1, __ATOMIC_SEQ_CST))
		first = (long)number;
	return 0;
}

int main(int argc, char **argv)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	pthread_t t, second;

	kind = argv[1];
	if (pipe(ends) || pipe(others) || write(others[1], "x", 1) != 1)
		return 2;
	set = epoll_create1(0);
	epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
	pthread_create(&t, 0, wait_there, (void *)1);
	if (!strcmp(kind, "once")) {
		pthread_create(&second, 0, wait_there, (void *)2);
		write(ends[1], "x", 1);
		pthread_join(second, 0);
	} else if (argc > 2) {
		dup2(others[0], ends[0]);
	} else {
		close(strcmp(kind, "set") ? ends[0] : set);
	}
	pthread_join(t, 0);
	assert(first != 2);
	return 0;
}
"""

STREAM = """#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *print(void *arg)
{
	fputs("line\\n", file);
	return arg;
}

int main(void)
{
	pthread_t t;

	file = fopen("/dev/null", "w");
	pthread_create(&t, 0, print, 0);
	fclose(file);
	pthread_join(t, 0);
	return 0;
}
"""


def streams(place, cc):
    with open(place.path("stream.c"), "w", encoding="utf-8") as f:
        f.write(STREAM)
    for tier in ("tsan", "pads"):
        place.run(*hooked(tier, shlex.split(cc)), "-g", "-O1", "-o", "stream", "stream.c", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=60", "--json", "--", "./stream", expect=1)
        check(ran.json()["verdict"] == "memory" and ran.json()["findings"][0]["order"][-1]["line"] == 8, f"{tier}: {ran.json()['signature']}", ran)


def waits(place, cc):
    with open(place.path("waits.c"), "w", encoding="utf-8") as f:
        f.write(WAITS)
    place.run(*hooked("tsan", shlex.split(cc)), "-g", "-O1", "-o", "waits", "waits.c", "-pthread", expect=0)
    for args in (["poll"], ["poll", "reused"], ["select"], ["select", "reused"], ["set"], ["epoll"], ["once"]):
        ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=60", "--json", "--", "./waits", *args, expect=1)
        wanted = "assertion" if args[0] == "once" else "condition-deadlock"
        check(ran.json()["signature"].startswith(wanted), f"{args}: {ran.json()['signature']}", ran)


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
        waits(place, cc)
        streams(place, cc)


main(test)
