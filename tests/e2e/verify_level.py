#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""verify_level.py BIN_DIR SOURCE COMPILER: a program with more orders than can be run is FIXED as soon as everything at the failure's own level was run; the
one that was not repaired still fails. What is a failure is as it was for the hunt that found it, also for a replay. What failed in every schedule is FIXED by what passes within the bound, also where the order in which clocks are read
leaves the search without an end."""
import os

from e2e import SKIPPED, check, main, Place

# who comes second has its time over before the first one has slept, or comes after that
ALWAYS = """#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int inside;

static void *enter(void *arg)
{
	const struct timespec hour = { .tv_sec = 3600 };
	struct timespec until;
	int late;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	late = pthread_mutex_timedlock(&lock, &until);
	if (late)
		return arg;
	assert(++inside == 1);
	nanosleep(&hour, 0);
	inside--;
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, enter, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
#ifndef FIXED
	assert(inside == 1);
#endif
	return 0;
}
"""


# both increments are needed, by what is printed and by the exit status
ADDS = """#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *arg)
{
#ifdef FIXED
	pthread_mutex_lock(&lock);
#endif
	sum++;
#ifdef FIXED
	pthread_mutex_unlock(&lock);
#endif
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], 0);
#ifndef SILENT
	printf("%d\\n", sum);
#endif
	return sum;
}
"""


def as_it_was(place, compiler):
    with open(place.path("adds.c"), "w", encoding="utf-8") as f:
        f.write(ADDS)
    for name in ("broken", "fixed", "silent"):
        flags = {"broken": [], "fixed": ["-DFIXED"], "silent": ["-DFIXED", "-DSILENT"]}[name]
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", "-o", name, "adds.c", *flags, expect=0)
    with open(place.path("want"), "w", encoding="utf-8") as f:
        f.write("2\n")
    for rule, names in ((["--expect-output=want", "--fail-if=never"], ("broken", "fixed", "silent")), (["--fail-if=exit!=2"], ("broken", "fixed"))):
        place.run("vtb", "hunt", "--no-canary", "--refine=1", *rule, "--", "./broken", expect=1)
        replayed = place.run("vtb", "replay", "--run", "failure.json", expect=1)
        check("1 confirmed" in replayed.out, f"{rule}: not replayed by the file alone", replayed)
        for name in names:
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--refine=1", "--verify-fix=failure.json", "--", f"./{name}", expect=0 if name == "fixed" else 1)
            check(ran.json()["fix"]["answer"] == ("fixed" if name == "fixed" else "still-fails"), f"{rule}: {name}", ran)
        if rule[0].startswith("--expect"):
            os.rename(place.path("want"), place.path("gone"))
            place.run("vtb", "hunt", "--no-canary", "--verify-fix=failure.json", "--", "./fixed", expect=2)
            place.run("vtb", "replay", "--run", "failure.json", expect=2)


def always(place, compiler):
    with open(place.path("always.c"), "w", encoding="utf-8") as f:
        f.write(ALWAYS)
    for name in ("broken", "fixed"):
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", "-o", name, "always.c", *(["-DFIXED"] if name == "fixed" else []), expect=0)
    found = place.run("vtb", "hunt", "--json", "--no-canary", "--", "./broken", expect=1).json()
    check(found["verdict"] == "regardless" and not found["tuple"], f"{found['verdict']}, {found['tuple']}")
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--verify-fix=failure.json", "--", "./fixed", expect=0)
    check(ran.json()["fix"]["answer"] == "fixed" and not ran.json()["complete"], "not fixed, or complete", ran)
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--verify-fix=failure.json", "--budget=3", "--", "./fixed", expect=3)
    check(ran.json()["fix"]["answer"] == "cannot-tell", "told by three schedules", ran)


def test(bin_dir, source, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        build = (compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", source, "-o")
        place.run(*build, "broken", expect=0)
        place.run(*build, "fixed", "-DFIXED", expect=0)
        found = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=2", "--", "./broken", expect=1).json()
        check(found["tuple"]["c"] == 1 and found["tuple"]["t"] == 2, f"another tuple: {found['tuple']}")
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--verify-fix=failure.json", "--", "./fixed", expect=0)
        got = ran.json()
        check(got["fix"]["answer"] == "fixed" and not got["complete"], "not fixed, or complete", ran)
        check(got["fix"]["level"] == found["tuple"] and got["stopped"] == "level", f"level {got['fix']['level']}, stopped {got['stopped']}", ran)
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--budget=50", "--verify-fix=failure.json", "--", "./fixed", expect=3)
        check(ran.json()["fix"]["answer"] == "cannot-tell" and ran.json()["fix"]["level"] is None, "told without its level", ran)
        ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=300", "--refine=1", "--verify-fix=failure.json", "--", "./broken", expect=1)
        check(ran.json()["fix"]["answer"] == "still-fails", "not failing any more", ran)
        always(place, compiler)
        as_it_was(place, compiler)
        place.none_left()
    return None


main(test)
