#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""container.py BIN_DIR ACCOUNT CORRECT TELLS_PARENT COMPILER: under a filter of system calls as Docker's, which leaves each process its own random addresses and
allows no userfaultfd, hunts stay on the fastest engine, and what that cannot do is noticed as elsewhere."""
import json
import os

from e2e import Place, check, main, need
from refuse import NAMESPACES, PERF_EVENT_OPEN, PERSONALITY, USERFAULTFD, refuse

# What the kernel cannot write to is an error of a call, and no other call's: two threads ask for one at an address that is none.
BAD_ADDRESS = r"""
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *thread(void *arg)
{
	assert(write(ends[1], arg, 1) == 1);
	assert(read(ends[0], (void *)8, 1) == -1 && errno == EFAULT);
	return 0;
}
int main(void)
{
	pthread_t t[2];
	assert(!pipe(ends));
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, thread, "x");
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	return 0;
}
"""

# Buffers that are named in memory, on pages that nobody has written to.
RECEIVES = r"""
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
static char page[2][4096] __attribute__((aligned(4096)));
static int ends[2];
static void *send_it(void *arg)
{
	assert(write(ends[1], arg, 2) == 2);
	return 0;
}
int main(void)
{
	struct iovec parts[2] = { { page[0] + 100, 1 }, { page[1] + 100, 1 } };
	pthread_t t;
	assert(!pipe(ends));
	pthread_create(&t, 0, send_it, "xy");
	assert(syscall(SYS_readv, ends[0], parts, 2) == 2 && page[0][100] == 'x' && page[1][100] == 'y');
	pthread_join(t, 0);
	return 0;
}
"""

# Engine exec: each run has its stack, arguments and all, elsewhere.
ARGUMENTS = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static char **arguments;
static int sum;
static void *thread(void *arg)
{
	sum = sum + atoi(arguments[1]);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	arguments = argv;
	fputs("begun\n", stderr);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, thread, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(sum == 2);
	return argc != 2;
}
"""


def build(place, compiler, source):
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(source)
    place.run(*compiler.split(), "-g", "-O1", "-fsanitize=thread", "-D_GNU_SOURCE", "-w", "-o", "prog", "prog.c", "-pthread", expect=0)


def hunt(place, options, *command, expect=(0, 1)):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=1", *options, "--", *command, expect=expect, timeout=100)
    return ran, ran.json()


def on_snapshot(ran, found, dirty):
    check((found["engine"], found["dirty"], found["engine_reason"]) == ("snapshot", dirty, None),
          f"engine {found['engine']}, changed pages by {found['dirty']}: {found['engine_reason']}", ran)
    check(found["cross_checked"] > 0, "no run was repeated on another engine", ran)


def test(bin_dir, account, correct, tells_parent, compiler):
    for program in (account, correct, tells_parent):
        need(program)
    os.environ.pop("VTB_TEST_LACKS", None)
    refuse((*NAMESPACES, PERSONALITY, PERF_EVENT_OPEN, USERFAULTFD))
    with Place(bin_dir) as place:
        ran = place.run("vtb", "doctor", "--json", account, expect=0)
        check(ran.json()["choice"]["engine"] == "snapshot" and "by their faults" in ran.json()["why"]["engine"], "doctor", ran)
        ran, found = hunt(place, [], account, expect=1)
        on_snapshot(ran, found, "mprotect")
        check(found["tuple"] == {"c": 1, "v": 1, "t": 2}, f"tuple {found['tuple']}", ran)
        place.run("vtb", "replay", "--run", "failure.json", expect=1)
        ran, found = hunt(place, ["--strategy=random", "--budget=2000", "--exhaust"], correct)
        on_snapshot(ran, found, "mprotect")
        check(found["schedules"] >= 2000 and found["verdict"] == "none", f"{found['schedules']} schedules: {found['verdict']}", ran)
        for source, dirty in ((BAD_ADDRESS, "copy"), (RECEIVES, "mprotect")):
            build(place, compiler, source)
            ran, found = hunt(place, ["--strategy=random", "--budget=300"], "./prog", expect=0)
            on_snapshot(ran, found, dirty)
        build(place, compiler, ARGUMENTS)
        ran, found = hunt(place, ["--engine=exec", "--budget=100"], "./prog", "1", expect=1)
        check("begun" in json.dumps(found["findings"][0].get("output")), "what the failing run printed is not told", ran)
        for args, what in (((), "the output"), (("assert",), "the verdict")):
            ran, found = hunt(place, ["--budget=300", "--jobs=1"], tells_parent, *args)
            check(found["engine"] == "forkserver", f"the engine is {found['engine']}", ran)
            check((found["engine_reason"] or "").startswith(f"{what} of a run differed between the engines snapshot"), found["engine_reason"], ran)
        place.none_left()


main(test)
