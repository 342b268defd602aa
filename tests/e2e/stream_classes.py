#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stream_classes.py BIN_DIR CXX: two threads that each print to a text stream of their own, and one that both print to under a lock. What the C++ library does
when the first thread comes to it is no order: the former has one class, the latter two, whoever looks. Likewise with a lock that is made when it is first
asked for, and with what a locale keeps for those who print by it."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex mutex;
static std::ostringstream all;
static bool shared;

static void print(std::ostream &to, int who)
{
	to << who << ", " << std::string("text") << ' ' << 1.5;
}

static void work(int who)
{
	std::ostringstream own;

	print(own, who);
	if (!shared)
		return;
	std::lock_guard<std::mutex> lock(mutex);
	print(all, who);
}

int main(int argc, char **)
{
	shared = argc > 1;
	std::thread one(work, 1), two(work, 2);

	one.join();
	two.join();
	return 0;
}
"""

# What both threads do, and how many classes that has: two orders of one lock of the library's; of four in a row, 70.
FIRST = {
    "a shared_ptr that is loaded": ("static const std::shared_ptr<int> none;", "", "std::atomic_load(&none);", 2),
    "checked containers": ("static const std::vector<int> some{1};", "", "some.begin() == some.end();", 70),
    "the locale of all": ("struct comma : std::numpunct<char> { std::string do_grouping() const override { return \"\\3\"; } };",
                          "std::locale::global(std::locale(std::locale::classic(), new comma));", "std::ostringstream() << 1234 << ' ' << 1.5;", 70),
    "the locale of all, as one changes it": ("static const std::locale other{std::locale::classic(), new std::numpunct<char>};", "", "std::locale before; std::locale::global(other);", 6),
}
FIRST_SOURCE = """#define _GLIBCXX_DEBUG
#include <locale>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

%s

int main(int, char **argv)
{
	void (*work)() = nullptr;

	switch (argv[1][0]) {
%s	}
	std::thread one(work), two(work);

	one.join();
	two.join();
}
"""


def first(place, cxx):
    functions = "".join(f"{declared}\nstatic void work{at}()\n{{\n\t{done}\n}}\n" for at, (declared, _, done, _) in enumerate(FIRST.values()))
    cases = "".join(f"\tcase '{at}':\n\t\t{before}\n\t\twork = work{at};\n\t\tbreak;\n" for at, (_, before, _, _) in enumerate(FIRST.values()))
    with open(place.path("first.cc"), "w", encoding="utf-8") as f:
        f.write(FIRST_SOURCE % (functions, cases))
    place.run(*hooked("tsan", cxx), "-w", "-g", "-O1", "-o", "first", "first.cc", "-pthread", expect=0)
    for at, (name, (_, _, _, classes)) in enumerate(FIRST.items()):
        for search in (["--strategy=dpor"], ["--strategy=random", "--budget=6000"]):
            ran = place.run("vtb", "hunt", "--no-canary", "--symmetry=off", "--seed=1", "--json", "--time=60", *search, "--", "./first", str(at), expect=(0, 3))
            check(ran.json()["classes"] == classes, f"{name}, {search[0]}: {ran.json()['classes']} classes, not {classes}", ran)


def test(bin_dir, cxx):
    with Place(bin_dir) as place:
        with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for how in ("tsan", "pads"):
            place.run(*hooked(how, shlex.split(cxx)), "-w", "-g", "-O1", "-o", "prog", "prog.cc", "-pthread", expect=0)
            for argument, classes in (([], 1), (["shared"], 2)):
                for search in (["--strategy=dpor"], ["--strategy=random", "--budget=1500"]):
                    ran = place.run("vtb", "hunt", "--no-canary", "--symmetry=off", "--seed=1", "--json", "--time=60", *search, "--", "./prog", *argument, expect=(0, 3))
                    check(ran.json()["classes"] == classes, f"{how}, {search[0]}: {ran.json()['classes']} classes, not {classes}", ran)
        first(place, shlex.split(cxx))


main(test)
