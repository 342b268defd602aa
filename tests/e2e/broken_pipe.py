#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""broken_pipe.py BIN_DIR CC: a thread writes to a pipe or socket whose other end another thread closes. The kernel ends the process by SIGPIPE: that is a failure
at the program's line, and the fast engine goes on with the next run. Who ignores the signal, or handles it, goes on; so it is with a child of the program's."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2], handled;

static void on_pipe(int signal)
{
	handled += signal == SIGPIPE;
}

static void *closer(void *arg)
{
	close(ends[0]);
	return arg;
}

static long put(void)
{
	return write(ends[1], "x", 1); /* here */
}

static void child(void)
{
	int status = 0;
	pid_t pid;

	close(ends[0]);
	pid = fork();
	if (!pid) {
		put();
		_exit(7);
	}
	assert(waitpid(pid, &status, 0) == pid);
	assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	pthread_t t;
	long n;

	if (!strcmp(argv[1], "pipe") ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 2;
	if (!strcmp(what, "ignored") || !strcmp(what, "handled"))
		signal(SIGPIPE, *what == 'i' ? SIG_IGN : on_pipe);
	if (!strcmp(what, "child")) {
		pthread_create(&t, 0, (void *(*)(void *))child, 0);
		pthread_join(t, 0);
		return 0;
	}
	pthread_create(&t, 0, closer, 0);
	n = put();
	assert(n == 1 || (n < 0 && errno == EPIPE && *what && handled == (*what == 'h')));
	pthread_join(t, 0);
	return 0;
}
"""


def hunted(place, expect, *argv):
    return place.run("vtb", "hunt", "--seed=1", "--no-canary", "--refine=2", "--time=60", "--json", "--", "./prog", *argv, expect=expect)


def test(bin_dir, cc):
    line = SOURCE[:SOURCE.index("/* here */")].count("\n") + 1
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for how in ("tsan", "pads"):
            place.run(*hooked(how, shlex.split(cc)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            for kind in ("pipe", "socket"):
                ran = hunted(place, 1, kind)
                got = ran.json()
                check(got["engine"] == "snapshot", f"{how}, {kind}: engine {got['engine']}", ran)
                check(got["verdict"] == "signal" and f"prog.c:{line}" in ran.out and "SIGPIPE" in ran.out, f"{how}, {kind}: it is not told where", ran)
                place.run("vtb", "replay", "--run", "failure.json", expect=1)
                for what in ("ignored", "handled"):
                    ran = hunted(place, 0, kind, what)
                    check(ran.json()["engine"] == "snapshot", f"{how}, {kind}, {what}: engine {ran.json()['engine']}", ran)
            hunted(place, 0, "pipe", "child")
        place.none_left()


main(test)
