#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""read_first.py BIN_DIR COMPILER: a function of libc writes what it has read, or computed of that, after another thread has come in between. Each program
ends badly only then. Where a function does more than that, the first line says that it is seen from outside only."""
import shlex

from e2e import Place, check, hooked, main

PROGRAM = """#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
%s
static void *first(void *arg) { %s return arg; }
static void *second(void *arg) { %s return arg; }

int main(void)
{
	pthread_t t[2];

	(void)order;
	%s
	pthread_create(&t[0], 0, first, 0);
	pthread_create(&t[1], 0, second, 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	assert(%s);
	return 0;
}
"""
# The second thread changes what is read, and then what is written: the old text stands there at the end only if it was read before both.
TEXTS, WIDE = 'static char from[4] = "1", to[4];', 'static wchar_t from[4] = L"1", to[4];'
AFTER = "from[0] = '2'; to[0] = '0';"
COPIES = {
    "memcpy": "memcpy(to, from, 4);", "memmove": "memmove(to, from, 4);", "mempcpy": "mempcpy(to, from, 4);", "bcopy": "bcopy(from, to, 4);",
    "memccpy": "memccpy(to, from, 0, 4);", "strcpy": "strcpy(to, from);", "stpcpy": "stpcpy(to, from);", "strncpy": "strncpy(to, from, 4);",
    "stpncpy": "stpncpy(to, from, 4);", "snprintf": 'snprintf(to, 4, "%s", from);', "sprintf": 'sprintf(to, "%s", from);',
}
WIDE_COPIES = {"wcscpy": "wcscpy(to, from);", "wcsncpy": "wcsncpy(to, from, 4);", "wmemcpy": "wmemcpy(to, from, 4);", "wmemmove": "wmemmove(to, from, 4);"}
# Both threads call it on the same state, and one of the calls is lost: variables, the call of thread %d, before, what is true unless one is.
DIFFER = "got[0] != got[1]"
BOTH = {
    "rand_r": ("static unsigned s; static int got[2];", "got[%d] = rand_r(&s);", "", DIFFER),
    "nrand48": ("static unsigned short s[3]; static long got[2];", "got[%d] = nrand48(s);", "", DIFFER),
    "erand48": ("static unsigned short s[3]; static double got[2];", "got[%d] = erand48(s);", "", DIFFER),
    "lrand48": ("static long got[2];", "got[%d] = lrand48();", "", DIFFER),
    "drand48": ("static double got[2];", "got[%d] = drand48();", "", DIFFER),
    "lrand48_r": ("static struct drand48_data s; static long got[2];", "lrand48_r(&s, &got[%d]);", "srand48_r(1, &s);", DIFFER),
    "random_r": ("static struct random_data s; static char table[64]; static int got[2];", "random_r(&s, &got[%d]);", "initstate_r(1, table, 64, &s);", DIFFER),
    "strcat": ("static char s[8];", 'strcat(s, "A"); (void)%d;', "", "strlen(s) == 2"),
    "strncat": ("static char s[8];", 'strncat(s, "A", 1); (void)%d;', "", "strlen(s) == 2"),
    "wcscat": ("static wchar_t s[8];", 'wcscat(s, L"A"); (void)%d;', "", "wcslen(s) == 2"),
    "wcsncat": ("static wchar_t s[8];", 'wcsncat(s, L"A", 1); (void)%d;', "", "wcslen(s) == 2"),
    "strsep": ('static char s[] = "a b", *at = s, *got[2];', 'got[%d] = strsep(&at, " ");', "", DIFFER),
    "wcstok": ('static wchar_t s[] = L"x a b", *at, *got[2];', 'got[%d] = wcstok(0, L" ", &at);', 'wcstok(s, L" ", &at);', DIFFER),
    "getsubopt": ('static char s[] = "a,b", *at = s, *value; static int got[2]; static char *const names[] = { "a", "b", 0 };', "got[%d] = getsubopt(&at, names, &value);", "", DIFFER),
    "memfrob": ("static char s = 1;", "memfrob(&s, 1); (void)%d;", "", "s == 1"),
    "swab": ('static char s[] = "ab";', "swab(s, s, 2); (void)%d;", "", "s[0] == 'a'"),
    "sigaddset": ("static sigset_t s;", "sigaddset(&s, 10 + %d);", "", "sigismember(&s, 10) && sigismember(&s, 11)"),
    "sigdelset": ("static sigset_t s;", "sigdelset(&s, 10 + %d);", "sigfillset(&s);", "!sigismember(&s, 10) && !sigismember(&s, 11)"),
    "insque": ("struct link { struct link *next, *before; }; static struct link head, more[2];", "insque(&more[%d], &head);", "insque(&head, 0);", "head.next && head.next->next"),
    "lsearch": ("static int table[4], key[2] = { 3, 4 }; static size_t n;", "lsearch(&key[%d], table, &n, sizeof(int), order);", "", "n == 2"),
}
# variables, first, second, before, what is true unless the second comes in between
MORE = {
    "inet_aton": ('static char s[] = "1.1.1.1"; static struct in_addr to;', "inet_aton(s, &to);", "s[0] = '2'; to.s_addr = 0;", "", "(to.s_addr & 255) != 1"),
    "strtol": ('static char s[] = "1", *end; static long to;', "to = strtol(s, &end, 10);", "s[0] = '2'; end = 0;", "", "!(to == 1 && end)"),
    "asctime_r": ("static struct tm s = { .tm_mday = 1 }; static char to[32];", "asctime_r(&s, to);", "s.tm_mday = 2; to[9] = '0';", "", "to[9] != '1'"),
    # the first text is read before, the second after both are changed
    "strcmp": ('static char a[] = "1", b[] = "1"; static int got;', "got = strcmp(a, b);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "memcmp": ('static char a[] = "1", b[] = "1"; static int got;', "got = memcmp(a, b, 1);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
}
OUTSIDE = {
    "tsearch": ("static void *root; static int key[2] = { 3, 4 };", "tsearch(&key[0], &root, order);", "tsearch(&key[1], &root, order);", "", "1"),
    "hsearch": ("", 'hsearch((ENTRY){ (char *)"a", 0 }, ENTER);', 'hsearch((ENTRY){ (char *)"b", 0 }, ENTER);', "hcreate(4);", "1"),
}


def programs():
    for name, call in COPIES.items():
        yield name, (TEXTS, call, AFTER, "", "to[0] != '1'")
    for name, call in WIDE_COPIES.items():
        yield name, (WIDE, call, AFTER, "", "to[0] != '1'")
    for name, (variables, call, before, holds) in BOTH.items():
        yield name, (variables, call % 0, call % 1, before, holds)
    yield from MORE.items()


LOCK = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; "


def hunt(place, compiler, parts, how):
    variables, first, second, before, holds = parts
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(PROGRAM % (variables, first, second, before, holds))
    place.run(*hooked(how, compiler), "-w", "-g", "-O1", "-fno-builtin", "-o", "prog", "prog.c", "-pthread", expect=0)
    return place.run("vtb", "hunt", "--no-canary", "--", "./prog", timeout=100)


def test(bin_dir, compiler):
    compiler = shlex.split(compiler)
    with Place(bin_dir) as place:
        for i, (name, parts) in enumerate(programs()):
            how = ("tsan", "pads")[i % 2]
            ran = hunt(place, compiler, parts, how)
            check(ran.code == 1 and ran.out.startswith("BUG  assertion failed"), f"{name}: what comes in between is found", ran)
            locked = [f"pthread_mutex_lock(&m); {part} pthread_mutex_unlock(&m);" for part in parts[1:3]]
            ran = hunt(place, compiler, (LOCK + parts[0], *locked, *parts[3:]), how)
            check(ran.code == 0 and ran.out.startswith("NONE FOUND  in all schedules"), f"{name}: under a lock nothing is found", ran)
        for name, parts in OUTSIDE.items():
            ran = hunt(place, compiler, parts, "tsan")
            check(ran.code == 0 and "of what has hooks only" in ran.out.splitlines()[0], f"{name}: the first line", ran)
            check(f"{name}() of the C library" in " ".join(ran.out.split()), f"{name}: it is named", ran)


main(test)
