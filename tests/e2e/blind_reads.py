#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""blind_reads.py BIN_DIR SOURCE_DIR CLANG: clang gives no hook to a read that a write to the same place follows, nor to a part of a variable on the
stack, although other threads have the variable's address. `vtb cc` builds programs without the former gap. Of a program with such a gap no search may be
called complete, whatever it has run, and the gap is named."""
import json
import os
import shutil

from e2e import SKIPPED, Place, check, main

GAP = "reads just before writes"
PARTS = "parts of local variables"
LENT = """#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct pair { int first; int *second; };
static void *look(void *arg) { struct pair *p = arg; int *at = p->second; if (at) assert(*at == 7); return NULL; }
int main(void) {
	struct pair pair = { 1, malloc(sizeof(int)) };
	pthread_t t;
	*pair.second = 7;
	pthread_create(&t, NULL, look, &pair);
	free(pair.second);
	pair.second = NULL;
	pthread_join(t, NULL);
	return 0;
}
"""


def hunt(place, strategy, program):
    ran = place.run("vtb", "hunt", "--json", "--strategy=" + strategy, "--", "./" + program, timeout=60)
    return ran, json.loads(ran.out)


def test(bin_dir, source, compiler=""):
    if not shutil.which(compiler):
        print("skipped: no clang")
        return SKIPPED
    racy, correct = (os.path.join(source, "data/corpus", name, "prog.c") for name in ("fig9", "ok_counter"))
    with Place(bin_dir) as place:
        place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-shared-libsan", "-o", "blind", racy, "-pthread", expect=0)
        place.run("vtb", "cc", "--hooks=tsan", compiler, "-Werror", "-O1", "-c", "-o", "racy.o", racy, expect=0)
        place.run("vtb", "cc", "--hooks=tsan", compiler, "-Werror", "-o", "racy", "racy.o", "-pthread", expect=0)
        place.run("vtb", "cc", "--hooks=tsan", compiler, "-O1", "-o", "correct", correct, "-pthread", expect=0)
        for strategy in ("dpor", "dfs"):
            ran, result = hunt(place, strategy, "blind")
            check(not result["complete"], f"{strategy}: complete, although reads were not seen", ran)
            check(any(GAP in module for module in result["unhooked"]) and GAP in result["statement"], f"{strategy}: the gap is not named", ran)
        ran, result = hunt(place, "dpor", "racy")
        check(result["verdict"] == "assertion", "the failure between a read and a write is not found", ran)
        ran, result = hunt(place, "dpor", "correct")
        check(result["verdict"] == "none" and result["complete"] and GAP not in result["statement"], "a build without the gap is not complete", ran)
        with open(place.path("lent.c"), "w", encoding="utf-8") as f:
            f.write(LENT)
        place.run("vtb", "cc", "--hooks=tsan", compiler, "-O1", "-o", "lent", "lent.c", "-pthread", expect=0)
        ran, result = hunt(place, "dpor", "lent")
        check(not result["complete"] and PARTS in result["statement"], "complete, although parts of variables were not seen", ran)
        ran = place.run("vtb", "hunt", "--", "./lent", timeout=60)
        check("of what has hooks only" in ran.out.splitlines()[0] or ran.code == 1, "the first line says too much", ran)
        ran = place.run("vtb", "doctor", "./blind", timeout=60)
        check("vtb cc" in ran.out + ran.err, "vtb doctor does not say how to build it", ran)


main(test)
