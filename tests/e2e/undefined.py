#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""undefined.py BIN_DIR COMPILER: one order of the threads ends in undefined behaviour that -fsanitize=undefined reports, or in SIGSYS, which the runtime
handles itself. Each is found as what it is, and replayed."""
from e2e import SKIPPED, Place, check, main

PROGRAM = r"""
#include <limits.h>
#include <pthread.h>
#include <signal.h>
static int count, most = INT_MAX;
static void *add(void *arg)
{
	const int seen = count;
	count = seen + 1;
	return arg;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, add, 0);
	pthread_create(&b, 0, add, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	if (count != 2)
		%s;
	return 0;
}
"""
ADD, RAISE = "most += count", "raise(SIGSYS)"
CASES = [(ADD, ["-fsanitize=undefined,thread"], "assertion", "igned integer overflow"),
         (ADD, ["-fsanitize=undefined,thread", "-fno-sanitize-recover=undefined"], "assertion", "igned integer overflow"),
         (RAISE, ["-fsanitize=thread"], "signal", "SIGSYS")]


def links(place, compiler, flags):
    with open(place.path("empty.c"), "w", encoding="utf-8") as f:
        f.write("int main(void) { return 0; }\n")
    return place.run(compiler, *flags, "-o", "empty", "empty.c").code == 0


def one(place, compiler, deed, flags, verdict, words):
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(PROGRAM % deed)
    place.run(compiler, "-g", "-O1", "-pthread", *flags, "-o", "prog", "prog.c", expect=0)
    ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=300", "--json", "--", "./prog", expect=1)
    found = ran.json()["findings"][0]
    check(found["verdict"] == verdict, f"{flags}: verdict {found['verdict']}", ran)
    check(words in found["message"] + found["signature"], f"{flags}: what it is is not said", ran)
    if deed == ADD:
        check(": runtime error: " in found["message"] and "abort" not in found["message"], f"{flags}: {found['message']}", ran)
    check(found["tuple"] == {"c": 1, "v": 1, "t": 2}, f"{flags}: tuple {found['tuple']}", ran)
    place.run("vtb", "replay", "--run", "failure.json", expect=1)


def test(bin_dir, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        for case in CASES:
            if links(place, compiler, case[1]):
                one(place, compiler, *case)
        place.none_left()
    return None


main(test)
