#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gdb.py BIN_DIR ASSERTION EXIT DEADLOCK USED_AFTER_FREE [all]: vtb replay FILE --gdb with commands on standard input. It stops right before the last
deviation and where the run fails, whatever its kind; each thread has its real stack; vtb-where, vtb-order and vtb-step say the same as the file."""
import json
import os
import re
import shutil
import subprocess
import sys

from e2e import PATIENCE, SKIPPED, Place, check, main

SESSION = ["vtb-where", "vtb-order all", "vtb-step", "vtb-where", "continue", "bt", "vtb-where", "vtb-order all", "thread apply all bt", "continue"]


def debug(place, commands):
    """What gdb says to each command; the first is what it says by itself. Nothing is asked, and nothing is fetched."""
    marked = "".join(f"echo \\n[after {i}]\\n\n{command}\n" for i, command in enumerate(commands))
    ran = subprocess.run(["vtb", "replay", "failure.json", "--run", "--gdb"], cwd=place.dir, env=place.env, input=marked + "echo \\n[end]\\n\nkill\nquit\n",
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", timeout=120 * PATIENCE)
    ran.stdout = ran.stdout.replace("(gdb) ", "")
    said = re.split(r"\[(?:after \d+|end)\]", ran.stdout)
    check(len(said) == len(commands) + 2, f"gdb did not come to its end:\n{ran.stdout}")
    check("SIGSYS" not in ran.stdout and "SIGPROF" not in ran.stdout, f"a signal of the runtime's is told:\n{ran.stdout}")
    # what is printed after a stop comes before or behind the next mark: both belong to it
    return ran.stdout, said


def threads(text):
    """{path: the line of vtb-where}"""
    return {m.group(1): m.group(0) for m in re.finditer(r"^[* ] (\d[\d.]*)  .*$", text, re.M)}


def position(text):
    return int(re.search(r"^=> +(\d+) ", text, re.M).group(1))


def check_stop(failure, whole):
    deviations = failure["schedule"]["schedules"][0]["deviations"]
    last = [d for d in deviations if d.get("cost")] or deviations
    after = last[-1]["after"]
    told = f"right before the last deviation: thread {after['thread']} has done its operation {after['index']}; next runs {last[-1]['target']}"
    check(told in whole, f"no stop at \"{told}\":\n{whole}")
    return after


def check_where(failure, after, text, whole):
    found = threads(text)
    check(set(found) <= {t["path"] for t in failure["trace"]["threads"]} and after["thread"] in found, f"other threads than the run's: {found}\n{whole}")
    ops = re.search(r"(\d+) operations", found[after["thread"]])
    check(int(ops.group(1)) == after["index"], f"{found[after['thread']]}: not after operation {after['index']}\n{whole}")
    for path, line in found.items():
        check("ended" in line or re.search(r"in \S.*\(\) at \S+:\d+|no frame of the program", line), f"no place: {line}\n{whole}")


def check_order(failure, text, whole):
    rows = re.findall(r"^(?:=>|  ) +(\d+) (\d[\d.]*) ", text, re.M)
    operations = [e["thread"] if isinstance(e, dict) else None for e in failure["trace"]["events"] if not isinstance(e, dict) or e["kind"] not in ("fail", "pending")]
    check(len(rows) == len(operations) and [r[1] for r in rows] == operations, f"another order than the file's: {rows}\n{whole}")
    return position(text)


def check_program(bin_dir, program, function, end, others=()):
    """`function` is the program's own that is in the stack where it fails, `others` are in other threads'; `end` is what is said there."""
    argv = program.split()
    with Place(bin_dir) as place:
        place.run("vtb", "hunt", "--seed=1", "--time=300", "--refine=1", "--", os.path.abspath(argv[0]), *argv[1:], expect=1)
        with open(place.path("failure.json"), encoding="utf-8") as f:
            failure = json.load(f)
        whole, said = debug(place, SESSION)
        after = check_stop(failure, whole)
        check_where(failure, after, said[1] + said[2], whole)
        at = check_order(failure, said[2] + said[3], whole)
        check(re.search(r"has done its operation \d+: \w+", said[3] + said[4]), f"vtb-step does not say where it is:\n{whole}")
        failed = whole[whole.index("has done its operation", whole.index("[after 2]")):]
        check(end in failed, f"no stop where it fails ({end}):\n{whole}")
        check(at > 1, f"the order begins at the beginning:\n{whole}")
        if not function:  # main has returned
            return
        check(re.search(rf"\b{function}\b", said[6] + said[7]), f"{function} is not in the stack where it fails:\n{whole}")
        check(any(f"{function}()" in line for line in threads(said[7] + said[8]).values()), f"vtb-where does not show {function}:\n{whole}")
        for other in others:
            check(re.search(rf"\b{other}\b", said[9] + said[10]) and f"{other}()" in said[7] + said[8], f"{other} is in no thread's stack:\n{whole}")
        place.none_left()


def test(bin_dir, assertion, status, deadlock, freed, which="some"):
    if not shutil.which("gdb") or subprocess.run(["gdb", "-nx", "-batch", "-ex", "python print(1)"], capture_output=True, check=False).stdout.strip() != b"1":
        sys.exit(SKIPPED)
    check_program(bin_dir, status + " x", "leave", "the program ends with exit status 3")
    check_program(bin_dir, deadlock, "b_to_a", "the run fails here: threads wait for each other", ("a_to_b", "main"))
    if which == "all":
        check_program(bin_dir, assertion, "main", "the run fails here: prog.c:42")
        check_program(bin_dir, status, None, "the program ends with exit status 4")
        check_program(bin_dir, freed, "serve", "the run fails here: ")


main(test)
