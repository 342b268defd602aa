#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""real.py BIN_DIR SOURCE CC CXX SCHEDULES: a driver of somebody else's library, built with -fsanitize=thread, is clean under so many random
schedules, deadlines that pass and other chances included. Skipped where the library is not installed."""
import os
import subprocess

from e2e import SKIPPED, Place, check, main

MORE = {"pool.c": ["-I/usr/include/cthreadpool", "/usr/share/cthreadpool/thpool.c"], "web.cc": ["-lcpp-httplib"], "echo.cc": ["-DASIO_STANDALONE"], "deflate.c": ["-lm"]}
SECONDS = 900


def test(bin_dir, source, cc, cxx, schedules):
    with Place(bin_dir) as place:
        cpp = source.endswith(".cc")
        argv = [cxx if cpp else cc, "-std=c++17" if cpp else "-std=gnu11", "-g", "-O1", "-fsanitize=thread", source, "-o", place.path("prog"), *MORE.get(os.path.basename(source), []), "-pthread"]
        if subprocess.run(argv, stderr=subprocess.DEVNULL).returncode:
            print("skipped: it does not build here")
            return SKIPPED
        ran = place.run("vtb", "hunt", "--json", "--strategy=random", "--seed=1", f"--budget={schedules}", f"--time={SECONDS}", "--", place.path("prog"), timeout=SECONDS + 120, expect=0)
        got = ran.json()
        check(got["verdict"] == "none", f"verdict {got['verdict']}", ran)
        check(got["stopped"] == "budget", f"stopped by {got['stopped']}", ran)
        check(got["accesses"] > 0, "nothing was hooked", ran)
        place.none_left()
    return 0


main(test)
