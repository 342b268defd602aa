#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bad_pointers.py BIN_DIR CC: calls that are handed what is no memory fail with EFAULT, as they do without us: nothing is read there before the kernel looks.
Functions of libc that fault there are told by the line that calls them, whatever lies between, and on a stack that was spoiled, too."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void *volatile bad = (void *)8;
static int runs;

static void *run(void *arg)
{
	runs++;
	return arg;
}

#define REFUSED(call) assert((call) == -1 && errno == EFAULT)

int main(void)
{
	const int fd = socket(AF_INET, SOCK_DGRAM, 0), set = epoll_create1(0);
	pthread_t thread;

	pthread_create(&thread, 0, run, 0);
	REFUSED(open(bad, O_RDONLY));
	REFUSED(access(bad, F_OK));
	REFUSED(rename(bad, "x"));
	REFUSED(bind(fd, bad, 16));
	REFUSED(setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, bad, 4));
	REFUSED(epoll_ctl(set, EPOLL_CTL_ADD, fd, bad));
	return pthread_join(thread, 0);
}
"""

FAULTS = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *volatile text = "1";
static size_t (*volatile length)(const char *) = strlen;

static void *take(void *arg)
{
	text = NULL;
	length = NULL;
	return arg;
}

int main(int argc, char **argv)
{
	static char to[8];
	pthread_t thread;

	pthread_create(&thread, 0, take, 0);
	switch (argc > 1 ? *argv[1] : 0) {
	case 'l': to[0] = (char)strlen(text); break;
	case 'p': snprintf(to, 8, "%.2f %s", 1.5, text ? text : (char *)8); break;
	case 'n': to[0] = (char)length("1"); break;
	case 's':
		if (!text)
			memset(__builtin_frame_address(0), 0x11, 48);
		strcpy(to, text);
		break;
	}
	return pthread_join(thread, 0);
}
"""


def faults(place, cc, how, cases):
    with open(place.path("faults.c"), "w", encoding="utf-8") as f:
        f.write(FAULTS)
    place.run(*hooked(how, shlex.split(cc)), "-w", "-g", "-O1", "-o", "faults", "faults.c", "-pthread", expect=0)
    for case, text in cases.items():
        line = next(n for n, row in enumerate(FAULTS.splitlines(), 1) if text in row)
        ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--refine=1", "--", "./faults", case, expect=1)
        check(f"at faults.c:{line}\n" in ran.out, f"{how}, {text}: not told by line {line}", ran)


def test(bin_dir, cc):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for how in ("tsan", "pads"):
            place.run(*hooked(how, shlex.split(cc)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=30", "--json", "--", "./prog", expect=0)
            check(ran.json()["verdict"] == "none" and ran.json()["complete"], f"{how}: a call did not fail as it does without us", ran)
        faults(place, cc, how, {"l": "strlen(text)", "p": "snprintf", "n": "length(\"1\")", "s": "strcpy"} if how == "pads" else {"p": "snprintf"})


main(test)
