#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""apart.py BIN_DIR CXX [all]: two threads use the C++ library, each for itself. What the library finds out once for all threads, or looks up in tables of its own, makes
no difference to them: partial-order reduction comes to one class. Where threads are the first to come to an initialiser that the library runs once, to one each. Without "all":
every second of them, with the last."""
import json
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <algorithm>
#include <charconv>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <sys/mman.h>
"""
# What a thread does, and how many classes there are.
PROGRAMS = {
    "a table by words": ('std::unordered_map<std::string, int> m; m["a"]++; m["b"]++; return (int)m.size();', 1),
    "a table by numbers": ("std::unordered_map<int, int> m; for (int i = 0; i < 40; i++) m[i] = i; return (int)m.size();", 1),
    "a map": ('std::map<std::string, int> m; m["a"]++; m["b"]++; return (int)m.size();', 1),
    "a set": ("std::set<int> s{1, 2, 3}; s.erase(2); return (int)s.size();", 1),
    "a list": ("std::list<int> l{2, 1}; l.sort(); l.push_back(3); return l.front();", 1),
    "queues": ("std::deque<int> d{1, 2}; d.push_front(3); std::priority_queue<int> q; q.push(1); return d[0] + q.top();", 1),
    "a text": ("std::string s; for (int i = 0; i < 20; i++) s += 'a'; s.insert(3, \"xyz\"); return (int)s.find(\"xyz\");", 1),
    "wide characters": ('std::wstring w = L"abc"; w += L"d"; return (int)w.size();', 1),
    "sorted words": ('std::vector<std::string> v{"b", "a"}; std::sort(v.begin(), v.end()); return (int)v[0][0];', 1),
    "shared pointers": ("auto p = std::make_shared<int>(3); auto q = p; std::weak_ptr<int> w = q; return (int)w.use_count();", 1),
    "a function": ("std::function<int(int)> f = [](int x) { return x + 1; }; return f(1);", 1),
    "numbers drawn": ("std::mt19937 g{1}; std::uniform_int_distribution<int> u(0, 9); return u(g);", 1),
    "numbers and texts": ('char b[32]; auto r = std::to_chars(b, b + 8, 42); return std::stoi("12") + (int)std::to_string(34).size() + (int)(r.ptr - b);', 1),
    "a printed number": ('char b[32]; return snprintf(b, sizeof(b), "%d %s %.2f", 3, "x", 2.5);', 1),
    "a stream that is written": ("std::ostringstream o; o << std::hex << 255 << ' ' << 3.5; return (int)o.str().size();", 1),
    "a stream that is read": ('std::istringstream i{"12 ab"}; int n; std::string s; i >> n >> s; return n + (int)s.size();', 1),
    "memory that it maps": ("auto p = (char *)mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); p[7] = 3; int n = p[7]; "
                            "munmap(p, 65536); p = (char *)mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); "
                            "p[7]++; n += p[7]; munmap(p, 4096); return n;", 1),
    "a large block": ("std::vector<char> v(2000000); v[7]++; v.resize(4000000); v.clear(); v.shrink_to_fit(); v.resize(3000000); return v[7];", 1),
    "an exception": ('try { throw std::runtime_error("x"); } catch (std::exception &e) { return e.what()[0]; }', 2),
}


def source(programs):
    """All of them in one program: its argument says which."""
    cases = "".join(f"\tcase {at}: {{ {does} }}\n" for at, (does, _) in enumerate(programs.values()))
    return HEAD + f"""
static int work(int what)
{{
	switch (what) {{
{cases}	}}
	return -1;
}}

int main(int argc, char **argv)
{{
	const int what = argc > 1 ? atoi(argv[1]) : 0;
	int a = 0, b = 0;
	std::thread x([&] {{ a = work(what); }}), y([&] {{ b = work(what); }});

	x.join();
	y.join();
	return a != b;
}}
"""


def test(bin_dir, compiler, which="some"):
    programs = dict(list(PROGRAMS.items())[:: 1 if which == "all" else 2])
    with Place(bin_dir) as place:
        with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
            f.write(source(programs))
        place.run(*hooked("tsan", shlex.split(compiler)), "-std=c++17", "-w", "-g", "-O1", "-o", "prog", "prog.cc", "-pthread", expect=0)
        for at, (name, (_, classes)) in enumerate(programs.items()):
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--strategy=dpor", "--time=20", "--", "./prog", str(at))
            said = json.loads(ran.out)
            check(said["complete"] and said["classes"] == classes, f"{name}: {said['classes']} classes, not {classes}", ran)


main(test)
