#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""two_streams.py BIN_DIR PROGRAM: standard output and standard error of the failing run, each by itself, in failure.json,
JUnit, Markdown and the page; both as one where a run cannot tell."""
import html
import json
import re
import xml.etree.ElementTree

from e2e import Place, check, main, need

HUNT = ("vtb", "hunt", "--seed=1", "--no-canary", "--time=300", "--refine=0.2")
OUT = ["thread one read 0", "thread two read 0"]
ERR = ['warning: one & "</pre>"', 'warning: two & "</pre>"']
MORE = {"long": (["line 999 of many"], []), "child": (["a child"], ["its trouble"])}


def output_of(place, program, how, *options):
    ran = place.run(*HUNT, *options, "--", program, how, expect=1)
    with open(place.path("failure.json"), encoding="utf-8") as f:
        return ran, json.load(f)["output"]


def lines(text):
    return sorted(text.splitlines())


def check_reports(place, output):
    out, err = output["stdout"]["text"], output["stderr"]["text"]
    place.run("vtb", "viz", "--junit", "-o", "f.xml", "failure.json", expect=0)
    case = xml.etree.ElementTree.parse(place.path("f.xml")).getroot().find("testcase")
    check(case.find("system-out").text.endswith(out + "\n"), "JUnit's system-out is not what went to standard output")
    check(case.find("system-err").text.endswith(err), "JUnit's system-err is not what went to standard error")
    markdown = place.run("vtb", "viz", "--markdown", "failure.json", expect=0).out
    page = place.run("vtb", "viz", "--html", "failure.json", expect=0).out
    for title, text in (("Standard output", out), ("Standard error", err)):
        found = re.search(rf"^{title} of the run[^\n]*:\n\n((?:    [^\n]*\n)*)", markdown, re.M)
        check(found and re.sub("^    ", "", found[1], flags=re.M) == text, f"Markdown lacks {title}")
        found = re.search(rf"<h2>{title}[^<]*</h2>\n<pre>([^<]*)</pre>", page)
        check(found and html.unescape(found[1]).strip() == text.strip(), f"the page lacks {title}")


def apart(place, program, how, *options):
    ran, output = output_of(place, program, how, *options)
    more = MORE.get(how, ([], []))
    check("stdout" in output and "stderr" in output, f"{how}: not told apart", ran)
    out, err = output["stdout"], output["stderr"]
    check(set(OUT + more[0]) <= set(out["text"].splitlines()), f"{how}: standard output: {out}", ran)
    check(lines(err["text"]) == sorted(ERR + more[1]), f"{how}: standard error: {err}", ran)
    check(out["size"] + err["size"] == output["size"], f"{how}: bytes are missing", ran)
    check(len(out["text"].encode()) <= 4096, f"{how}: too much is kept", ran)
    if how != "long":
        together = lines(out["text"] + err["text"])
        check(together == lines(output["text"]), f"{how}: together they are not what was printed", ran)
    check_reports(place, output)


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        apart(place, program, "plain")
        apart(place, program, "plain", "--engine=forkserver")
        apart(place, program, "long")
        apart(place, program, "child")
        ran, output = output_of(place, program, "one")
        check(output["stderr"]["text"] == "", "one: something went to standard error", ran)
        check(lines(output["stdout"]["text"]) == sorted(OUT + ERR), "one: not all of it is standard output", ran)
        ran, output = output_of(place, program, "uuid", "--engine=exec")
        check("stdout" not in output, "uuid: told apart by a run that printed something else", ran)
        check(set(OUT + ERR) <= set(output["text"].splitlines()), "uuid: what was printed is missing", ran)
        place.none_left()


main(test)
