#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""locale_step.py BIN_DIR CC: what setlocale() does inside is a step of the thread that calls it, also of one that is alone: no place of libc's is told, which
engines might find otherwise on the stack, and the call by which libc wakes nobody is answered. So the fast engine runs it, and all of its runs are the same on a
slower one."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <wchar.h>

static int shared;

static void *run(void *name)
{
	if (name)
		setlocale(LC_ALL, name);
	shared++;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	if (argc == 1) {
		setlocale(LC_ALL, "C.UTF-8");
		assert(MB_CUR_MAX == 6 || MB_CUR_MAX == 1);
	}
	pthread_create(&a, 0, run, argc > 1 ? "C.UTF-8" : 0);
	pthread_create(&b, 0, run, argc > 1 ? "POSIX" : 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
"""


def test(bin_dir, cc):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for how in ("tsan", "pads"):
            place.run(*hooked(how, shlex.split(cc)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            for argument in ([], ["threads"]):
                for name in ("C", "C.UTF-8", "xx_XX.UTF-8") if how == "tsan" else ("C.UTF-8",):
                    place.env["LC_ALL"] = name
                    ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--time=30", "--json", "--", "./prog", *argument, expect=0)
                    got = ran.json()
                    check(got["engine"] == "snapshot" and not got["engine_reason"], f"{how} {argument} {name}: {got['engine']}: {got['engine_reason']}", ran)
                    check(got["complete"], f"{how} {argument} {name}: not complete", ran)
                    check(got["cross_checked"], f"{how} {argument} {name}: no run was repeated on a slower engine", ran)


main(test)
