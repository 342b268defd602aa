#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""exceptions.py BIN_DIR COMPILER: who owns an exception, and the words in it, is counted inside libstdc++; the last owner destroys them. Partial-order
reduction knows of these counters: it runs every class that an enumeration of schedules comes upon, and none twice."""
import re
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <exception>
#include <memory>
#include <stdexcept>
#include <thread>

static void handle(std::exception_ptr p)
{
	try {
		std::rethrow_exception(std::move(p));
	} catch (const std::exception &) {
	}
}
"""
PROGRAMS = {
    "owners": """std::exception_ptr p = std::make_exception_ptr(std::runtime_error("late"));
	std::thread a([q = p]() mutable { q = nullptr; }), b([q = p]() mutable { q = nullptr; });
	p = nullptr;""",
    "words": """auto one = std::make_unique<std::runtime_error>("late"), two = std::make_unique<std::runtime_error>(*one);
	std::thread a([&] { one.reset(); }), b([&] { two.reset(); });""",
    "words of another": """std::runtime_error one("early"), two("late"), three(two);
	std::thread a([&] { one = two; }), b([&] { three = std::runtime_error("x"); });""",
    "derived words": """auto one = std::make_unique<std::out_of_range>("late"), two = std::make_unique<std::out_of_range>(*one);
	std::thread a([&] { one.reset(); }), b([&] { auto three = *two; });""",
    "thrown again": """std::exception_ptr p = std::make_exception_ptr(std::runtime_error("late"));
	std::thread a([q = p]() mutable { handle(std::move(q)); }), b([] {});
	handle(std::move(p));""",
    "caught": """std::exception_ptr p;
	std::thread a, b([] {});
	try {
		throw std::logic_error("late");
	} catch (const std::exception &) {
		p = std::current_exception();
		a = std::thread([q = p]() mutable { q = nullptr; });
	}
	p = nullptr;""",
}


def source():
    """All of them in one program: its argument says which."""
    functions = "".join(f"\nstatic void program{at}()\n{{\n\t{text}\n\ta.join();\n\tb.join();\n}}\n" for at, text in enumerate(PROGRAMS.values()))
    return HEAD + functions + f"""
int main(int, char **argv)
{{
	void (*const all[])() = {{ {", ".join(f"program{at}" for at in range(len(PROGRAMS)))} }};

	all[argv[1][0] - '0']();
}}
"""


def classes(place, name, at, *options):
    """How many, and whether they are all."""
    ran = place.run("vtb-hunt", "--no-canary", *options, "./prog", str(at), timeout=100)
    said = " ".join(ran.out.split())
    found = re.search(r" schedules?, (\d+) class", said)
    check(ran.code == 0 and found, f"{name} {options}: no failure, and its classes", ran)
    return int(found[1]), "Complete" in said


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.cc"), "w") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-std=c++17", "-g", "-O1", "-o", "prog", "prog.cc", "-pthread", expect=0)
        for at, name in enumerate(PROGRAMS):
            (by_dpor, complete), (by_dfs, _) = classes(place, name, at, "--strategy=dpor", "--no-predicate"), classes(place, name, at, "--strategy=dfs", "--c=2", "--budget=3000")
            check(complete, f"{name}: dpor is not complete")
            check(by_dpor >= by_dfs > 1, f"{name}: dpor has left classes out: it has {by_dpor}, dfs {by_dfs}")


main(test)
