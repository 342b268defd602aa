#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""time_alone.py BIN_DIR COMPILER HOW...: a request to stop that comes before the loop begins is lost, and the loop waits for the next tick for ever,
also where it looks at the clock for that. That is a failure, and replays; its repair has none. Nor has a loop that may still hear of
something: it asks the file system, or it is not alone in waiting for time."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop, ticks;
static bool lost, clocks, asks, both;

static void until_next_tick(void)
{
	struct timespec next, now;

	if (!clocks) {
		usleep(500000);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &next);
	next.tv_sec++;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec < next.tv_sec);
}

static void *loop(void *arg)
{
	if (lost)
		stop = 0;
	while (!stop && (lost || ticks < 8000)) {
		until_next_tick();
		ticks++;
		if (asks && !access("/nobody/makes/it", F_OK))
			break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	lost = !!strstr(argv[argc - 1], "lost");
	clocks = !!strstr(argv[argc - 1], "clocks");
	asks = !strcmp(argv[argc - 1], "asks");
	both = !strcmp(argv[argc - 1], "both");
	pthread_create(&t, 0, loop, 0);
	while (both && ticks < 8000)
		usleep(500000);
	if (!asks)
		stop = 1;
	pthread_join(t, 0);
}
"""


def hunted(place, how):
    return place.run("vtb", "hunt", "--json", "--no-canary", "--strategy=cvt", "--c=0", "--budget=4", "--refine=0.1", "--", "./prog", how, timeout=100)


def test(bin_dir, compiler, first, *more):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(SOURCE)
        place.run(*hooked("tsan", shlex.split(compiler)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for how in (first, *more):
            ran = hunted(place, how)
            if how.startswith("lost"):
                check(ran.code == 1 and ran.json()["verdict"] == "livelock", f"{how}: code {ran.code}", ran)
                place.run("vtb", "replay", "--run", "failure.json", expect=1)
            else:
                check(ran.code != 1 and ran.json()["verdict"] == "none", f"{how}: code {ran.code}", ran)
        place.none_left()


main(test)
