#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""every_state.py BIN_DIR COMPILER [all]: correct programs of which nothing is left after some hundred schedules, though chance may wake their threads, locks are tried
again and again, signals are waited for, or time passes. A hunt without options says so; with a bug that takes more preemptions than its bound, it is found."""
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <cassert>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>
static std::mutex a, b;
static std::condition_variable changed;
static int tokens, got, x;
static sigset_t both;
static int blocked = [] { sigemptyset(&both); sigaddset(&both, SIGUSR1); sigaddset(&both, SIGUSR2); return pthread_sigmask(SIG_BLOCK, &both, nullptr); }();
"""
WAIT = "std::unique_lock held(a); changed.wait(held, [] { return tokens > 0; }); tokens--; got++;"
GIVE = "{ std::lock_guard held(a); tokens++; } changed.notify_one();"
WORKER = """for (;;) {
	std::unique_lock held(a); changed.wait(held, [] { return tokens > 0; });
	if (tokens == 9) return;
	tokens--; got++;
}"""
PROGRAMS = {  # what the threads do, main's part, what holds in the end, schedules that are enough
    "two-locks": (["std::scoped_lock held(a, b); x++;", "std::scoped_lock held(b, a); x++;"], "", "x == 2", 650),
    "two-waiters": ([WAIT, WAIT], GIVE + GIVE, "got == 2", 2500),
    "two-signals": (["int n; sigwait(&both, &n); std::lock_guard held(a); x += n;"] * 2, "kill(getpid(), SIGUSR1); kill(getpid(), SIGUSR2);", "x == SIGUSR1 + SIGUSR2", 300),
    "time-limit": (["std::this_thread::sleep_for(std::chrono::milliseconds(5)); std::lock_guard held(a); x++;"] * 2, "", "x == 2", 1200),
    "timed-wait": (["std::unique_lock held(a); if (changed.wait_for(held, std::chrono::milliseconds(5), [] { return tokens > 0; })) got++; else x++;"], GIVE, "x + got == 1", 2500),
}
ALSO = ("timed-wait",)
BEYOND = """static std::atomic<int> step;
static void odd() { for (int i = 0; i < 6; i += 2) { int want = i; step.compare_exchange_strong(want, i + 1); } }
static void even() { for (int i = 1; i < 6; i += 2) { int want = i; step.compare_exchange_strong(want, i + 1); } }
int main() { std::thread one(odd), two(even); one.join(); two.join(); assert(step != 6); }
"""


def source(bodies, main_part, holds):
    threads = [f"static void work{at}() {{ {body} }}" for at, body in enumerate(bodies)]
    begun = "; ".join(f"std::thread t{at}(work{at})" for at in range(len(bodies)))
    joined = " ".join(f"t{at}.join();" for at in range(len(bodies)))
    return HEAD + "\n".join(threads) + f"\nint main()\n{{\n\t{begun};\n\t{main_part}\n\t{joined}\n\tassert({holds});\n}}\n"


def compiled(place, compiler, text):
    with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
        f.write(text)
    place.run(*hooked("tsan", shlex.split(compiler)), "-std=c++20", "-g", "-O1", "-o", "prog", "prog.cc", "-pthread", expect=0)


def test(bin_dir, compiler, which=""):
    with Place(bin_dir) as place:
        for name, (bodies, main_part, holds, enough) in PROGRAMS.items():
            if name in ALSO and which != "all":
                continue
            compiled(place, compiler, source(bodies, main_part, holds))
            ran = place.run("vtb", "hunt", "--no-canary", "--json", "--time=60", "--", "./prog", expect=0, timeout=90)
            said = ran.json()
            print(f"{name}: {said['schedules']} schedules, {said['states']} states, {said['seconds']:.1f} s")
            check(said["verdict"] == "none" and said["complete"] and said["done"]["c"] is None, f"{name}: something is left", ran)
            check(said["schedules"] <= enough, f"{name}: {said['schedules']} schedules", ran)
        if which == "all":
            compiled(place, compiler, "#include <atomic>\n" + HEAD + BEYOND)
            ran = place.run("vtb", "hunt", "--no-canary", "--json", "--time=60", "--", "./prog", expect=1, timeout=90)
            check(ran.json()["tuple"]["c"] > 2, "found with few preemptions", ran)


main(test)
