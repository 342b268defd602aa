# SPDX-License-Identifier: GPL-2.0-or-later
"""Exhaust a program whose number of classes is known, and compare.

yardstick.py BIN PROGRAM OPTIONS|- ARGUMENTS=CLASSES ...

Every class must be met, each by one complete run: `schedules` is one more, for the hunt's own first run, and those blocked.
"""
import json
import subprocess
import sys


def hunt(binaries, program, options, arguments):
    command = [binaries + "/vtb", "hunt", "--json", "--strategy=dpor", "--no-predicate", *([] if options == "-" else options.split()), "--", program, *arguments.split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def compare(code, result, expected):
    trouble = []
    if code != 0 or result["verdict"] != "none":
        trouble.append(f"verdict {result['verdict']}, exit {code}")
    if result["classes"] != expected:
        trouble.append(f"{result['classes']} classes, {expected} expected")
    if result["schedules"] - result["blocked"] > result["classes"] + 1:
        trouble.append(f"{result['schedules']} schedules, {result['blocked']} of them blocked")
    if result["blocked"]:
        trouble.append(f"{result['blocked']} blocked")
    if not result["complete"]:
        trouble.append("not complete: " + result["statement"])
    return trouble


def main():
    binaries, program, options = sys.argv[1:4]
    failed = False
    for case in sys.argv[4:]:
        arguments, expected = case.split("=")
        trouble = compare(*hunt(binaries, program, options, arguments), int(expected))
        print(f"{program} {arguments}: {'; '.join(trouble) or expected}")
        failed = failed or bool(trouble)
    sys.exit(failed)


main()
