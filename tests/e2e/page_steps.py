#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page_steps.py BIN_DIR PROGRAM OPERATIONS: what a person does with the page, done in a headless Chromium: stepping with the keyboard,
folding, searching, comparing with the run that passes; with so many OPERATIONS; with names that would be scripts."""
import json
import re
import shutil
import subprocess
import sys
import tempfile

from e2e import check, main, need, Place

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# What is asked of the page is put behind it by a script of the test's, in a copy without the page's own rule that no
# other script runs.
DRIVER = """<script>
const press = (...keys) => keys.forEach(key => document.dispatchEvent(new KeyboardEvent('keydown', { key })));
const step = () => document.getElementById('step').textContent;
const rows = run => document.querySelectorAll(`#runs .run:nth-child(${run}) tbody tr`).length;
const result = {};
window.addEventListener('error', event => result.error = event.message);
%s
const out = document.createElement('pre');
out.id = 'result';
out.textContent = JSON.stringify(result);
document.body.append(out);
</script>"""


def write(place, name, text):
    with open(place.path(name), "w", encoding="utf-8") as f:
        f.write(text)


def browse(place, page):
    """The page as it is after its scripts ran."""
    with tempfile.TemporaryDirectory() as home:
        ran = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                              f"--user-data-dir={home}", place.path(page)],
                             capture_output=True, text=True, timeout=200, check=False)
    return ran.stdout


def ask(place, page, script):
    with open(place.path(page), encoding="utf-8") as f:
        text = f.read()
    bare = re.sub(r"<meta http-equiv[^>]*>", "", text)
    check(bare != text, "the page does not say which script may run")
    write(place, "asked.html", bare.replace("</body>", DRIVER % script + "</body>"))
    found = re.search(r'<pre id="result">(.*?)</pre>', browse(place, "asked.html"), re.S)
    check(found, "the page did not answer")
    answer = json.loads(found.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
    check("error" not in answer, f"the page's script failed: {answer.get('error')}")
    return answer


def stepping(place):
    got = ask(place, "page.html", """
        result.runs = document.querySelectorAll('#runs .run').length;
        result.start = step();
        press('Home'); result.home = step();
        press('ArrowDown'); result.down = step();
        press('ArrowUp'); result.up = step();
        press('End'); result.end = step(); result.lit = document.querySelector('#source .lit').textContent;
        result.folded = rows(1); press('a'); result.all = rows(1); press('a');
        result.values = document.getElementById('values').textContent;
        press('d'); result.difference = step(); press('o'); result.other = step();
        const items = [...document.querySelectorAll('.causes li.order')];
        result.orders = items.map(item => item.textContent);
        result.leads = items.map(item => { item.click(); const first = step(); item.click(); return [first, step()]; });
        result.marked = [...document.querySelectorAll('#runs .run:nth-child(1) tr.cause')].map(row => row.textContent);
        press('End', 'x'); result.cause = [step()]; press('x'); result.cause.push(step()); press('d');
        result.repair = document.querySelector('.causes').textContent.includes('Tried in');
        press('c'); result.alone = document.querySelectorAll('#runs .run:not([hidden])').length;
        const search = document.getElementById('search');
        search.value = 'balance'; search.dispatchEvent(new Event('input')); result.found = rows(1);
        press('t'); result.theme = document.documentElement.dataset.theme;""")
    check(got["runs"] == 2, f"no run that passes beside it: {got}")
    check(got["start"] == got["difference"] != got["other"], f"it does not begin where the runs differ: {got}")
    check(got["home"] == got["up"] != got["down"], f"the keys do not step: {got}")
    check("FAILS" in got["end"] and "assert" in got["lit"], f"the failure or its line is not shown: {got}")
    check(got["folded"] < got["all"], f"nothing unfolds: {got}")
    check("balance" in got["values"], f"values are not shown: {got}")
    causes(got)
    check(got["alone"] == 1 and got["found"] > 3 and got["theme"] == "dark", f"compare, search or theme: {got}")


def causes(got):
    """Each order of the panel leads to its two operations, which are marked; x goes from one to the next."""
    check(got["orders"] and got["repair"], f"no causes with a repair: {got}")
    for words, steps in zip(got["orders"], got["leads"]):
        before, after = re.fullmatch(r"([\d.]+) (.*) at \S+ before ([\d.]+) (.*) at \S+", words), steps
        check(f"thread {before[1]} " in after[0] and before[2] in after[0], f"{words} leads to {after[0]}")
        verb, variable = before[4].removesuffix(" it"), before[2].split()[-1]
        check(f"thread {before[3]} " in after[1] and f"{verb} {variable}" in after[1], f"{words} leads to {after[1]}")
    check(len(got["marked"]) == len({s for pair in got["leads"] for s in pair}), f"other operations are marked than the orders name: {got['marked']}")
    check(got["cause"][0] == min((s for pair in got["leads"] for s in pair), key=lambda s: int(s.split()[1])) != got["cause"][1], f"x does not go through the cause: {got}")


def many(place, failure, operations):
    """The events in the middle again and again."""
    trace = failure["trace"]
    events = trace["events"]
    trace["events"] = events[:5] + [e for e in events if e["kind"] in ("read", "write")] * (operations // 4) + events[5:]
    del failure["passing"]
    write(place, "many.json", json.dumps(failure))
    place.run("vtb-viz", "many.json", "--html", "-o", "many.html", timeout=100)
    got = ask(place, "many.html", "press('a'); result.all = rows(1); press('End'); result.end = step();")
    check(got["all"] >= operations and "FAILS" in got["end"], f"not all operations are there: {got}")


def parts(place, failure):
    """Parts of one object that are called after it: what was seen last of it is told once."""
    trace = failure["trace"]
    number = next(i for i, v in enumerate(trace["variables"]) if v["name"] == "account.balance")
    for part in ("_M_start", "_M_finish"):
        trace["variables"].append({**trace["variables"][number], "name": f"account.{part}"})
    of_it = [e for e in trace["events"] if e.get("var") == number]
    for i, e in enumerate(of_it):
        e["var"] = len(trace["variables"]) - 1 - i % 2
    write(place, "parts.json", json.dumps(failure))
    place.run("vtb-viz", "parts.json", "--html", "-o", "parts.html", timeout=100)
    got = ask(place, "parts.html", """press('End');
        result.rows = [...document.querySelectorAll('#values tr')].map(row => [...row.children].map(cell => cell.textContent));""")
    names = [row[0] for row in got["rows"]]
    check(len(names) == len(set(names)) and "account" in names, f"a name is told twice: {got['rows']}")
    check(str(of_it[-1]["value"]) == got["rows"][names.index("account")][1], f"not what was seen last: {got['rows']}")


def hostile(place, text):
    """A variable's name that ends the data and begins a script. The page is as it was written, with its rule that only its own script runs."""
    write(place, "hostile.json", text.replace("account.balance", "</script><script>document.title='owned'</script>"))
    place.run("vtb-viz", "hostile.json", "--html", "-o", "hostile.html", timeout=100)
    page = browse(place, "hostile.html")
    check("<title>owned" not in page, "a name became a script")
    check('class="run"' in page, "the page's rule for scripts stops its own")


def test(bin_dir, program, operations):
    if not BROWSER or not shutil.which("dot"):
        sys.exit(77)
    with Place(bin_dir) as place:
        place.run("vtb", "hunt", "--no-canary", "--time=300", "--", need(program), timeout=100, expect=1)
        place.run("vtb-viz", "failure.json", "--html", "-o", "page.html", timeout=100)
        stepping(place)
        with open(place.path("failure.json"), encoding="utf-8") as f:
            text = f.read()
        hostile(place, text)
        parts(place, json.loads(text))
        many(place, json.loads(text), int(operations))


main(test)
