#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""ended.py BIN_DIR COMPILER: whether a thread has ended already decides nothing about what others' operations are: printing, allocating and the like are told
until it was joined. Partial-order reduction and a search of all orders come to the same classes, and a hunt does not contradict itself."""
import shlex

from e2e import Place, check, hooked, main

PROGRAM = """#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static int n;

static void *work(void *arg) { %s return arg; }

int main(void)
{
	pthread_t t[2];

	sem_init(&sem, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], 0, work, 0);
	%s
	return n > 2;
}
"""
ADDS = "pthread_mutex_lock(&mutex); n++; pthread_mutex_unlock(&mutex);"
EACH = "for (int i = 0; i < 2; i++) { pthread_join(t[i], 0); %s }"
PROGRAMS = {
    "prints between two joins": (ADDS, EACH % 'printf("joined %d\\n", i);'),
    "prints before them": ("", 'printf("begun\\n");' + EACH % ""),
    "allocates between them": (ADDS, EACH % "free(malloc(24));"),
    "asks for a setting between them": (ADDS, EACH % "umask(0);"),
    "detached": ("sem_post(&sem);", 'for (int i = 0; i < 2; i++) { pthread_detach(t[i]); sem_wait(&sem); } printf("done\\n");'),
}


def test(bin_dir, compiler):
    tsan = hooked("tsan", shlex.split(compiler))
    with Place(bin_dir) as place:
        for name, (work, end) in PROGRAMS.items():
            with open(place.path("prog.c"), "w", encoding="utf-8") as f:
                f.write(PROGRAM % (work, end))
            place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
            hunts = [place.run("vtb", "hunt", "--no-canary", "--json", "--time=60", *how, "--", "./prog", expect=0)
                     for how in (["--strategy=dpor"], ["--strategy=dfs", "--c=9", "--v=9"], [])]
            classes = [ran.json()["classes"] for ran in hunts]
            check(len(set(classes)) == 1, f"{name}: dpor, dfs and the portfolio come to {classes} classes", hunts[1])
            check(hunts[0].json()["complete"] and hunts[2].json()["complete"], f"{name}: not complete", hunts[2])


main(test)
