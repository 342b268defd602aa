#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stages.py BIN_DIR SOURCE_DIR PROGRAM G++: the pipeline through its single commands: record, decode, hb, synth, replay, viz."""
import json
import os
import shlex
import shutil
import sys
import xml.dom.minidom

from e2e import SKIPPED, Place, check, main, need

QUEUE = """#include <deque>
#include <mutex>
#include <thread>
struct Queue {
	std::mutex lock;
	std::deque<int> jobs;
	void put(int n) { std::lock_guard<std::mutex> g(lock); jobs.push_back(n); } // PUTS
	bool empty() { std::lock_guard<std::mutex> g(lock); return jobs.empty(); }  // LOOKS
};
int main()
{
	Queue q;
	std::thread t([&] { for (int i = 0; i < 8; i++) q.put(i); });
	std::thread u([&] { for (int i = 0; i < 8; i++) q.empty(); });
	t.join();
	u.join();
}
"""


def against_schema(place, source, *names):
    ran = place.run(sys.executable, os.path.join(source, "tests/schema/validate.py"), os.path.join(source, "data/schema"), *names)
    check(ran.code in (0, SKIPPED), "a file does not fit its schema", ran)


def read_json(place, name):
    with open(place.path(name)) as f:
        return json.load(f)


def lines_are_the_users(place, source, gxx):
    """Tables name the line that calls what was inlined from a library, and no line of them is wider than the terminal."""
    line = {word: number for number, text in enumerate(QUEUE.splitlines(), 1) for word in ("PUTS", "LOOKS") if text.endswith("// " + word)}
    with open(place.path("queue.cc"), "w") as f:
        f.write(QUEUE)
    place.run(*shlex.split(gxx), "-g", "-O1", "-fsanitize=thread", "-o", "queue", "queue.cc", "-pthread", expect=0)
    place.run("vtb-record", "-o", "queue.vtb", "--", "./queue", expect=0)
    place.run("vtb-decode", "queue.vtb", "-o", "queue.json", expect=0)
    against_schema(place, source, "queue.json")
    sites = read_json(place, "queue.json")["sites"]
    inlined = [s for s in sites if s.get("file", "").endswith("stl_deque.h") and "user" in s]
    check(inlined, "no place in the library's code has a line of the user's")
    for s in inlined:
        check(sites[s["user"]]["file"] == "queue.cc" and sites[s["user"]]["offset"] == s["offset"], f"the user's line of {s} is {sites[s['user']]}")
    place.env["COLUMNS"] = "80"
    table = place.run("vtb-hb", "queue.json", expect=0)
    check(max(map(len, table.out.splitlines())) <= 80 and "reads by 0.0" in table.out, "variables are no lines on a narrow terminal", table)
    check("queue.cc:4" in table.out and "stl_" not in table.out, "the profile does not name the program's lines", table)
    table = place.run("vtb-synth", "queue.json", "--v=2", "-o", "queue-schedules.json", expect=0)
    del place.env["COLUMNS"]
    for word in (f"of q.lock at queue.cc:{line['PUTS']}", f"of q.lock at queue.cc:{line['LOOKS']}", "also "):
        check(word in table.out, f"the candidates do not say {word}", table)
    check("stl_deque.h" not in table.out, "the candidates name the library's lines", table)
    check(max(map(len, table.out.splitlines())) <= 80, "a line is wider than the terminal", table)
    against_schema(place, source, "queue-schedules.json")
    place.run("vtb-replay", "--run", "queue-schedules.json", expect=0)


def test(bin_dir, source, program, gxx):
    need(program)
    with Place(bin_dir) as place:
        place.run("vtb-record", "-o", "run.vtb", "--", program, expect=(0, 134))  # it may fail by itself
        place.run("vtb-decode", "run.vtb", "-o", "trace.json", expect=0)
        trace = read_json(place, "trace.json")
        against_schema(place, source, "trace.json")
        names = json.dumps(trace)
        check("account.balance" in names, "the trace does not name the field account.balance")
        check("prog.c" in names, "the trace has no source file")

        profile = place.run("vtb-hb", "trace.json", "--profile", expect=0)
        check("account.balance" in profile.out, "the profile does not name account.balance", profile)
        races = place.run("vtb-hb", "trace.json", "--races", expect=0)
        check("account.balance" in races.out, "the unordered conflicting pairs do not name account.balance", races)
        check(place.run("vtb-hb", "trace.json", "--json", expect=0).json() is not None, "no JSON")

        table = place.run("vtb-synth", "trace.json", "--v=2", "-o", "schedules.json", expect=0)
        check("account.balance" in table.out, "the ranked candidates do not name account.balance", table)
        against_schema(place, source, "schedules.json")

        replayed = place.run("vtb-replay", "--run", "-o", "failure.json", "schedules.json", expect=1)
        check("assertion" in replayed.out, "the replay does not say what failed", replayed)
        failure = read_json(place, "failure.json")
        against_schema(place, source, "failure.json")
        check("account.balance" in json.dumps(failure), "failure.json does not name account.balance")

        again = place.run("vtb-replay", "--run", "failure.json", expect=1)
        check("assertion" in again.out, "the replay of failure.json does not say what failed", again)

        dot = place.run("vtb-viz", "failure.json", "--dot", expect=0)
        check(dot.out.lstrip().startswith("digraph") and "account.balance" in dot.out, "no graph of the failure", dot)
        for name in ("trace.json", "failure.json"):
            if not shutil.which("dot"):
                break
            svg = place.run("vtb-viz", name, "--svg", expect=0)
            xml.dom.minidom.parseString(svg.out)
            check("account.balance" in svg.out, f"the picture of {name} does not name account.balance", svg)
        lines_are_the_users(place, source, gxx)
        place.none_left()


main(test)
