#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""once_classes.py BIN_DIR COMPILER N: random programs of threads that come to initialisers which run once, one of them perhaps in the other. Partial-order reduction
and a search of all orders come to the same classes, and the former to each of them once."""
import random
import shlex

from e2e import Place, check, hooked, main

HEAD = """#include <pthread.h>
#include <stdatomic.h>

static pthread_once_t a = PTHREAD_ONCE_INIT, b = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y;
static int seen;
"""
STEPS = ["pthread_once(&a, make_a);", "pthread_once(&b, make_b);", "pthread_once(&a, make_a);", "x++;", "y = x;",
         "pthread_mutex_lock(&mutex); seen += x; pthread_mutex_unlock(&mutex);"]
MADE = ["x++;", "y++;", "y = x;", "pthread_mutex_lock(&mutex); x++; pthread_mutex_unlock(&mutex);", ""]


def source(seed):
    draw = random.Random(seed)
    shape = draw.choice(((1, 1), (2, 1), (1, 2)))
    threads = [[draw.choice(STEPS) for _ in range(steps)] for steps in shape]
    lines = [HEAD, f"static void make_b(void) {{ {draw.choice(MADE)} }}",
             f"static void make_a(void) {{ {draw.choice(MADE)} {draw.choice(('', '', 'pthread_once(&b, make_b);'))} }}"]
    lines += [f"static void *work{at}(void *arg) {{ {' '.join(steps)} return arg; }}" for at, steps in enumerate(threads)]
    lines += ["int main(void)\n{", f"\tpthread_t t[{len(threads)}];"]
    lines += [f"\tpthread_create(&t[{at}], 0, work{at}, 0);" for at in range(len(threads))]
    lines += [f"\tpthread_join(t[{at}], 0);" for at in range(len(threads))]
    return "\n".join(lines + ["\treturn 0;\n}\n"])


def test(bin_dir, compiler, n):
    tsan = hooked("tsan", shlex.split(compiler))
    with Place(bin_dir) as place:
        for seed in range(int(n)):
            with open(place.path("prog.c"), "w", encoding="utf-8") as f:
                f.write(source(seed))
            place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            hunts = [place.run("vtb", "hunt", "--no-canary", "--symmetry=off", "--json", "--time=60", *how, "--", "./prog", expect=0)
                     for how in (["--strategy=dpor"], ["--strategy=dfs", "--c=99", "--v=99"])]
            said = [ran.json() for ran in hunts]
            check(all(one["complete"] for one in said), f"seed {seed}: not complete", hunts[1])
            check(said[0]["classes"] == said[1]["classes"], f"seed {seed}: dpor comes to {said[0]['classes']} classes, all orders to {said[1]['classes']}", hunts[1])
            check(said[0]["classes"] == said[0]["schedules"], f"seed {seed}: {said[0]['schedules']} schedules of dpor", hunts[0])


main(test)
