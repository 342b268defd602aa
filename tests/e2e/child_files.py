#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""child_files.py BIN_DIR COMPILER: without namespaces, as in containers. What child processes make is removed after each run, and the claim stands; where one
changes what was there before, nothing is proved. What a run had made when the hunt ended is removed, too."""
import os
import signal

from e2e import Place, check, main, wait_until
from refuse import NAMESPACES, refuse

# PROGRAM COMMAND [fixed]: a shell's work, and a process that is forked and writes to a file.
PROGRAM = r"""
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum, fixed;
static void *thread(void *arg)
{
	if (fixed)
		pthread_mutex_lock(&mutex);
	sum = sum + 1;
	if (fixed)
		pthread_mutex_unlock(&mutex);
	return arg;
}
static int forked(void)
{
	int status, n = 0;
	if (!fork()) {
		FILE *f = fopen("result", "wx");
		fputs("17", f);
		exit(fclose(f));
	}
	assert(wait(&status) > 0 && status == 0);
	FILE *f = fopen("result", "r");
	assert(f && fscanf(f, "%d", &n) == 1);
	fclose(f);
	return n;
}
int main(int argc, char **argv)
{
	pthread_t t[2];
	fixed = argc > 2;
	assert((!*argv[1] || system(argv[1]) == 0) && forked() == 17);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, thread, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
	assert(sum == 2);
	return 0;
}
"""

# A run makes a file, and takes its time.
SLOW = r"""
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
static void *thread(void *arg)
{
	return arg;
}
int main(void)
{
	pthread_t t;
	close(open("made", O_WRONLY | O_CREAT | O_EXCL, 0600));
	for (volatile long i = 0; i < 3000000000; i++)
		;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return 0;
}
"""

MAKES = "test ! -e a; mkdir -p a/b 2>/dev/null && echo 1 > a/b/c && echo 2 >> a/b/c && test $(cat a/b/c | wc -l) = 2 && cp a/b/c d && rm a/b/c && touch a/t && chmod 700 a/t && test -x a/t && ln -s t a/l && test -L a/l && mkfifo a/p && test -p a/p"


def build(place, compiler, name, source):
    with open(place.path(name + ".c"), "w", encoding="utf-8") as f:
        f.write(source)
    place.run(*compiler.split(), "-g", "-O1", "-fsanitize=thread", "-D_GNU_SOURCE", "-w", "-o", name, name + ".c", "-pthread", expect=0)


def hunt(place, *command, expect):
    before = sorted(os.listdir(place.dir))
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "-o", "out", "--time=100", "--refine=0.1", "--budget=20", "--strategy=random", "--", *command, expect=expect)
    found = ran.json()
    check((found["engine"], found["files"]) == ("forkserver", "plain"), f"{found['engine']}, files {found['files']}: {found['engine_reason']}", ran)
    return ran, found, [name for name in os.listdir(place.dir) if name not in [*before, "out"]]


def test(bin_dir, compiler):
    os.environ.pop("VTB_TEST_LACKS", None)
    refuse(NAMESPACES)
    with Place(bin_dir) as place:
        build(place, compiler, "prog", PROGRAM)
        build(place, compiler, "slow", SLOW)
        for more, code in (((), 1), (("fixed",), 0)):
            ran, found, left = hunt(place, "./prog", MAKES, *more, expect=code)
            check(not found["unsettled"] and not left, f"unsettled: {found['unsettled']}, left: {left}", ran)
        with open(place.path("old"), "w", encoding="utf-8") as f:
            f.write("0\n")
        ran, found, left = hunt(place, "./prog", "echo 1 >> old; test -e old", "fixed", expect=3)
        check(found["unsettled"] and not left, f"unsettled: {found['unsettled']}, left: {left}", ran)
        place.env["VTB_TEST_LACKS"] = "dispatch"
        ran, found, left = hunt(place, "./prog", "", "fixed", expect=(1, 3))
        check(found["unsettled"], "a forked process was not seen, and the claim stands", ran)
        del place.env["VTB_TEST_LACKS"]
        p = place.start("vtb", "hunt", "--no-canary", "-o", "out", "--", "./slow")
        wait_until(lambda: os.path.exists(place.path("made")), "a run", p)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=60)
        check(not os.path.exists(place.path("made")), "what the last run had made is still there")
        place.none_left()


main(test)
