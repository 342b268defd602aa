#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gone_first.py BIN_DIR CC: what a call is about is gone when it comes by the default schedule, so that it does nothing: a thread that is cancelled, sent a
signal, or asked after when it was joined, a file that is locked by, or a message that hands over, a descriptor that was closed,
memory that was unmapped, a handler for an end that has begun. Before that it would do something, which partial-order reduction
has to try; nothing but the call itself says so."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static pthread_t early;
static volatile pid_t id;
static volatile int hit;
static int fd, ends[2];
static const char *kind;
static void *page;

static void handle(int signal)
{
	(void)signal;
	hit = 1;
}

static void *goes(void *arg)
{
	id = gettid();
	pthread_testcancel();
	if (fd)
		close(fd);
	if (page)
		munmap(page, 2 * PAGE);
	if (!strcmp(kind, "session"))
		setsid();
	else if (!strcmp(kind, "exit"))
		exit(0);
	else if (!strcmp(kind, "quick_exit"))
		quick_exit(0);
	return arg;
}

static void hand_over(void)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr first;
	} control = { .first = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) } };
	char byte = 'x';
	struct iovec part = { &byte, 1 };
	const struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.first), &fd, sizeof(fd));
	hit = sendmsg(ends[0], &message, 0) == 1;
}

static void leave(void)
{
	_exit(1);
}

static void *comes(void *arg)
{
	if (!strcmp(kind, "lock"))
		hit = !flock(fd, LOCK_EX);
	else if (!strcmp(kind, "unlock"))
		hit = !flock(fd, LOCK_UN);
	else if (!strcmp(kind, "exit"))
		atexit(leave);
	else if (!strcmp(kind, "quick_exit"))
		at_quick_exit(leave);
	else if (!strcmp(kind, "remap"))
		hit = mremap(page, PAGE, 2 * PAGE, MREMAP_MAYMOVE) != MAP_FAILED;
	else if (!strcmp(kind, "place"))
		hit = mmap(page, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED;
	else if (!strcmp(kind, "session"))
		hit = setsid() > 0;
	else if (!strcmp(kind, "hand"))
		hand_over();
	else if (!strcmp(kind, "cancel"))
		pthread_cancel(early);
	else if (!strcmp(kind, "kill"))
		pthread_kill(early, SIGUSR1);
	else if (!strcmp(kind, "ask"))
		hit = !pthread_kill(early, 0);
	else if (id)
		syscall(SYS_tgkill, getpid(), id, SIGUSR1);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t late;
	void *result;

	kind = argv[argc - 1];
	signal(SIGUSR1, handle);
	if (strstr("unlock hand", kind))
		fd = open(argv[0], O_RDONLY);
	if (!strcmp(kind, "remap") || !strcmp(kind, "place"))
		page = mmap(0, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!strcmp(kind, "hand") && socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return 2;
	pthread_create(&early, 0, goes, 0);
	pthread_create(&late, 0, comes, 0);
	pthread_join(early, &result);
	pthread_join(late, 0);
	assert(!hit && !result);
	return 0;
}
"""


def test(bin_dir, cc):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(cc)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for kind in ("cancel", "kill", "ask", "id", "lock", "unlock", "hand", "exit", "quick_exit", "remap", "place", "session"):
            ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=60", "--strategy=dpor", "--refine=0.01", "--json", "--", "./prog", kind, expect=1)
            check(ran.json()["signature"].startswith("exit" if "exit" in kind else "assertion:main"), f"{kind}: {ran.json()['signature']}", ran)


main(test)
