#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""tree_file.py BIN_DIR PROGRAM: with --max-memory a search whose tree does not fit goes on with a file that has no name, and is killed: nothing is left."""
import os
import subprocess
import time

from e2e import SKIPPED, Place, check, main, need

NO_DISK = ("tmpfs", "ramfs", "btrfs", "nfs")  # as synth/strategies/src/tree/tree_file.c
LONGEST = 100  # seconds; it is there after one or two


def holds_file(pid, directory):
    """Has the process a file in the directory open that has no name?"""
    def target(fd):
        try:
            return os.readlink(f"/proc/{pid}/fd/{fd}")
        except OSError:
            return ""
    try:
        return any(t.startswith(directory + "/#") for t in map(target, os.listdir(f"/proc/{pid}/fd")))
    except FileNotFoundError:
        return False


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        kind = subprocess.run(["stat", "-f", "-c", "%T", place.dir], capture_output=True, text=True, check=True).stdout.strip()
        if kind in NO_DISK:
            print(f"skipped: {place.dir} is on {kind}")
            return SKIPPED
        command = [os.path.join(place.bin, "vtb-hunt"), "--no-canary", "--strategy=bestfirst", "--priority=pb", "--max-memory=100", f"--time={LONGEST}", "--", os.path.abspath(program)]
        before = set(os.listdir(place.dir))
        hunt = subprocess.Popen(command, cwd="/", env=place.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while hunt.poll() is None and not holds_file(hunt.pid, place.dir):
                time.sleep(0.05)
            check(hunt.poll() is None, "it came to its end without a file")
            check(set(os.listdir(place.dir)) == before, f"the file has a name: {os.listdir(place.dir)}")
        finally:
            hunt.kill()
            hunt.wait()
        place.none_left()
        check(set(os.listdir(place.dir)) == before, f"it leaves {os.listdir(place.dir)}")
    return 0


main(test)
