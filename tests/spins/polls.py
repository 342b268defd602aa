#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""polls.py BIN_DIR OUTCOMES BUILD LEVEL COMPILER [EVERY]: a thread looks at something again and again and sleeps in between, each way of
looking with each way of sleeping (with EVERY, one pair in so many). Time that passes is no progress: if nobody does anything each schedule is a
livelock, and if somebody does every schedule ends well."""
import itertools
import os
import shlex
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from e2e import Place, check, hooked, main  # noqa: E402

# How it looks; how what it looks for comes ("": it cannot).
LOOKS = {
    "atomic": ("!atomic_load(&f)", "atomic_store(&f, 1);"),
    "plain": ("!v", "v = 1;"),
    "exchange": ("atomic_exchange(&taken, 1)", "atomic_store(&taken, 0);"),
    "cas": ("!takes()", "atomic_store(&taken, 0);"),
    "semaphore": ("sem_trywait(&s)", "sem_post(&s);"),
    "value": ("(sem_getvalue(&s, &k), !k)", "sem_post(&s);"),
    "mutex": ("pthread_mutex_trylock(&m)", "pthread_mutex_unlock(&m);"),
    "spin lock": ("pthread_spin_trylock(&p)", "pthread_spin_unlock(&p);"),
    "readers": ("pthread_rwlock_tryrdlock(&w)", "pthread_rwlock_unlock(&w);"),
    "writers": ("pthread_rwlock_trywrlock(&w)", "pthread_rwlock_unlock(&w);"),
    "pipe": ("read(fd[0], &byte, 1) < 0", ""),
    "descriptor": ("!poll(&look, 1, 0)", ""),
    "nothing": ("1", ""),
}
SLEEPS = {
    "without": "", "yield": "sched_yield();", "usleep": "usleep(1);", "sleep": "sleep(1);", "nanosleep": "nanosleep(&span, 0);",
    "clock_nanosleep": "clock_nanosleep(CLOCK_MONOTONIC, 0, &span, 0);", "thrd_sleep": "thrd_sleep(&span, 0);", "poll": "poll(0, 0, 1);",
    "ppoll": "ppoll(0, 0, &span, 0);", "select": "struct timeval tv = { 0, 1000 }; select(0, 0, 0, 0, &tv);",
    "pselect": "pselect(0, 0, 0, 0, &span, 0);", "epoll": "epoll_wait(set, &event, 1, 1);",
}
HEADERS = "fcntl poll pthread sched semaphore stdatomic stdlib threads time unistd sys/epoll sys/select".split()
HEAD = "#define _GNU_SOURCE\n" + "".join(f"#include <{name}.h>\n" for name in HEADERS) + """
static atomic_int f, taken = 1;
static volatile int v;
static sem_t s;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t p;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static int fd[2], k, set;
static char byte;
static struct epoll_event event;
static struct pollfd look = { .events = POLLIN };
static const struct timespec span = { 0, 1000 };

static int takes(void)
{
	int zero = 0;

	return atomic_compare_exchange_strong(&taken, &zero, 1);
}

"""
MAIN = """
int main(int argc, char **argv)
{
	const int which = atoi(argv[1]);
	pthread_t t;

	(void)argc;
	sem_init(&s, 0, 0);
	pthread_spin_init(&p, 0);
	pthread_spin_lock(&p);
	pthread_mutex_lock(&m);
	pthread_rwlock_wrlock(&w);
	if (argv[1][0] == '+') {
		set = epoll_create1(0);
		if (pipe2(fd, O_NONBLOCK) < 0)
			return 9;
		look.fd = fd[0];
	}
	pthread_create(&t, 0, loops[abs(which) / 2], 0);
	if (which % 2)
		comes[abs(which) / 2]();
	pthread_join(t, 0);
	return 0;
}
"""


def pairs():
    return list(itertools.product(LOOKS, SLEEPS))


def source():
    out = HEAD
    for i, (look, sleep) in enumerate(pairs()):
        out += f"static void *loop_{i}(void *arg) {{ while ({LOOKS[look][0]}) {{ {SLEEPS[sleep]} }} return arg; }}\n"
        out += f"static void come_{i}(void) {{ {LOOKS[look][1]} }}\n"
    for name, kind in (("loop", "void *(*const loops[])(void *)"), ("come", "void (*const comes[])(void)")):
        out += f"static {kind} = {{ {', '.join(f'{name}_{i}' for i in range(len(pairs())))} }};\n"
    return out + MAIN


def build(place, how, level, compiler):
    with open(place.path("prog.c"), "w") as f:
        f.write(source())
    place.run(*hooked(how, shlex.split(compiler)), "-std=gnu11", "-g", level, "-w", "-o", "prog", "prog.c", "-pthread", expect=0)


def one(place, outcomes, i, comes):
    look, sleep = pairs()[i]
    descriptors = look in ("pipe", "descriptor") or sleep == "epoll"
    ran = place.run(outcomes, "./prog", "dfs", "1" if comes else "0", "10", f"{'+' if descriptors else ''}{2 * i + comes}", timeout=40, expect=0)
    endings = sorted(" ".join(line.split()[:2]) for line in ran.out.splitlines() if not line.startswith("end "))
    want = ["exit 0"] if comes else ["livelock 1"]
    said = f"{look}, {sleep}, {'comes' if comes else 'nobody does anything'}"
    if endings != want or "exhausted=1" not in ran.out:
        print(f"{said}: {endings}, {ran.out.splitlines()[-1]}, {ran.seconds:.1f} s", flush=True)
        return False
    return True


def test(bin_dir, outcomes, how, level, compiler, every="1"):
    outcomes, differ, n = os.path.abspath(outcomes), 0, 0
    with Place(bin_dir) as place:
        build(place, how, level, compiler)
        for i, (look, _) in enumerate(pairs()):
            for comes in (False, True) if LOOKS[look][1] else (False,):
                if (i + comes) % int(every) == 0:
                    n += 1
                    differ += not one(place, outcomes, i, comes)
        place.none_left()
    print(f"{n} loops that poll, {differ} differ")
    check(n > 20 and not differ, f"{differ} of {n} loops that poll end otherwise")


main(test)
