# SPDX-License-Identifier: GPL-2.0-or-later
"""The same program with and without --match-states: the same verdict within a bound, at the same tuple.

match_states.py BIN SECONDS PROGRAM...

With a bound the comparison is of two complete searches; a search that does not end in time is compared no further than its verdict, if it has one.
Without a bound a search with states that says it is complete must have found a failure if there is one.
"""
import json
import subprocess
import sys
import tempfile

FAILS = {"assertion", "signal", "exit", "output", "memory", "misuse", "deadlock", "condition-deadlock", "lost-wakeup", "livelock"}


def hunt(binaries, seconds, program, *options):
    with tempfile.TemporaryDirectory() as out:
        command = [binaries + "/vtb", "hunt", "--json", "--no-canary", "--strategy=dfs", "--time=%g" % seconds, "-o", out, *options, "--", program]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return json.loads(done.stdout)


def is_over(result):
    return result["verdict"] in FAILS or result["complete"] or result["stopped"] == "bound"


def compare(plain, states):
    if plain["verdict"] in ("regardless", "sequential", "nothing-controlled") or not (is_over(plain) and is_over(states)):
        return []
    trouble = []
    if plain["verdict"] != states["verdict"] or plain["signature"] != states["signature"]:
        trouble.append(f"{plain['verdict']} {plain['signature']}, with states {states['verdict']} {states['signature']}")
    if all(r["findings"] and r["findings"][0]["minimal"] for r in (plain, states)) and (plain["tuple"]["c"], plain["tuple"]["v"]) != (states["tuple"]["c"], states["tuple"]["v"]):
        trouble.append(f"tuple {plain['tuple']}, with states {states['tuple']}")
    if states["verdict"] == "none" and states["schedules"] > plain["schedules"]:
        trouble.append(f"{plain['schedules']} schedules, with states {states['schedules']}")
    return trouble


def main():
    binaries, seconds = sys.argv[1], float(sys.argv[2])
    failed = False
    for program in sys.argv[3:]:
        plain = {c: hunt(binaries, seconds, program, f"--c={c}", f"--v={c}") for c in (1, 2)}
        trouble = []
        for c, result in plain.items():
            states = hunt(binaries, seconds, program, f"--c={c}", f"--v={c}", "--match-states")
            trouble += [f"c = {c}: {t}" for t in compare(result, states)]
            print(f"{program} c = {c}: {result['verdict']} {result['schedules']}, with states {states['verdict']} {states['schedules']}, {states['engine']}")
        free = hunt(binaries, seconds, program, "--match-states")
        print(f"{program} unbounded: {free['verdict']} {free['schedules']} {'complete' if free['complete'] else free['stopped']}, {free['states']} states")
        if free["verdict"] == "none" and free["complete"] and any(r["verdict"] in FAILS for r in plain.values()):
            trouble.append("without a bound it is said to be complete, and the failure is missing")
        if free["verdict"] in FAILS and any(r["complete"] and r["bound"]["c"] is None for r in plain.values()):
            trouble.append("a failure that a complete search has not found")
        print("".join(f"  {t}\n" for t in trouble), end="")
        failed = failed or bool(trouble)
    sys.exit(failed)


main()
