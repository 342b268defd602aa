#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""heap_stacks.py BIN_DIR USE_AFTER_FREE DOUBLE_FREE INVALID_FREE: a wrong use of the heap is told by three stacks: who allocated the
block, who freed it, what was done with it then; the same in report, JSON, failure.json, Markdown and HTML."""
import json
import os
import re

from e2e import Place, check, main, need

# Functions, innermost first, and a word of the innermost line. Which of two equal threads comes first is the search's choice.
USE_AFTER_FREE = {"allocated": (["main"], "calloc("), "freed": (["close_session"], "free(session)"), "used": (["serve"], "requests++")}
DOUBLE_FREE = {"allocated": (["make", "main"], "malloc("), "freed": (["drop", "first|second"], "free(buffer)"), "used": (["drop", "first|second"], "free(buffer)")}
INVALID_FREE = {"allocated": (["main"], "calloc("), "used": (["main"], "free(buffer->data)")}


def line_of(frame):
    with open(frame["file"], encoding="utf-8") as f:
        return f.readlines()[frame["line"] - 1]


def check_parts(want, heap, ran):
    check(sorted(heap) == sorted(want), f"stacks {sorted(heap)}, expected {sorted(want)}", ran)
    for part, (functions, text) in want.items():
        frames = heap[part]["frames"]
        check(len(frames) == len(functions) and all(re.fullmatch(f, frame["function"]) for f, frame in zip(functions, frames)), f"{part}: {frames}, expected {functions}", ran)
        check(text in line_of(frames[0]), f"{part}: {line_of(frames[0])!r} has no {text!r}", ran)


def check_texts(place, heap, ran):
    said = re.sub(r"\s+", " ", ran.out)
    markdown = place.run("vtb", "viz", "--markdown", "failure.json", expect=0).out.replace("\\", "")
    html = place.run("vtb", "viz", "--html", "failure.json", expect=0).out
    for part, stack in heap.items():
        first, *outer = [f"{frame['function']} at {os.path.basename(frame['file'])}:{frame['line']}" for frame in stack["frames"]]
        check(re.search(rf"{part} in {re.escape(stack['thread'])} \w+: {re.escape(first)}" + "".join(f" called by {re.escape(o)}" for o in outer), said), f"the report does not show: {part} {first} {outer}", ran)
        for frame in (first, *outer):
            check(f"- {frame}\n" in markdown, f"Markdown has no {frame}:\n{markdown}")
            check(f"<li>{frame}</li>" in html, f"HTML has no {frame}")
        for text in (markdown, html):
            check(f"The block was {part} in thread {stack['thread']}:" in text, f"no word of {part}:\n{text}")


def check_program(place, program, want):
    ran = place.run("vtb", "hunt", "--json", "--no-canary", "--seed=1", "--time=300", "--refine=0.5", "--", need(program), timeout=100, expect=1)
    finding = ran.json()["findings"][0]
    check_parts(want, finding["heap"], ran)
    ran = place.run("vtb", "hunt", "--no-canary", "--seed=1", "--time=300", "--refine=0.5", "--", program, timeout=100, expect=1)
    check_texts(place, finding["heap"], ran)
    with open(place.path("failure.json"), encoding="utf-8") as f:
        check(sorted(json.load(f)["heap"]) == sorted(want), "failure.json has other stacks")


def test(bin_dir, use_after_free, double_free, invalid_free):
    for program, want in ((use_after_free, USE_AFTER_FREE), (double_free, DOUBLE_FREE), (invalid_free, INVALID_FREE)):
        with Place(bin_dir) as place:
            check_program(place, program, want)
            place.none_left()


main(test)
