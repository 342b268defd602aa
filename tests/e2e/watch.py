#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""watch.py BIN_DIR SOURCE_DIR COMPILER: builds as anybody's would be, without hooks and without a rebuild: the variables worth watching are
found by watchpoints, by name or by a profile, and the bug with them. Where a call returns to an instruction that is watched, it stands in its own line,
and a failure that needs no access shows again without any."""
import shutil

from e2e import SKIPPED, check, main, Place


def build(place, compiler, source_dir, name):
    place.run(compiler, "-O2", "-g", "-pthread", "-o", name, f"{source_dir}/data/corpus/{name}/prog.c", expect=0)


def hunt(place, name, *options, expect=1):
    ran = place.run("vtb-hunt", "--time=300", "--json", *options, "--", f"./{name}", timeout=100, expect=expect)
    check(ran.json()["tier"] == "watch", "not by tier watch", ran)
    return ran


def finds_and_replays(place):
    ran = hunt(place, "account", "--tier=watch")
    check("account.balance" in ran.json()["statement"], "the statement does not name what is watched", ran)
    check("account.balance" in str(ran.json()["findings"] if "findings" in ran.json() else ran.out), "the find is not about the balance", ran)
    again = place.run("vtb-replay", "--run", "failure.json", expect=1)
    check("tier break" in again.out and "confirmed" in again.out, "the failure does not show again", again)


PAIRS = """#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static FILE *file;

static void *print(void *letter)
{
	fputc(*(char *)letter, file);
	fputc(*(char *)letter, file);
	return 0;
}

int main(void)
{
	pthread_t t[2];
	char read[4];

	file = tmpfile();
	pthread_create(&t[0], 0, print, "a");
	pthread_create(&t[1], 0, print, "b");
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	rewind(file);
	fread(read, 1, 4, file);
	assert(read[0] == read[1]);
	return 0;
}
"""


def returns_there(place, compiler):
    with open(place.path("pairs.c"), "w", encoding="utf-8") as f:
        f.write(PAIRS)
    place.run(compiler, "-O1", "-g", "-pthread", "-w", "-o", "pairs", "pairs.c", expect=0)
    ran = hunt(place, "pairs", "--tier=watch", "--focus-var=file", "--no-canary")
    writes = [op["line"] for op in ran.json()["findings"][0]["order"] if op["operation"] == "io-write" and op["thread"] != "0"]
    check(writes == [9, 9, 10, 10], f"lines {writes}", ran)
    again = place.run("vtb-replay", "--run", "failure.json", expect=1)
    check("tier sync" in again.out and "3 of 3" in again.out, "the failure does not show again", again)


def test(bin_dir, source_dir, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        for name in ("account", "ok_counter", "double_checked"):
            build(place, compiler, source_dir, name)
        finds_and_replays(place)
        returns_there(place, compiler)
        hunt(place, "account")                               # chosen by itself
        hunt(place, "account", "--focus-var=account.balance")
        hunt(place, "ok_counter", expect=0)                  # a lock is respected
        ran = place.run("vtb-hunt", "--tier=watch", "--focus-var=nothing", "--", "./account", expect=2)
        check("nothing" in ran.err, "the unknown variable is not named", ran)
        if shutil.which("qemu-x86_64"):                      # what is reached through pointers only
            place.run("vtb-record", "--backend=qemu", "-o", "profile", "--", "./double_checked", expect=(0, 134))  # it may fail by itself
            hunt(place, "double_checked", "--profile=profile")
            ran = place.run("vtb-hunt", "--profile=/tmp", "--", "./account", expect=2)
            check("qacc" in ran.err, "it is not said what a profile is", ran)
        place.none_left()


main(test)
