#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hidden_cxx.py BIN_DIR OUTCOMES CXX LEVEL [all]: two threads use the same stream, locale or promise of C++, whose state is kept ready-made in libstdc++. Partial-order
reduction, which tries another order only of operations that depend on each other, comes upon both endings. Without "all": every third of them."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <future>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <thread>
#include <stdlib.h>
#include <unistd.h>

static bool ready(std::future<int> &f) { return f.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
static char first_printed(int out) { char c = 0; fflush(stdout); read(out, &c, 1); return c; }
static int piped() { int ends[2]; pipe(ends); dup2(ends[1], 1); return ends[0]; }
"""
# What is kept, what the two threads do, and what is different then.
PROGRAMS = {
    "base of numbers": ("std::ostringstream o;", "o << std::hex;", "o << 255;", 'o.str() == "ff"'),
    "precision": ("std::ostringstream o;", "o.precision(3);", "o << 3.14159265;", "o.str().size() > 4"),
    "width": ("std::ostringstream o;", "o.width(8);", "o << 31;", "o.str().size() > 4"),
    "width that a print takes back": ("std::ostringstream o; long x = o.width(8);", "o << 1;", "x = o.width();", "x == 8"),
    "a letter to fill with": ("std::ostringstream o;", "o.fill('x');", "o << std::setw(2) << 3;", 'o.str() == "x3"'),
    "state": ("std::ostringstream o; int set = (o.setstate(std::ios::failbit), 0);", "o.clear();", "o << 5;", 'o.str() == "5"'),
    "state that is asked for": ("std::ostringstream o; bool x;", "o.setstate(std::ios::failbit);", "x = o.good();", "x"),
    "state that a number sets": ('std::istringstream i{"a"}; bool x; int n;', "i >> n;", "x = i.fail();", "x"),
    "buffer": ("std::ostringstream s; std::ostream o{s.rdbuf()};", "o.rdbuf(nullptr);", "o << 31;", "s.str().size() == 2"),
    "format of another stream": ("std::ostringstream o, p; int set = (o << std::hex, 0);", "o.copyfmt(p);", "o << 255;", 'o.str() == "255"'),
    "numbers in a text": ('std::istringstream i{"1 2"}; int x, y;', "i >> x;", "i >> y;", "x < y"),
    "how much was read": ('std::istringstream i{"abc"}; long x; char c;', "i.get(c);", "x = i.gcount();", "x"),
    "standard output with a buffer of its own": ("int out = piped(); bool set = std::ios::sync_with_stdio(false);", "std::cout << 1;", "std::cout << 2;",
                                                 "(std::cout.flush(), first_printed(out) == '1')"),
    "wide characters": ("int out = piped();", "std::wcout << L'a';", "std::wcout << L'b';", "(std::wcout.flush(), first_printed(out) == 'a')"),
    "wide characters by libc": ("int out = piped();", "putwchar(L'a');", 'fputws(L"b", stdout);', "first_printed(out) == 'a'"),
    "whether libc has what is printed": ("bool set = std::ios::sync_with_stdio(true), x;", "std::ios::sync_with_stdio(false);", "x = std::ios::sync_with_stdio(true);", "x"),
    "a text that is asked for": ("std::ostringstream o{\"abc\", std::ios::ate}; size_t x;", "o.put('d');", "x = o.str().size();", "x == 3"),
    "a letter that is taken": ('std::istringstream i{"abcdef"}; long x;', "i.get();", "x = i.rdbuf()->in_avail();", "x == 6"),
    "a file that is opened": ("std::ofstream f; bool x;", 'f.open("/dev/null");', "x = f.is_open();", "x"),
    "which locale it is": ("std::locale l, m{l, new std::numpunct<char>}; bool x;", "l = m;", "x = l == std::locale::classic();", "x"),
    "a promise": ("std::promise<int> p; std::future<int> f = p.get_future(); bool x;", "p.set_value_at_thread_exit(1);", "x = ready(f);", "x"),
    "a task": ("std::packaged_task<int()> p{[] { return 1; }}; std::future<int> f = p.get_future(); bool x;", "p.make_ready_at_thread_exit();", "x = ready(f);", "x"),
    "a condition": ("std::mutex m; std::condition_variable c; bool done, x;", "std::unique_lock<std::mutex> l(m); done = true; std::notify_all_at_thread_exit(c, std::move(l));",
                    "std::unique_lock<std::mutex> l(m); x = done; c.wait(l, [this] { return done; });", "x"),
    "a thread's handle": ("pthread_t t; bool x;", "pthread_create(&t, nullptr, [](void *arg) { return arg; }, nullptr); pthread_detach(t);", "x = t != 0;", "x"),
    "a number": ('std::istringstream i{"5"}; int n = 1, x;', "i >> n;", "x = n;", "x == 1"),
    "a number that is none": ('std::istringstream i{"a"}; long n = 1, x;', "i >> n;", "x = n;", "x == 1"),
    "a wide number": ('std::wistringstream i{L"5"}; unsigned short n = 1, x;', "i >> n;", "x = n;", "x == 1"),
    "a letter": ('std::istringstream i{" 5"}; char n = 1, x;', "i >> n;", "x = n;", "x == 1"),
    "a word": ('std::istringstream i{" five six"}; std::string n; size_t x;', "i >> n;", "x = n.size();", "x == 0"),
    "a line": ('std::istringstream i{"\\nsix"}; std::string n{"five"}; size_t x;', "std::getline(i, n);", "x = n.size();", "x == 4"),
    "a date": ("std::ostringstream o; std::tm t{};", "o << std::put_time(&t, \"%Y\");", "t.tm_year = 100;", 'o.str() == "1900"'),
    "what kind an object is": ("struct a { virtual ~a() {} }; struct b : a {}; struct c : a {}; alignas(8) char at[64]; a *it = new (at) b; bool x;",
                               "x = dynamic_cast<b *>(it) != nullptr;", "new (at) c;", "x"),
    "a thread that is joined": ("std::thread t{[] {}}; bool x;", "t.join();", "x = t.joinable();", "x"),
    "the thread of an object": ("std::thread t; bool x;", "t = std::thread([] {}); t.join();", "x = t.native_handle();", "x"),
}


def source(programs):
    """All of them in one program: its argument says which."""
    structs = "".join(f"struct p{at} {{ {kept}\n\tvoid first() {{ {first} }}\n\tvoid second() {{ {second} }}\n\tbool differs() {{ return {differs}; }}\n}};\n"
                      for at, (kept, first, second, differs) in enumerate(programs.values()))
    table = ", ".join(f"both<p{at}>" for at in range(len(programs)))
    return HEAD + structs + f"""
template <class P> int both()
{{
	static P p;
	std::thread a(&P::first, &p), b(&P::second, &p);

	a.join();
	b.join();
	return p.differs() ? 3 : 4;
}}

int main(int argc, char **argv)
{{
	int (*const all[])() = {{ {table} }};

	return all[argc > 1 ? atoi(argv[1]) : 0]();
}}
"""

FACETS = """#include <charconv>
#include <locale>
#include <thread>

static char text[32] = "abc";

int main()
{
	std::thread t([] { %s; });

	volatile char c = text[0];
	t.join();
}
"""
FACET_CALLS = {"std::ctype": "std::use_facet<std::ctype<char>>(std::locale::classic()).toupper(text, text + 1)", "std::to_chars": "std::to_chars(text, text + 9, 1.5)"}


def facets(place, compiler, level):
    """Texts that libstdc++.so changes by itself: it is named."""
    for name, call in FACET_CALLS.items():
        with open(place.path("facet.cc"), "w", encoding="utf-8") as f:
            f.write(FACETS % call)
        place.run(*hooked("tsan", compiler), "-std=c++17", "-w", "-g", level, "-o", "facet", "facet.cc", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--", "./facet", timeout=100, expect=0)
        check("of what has hooks only" in ran.out.splitlines()[0] and name in ran.out, f"{name}: is not named", ran)


RESOURCE = """#include <memory_resource>
#include <mutex>
#include <thread>

static std::pmr::%s resource;
static std::mutex m;

int main()
{
	auto take = [] { std::lock_guard<std::mutex> l(m); (void)!resource.allocate(16); };
	std::thread a(take), b(take);

	a.join();
	b.join();
}
"""


def resources(place, compiler, level, every):
    """Memory that libstdc++.so divides: nobody sees who comes in between there."""
    named_or_not = {"unsynchronized_pool_resource": True, "monotonic_buffer_resource": True, "synchronized_pool_resource": False}
    for name, named in list(named_or_not.items())[::every]:
        with open(place.path("resource.cc"), "w", encoding="utf-8") as f:
            f.write(RESOURCE % name)
        place.run(*hooked("tsan", compiler), "-std=c++17", "-w", "-g", level, "-o", "resource", "resource.cc", "-pthread", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--", "./resource", timeout=100, expect=0)
        only, said = "of what has hooks only" in ran.out.splitlines()[0], f"std::pmr::{name}" in ran.out
        check((not named or only) and said == named, f"{name}: what is named", ran)


def test(bin_dir, outcomes, compiler, level, which="some"):
    programs = dict(list(PROGRAMS.items())[:: 1 if which == "all" else 3])
    with Place(bin_dir) as place:
        with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
            f.write(source(programs))
        place.run(*hooked("tsan", shlex.split(compiler)), "-std=c++20", "-w", "-g", level, "-o", "prog", "prog.cc", "-pthread", expect=0)
        for at, name in enumerate(programs):
            ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "60", str(at), timeout=100, expect=0)
            endings = {tuple(line.split()[:2]) for line in ran.out.splitlines()[:-1]}
            both = {("exit", "3"), ("exit", "4")} <= endings
            if not both and level == "-O0":  # an object that is handed over by value is read there, without a hook
                ran = place.run("vtb", "hunt", "--no-canary", "--strategy=dpor", f"--fail-if=exit!={min(endings)[1]}", "--", "./prog", str(at), timeout=100, expect=0)
                both = "of what has hooks only" in ran.out.splitlines()[0] and "some accesses in" in ran.out
            check(both, f"{name}: not both endings, and not said", ran)
        facets(place, shlex.split(compiler), level)
        resources(place, shlex.split(compiler), level, 1 if which == "all" else 2)


main(test)
