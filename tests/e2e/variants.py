#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""variants.py BIN_DIR PROGRAM: failures with one cause are one finding with its variants, in the hunt's text and in all formats; one with a cause
of its own stays apart."""
import json
import re

from e2e import Place, check, main, need


def words(text):
    return re.sub(r"\s+", " ", re.sub(r"\\(.)", r"\1", text))


def test(bin_dir, program):
    need(program)
    with Place(bin_dir) as place:
        hunt = ("vtb", "hunt", "--keep-going", "--no-canary", "--seed=1", "--time=60")
        got = place.run(*hunt, "--json", "--", program, expect=1).json()
        causes = {f["signature"]: f for f in got["findings"]}
        check(len(causes) == 3, f"not three failures: {list(causes)}")
        first, second = [f for f in got["findings"] if "sum" in json.dumps(f["cores"][0])]
        other = next(f for f in got["findings"] if "flag" in json.dumps(f["cores"][0]))
        number = got["findings"].index(first) + 1
        check(second.get("variant_of") == number and "variant_of" not in first and "variant_of" not in other, "not grouped by cause")
        shown = place.run(*hunt, "--", program, expect=1)
        said = f"the same cause also shows as: {'exit status 5' if 'exit' in second['signature'] else 'assertion failed'}"
        check(shown.out.count("BUG  ") == 2 and words(shown.out).count("the same cause also shows as") == 1 and said in words(shown.out), "not told together", shown)
        with open(place.path(first["failure"]), encoding="utf-8") as f:
            variants = json.load(f)["variants"]
        check(len(variants) == 1 and second["failure"] in variants[0], f"the file does not name the variant: {variants}")
        for form in ("text", "markdown", "sarif", "junit", "github", "html"):
            ran = place.run("vtb", "viz", "--" + form, first["failure"], expect=0)
            check(variants[0].split(" (")[0] in words(ran.out) and "the same cause also shows as" in words(ran.out).lower(), f"--{form} does not tell the variant", ran)
            ran = place.run("vtb", "viz", "--" + form, other["failure"], expect=0)
            check("same cause also" not in words(ran.out).lower(), f"--{form} tells a variant where there is none", ran)


main(test)
