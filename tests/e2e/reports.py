#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""reports.py BIN_DIR CORRECT PROGRAM...: every report of a failure holds verdict, tuple, causes, repairs, output and statement, and none shows an
operation that the verdict block does not; JUnit of hunts that find nothing, too."""
import html
import json
import os
import re
import xml.etree.ElementTree

from e2e import Place, check, main
from sarif_shape import check_sarif, objects, user_files


def words(text):
    return re.sub(r"\s+", " ", text)


def plain(markdown):
    return re.sub(r"\\(.)", r"\1", markdown)


def check_sarif_report(place, failure, lines):
    log = place.run("vtb", "viz", "--sarif", "failure.json", expect=0).json()
    check_sarif(log)
    result = next(r for r in log["runs"][0]["results"] if r["kind"] == "fail")
    check(len(result["locations"]) == 1, "the result has no place")
    for path in user_files(log, failure["trace"]["program"]["cwd"]):
        check(os.path.exists(path), f"SARIF points to {path}, which is no file")
    properties = result["properties"]
    check(properties["verdict"] == failure["verdict"] and properties.get("tuple") == failure.get("tuple"), "verdict or tuple")
    check(properties.get("cores") == failure.get("cores") and properties.get("output") == failure.get("output"), "cores or output")
    check(properties["statement"] == failure["statement"] and properties["replay"] == failure["replay_command"], "statement or replay")
    check_told(result["message"]["text"], failure, "SARIF's message")
    check("heap" not in failure or len(result["stacks"]) >= len(failure["heap"]), "stacks are missing")
    steps = {step["location"]["physicalLocation"]["region"]["startLine"] for flow in result["codeFlows"] for t in flow["threadFlows"] for step in t["locations"]
             if "physicalLocation" in step["location"]}
    check(steps <= lines, f"steps at lines {steps - lines}, which the verdict block does not show")


def check_told(text, failure, what):
    for core in failure.get("cores", []):
        check(core["lock"] != "one-side" or "only one of the two sides holds a lock there" in words(text), f"{what} does not say that a lock is missing")
        for order in core["literals"]:
            for end in ("before", "after"):
                where = f"{os.path.basename(order[end]['file'])}:{order[end]['line']}"
                check(where in text, f"{what} lacks {where}")
        for repair in core["repairs"]:
            check(words(repair["text"]) in words(text), f"{what} lacks the repair: {repair['text']}")


def check_junit(place, failure, lines, path):
    suite = xml.etree.ElementTree.parse(path).getroot()
    check(suite.get("tests") == "1" and float(suite.get("time")) > 0, "the suite is not of one test that took time")
    case = suite.find("testcase")
    always = failure["verdict"] == "regardless"
    told = case.find("failure") if always else case.find("flakyFailure")
    check((suite.get("failures"), suite.get("flakes")) == (("1", "0") if always else ("0", "1")), "what fails is not counted")
    text = told.text if always else told.find("stackTrace").text
    check_told(text, failure, "JUnit's failure")
    shown = {int(n) for n in re.findall(r"^ *\d+ .*?:(\d+) in ", text, re.M)}
    check(shown <= lines, f"JUnit shows lines {shown - lines}, which the verdict block does not")
    said = case.find("system-out").text
    check(words(failure["statement"]) in words(said) and failure["replay_command"] in said, "statement or replay is missing")
    output = failure["output"]
    check(words(output.get("stdout", output)["text"]) in words(said), "the output is missing")
    if output.get("stderr", {"text": ""})["text"]:
        check(words(output["stderr"]["text"]) in words(case.find("system-err").text), "standard error is missing")


def check_github(place, failure, lines):
    out = place.run("vtb", "viz", "--github", "failure.json", expect=0).out.splitlines()
    errors = [line for line in out if line.startswith("::error ")]
    check(len(errors) == 1 and "title=" in errors[0], f"no error: {out}")
    check_told(errors[0].replace("%0A", "\n").replace("%25", "%"), failure, "the annotation")
    for line in out:
        place_of = re.search(r"file=([^,]*),line=(\d+)", line)
        check(place_of and int(place_of[2]) in lines, f"an annotation elsewhere: {line}")


def check_program(bin_dir, program):
    with Place(bin_dir) as place:
        hunted = place.run("vtb", "hunt", "--seed=1", "--time=300", "--refine=1", "--junit=hunt.xml", "--", program, expect=1)
        with open(place.path("failure.json"), encoding="utf-8") as f:
            failure = json.load(f)
        lines = {int(n) for n in re.findall(r"[\w.]+:(\d+)\b", hunted.out)}
        check_sarif_report(place, failure, lines)
        place.run("vtb", "viz", "--junit", "-o", "viz.xml", "failure.json", expect=0)
        for name in ("hunt.xml", "viz.xml"):
            check_junit(place, failure, lines, place.path(name))
        markdown = plain(place.run("vtb", "viz", "--markdown", "failure.json", expect=0).out)
        check_told(markdown, failure, "Markdown")
        check(f"`{failure['verdict']}`" in markdown and words(failure["statement"]) in words(markdown), "Markdown lacks verdict or statement")
        check_told(html.unescape(place.run("vtb", "viz", "--html", "failure.json", expect=0).out), failure, "HTML")
        check_github(place, failure, lines)
        dot = place.run("vtb", "viz", "--dot", "failure.json", expect=0).out
        shown = {int(n) for n in re.findall(r'tooltip="[^"]* — [^":]*:(\d+) in ', dot)}
        check(shown and shown <= lines, f"the picture shows lines {shown - lines}, which the verdict block does not")


def check_correct(bin_dir, program):
    with Place(bin_dir) as place:
        hunted = place.run("vtb", "hunt", "--seed=1", "--time=300", "--junit=hunt.xml", "--", program, expect=0)
        suite = xml.etree.ElementTree.parse(place.path("hunt.xml")).getroot()
        check([suite.get(k) for k in ("tests", "failures", "flakes", "errors", "skipped")] == ["1", "0", "0", "0", "0"], "a passing hunt is counted as something else")
        case = suite.find("testcase")
        check(float(case.get("time")) > 0 and case.find("flakyFailure") is None, "no time, or a failure")
        check(words(case.find("system-out").text)[:60] in words(hunted.out), "what was searched is not said", hunted)


def test(bin_dir, correct, *programs):
    check_correct(bin_dir, os.path.abspath(correct))
    for program in programs:
        check_program(bin_dir, os.path.abspath(program))


main(test)
