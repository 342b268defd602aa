#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""signal_classes.py BIN_DIR OUTCOMES COMPILER FIRST N: random programs whose threads send signals that all have blocked, wait for them, ask which are pending, ignore
or unblock them. Partial-order reduction sees every ending that a search by states sees, and not more."""
import random
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int x;
static int seen[2];
static void handle(int n) { (void)n; x += 5; }
"""
COMMON = ["kill(getpid(), SIGUSR1);", "kill(getpid(), SIGUSR2);", "kill(getpid(), SIGUSR1);", "x += 2;", "seen[me] = seen[me] * 3 + x;",
          "sigpending(&s); seen[me] = seen[me] * 2 + sigismember(&s, SIGUSR1);"]
RARE = ["signal(SIGUSR2, SIG_IGN);", "sigemptyset(&s); sigaddset(&s, SIGUSR2); pthread_sigmask(SIG_UNBLOCK, &s, 0);",
        "sigemptyset(&s); sigaddset(&s, SIGUSR2); pthread_sigmask(SIG_BLOCK, &s, 0);",
        "sigemptyset(&s); sigaddset(&s, SIGUSR1); sigaddset(&s, SIGUSR2); sigwait(&s, &n); seen[me] = seen[me] * 2 + (n == SIGUSR1);"]


def source(seed):
    draw = random.Random(seed)
    threads = [[draw.choice(RARE if draw.random() < 0.35 else COMMON) for _ in range(steps)] for steps in draw.choice(((2, 2), (3, 1), (1, 2)))]
    lines = [HEAD]
    for at, steps in enumerate(threads):
        lines.append(f"static void *work{at}(void *arg) {{ const int me = {at}; sigset_t s; int n = 0; (void)s, (void)n; {' '.join(steps)} (void)me; return arg; }}")
    opens = draw.random() < 0.25
    lines += ["int main(void)\n{", "\tpthread_t t[2]; sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigaddset(&s, SIGUSR2);", "\tsignal(SIGUSR2, handle);",
              "\tsigdelset(&s, SIGUSR2);" if opens else "", "\tpthread_sigmask(SIG_BLOCK, &s, 0);"]
    lines += [f"\tpthread_create(&t[{at}], 0, work{at}, 0);" for at in range(2)] + ["\tkill(getpid(), SIGUSR1);" if draw.random() < 0.7 else ""]
    lines += [f"\tpthread_join(t[{at}], 0);" for at in range(2)]
    return "\n".join(lines + ["\treturn (seen[0] * 7 + seen[1] * 31 + x) % 120;\n}\n"])


def endings(place, outcomes, *how):
    ran = place.run(outcomes, "./prog", *how, timeout=90, expect=0)
    lines = ran.out.splitlines()
    return {tuple(line.split()[:2]) for line in lines[:-1]}, dict(word.split("=") for word in lines[-1].split()[1:]), ran


def test(bin_dir, outcomes, compiler, first, n):
    tsan, compared = hooked("tsan", shlex.split(compiler)), 0
    with Place(bin_dir) as place:
        for seed in range(int(first), int(first) + int(n)):
            with open(place.path("prog.c"), "w", encoding="utf-8") as f:
                f.write(source(seed))
            place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            reduced, end, ran = endings(place, outcomes, "dpor", "-", "5")
            if end["complete"] != "1":
                continue
            every, all_end, _ = endings(place, outcomes, "dfs+states", "-", "5")
            compared += all_end["exhausted"] == "1"
            check(not every - reduced, f"seed {seed}: not seen by dpor: {sorted(every - reduced)}\n{source(seed)}", ran)
            check(all_end["exhausted"] != "1" or reduced == every, f"seed {seed}: only by dpor: {sorted(reduced - every)}", ran)
        place.none_left()
    print(f"{compared} of {n} programs were compared with all states")


main(test)
