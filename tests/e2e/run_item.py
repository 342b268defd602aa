#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""run_item.py BIN_DIR SOURCE_DIR CORRECT BROKEN: work items. A list of them has the same results here, by `vtb run-item` from a file and from standard input, and by a
driver that gives each result twice and in another order; nothing is counted twice. A failing one is told as a hunt tells it. Another build, another vtb and
another behaviour are refused; what is no item, and a driver that fails, end in one line."""
import json
import os
import re
import stat
import sys

from e2e import Place, check, main, need

ITEMS = [("walk-1", dict(strategy="random", seed="1", budget="300")), ("walk-2", dict(strategy="pos", seed="2", budget="300")),
         ("whole", dict(strategy="dpor", budget="300"))]
# In the place of python3, which is to be the driver of a cluster: keeps what it is given.
DRIVER = """#!{python}
import subprocess, sys
print('{{"format": "vtb-cluster", "workers": 2, "slots": 4}}', flush=True)
answers = []
with open({items!r}, "w") as kept:
    for line in sys.stdin:
        kept.write(line)
        kept.flush()
        answers.append(subprocess.run(["vtb-run-item"], input=line, capture_output=True, text=True, check=True).stdout)
        if len(answers) == {n}:
            for answer in reversed(answers):
                print(answer + answer, end="", flush=True)
"""


def plain(text):
    """Without what is of the moment: times, and who did it."""
    return re.sub(r'"(seconds|schedules_per_second)": [0-9.e+]+|on \d+ workers?', "", text)


def by_id(path):
    with open(path) as f:
        return {json.loads(line)["id"]: plain(line) for line in f}


def fake_python(place, text):
    path = place.path("fake", "python3")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, stat.S_IRWXU)
    place.env["PATH"] = os.path.dirname(path) + os.pathsep + place.env["PATH"]


def same_everywhere(place, correct):
    with open(place.path("list"), "w") as f:
        f.writelines(json.dumps({"id": name, "options": options}) + "\n" for name, options in ITEMS)
    hunt = lambda results, *more: place.run("vtb", "hunt", "--json", "--no-canary", "--items=list", f"--item-results={results}", *more, "--", correct, expect=0)
    here = hunt("here")
    fake_python(place, DRIVER.format(python=sys.executable, items=place.path("items"), n=len(ITEMS)))
    there = hunt("there", "--cluster=tcp://127.0.0.1:1")
    check(by_id(place.path("here")) == by_id(place.path("there")), "results differ", there)
    told = [ran.json() for ran in (here, there)]
    for member in ("schedules", "classes", "complete", "done", "verdict"):
        check(told[0][member] == told[1][member], f"{member}: {told[0][member]} and {told[1][member]}", there)
    results = [json.loads(line) for line in open(place.path("here"))]
    check(all(r["state"] == "completed" for r in results), f"not completed: {results}")
    check(told[0]["classes"] == len(set().union(*(r["classes"] for r in results))), "classes are not those of all results", here)
    check("3 were completed (random 1, pos 1, dpor 1)" in told[0]["statement"], "the statement does not say what was done", here)
    for line in open(place.path("items")):
        with open(place.path("item.json"), "w") as f:
            json.dump(json.loads(line), f, indent=2)
        ran = place.run("vtb", "run-item", "item.json", expect=0)
        check(plain(ran.out) == by_id(place.path("here"))[json.loads(line)["id"]], "from a file another result", ran)


def as_the_schema_says(place, source):
    """Items and results, one file each."""
    names = []
    for kept in ("items", "here", "found-results"):
        for line in open(place.path(kept)):
            names.append(place.path(f"{kept}-{len(names)}.json"))
            with open(names[-1], "w") as f:
                f.write(line)
    ran = place.run(sys.executable, f"{source}/tests/schema/validate.py", f"{source}/data/schema", *names, expect=(0, 77))
    check(ran.code == 77 or f"{2 * len(ITEMS) + 1} files, 0 wrong" in ran.out, "files are not as their schema says", ran)


def refusals(place):
    with open(place.path("items")) as f:
        item = json.loads(f.readline())
    other = {"vtb": "0.0.0", "first": "0x1", "target": json.loads(re.sub(r'"build_id": ?"[0-9a-f]{2}', '"build_id": "00', json.dumps(item["target"])))}
    for member, words in (("vtb", "the item is for vtb 0.0.0"), ("first", "something else here"), ("target", "another build here")):
        with open(place.path("item.json"), "w") as f:
            json.dump({**item, member: other[member]}, f)
        ran = place.run("vtb", "run-item", "item.json", expect=0)
        result = ran.json()
        check(result["state"] == "refused" and words in result["why"] and "facts" not in result, f"with another {member}", ran)
    for text in ("", "{", "[]", '{"format": "vtb-item", "version": 2}', json.dumps({**item, "id": "../x"}), json.dumps({**item, "options": {"output": "x"}})):
        with open(place.path("item.json"), "w") as f:
            f.write(text)
        ran = place.run("vtb", "run-item", "item.json", expect=0 if "output" in text else 2)
        check(ran.json()["state"] == "trouble" if "output" in text else ran.err.count("\n") == 1, "not told in a line", ran)
    place.run("vtb", "run-item", "none.json", expect=2)


def no_driver(place, correct):
    vtb = os.path.join(place.bin, "vtb")
    hunt = lambda expect: place.run(vtb, "hunt", "--no-canary", "--cluster=tcp://127.0.0.1:1", "--time=20", "--", correct, expect=expect)
    for text, code, words in (("#!/bin/sh\n", 3, "has ended"), ("#!/bin/sh\necho garbage\n", 2, "expected JSON"),
                              ("#!/bin/sh\nVTB_CLUSTER_AGAIN=1 exec %s -I -S \"$@\"\n" % sys.executable, 2, "python3-distributed"),
                              (None, 2, "cannot be started")):
        if text:
            fake_python(place, text)
        else:
            os.unlink(place.path("fake", "python3"))
            place.env["PATH"] = place.path("fake")
        ran = hunt(code)
        check(ran.err.count("\n") == 1 and words in ran.err, f"no line with '{words}'", ran)
    for wrong in (["--cluster=host:1"], ["--cluster=tcp://a:1", "--per-test"], ["--item-results=x"], ["--items=list", "--verify-fix=x"], ["--items=none"]):
        place.run(vtb, "hunt", *wrong, "--", correct, expect=2)


def found(place, broken):
    with open(place.path("list"), "w") as f:
        f.write('{"id": "a", "options": {"strategy": "random", "seed": "5", "budget": "2000"}}\n')
    alone = place.run("vtb", "hunt", "--no-canary", "--refine=0.3", "--json", "--strategy=random", "--seed=5", "--budget=2000", "-o", "alone", "--", broken, expect=1).json()
    ran = place.run("vtb", "hunt", "--no-canary", "--refine=0.3", "--json", "--items=list", "--item-results=found-results", "-o", "found", "--", broken, expect=1)
    for member in ("verdict", "signature", "tuple"):
        check(ran.json()[member] == alone[member], f"{member}: {ran.json()[member]}, alone {alone[member]}", ran)
    place.run("vtb", "replay", "found/failure.json", "--", broken, expect=1)


def test(bin_dir, source, correct, broken):
    need(correct)
    need(broken)
    with Place(bin_dir) as place:
        found(place, broken)
        same_everywhere(place, correct)
        as_the_schema_says(place, source)
        refusals(place)
        no_driver(place, correct)
        place.none_left()


main(test)
