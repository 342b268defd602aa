#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""pads.py BIN_DIR alone|registers|known|builds ...: programs with pads, by themselves and under vtb."""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = """
#include <pthread.h>
#include <stdio.h>
static long shared; static _Thread_local int own; static const int table[4] = {1, 2, 3, 4};
static void *add(void *p) { for (int i = 0; i < 5; i++) { shared += table[i & 3]; own++; } __atomic_fetch_add((int *)p, own, __ATOMIC_RELAXED); return 0; }
int main(void) { pthread_t t; int n = 0; pthread_create(&t, 0, add, &n); pthread_join(t, 0); add(&n); printf("%ld %d\\n", shared, n); return 0; }
"""
WANTED = "22 10\n"
LOAD, STORE = 6, 7  # kinds of sites: vtb/pad_site.h
ASM = """
long shared;
int main(void) {
	__asm__ volatile("lock; incq %0\\n\\tcmpq $1, %0" : "+m"(shared));
	__asm__ volatile(".byte 0x90\\n\\tmovq $5, %0" : "=m"(shared));
	__asm__ volatile("jmp .+2\\n\\tincq %0" : "+m"(shared));
	return shared != 6;
}
"""


class Failed(Exception):
    pass


def run(*args, expect=0, **kw):
    done = subprocess.run(args, capture_output=True, text=True, timeout=100, **kw)
    if expect is not None and done.returncode != expect:
        raise Failed(f"{' '.join(args)}: exit code {done.returncode}, expected {expect}\n{done.stdout}{done.stderr}")
    return done


def recorded(bin_dir, work, program, *args):
    """What the program prints while all its pads are on."""
    fresh = tempfile.mkdtemp(dir=work)
    return run(os.path.join(bin_dir, "vtb-record"), "-o", os.path.join(fresh, "run.vtb"), "--", program, *args).stdout


def alone(bin_dir, *programs):
    texts = set()
    with tempfile.TemporaryDirectory() as work:
        for program in programs:
            texts.add(run(program).stdout)
            texts.add(recorded(bin_dir, work, program))
    if len(texts) != 1:
        raise Failed("what is printed differs:\n" + "---\n".join(sorted(texts)))


def registers(bin_dir, program):
    with tempfile.TemporaryDirectory() as work:
        for text in (run(program).stdout, recorded(bin_dir, work, program)):
            if text != "all as it was\n":
                raise Failed(text)
        for how in (["--carrier=fibers"], ["--carrier=threads", "--engine=forkserver"]):
            line = ["--strategy=random", "--seed=1", "--budget=40", "--time=60", *how, "--", program, "2"]
            hunt = run(os.path.join(bin_dir, "vtb-hunt"), *line, cwd=work, expect=None)
            said = " ".join(hunt.stdout.split())
            if hunt.returncode not in (0, 3) or "pads tier" not in said or "NONE FOUND" not in said or "differed between the engines" in said:
                raise Failed(hunt.stdout + hunt.stderr)


def known(engines, program):
    """Of each atomic operation is told what the read behind it finds; the runtime has told it before it was made."""
    text = run(engines, "print", "snapshot-scan", "1", program).stdout
    found = re.findall(r"atomic-(\S+) at \S+ of x size (\d) order \d value (\d+).*\n.* read at \S+ of x size (\d) order \d value (\d+)", text)
    wrong = [f for f in found if f[1:3] != f[3:5]]
    kinds = {kind for kind, *_ in found}
    if wrong or len(found) < 900 or not kinds >= {"rmw", "cas-fail", "store"}:
        raise Failed(f"{len(found)} operations of {sorted(kinds)}, told otherwise: {wrong[:9]}")


def sites(program):
    """Entries in the table of sites: kinds by number."""
    dump = run("readelf", "-x", "vtb_pads", program).stdout
    words = [w for line in dump.splitlines() if line.startswith("  0x") for w in line.split()[1:5]]
    return [int(w[6:8] + w[4:6] + w[2:4] + w[0:2], 16) & 15 for w in words[2::4]]


# What clang asks of the linker in C++ and with this pragma stands in a section of a type that GNU as has no name for.
QUIET = "#pragma comment(lib, \"m\")\nint x;\nint main(void)\n{\n\treturn x;\n}\n"


def check_quiet(cc, clang, work):
    source = os.path.join(work, "q.c")
    with open(source, "w", encoding="utf-8") as f:
        f.write(QUIET)
    run(clang, "-c", "-o", os.path.join(work, "plain.o"), source)
    said = run(cc, clang, "-c", "-o", os.path.join(work, "pads.o"), source).stderr
    if said:
        raise Failed(f"clang with pads says: {said}")
    types = [re.findall(r"\.(?:linker-options|deplibs)\s+(\S+)", run("readelf", "-SW", os.path.join(work, name)).stdout) for name in ("plain.o", "pads.o")]
    if not types[0] or types[0] != types[1]:
        raise Failed(f"type of the section for the linker: {types}")


# Atomic accesses that are plain moves: what gcc notes of them goes over several lines where the address is a sum.
FIELDS = """#include <stdatomic.h>
struct both { int plain; atomic_int first; atomic_long rest[4]; } all;
int at(struct both *b, int i) { return atomic_load(&b->first) + (int)atomic_load(&b->rest[i]) + (int)atomic_load(&all.rest[2]); }
void set(struct both *b, int i) { atomic_store_explicit(&b->first, 1, memory_order_release); atomic_store_explicit(&b->rest[i], 2, memory_order_relaxed); }
int plain(struct both *b) { return b->plain; }
int main(void) { set(&all, 1); return at(&all, 1) != 3 || plain(&all); }
"""


def check_fields(cc, gcc, work):
    source, program = os.path.join(work, "f.c"), os.path.join(work, "f")
    with open(source, "w", encoding="utf-8") as f:
        f.write(FIELDS)
    for level in ("-O0", "-O1"):
        run(cc, gcc, level, "-fno-inline", "-o", program, source)
        kinds = sites(program)
        if kinds.count(LOAD) != 3 or kinds.count(STORE) != 2:
            raise Failed(f"fields that are atomic, {level}: sites {kinds}")
        run(program)


# What gcc leaves to libatomic: 16 bytes and more.
WIDE = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct wide { long part[N]; };
static _Atomic struct wide all;
static void *add(void *arg)
{
	struct wide old = atomic_load(&all), fresh;
	do {
		fresh = old;
		fresh.part[N - 1]++;
#ifdef LOST
		atomic_store(&all, fresh);
	} while (0);
#else
	} while (!atomic_compare_exchange_strong(&all, &old, fresh));
#endif
	return arg;
}
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(atomic_load(&all).part[N - 1] == 2);
	return 0;
}
"""


def check_wide(bin_dir, gcc, work):
    source, program = os.path.join(work, "w.c"), os.path.join(work, "w")
    with open(source, "w", encoding="utf-8") as f:
        f.write(WIDE)
    for how, expect in (["-DN=2"], 0), (["-DN=2", "-DLOST"], 1), (["-DN=3"], 0), (["-DN=3", "-DLOST"], 1):
        run(os.path.join(bin_dir, "vtb-cc"), gcc, "-O1", *how, "-o", program, source, "-pthread", "-latomic")
        hunt = run(os.path.join(bin_dir, "vtb-hunt"), "--no-canary", "--time=20", "--", program, cwd=work, expect=expect)
        if not expect and hunt.stdout.splitlines()[0] != "NONE FOUND  in all schedules":
            raise Failed(f"wide atomic operations, {how}:\n{hunt.stdout}")


def builds(bin_dir, here, gcc, clang):
    cc = os.path.join(bin_dir, "vtb-cc")
    ways = [[gcc, *f.split()] for f in ("-O0", "-O1", "-O2 -fPIC -pipe", "-O2 -fno-pie -no-pie", "-O2 -ffunction-sections -Wl,--gc-sections", "-O2 -flto", "-Os -fomit-frame-pointer", "-O2 -fno-ident -g3 -save-temps", "-O1 -mcmodel=large -fno-pie -no-pie")]
    ways += [[clang, "-O0"], [clang, "-O2"], [clang, "-O2", "-fPIC", "-ffunction-sections"]] if clang else []
    with tempfile.TemporaryDirectory() as work:
        source, program = os.path.join(work, "p.c"), os.path.join(work, "p")
        with open(source, "w", encoding="utf-8") as f:
            f.write(SOURCE)
        for way in ways:
            run(cc, *way, "-o", program, source, "-pthread", cwd=work)
            kinds = sites(program)
            if run(program).stdout != WANTED or recorded(bin_dir, work, program) != WANTED:
                raise Failed(f"{way}: prints something else")
            if 4 not in kinds or not ({1, 2} <= set(kinds) or 3 in kinds):
                raise Failed(f"{way}: sites {kinds}")
        if clang:
            check_quiet(cc, clang, work)
        check_fields(cc, gcc, work)
        check_wide(bin_dir, gcc, work)
        # asm statements: the first has pads, one with data and one with a jump to a place have none
        with open(source, "w", encoding="utf-8") as f:
            f.write(ASM)
        run(cc, gcc, "-O1", "-o", program, source)
        kinds = sites(program)
        if kinds.count(4) != 1 or kinds.count(14) != 2:
            raise Failed(f"asm statements: sites {kinds}")
        run(program)
        recorded(bin_dir, work, program)
        # hand-written assembler stays as it is, and is listed
        by_hand = os.path.join(work, "h.S")
        with open(by_hand, "w", encoding="utf-8") as f:
            f.write("\t.globl main\nmain:\tmovl $0, x(%rip)\n\tmovl x(%rip), %eax\n\tret\n\t.data\nx:\t.long 1\n\t.section .note.GNU-stack,\"\",@progbits\n")
        run(cc, gcc, "-o", program, by_hand)
        if sorted(sites(program)) != [0, 14]:
            raise Failed(f"hand-written: sites {sites(program)}")
        run(program)
        said = run(os.path.join(bin_dir, "vtb-doctor"), program, expect=None).stdout
        if "pads: 0 sites, 1 places without" not in said:
            raise Failed(said)
        # refused, with a reason
        refusals = [[gcc, "-masm=intel", "-c", source]] + ([[clang, "-flto", "-c", source]] if clang else [])
        for refusal in refusals:
            said = run(cc, *refusal, expect=2, cwd=work).stderr
            if "pads" not in said:
                raise Failed(said)
        if "-static" not in run(cc, gcc, "-static", "-c", source, "-o", program + ".o").stderr + run(cc, gcc, "-static", source, "-o", program, expect=None).stderr:
            raise Failed("no warning about -static")


def main(bin_dir, what, *args):
    try:
        {"alone": alone, "registers": registers, "known": known, "builds": builds}[what](bin_dir, *args)
    except Failed as e:
        print(e)
        return 1
    return 0


sys.exit(main(*sys.argv[1:]))
