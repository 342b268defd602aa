#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""blind_code.py BIN_DIR COMPILER CXX_COMPILER [all]: functions with accesses that no hook tells are named: inline assembler, bit-fields, a memcpy that the compiler has written
out, a struct that is passed or returned by value. Others are not. Copies of more than 8 bytes are one step each: where another thread may come in between, the statement says so.
Names of C++ are told without template arguments, and once for all instances of a template."""
from e2e import SKIPPED, check, main, Place

PROGRAM = r"""
#include <pthread.h>
#include <string.h>
static struct { volatile unsigned char p : 3, q : 5; } bits;
static volatile int x;
static char buffer[16];
static int array[8];
static struct four { long a[4]; } one, two;
static long used;
__attribute__((noipa)) static void use(struct four x) { used = x.a[1]; }
__attribute__((noipa)) static struct four make(void) { return (struct four){ { used } }; }
%s
static void *thread(void *arg)
{
	work();
	return arg;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	return x == 12345 || bits.q == 31 || array[5] == 9 || one.a[2] == 7;
}
"""
WORK = "__attribute__((noinline)) static void work(void) { %s }"
AT = "struct b { unsigned char p : 3, q : 5; } *volatile at = (struct b *)&bits; struct b *to = at;"
ARGUMENT = "struct four *volatile at = &one; struct four *to = at; use(*to);"
BLIND = {"argument": ARGUMENT, "result": "one = make();", "bits": "bits.p = 1;", "bits_counted": "bits.p++;", "pointer": AT + "to->p = 1;", "second": AT + "to->p = 2; to->q = 3;",
         "assembler_at": 'volatile int *volatile at = &x; __asm__ volatile("addl $1, %0" : "+m"(*at));', "assembler": '__asm__ volatile("addl $1, %0" : "+m"(x));', "copy": 'memcpy(buffer, "other", 5);',
         "masked": '__asm__ volatile("pcmpeqd %%xmm0, %%xmm0; maskmovdqu %%xmm0, %%xmm0" : : "D"(buffer) : "xmm0", "memory");'}
SEEN = {"plain": "x = 1;", "both": "x = x + 1;", "loop": "for (int i = 0; i < 8; i++) array[i] += i;", "choice": "if (x) array[1] = x; else array[2] = 3; array[3]++;",
        "at": "int *volatile at = array; int *to = at; to[3] = to[2]; to[1]++; if (to[4]) to[5] |= 3;",
        "returned": "char *s = strchr(buffer, 3); if (s) s[0]++; long *volatile l = one.a; *l += 2; l[1] = *l;",
        "struct": "one = two; two.a[1] = one.a[2]; struct four own = make(); own.a[used & 3]++; use(own);", "atomic": "__atomic_fetch_add(&array[4], 1, 5); array[5] = 2;"}


def unhooked(place, compiler, flags, work):
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(PROGRAM % (WORK % work))
    place.run(compiler, "-g", "-fsanitize=thread", "-pthread", *flags, "-o", "prog", "prog.c", expect=0)
    ran = place.run("vtb", "hunt", "--no-canary", "--json", "--time=300", "--", "./prog", timeout=100, expect=0)
    names = ran.json()["unhooked"]
    part = "what has hooks" if any(n.startswith("some accesses in ") for n in names) else "hooked accesses and synchronisation"
    check(f"Complete for {part}:" in ran.json()["statement"], "complete of what is not said", ran)
    return names, ran


COPIES = """
#include <pthread.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct { long a[8]; } one, two;
static void *copies(void *arg) { %s; return arg; }
static void *reads(void *arg) { %s; return arg; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, copies, 0);
	pthread_create(&t[1], 0, reads, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return one.a[0] == 7;
}
"""
LOCKED = "pthread_mutex_lock(&m); %s; pthread_mutex_unlock(&m)"
READS = "volatile long x = one.a[0] + one.a[7]; (void)x"
TEARS = {"struct": ("one = two", READS, True), "memcpy": ("memcpy(&one, &two, sizeof(one))", READS, True), "locked": (LOCKED % "one = two", LOCKED % READS, False),
         "word": ("one.a[0] = 1", READS, False)}


def says_torn(place, compiler, bodies):
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(COPIES % bodies)
    place.run(compiler, "-g", "-O1", "-fsanitize=thread", "-pthread", "-o", "prog", "prog.c", expect=0)
    ran = place.run("vtb", "hunt", "--no-canary", "--budget=100", "--", "./prog", timeout=100, expect=0)
    torn = "more than 8 bytes was one step" in " ".join(ran.out.split())
    check(("that tear no access" in ran.out.splitlines()[0]) == torn, "the first line", ran)
    return torn, ran


def names_places_without_pads(place, compiler):
    """A pad that cannot be: the claim is of what has hooks, in the first line, too."""
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(PROGRAM % (WORK % BLIND["masked"]))
    place.run("vtb", "cc", compiler, "-g", "-O1", "-pthread", "-o", "prog", "prog.c", expect=0)
    ran = place.run("vtb", "hunt", "--no-canary", "--time=300", "--", "./prog", timeout=100, expect=0)
    said = " ".join(ran.out.split())
    check("of what has hooks only" in ran.out.splitlines()[0] and "Complete for what has hooks:" in said and "1 place in prog" in said, "a place without a pad", ran)


INSTANCES = """
#include <map>
#include <string>
#include <thread>
template <class T> struct four { T a[4]; };
template <class T> static four<T> one;
static long used;
template <class T> [[gnu::noipa]] void use(four<T> x) { used = x.a[1]; }
template <class T> [[gnu::noinline]] void work(std::map<std::string, T> *) { four<T> *volatile at = &one<T>; four<T> *to = at; use(*to); }
int main()
{
	std::thread t([] { work<long>(nullptr); work<unsigned long>(nullptr); });
	t.join();
}
"""


def names_instances(place, compiler):
    with open(place.path("prog.cc"), "w", encoding="utf-8") as f:
        f.write(INSTANCES)
    place.run(compiler, "-g", "-O1", "-std=c++17", "-fsanitize=thread", "-pthread", "-o", "prog", "prog.cc", expect=0)
    ran = place.run("vtb", "hunt", "--no-canary", "--json", "--budget=100", "--", "./prog", timeout=100)
    names = [name for name in ran.json()["unhooked"] if name.startswith("some accesses")]
    check(names == ["some accesses in work() of prog (prog.cc:9)"], f"{names} are named", ran)


def test(bin_dir, compiler, cxx, *more):
    if not compiler:
        return SKIPPED
    with Place(bin_dir) as place:
        if cxx:
            names_instances(place, cxx)
        names_places_without_pads(place, compiler)
        for name, (copies, reads, torn) in TEARS.items():
            said, ran = says_torn(place, compiler, (copies, reads))
            check(said == torn, f"{name}: {'not a word' if torn else 'a word'} of copies that may be torn", ran)
        for flags in (["-O0"], ["-O1"], ["-O2"], ["-O2", "-no-pie", "-fno-pie"]) if more else (["-O1"], ["-O2", "-no-pie", "-fno-pie"]):
            for name, work in BLIND.items():
                if name == "copy" and flags == ["-O0"]:
                    continue  # the compiler calls memcpy, which is hooked, or not
                names, ran = unhooked(place, compiler, flags, work)
                check(any(n.startswith("some accesses in work() of prog (prog.c:") for n in names), f"{name} at {flags}: work() is not named in {names}", ran)
            for name, work in SEEN.items():
                names, ran = unhooked(place, compiler, flags, work)
                check(not any("prog" in n for n in names), f"{name} at {flags}: {names} without need", ran)
    return None


main(test)
