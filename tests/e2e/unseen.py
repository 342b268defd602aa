#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unseen.py BIN_DIR COMPILER [all]: what a program's behaviour may depend on though it is no operation is named, and where it can be anything, nothing is proved:
a piece of memory at two addresses, a library that is loaded late, addresses of memory and handles of threads that several threads ask for. Programs
that have none of it keep their claim without a word."""
import os
import shlex

from e2e import Place, check, hooked, main

PROGRAM = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <link.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <wchar.h>

static int *p, *q, r, f;
void *volatile block[3];
static pthread_t thread[2];
static int (*next)(void);

static void *none(void *arg) { return arg; }
static int is_one(struct dl_phdr_info *info, size_t size, void *data) { return info || size || data; }
static void *first(void *arg) { %s return arg; }
static void *second(void *arg) { %s return arg; }

int main(void)
{
	pthread_t t[2];

	%s
	pthread_create(&t[0], 0, first, 0);
	pthread_create(&t[1], 0, second, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
"""
FILE = 'int fd = memfd_create("m", 0); ftruncate(fd, 8192); p = mmap(0, 4096, 3, MAP_SHARED, fd, 0); '
TWO = ("*p = 1;", "r = *q;")
MAKES = "pthread_create(&thread[%d], 0, none, 0); pthread_join(thread[%d], 0);"
LIMIT = "struct rlimit l; getrlimit(RLIMIT_AS, &l); setrlimit(RLIMIT_AS, &l);"
LIST = 'open("/proc/self/maps", O_RDONLY);'
OWN = "what it keeps for one thread (errno), at which another looked"
ALIAS, ADDRESSES, MEMORY = "memory that was at two addresses", "which addresses and handles came first", "who had memory when it was limited or listed"
# What the threads do, and main before them; what is named; is the claim kept?
PROGRAMS = {
    "a file mapped twice": (*TWO, FILE + "q = mmap(0, 4096, 3, MAP_SHARED, fd, 0);", ALIAS, False),
    "one of them for itself": (*TWO, FILE + "q = mmap(0, 4096, 3, MAP_PRIVATE, fd, 0);", ALIAS, False),
    "one of them to be read": (*TWO, FILE + "q = mmap(0, 4096, 1, MAP_SHARED, fd, 0);", ALIAS, False),
    "overlapping": (*TWO, FILE + "q = mmap(0, 8192, 3, MAP_SHARED, fd, 0);", ALIAS, False),
    "a mapping doubled": (*TWO, "p = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); q = mremap(p, 0, 4096, MREMAP_MAYMOVE);", ALIAS, False),
    "attached twice": (*TWO, "int id = shmget(IPC_PRIVATE, 4096, 0600); p = shmat(id, 0, 0); q = shmat(id, 0, 0); shmctl(id, IPC_RMID, 0);", ALIAS, False),
    "a file that is written, too": ('write(f, "x", 1);', "r = *p;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 3, MAP_SHARED, f, 0);", ALIAS, False),
    "a file that is read, too": ("char c; pread(f, &c, 1, 0);", "*p = 1;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 3, MAP_SHARED, f, 0);", ALIAS, False),
    "a file that is cut off": ("ftruncate(f, 4000);", "r = *p;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 1, MAP_SHARED, f, 0);", ALIAS, False),
    "a file that is made anew": ("open(\"m\", O_RDWR | O_TRUNC);", "r = *p;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 1, MAP_SHARED, f, 0);", ALIAS, False),
    "a file that grows behind what is memory": ("ftruncate(f, 8192);", "r = *p;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 1, MAP_SHARED, f, 0);", None, True),
    "a file that is memory only": ("r = 1;", "*p = 1;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 3, MAP_SHARED, f, 0); close(f);", None, True),
    "a file that all read": ("char c; pread(f, &c, 1, 0);", "r = *p;", "f = open(\"m\", O_RDWR | O_CREAT, 0600); ftruncate(f, 4096); p = mmap(0, 4096, 1, MAP_SHARED, f, 0);", None, True),
    "two parts of a file": (*TWO, FILE + "q = mmap(0, 4096, 3, MAP_SHARED, fd, 4096);", None, True),
    "mapped again after its end": (*TWO, FILE + "munmap(p, 4096); p = q = mmap(0, 4096, 3, MAP_SHARED, fd, 0);", None, True),
    "memory for both": ("block[0] = malloc(24);", "block[1] = malloc(24);", "", ADDRESSES, True),
    "pages for both": ("block[0] = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", "block[1] = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);", "", None, True),
    "memory for one": ("block[0] = malloc(24); block[1] = malloc(24);", "", "block[2] = malloc(24);", None, True),
    "threads of both": (MAKES % (0, 0), MAKES % (1, 1), "", ADDRESSES, True),
    "errno of another thread": ("q = &errno; strtol(\"99999999999999999999\", 0, 10);", "volatile int *e = q; if (e) r = *e;", "", OWN, False),
    "errno of main": ("r = *(volatile int *)q;", "r = 1;", "q = &errno;", OWN, False),
    "errno of main, read by a call": ("volatile size_t n = 4; memcpy((void *)block, q, n);", "r = 1;", "q = &errno;", OWN, False),
    "errno of a thread's own": ("volatile int *e = &errno; *e = 0; close(-1); r = *e;", "errno = 1;", "q = &errno; *q = 0;", None, True),
    "a library": ("r = next();", "r = next();", 'next = (int (*)(void))dlsym(dlopen("./late.so", RTLD_NOW), "next");', "Not hooked: late.so", True),
    "a library with pads": ("r = next();", "r = next();", 'next = (int (*)(void))dlsym(dlopen("./late_padded.so", RTLD_NOW), "next");', None, True),
    "one that the loader does not protect": ("r = next();", "r = next();", 'next = (int (*)(void))dlsym(dlopen("./late_open.so", RTLD_NOW), "next");', "late_open.so", True),
    "a library that is closed": ("r = 1;", "", 'void *l = dlopen("./late.so", RTLD_NOW); next = (int (*)(void))dlsym(l, "next"); next(); dlclose(l);', "dlclose() of the C library, late.so", True),
    "a function that nobody tells": ('char text[32]; int p, s; qfcvt_r(1.5L, 3, &p, &s, text, 32);', "r = 1;", "", "qfcvt_r() of the C library.", True),
    "one of streams": ("fputc('a', stdout);", "r = __fpending(stdout);", "", "__fpending() of the C library", True),
    "one that is a macro": ("fputc('a', stdout);", "r = putc_unlocked('b', stdout);", "", "putc_unlocked() of the C library", True),
    "a lock of memory": ("mlock(&r, 1);", "r = 1;", "", "mlock() of the C library", True),
    "libraries that are listed": ("dl_iterate_phdr(is_one, 0);", "r = 1;", "", "dl_iterate_phdr() of the C library", True),
    "settings of memory and threads to come": ("mallopt(M_PERTURB, 1);", "pthread_attr_t a; pthread_getattr_default_np(&a); pthread_setattr_default_np(&a);", "",
                                               "mallopt() of the C library, pthread_setattr_default_np() of the C library.", True),
    "a limit of memory": (LIMIT, "r = 1;", "", MEMORY, True),
    "memory that is listed": (LIST, "r = 1;", "", MEMORY, True),
    "both before there are threads": ("r = 1;", "", LIMIT + LIST, None, True),
    "memory that is a stream": ('FILE *s = fmemopen(&r, 1, "w"); fputc(1, s); fflush(s);', "q = &r;", "", "fmemopen() of the C library", True),
    "two of them": ('char text[32]; int p, s; qfcvt_r(1.5L, 3, &p, &s, text, 32);', "mallinfo2();", "", "mallinfo2() of the C library, qfcvt_r() of the C library.", True),
    "functions that touch nothing": ("r = abs(getpid());", "umask(0); close(9);", "setsid();", None, True),
    "a library with hooks that is closed": ("r = 1;", "", 'void *l = dlopen("./hooked.so", RTLD_NOW); next = (int (*)(void))dlsym(l, "next"); next(); dlclose(l);', "dlclose() of the C library", True),
    "a library with hooks": ("r = next();", "r = next();", 'next = (int (*)(void))dlsym(dlopen("./hooked.so", RTLD_NOW), "next");', None, True),
}


# Who waits there, by the first address, is told by the second one; and what the outcome says.
WAITS = "int *at = block[0]; pthread_mutex_lock((void *)at); while (!at[50]) pthread_cond_wait((void *)(at + 20), (void *)at); pthread_mutex_unlock((void *)at);"
TELLS = "pthread_mutex_lock((void *)q); q[50] = 1; pthread_cond_signal((void *)(q + 20)); pthread_mutex_unlock((void *)q);"
AGAIN = " = mmap(0, 4096, 3, MAP_SHARED, fd, 0); "
TWICE = {
    "a condition": (WAITS, TELLS, FILE + "q" + AGAIN + "block[0] = p;", "at two addresses"),
    "a futex": ("while (!__atomic_load_n(p, 5)) syscall(SYS_futex, p, FUTEX_WAIT, 0, 0, 0, 0);", "__atomic_store_n(q, 1, 5); syscall(SYS_futex, q, FUTEX_WAKE, 1, 0, 0, 0);",
                FILE + "q" + AGAIN, "at two addresses"),
    "the first is gone": (WAITS, TELLS, FILE + "q" + AGAIN + "block[0]" + AGAIN + "munmap(p, 4096);", "at two addresses"),
    "the first goes": (WAITS, "munmap(p, 4096);" + TELLS, FILE + "q" + AGAIN + "block[0]" + AGAIN, "where memory was"),
}


def meets(place, tsan):
    """Objects of memory that is mapped twice are one, whichever address a thread names: no run ends in a deadlock that the program has not."""
    for name, (first, second, before, said) in TWICE.items():
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(PROGRAM % (first, second, before))
        place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-ldl", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--time=10", "--", "./prog", timeout=100, expect=3)
        check(said in " ".join(ran.out.split()), f"{name} at two addresses: what is said", ran)


def goes(place, tsan):
    """A library goes while another thread has what it found there before."""
    text = PROGRAM % ("int (*f)(void) = next; if (f) r = f();", "next = 0; dlclose(block[0]);", 'block[0] = dlopen("./hooked.so", RTLD_NOW); next = (int (*)(void))dlsym(block[0], "next");')
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(text)
    place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-ldl", expect=0)
    ran = place.run("vtb", "hunt", "--no-canary", "--", "./prog", timeout=100, expect=1)
    check("SIGSEGV" in ran.out.splitlines()[0] and "writes hooked.so" in ran.out, "a library goes under who is in it", ran)


def stays(place, tsan):
    """A library that is loaded in each of many runs is where it was, whatever the runtime has mapped for itself in the meantime."""
    classes = {}
    for how, before in (("late", 'next = (int (*)(void))dlsym(dlopen("./hooked.so", RTLD_NOW), "next");'), ("in the program", "int here(void); next = here;")):
        text = PROGRAM % (*["for (int i = 0; i < 3; i++) next();"] * 2, before)
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(text)
        place.run(*tsan, "-Dnext=here", "-c", "-o", "here.o", "late.c", expect=0)
        place.run(*tsan, "-w", "-O1", "-o", "prog", "prog.c", "here.o", "-pthread", "-ldl", expect=0)
        ran = place.run("vtb", "hunt", "--no-canary", "--json", "--strategy=dpor", "--no-predicate", "--", "./prog", timeout=100, expect=0)
        check(ran.json()["complete"], f"{how}: the claim", ran)
        classes[how] = ran.json()["classes"]
    check(len(set(classes.values())) == 1, f"as many classes wherever its functions are: {classes}")


def pads_are_on(place, tsan):
    """What threads do in a library that is loaded while they run is found there, with the library's line."""
    text = PROGRAM % ("next();", "next();", 'next = (int (*)(void))dlsym(dlopen("./late_padded.so", RTLD_NOW), "next");')
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(text.replace("\treturn 0;", "\treturn next() != 3;"))
    place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-ldl", expect=0)
    with open(place.path("apart.c"), "w", encoding="utf-8") as f:  # the loader protects what lies between its parts before they are mapped
        f.write(text.replace("\treturn 0;", "\treturn next() != 3;").replace("late_padded", "late_apart"))
    place.run(*tsan, "-w", "-g", "-O1", "-o", "apart", "apart.c", "-pthread", "-ldl", expect=0)
    for program, engine in (("prog", "snapshot"), ("prog", "exec"), ("apart", "snapshot")):
        ran = place.run("vtb", "hunt", "--no-canary", f"--engine={engine}", "--time=60", "--", f"./{program}", timeout=100, expect=1)
        check("writes state" in ran.out and "late.c:1" in ran.out, f"a lost update in a library with pads that is loaded late: {program}, {engine}", ran)
        place.run("vtb", "replay", "--run", "failure.json", expect=1)


def test(bin_dir, compiler, which="some"):
    with Place(bin_dir) as place:
        tsan = hooked("tsan", shlex.split(compiler))
        with open(place.path("late.c"), "w", encoding="utf-8") as f:
            f.write("static int state; int next(void) { return ++state; }\n")
        place.run(*shlex.split(compiler), "-shared", "-fPIC", "-o", "late.so", "late.c", expect=0)
        place.run(*tsan, "-shared", "-fPIC", "-o", "hooked.so", "late.c", expect=0)
        place.run(*hooked("pads", shlex.split(compiler)), "-shared", "-fPIC", "-g", "-o", "late_padded.so", "late.c", expect=0)
        place.run(*hooked("pads", shlex.split(compiler)), "-shared", "-fPIC", "-g", "-Wl,-z,max-page-size=2097152", "-o", "late_apart.so", "late.c", expect=0)
        os.truncate(place.path("late_apart.so"), 16 << 20)  # longer than it is in memory, as with much debug information: its end is there before its parts are
        place.run(*hooked("pads", shlex.split(compiler)), "-shared", "-fPIC", "-Wl,-z,norelro", "-o", "late_open.so", "late.c", expect=0)
        # there the segment's number, which is its inode, is 0
        fresh = ["unshare", "--user", "--map-root-user", "--ipc"]
        namespace = {"attached twice": fresh} if not place.run(*fresh, "true", expect=None).code else {}
        meets(place, tsan)
        goes(place, tsan)
        stays(place, tsan)
        pads_are_on(place, tsan)
        for name, (first, second, before, named, kept) in list(PROGRAMS.items())[:: 1 if which == "all" else 2]:
            with open(place.path("prog.c"), "w", encoding="utf-8") as f:
                f.write(PROGRAM % (first, second, before))
            place.run(*tsan, "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-ldl", expect=0)
            ran = place.run(*namespace.get(name, []), "vtb", "hunt", "--no-canary", "--json", "--strategy=dpor", "--", "./prog", timeout=100, expect=0 if kept else 3)
            said = ran.json()["statement"]
            check(ran.json()["complete"] == kept and ("Nothing is proved" in said) != kept, f"{name}: the claim", ran)
            ran = place.run(*namespace.get(name, []), "vtb", "hunt", "--no-canary", "--strategy=dpor", "--", "./prog", timeout=100, expect=0 if kept else 3)
            first_line = ran.out.splitlines()[0]
            check(("of what has hooks only" in first_line) == (kept and named not in (None, ADDRESSES, MEMORY)), f"{name}: the first line", ran)
            check(("of what is under control only" in first_line) == (named == MEMORY), f"{name}: the first line", ran)
            check(any(word in said for word in (ALIAS, ADDRESSES, MEMORY, ".so, lib", "of the C library")) == bool(named) and (named or "") in said, f"{name}: what is named", ran)


main(test)
