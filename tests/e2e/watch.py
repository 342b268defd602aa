#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""watch.py BIN_DIR SOURCE_DIR COMPILER: builds as anybody's would be, without hooks and without a rebuild: the variables worth watching are
found by watchpoints, by name or by a profile, and the bug with them."""
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


def test(bin_dir, source_dir, compiler):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        for name in ("account", "ok_counter", "double_checked"):
            build(place, compiler, source_dir, name)
        finds_and_replays(place)
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
