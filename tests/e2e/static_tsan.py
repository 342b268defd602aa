#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""static_tsan.py BIN_DIR SOURCE_DIR CLANG OTHER: a sanitizer runtime that is linked statically cannot be replaced: the tools say so, and
what to do about it. One that a library of the compiler OTHER brings along, which is loaded while the program runs, is replaced."""
import os
import shlex
import shutil

from e2e import SKIPPED, Place, check, main


LIBRARY = "static int sum; int add(int n) { int now = sum; return sum = now + n; }\n"
LOADS = """#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>

static int (*add)(int);

static void *run(void *arg)
{
	add(1);
	return arg;
}

int main(void)
{
	void *library = dlopen("./other.so", RTLD_NOW);
	pthread_t thread;

	assert(library);
	add = (int (*)(int))dlsym(library, "add");
	pthread_create(&thread, 0, run, 0);
	add(1);
	pthread_join(thread, 0);
	assert(add(0) == 2);
	return 0;
}
"""


def loads_other(place, compiler, other):
    for name, text in (("other.c", LIBRARY), ("loads.c", LOADS)):
        with open(place.path(name), "w", encoding="utf-8") as f:
            f.write(text)
    place.run(*shlex.split(other), "-g", "-fsanitize=thread", "-shared", "-fPIC", "-o", "other.so", "other.c", expect=0)
    place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-shared-libsan", "-o", "loads", "loads.c", "-pthread", "-ldl", expect=0)
    ran = place.run("vtb", "hunt", "--seed=1", "--no-canary", "--refine=1", "--", "./loads", expect=1)
    check("add(0) == 2" in ran.out and "3 of 3 replays" in ran.out and "other.c:1" in ran.out, "an order in a library by the other compiler is not found", ran)


def test(bin_dir, source, compiler="", other=""):
    if not shutil.which(compiler):
        print("skipped: no clang")
        return SKIPPED
    program = os.path.join(source, "data/corpus/account/prog.c")
    with Place(bin_dir) as place:
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-o", "static", program, "-pthread", expect=0)
        for argv in (["vtb", "hunt", "--", "./static"], ["vtb", "doctor", "./static"]):
            ran = place.run(*argv, timeout=60)
            check(ran.code in (2, 3), f"{argv[1]}: exit code {ran.code}, expected 2 or 3", ran)
            check("-shared-libsan" in ran.out + ran.err, f"{argv[1]} does not say how to build it", ran)
        loads_other(place, compiler, other)


main(test)
