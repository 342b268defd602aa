#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stream_classes.py BIN_DIR CXX: two threads that each print to a text stream of their own, and one that both print to under a lock. What the C++ library does
when the first thread comes to it is no order: the former has one class, the latter two, whoever looks."""
import shlex

from e2e import Place, check, hooked, main

SOURCE = """#include <mutex>
#include <sstream>
#include <string>
#include <thread>

static std::mutex mutex;
static std::ostringstream all;

static void print(std::ostream &to, int who)
{
	to << who << ", " << std::string("text") << ' ' << 1.5;
}

static void work(int who)
{
	std::ostringstream own;

	print(own, who);
#ifdef SHARED
	std::lock_guard<std::mutex> lock(mutex);
	print(all, who);
#endif
}

int main()
{
	std::thread one(work, 1), two(work, 2);

	one.join();
	two.join();
	return 0;
}
"""


def test(bin_dir, cxx):
    with Place(bin_dir) as place:
        with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for how in ("tsan", "pads"):
            for defined, classes in (([], 1), (["-DSHARED"], 2)):
                place.run(*hooked(how, shlex.split(cxx)), *defined, "-w", "-g", "-O1", "-o", "prog", "prog.cc", "-pthread", expect=0)
                for search in (["--strategy=dpor"], ["--strategy=random", "--budget=1500"]):
                    ran = place.run("vtb", "hunt", "--no-canary", "--symmetry=off", "--seed=1", "--json", "--time=60", *search, "--", "./prog", expect=(0, 3))
                    check(ran.json()["classes"] == classes, f"{how}, {search[0]}: {ran.json()['classes']} classes, not {classes}", ran)


main(test)
