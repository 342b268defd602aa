#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""deadlines.py BIN_DIR COMPILER: operations with a deadline that is kept in every run of dpor, for nobody waits there when the lock is free. In
another order somebody would wait, and the deadline could pass. Neither dpor nor the default search calls that complete before a deadline
has passed; of the same operations without a deadline they do."""
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;
static int event, x;

static struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_sec++;
	return t;
}

"""
# What each thread does, and whether a deadline is in it. `until` is a second from now.
PROGRAMS = {
    "lock": ("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
             "if (!pthread_mutex_lock(&m)) { x++; pthread_mutex_unlock(&m); }", False),
    "timedlock": ("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
                  "if (!pthread_mutex_timedlock(&m, &until)) { x++; pthread_mutex_unlock(&m); }", True),
    "clocklock": ("pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);",
                  "if (!pthread_mutex_clocklock(&m, CLOCK_REALTIME, &until)) { x++; pthread_mutex_unlock(&m); }", True),
    "rdlock": ("pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l);",
               "if (!pthread_rwlock_rdlock(&l)) { x += 0; pthread_rwlock_unlock(&l); }", False),
    "timedrdlock": ("pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l);",
                    "if (!pthread_rwlock_timedrdlock(&l, &until)) { x += 0; pthread_rwlock_unlock(&l); }", True),
    "timedwrlock": ("pthread_rwlock_wrlock(&l); x++; pthread_rwlock_unlock(&l);",
                    "if (!pthread_rwlock_timedwrlock(&l, &until)) { x++; pthread_rwlock_unlock(&l); }", True),
    "semaphore": ("sem_post(&s);", "if (!sem_timedwait(&s, &until)) x++;", True),
    "poll": ("eventfd_write(event, 1);", "struct pollfd p = { .fd = event, .events = POLLIN }; if (poll(&p, 1, 1000)) x++;", True),
    # Nobody else lives when it is locked: it cannot be held.
    "alone": ("x++;", "x += 0;", False),
}
MAIN = """
int main(int argc, char **argv)
{
	void *(*const *both)(void *) = all[argv[1][0] - '0'];
	struct timespec until;
	pthread_t t[2];

	sem_init(&s, 0, 0);
	event = eventfd(0, EFD_NONBLOCK);
	pthread_create(&t[0], 0, both[0], 0);
	pthread_create(&t[1], 0, both[1], 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	until = soon(CLOCK_REALTIME);
	return pthread_mutex_timedlock(&m, &until);
}
"""


def source():
    """All of them in one program: its argument says which."""
    clock = "struct timespec until = soon(CLOCK_REALTIME); (void)until;"
    threads = "".join(f"static void *first{at}(void *arg) {{ {first} return arg; }}\nstatic void *second{at}(void *arg) {{ {clock} {second} return arg; }}\n"
                      for at, (first, second, _) in enumerate(PROGRAMS.values()))
    table = ", ".join(f"{{ first{at}, second{at} }}" for at in range(len(PROGRAMS)))
    return HEAD + threads + f"static void *(*const all[][2])(void *) = {{ {table} }};\n" + MAIN


def hunted(place, at, *options):
    ran = place.run("vtb-hunt", "--no-canary", "--budget=20000", *options, "./prog", str(at), timeout=100)
    return ran, " ".join(ran.out.split())


def one(place, at, name, deadline):
    ran, said = hunted(place, at, "--strategy=dpor")
    complete = "Complete" in said
    check(ran.code == 0, f"{name}: something is shown", ran)
    check(complete != deadline, f"{name}: dpor, which lets no deadline pass, says {'' if complete else 'not '}complete", ran)
    check(not deadline or "but without passing deadlines" in said, f"{name}: not a word of deadlines", ran)
    ran, said = hunted(place, at)
    check("Complete" not in said or not deadline or "deadlines that pass early" in said, f"{name}: complete without a deadline that passed", ran)


def test(bin_dir, compiler):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for at, (name, (_, _, deadline)) in enumerate(PROGRAMS.items()):
            one(place, at, name, deadline)


main(test)
