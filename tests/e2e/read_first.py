#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""read_first.py BIN_DIR COMPILER [all]: a function of libc writes what it has read, or computed of that, after another thread has come in between. Each program
ends badly only then. Where a function does more than that, the first line says that it is seen from outside only. Without "all": some of each kind."""
import shlex

from e2e import Place, check, hooked, main

PROGRAM = """#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <err.h>
#include <fcntl.h>
#include <iconv.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/msg.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int scans(const char *text, const char *format, ...) { va_list l; int n; va_start(l, format); n = vsscanf(text, format, l); va_end(l); return n; }
%s
static void *first(void *arg) { %s return arg; }
static void *second(void *arg) { %s return arg; }

int main(void)
{
	pthread_t t[2];

	(void)order; (void)scans;
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
# As MORE, one at least of each way in which a call is made
NUMBER, TEXT, WIDE_TEXT = 'static char from[8] = "1"; static int to;', 'static char from[8] = "1", to[8];', 'static wchar_t from[8] = L"1"; static char to[8];'
LETTERS = 'static char from[8] = "1"; static wchar_t to[8];'
DATE = "static struct tm from = { .tm_mday = 1 }; "
LONG = "static char from[5000], to[5000];"
ONES = "memset(from, '1', 4999);"
DIGIT, NONE = "from[0] = '2'; to = 0;", "from[0] = '2'; to[0] = 0;"
WAS, HAS = "to != 1", "to[0] != '1'"
FILE = 'fd = open("f", O_RDWR | O_CREAT | O_TRUNC, 0600); write(fd, "1", 1);'
BETWEEN = 'int got_one = %s; __asm__ volatile("" ::: "memory"); between = got_one && %s;'
CALLS = {
    "sscanf into two": ('static int a, b, between;', 'sscanf("1 1", "%d %d", &a, &b);', BETWEEN % ("a == 1", "b == 0"), "", "!between"),
    "localtime_r": ("static time_t from = 1; static struct tm to;", "localtime_r(&from, &to);", "from = 2; to.tm_sec = 0;", "", "to.tm_sec != 1"),
    "qsort": ("static int s[2] = { 2, 1 };", "qsort(s, 2, sizeof(int), order);", "s[0] = 3;", "", "s[0] != 1 || s[1] != 2"),
    "strcasecmp": ('static char a[] = "1", b[] = "1"; static int got;', "got = strcasecmp(a, b);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "asprintf": ('static char from[4] = "1", *to;', 'asprintf(&to, "%s", from);', "from[0] = '2'; to = 0;", "", "!(to && to[0] == '1')"),
    "stat": ("static int fd; static struct stat to;", 'stat("f", &to);', "ftruncate(fd, 2); to.st_size = 0;", FILE, "to.st_size != 1"),
}
CALLS_ALL = {
    "sscanf": (NUMBER, 'sscanf(from, "%d", &to);', DIGIT, "", WAS),
    "sscanf a word": (TEXT, 'sscanf(from, "%s", to);', NONE, "", HAS),
    "swscanf": ('static wchar_t from[8] = L"1"; static int to;', 'swscanf(from, L"%d", &to);', DIGIT, "", WAS),
    "mbstowcs": (LETTERS, "mbstowcs(to, from, 4);", NONE, "", HAS),
    "gmtime": ("static time_t from = 1; static struct tm *to;", "gmtime(&from);", "from = 2; to->tm_sec = 0;", "time_t zero = 0; to = gmtime(&zero);", "to->tm_sec != 1"),
    "sprintf of two": ('static char a[4] = "1", b[4] = "1", to[8];', 'sprintf(to, "%s%s", a, b);', "a[0] = '2'; b[0] = '2';", "", "!(to[0] == '1' && to[1] == '2')"),
    "memcpy of 5000 bytes": (LONG, "memcpy(to, from, 5000);", NONE, ONES, HAS),
    "getpwnam_r": ("static struct passwd to, *found; static char room[1024]; static int between;", 'getpwnam_r("root", &to, room, 1024, &found);',
                   BETWEEN % ("to.pw_name != 0", "found == 0"), "", "!between"),
    "sigaction": ("static struct sigaction from, got; static void caught(int s) {}", "sigaction(SIGUSR1, &from, 0); sigaction(SIGUSR1, 0, &got);",
                  'from.sa_handler = SIG_IGN; __asm__ volatile("" ::: "memory"); from.sa_handler = caught;', "", "got.sa_handler != SIG_IGN"),
    "vsscanf": (NUMBER, 'scans(from, "%d", &to);', DIGIT, "", WAS),
    "sscanf a short word": (TEXT, 'sscanf(from, "%3s", to);', NONE, "", HAS),
    "sscanf digits": (TEXT, 'sscanf(from, "%[0-9]", to);', NONE, "", HAS),
    "sscanf a letter": (TEXT, 'sscanf(from, "%c", to);', NONE, "", HAS),
    "sscanf wide letters": (LETTERS, 'sscanf(from, "%ls", to);', NONE, "", HAS),
    "sscanf a count": ('static char from[8] = "11 "; static int to;', 'sscanf(from, "%*d%n", &to);', "from[1] = ' '; to = 0;", "", "to != 2"),
    "sscanf by place": (NUMBER, 'sscanf(from, "%1$d", &to);', DIGIT, "", WAS),
    "sscanf a word anew": ('static char from[8] = "1", *to;', 'sscanf(from, "%ms", &to);', "from[0] = '2'; to = 0;", "", "!(to && to[0] == '1')"),
    "sscanf a fraction": ('static char from[8] = "1"; static double to;', 'sscanf(from, "%lf", &to);', DIGIT, "", WAS),
    "sscanf by a format": ('static char from[8] = "1", f[4] = "%d"; static int to;', "sscanf(from, f, &to);", "strcpy(f, \"%n\"); from[0] = '2'; to = 0;", "", WAS),
    "swscanf a word": (WIDE_TEXT, 'swscanf(from, L"%s", to);', NONE, "", HAS),
    "wcstombs": (WIDE_TEXT, "wcstombs(to, from, 4);", NONE, "", HAS),
    "mbsrtowcs": (LETTERS, "const char *p = from; mbstate_t s = { 0 }; mbsrtowcs(to, &p, 4, &s);", NONE, "", HAS),
    "mbsnrtowcs": (LETTERS, "const char *p = from; mbstate_t s = { 0 }; mbsnrtowcs(to, &p, 2, 4, &s);", NONE, "", HAS),
    "wcsrtombs": (WIDE_TEXT, "const wchar_t *p = from; mbstate_t s = { 0 }; wcsrtombs(to, &p, 4, &s);", NONE, "", HAS),
    "wcsnrtombs": (WIDE_TEXT, "const wchar_t *p = from; mbstate_t s = { 0 }; wcsnrtombs(to, &p, 2, 4, &s);", NONE, "", HAS),
    "mbrtowc": (LETTERS, "mbstate_t s = { 0 }; mbrtowc(to, from, 1, &s);", NONE, "", HAS),
    "mbtowc": (LETTERS, "mbtowc(to, from, 1);", NONE, "", HAS),
    "iconv": (TEXT + "static iconv_t it;", "char *f = from, *t = to; size_t n = 1, left = 4; iconv(it, &f, &n, &t, &left);", NONE, 'it = iconv_open("ASCII", "UTF-8");', HAS),
    "strptime": ('static char from[8] = "1"; static struct tm to;', 'strptime(from, "%d", &to);', "from[0] = '2'; to.tm_mday = 0;", "", "to.tm_mday != 1"),
    "strftime": (DATE + "static char to[8];", 'strftime(to, 8, "%e", &from);', "from.tm_mday = 2; to[1] = 0;", "", "to[1] != '1'"),
    "wcsftime": (DATE + "static wchar_t to[8];", 'wcsftime(to, 8, L"%e", &from);', "from.tm_mday = 2; to[1] = 0;", "", "to[1] != '1'"),
    "gmtime_r": ("static time_t from = 1; static struct tm to;", "gmtime_r(&from, &to);", "from = 2; to.tm_sec = 0;", "", "to.tm_sec != 1"),
    "ctime_r": ("static time_t from = 1; static char to[32];", "ctime_r(&from, to);", "from = 2; to[18] = 0;", "", "to[18] != '1'"),
    "mktime": ("static struct tm s = { .tm_mday = 1, .tm_sec = 61, .tm_year = 100 };", "mktime(&s);", "s.tm_sec = 2; s.tm_min = 9;", "", "!(s.tm_sec == 1 && s.tm_min == 1)"),
    "timegm": ("static struct tm s = { .tm_mday = 1, .tm_sec = 61, .tm_year = 100 };", "timegm(&s);", "s.tm_sec = 2; s.tm_min = 9;", "", "!(s.tm_sec == 1 && s.tm_min == 1)"),
    "asctime": (DATE + "static char *to;", "asctime(&from);", "from.tm_mday = 2; to[9] = 0;", "struct tm zero = { 0 }; to = asctime(&zero);", "to[9] != '1'"),
    "strtok_r": ('static char s[] = "x a b", *at, *got[2];', 'got[0] = strtok_r(0, " ", &at);', 'got[1] = strtok_r(0, " ", &at);', 'strtok_r(s, " ", &at);', DIFFER),
    "lfind": ("static int table[2] = { 2, 1 }, key = 1; static size_t n = 1; static void *got;", "got = lfind(&key, table, &n, sizeof(int), order);", "n = 0; table[0] = 1;", "", "!got"),
    "strncasecmp": ('static char a[] = "1", b[] = "1"; static int got;', "got = strncasecmp(a, b, 1);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "strcoll": ('static char a[] = "1", b[] = "1"; static int got;', "got = strcoll(a, b);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "wcscmp": ('static wchar_t a[] = L"1", b[] = L"1"; static int got;', "got = wcscmp(a, b);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "strstr": ('static char a[] = "1", b[] = "1", *got;', "got = strstr(a, b);", "b[0] = '2'; a[0] = '2';", "", "got"),
    "memmem": ('static char a[] = "1", b[] = "1", *got;', "got = memmem(a, 1, b, 1);", "b[0] = '2'; a[0] = '2';", "", "got"),
    "bcmp": ('static char a[] = "1", b[] = "1"; static int got;', "got = bcmp(a, b, 1);", "a[0] = '2'; b[0] = '2';", "", "!got"),
    "memcmp of 100 bytes": ('static char a[100] = "1", b[100] = "1"; static int got;', "got = memcmp(a, b, 100);", "a[0] = '2'; b[0] = '2';", "", "got >= 0"),
    "strcmp of 100 letters": ("static char a[100], b[100]; static int got;", "got = strcmp(a, b);", "a[0] = '2'; b[0] = '2';", "memset(a, '1', 99); memset(b, '1', 99);", "got >= 0"),
    "strcpy of 5000 letters": (LONG, "strcpy(to, from);", NONE, ONES, HAS),
    "strncpy of 5000 letters": (LONG, "strncpy(to, from, 5000);", NONE, ONES, HAS),
    "strcat of 5000 letters": (LONG, "strcat(to, from);", NONE, ONES, HAS),
    "wcstol": ('static wchar_t s[] = L"1", *end; static long to;', "to = wcstol(s, &end, 10);", "s[0] = '2'; end = 0;", "", "!(to == 1 && end)"),
    "wcstod": ('static wchar_t s[] = L"1", *end; static double to;', "to = wcstod(s, &end);", "s[0] = '2'; end = 0;", "", "!(to == 1 && end)"),
    "strtold": ('static char s[] = "1", *end; static long double to;', "to = strtold(s, &end);", "s[0] = '2'; end = 0;", "", "!(to == 1 && end)"),
    "strtoimax": ('static char s[] = "1", *end; static intmax_t to;', "to = strtoimax(s, &end, 10);", "s[0] = '2'; end = 0;", "", "!(to == 1 && end)"),
    "wcpcpy": ('static wchar_t from[4] = L"1", to[4];', "wcpcpy(to, from);", NONE, "", HAS),
    "wmempcpy": ('static wchar_t from[4] = L"1", to[4];', "wmempcpy(to, from, 1);", NONE, "", HAS),
    "swprintf": ('static wchar_t from[4] = L"1", to[4];', 'swprintf(to, 4, L"%ls", from);', NONE, "", HAS),
    "snprintf a count": ('static char from[4] = "1", text[4]; static int to;', 'snprintf(text, 4, "%s%n", from, &to);', "from[0] = 0; to = 0;", "", WAS),
    "strxfrm": (TEXT, "strxfrm(to, from, 8);", NONE, "", HAS),
    "inet_pton": ('static char from[8] = "1.1.1.1"; static struct in_addr to;', "inet_pton(AF_INET, from, &to);", "from[0] = '2'; to.s_addr = 0;", "", "(to.s_addr & 255) != 1"),
    "inet_ntop": ("static struct in_addr from = { 1 }; static char to[16];", "inet_ntop(AF_INET, &from, to, 16);", "from.s_addr = 2; to[0] = 0;", "", HAS),
    "ether_aton_r": ('static char from[] = "1:1:1:1:1:1"; static struct ether_addr to;', "ether_aton_r(from, &to);", "from[0] = '2'; to.ether_addr_octet[0] = 0;", "", "to.ether_addr_octet[0] != 1"),
    "wcscat": ('static wchar_t s[4] = L"1", to[8] = L"x";', "wcscat(to, s);", "s[0] = '2'; to[0] = L'y'; to[1] = 0;", "", "to[1] != '1' || to[0] != 'y'"),
    "strfry": ('static char s[2] = "1";', "strfry(s);", "s[0] = '2';", "", "s[0] != '1'"),
    "basename": ('static char s[8] = "a/";', "__xpg_basename(s);", "s[1] = 'b';", "", "s[1] == 'b'"),
    "sincos": ("static double sine = 2, cosine = 2; static int between;", "sincos(0, &sine, &cosine);", BETWEEN % ("sine != 2", "cosine == 2"), "", "!between"),
    "ecvt_r": ("static int point = 9, sign = 9, between; static char to[32];", "ecvt_r(12, 3, &point, &sign, to, 32);", BETWEEN % ("point != 9", "sign == 9"), "", "!between"),
    "sigorset": ("static sigset_t a, b, to;", "sigorset(&to, &a, &b);", "sigaddset(&a, 10); sigaddset(&b, 11);", "", "sigismember(&to, 10) || !sigismember(&to, 11)"),
    "regexec": ('static char s[8] = "ab"; static regmatch_t to; static regex_t it;', "regexec(&it, s, 1, &to, 0);", "s[0] = 'b'; to.rm_so = 9;", 'regcomp(&it, "b", 0);', "to.rm_so != 1"),
    "fstat": ("static int fd; static struct stat to;", "fstat(fd, &to);", "ftruncate(fd, 2); to.st_size = 0;", FILE, "to.st_size != 1"),
    "statx": ("static int fd; static struct statx to;", 'statx(AT_FDCWD, "f", 0, STATX_SIZE, &to);', "ftruncate(fd, 2); to.stx_size = 0;", FILE, "to.stx_size != 1"),
    "pread": ("static int fd; static char to;", "pread(fd, &to, 1, 0);", 'pwrite(fd, "2", 1, 0); to = 0;', FILE, "to != '1'"),
    "pipe": ("static int ends[2];", "pipe(ends);", "pipe(ends);", "", "ends[0] != 3"),
    "getcwd": ("static char to[4096];", "getcwd(to, 4096);", 'chdir("/"); to[1] = 0;', "", "!to[1]"),
    "readlink": ("static char to[8];", 'readlink("l", to, 8);', 'unlink("l"); symlink("2", "l"); to[0] = 0;', 'unlink("l"); symlink("1", "l");', HAS),
    "getsockopt": ("static int fd, to; static socklen_t n = 4;", "getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &to, &n);",
                   "int on = 1; setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, 4); to = 9;", "fd = socket(AF_INET, SOCK_DGRAM, 0);", "to"),
    "eventfd_read": ("static int fd; static eventfd_t to;", "eventfd_read(fd, &to);", "eventfd_write(fd, 2); to = 9;", "fd = eventfd(1, EFD_NONBLOCK);", "to != 1 || eventfd_read(fd, &to) < 0"),
}
# What a call does not touch is left alone, however large the room that it is given.
KEEPS = {
    "inet_ntop": ("static struct in_addr from = { 1 }; static char to[64];", "inet_ntop(AF_INET, &from, to, 64);", "to[63] = 1;", "", "to[63] == 1"),
    "strftime": (DATE + "static char to[64];", 'strftime(to, 64, "%d", &from);', "to[63] = 1;", "", "to[63] == 1"),
    "strptime": ("static struct tm to;", 'strptime("1", "%d", &to);', "to.tm_year = 1;", "", "to.tm_year == 1"),
    "sscanf": ('static char from[8] = "x"; static int to;', 'sscanf(from, "%d", &to);', "to = 1;", "", "to == 1"),
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


SOME = 6  # every sixth, in turns by hooks of both kinds
LOCK = "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; "


def hunt(place, compiler, parts, how):
    variables, first, second, before, holds = parts
    with open(place.path("prog.c"), "w", encoding="utf-8") as f:
        f.write(PROGRAM % (variables, first, second, before, holds))
    place.run(*hooked(how, compiler), "-w", "-g", "-O1", "-fno-builtin", "-o", "prog", "prog.c", "-pthread", "-lm", expect=0)
    return place.run("vtb", "hunt", "--no-canary", "--refine=0.1", "--", "./prog", timeout=100)


def is_found(place, compiler, name, parts, how):
    ran = hunt(place, compiler, parts, how)
    check(ran.code == 1 and ran.out.startswith("BUG  assertion failed"), f"{name}: what comes in between is found", ran)


def is_quiet(place, compiler, name, parts, how):
    ran = hunt(place, compiler, parts, how)
    check(ran.code == 0 and ran.out.startswith("NONE FOUND  in all schedules"), f"{name}: nothing is found", ran)


def under_a_lock(parts):
    locked = [f"pthread_mutex_lock(&m); {part} pthread_mutex_unlock(&m);" for part in parts[1:3]]
    return (LOCK + parts[0], *locked, *parts[3:])


def test(bin_dir, compiler, *which):
    compiler = shlex.split(compiler)
    everything = which == ("all",)
    with Place(bin_dir) as place:
        for i, (name, parts) in enumerate([*programs(), *CALLS.items(), *CALLS_ALL.items()] if everything else [*list(programs())[::SOME], *CALLS.items()]):
            how = ("tsan", "pads")[i % 2]
            is_found(place, compiler, name, parts, how)
            if everything or name not in CALLS:
                is_quiet(place, compiler, f"{name} under a lock", under_a_lock(parts), how)
        for name, parts in KEEPS.items() if everything else [("inet_ntop", KEEPS["inet_ntop"])]:
            is_quiet(place, compiler, f"{name}: what it does not write stays", parts, "tsan")
        for name, parts in OUTSIDE.items():
            ran = hunt(place, compiler, parts, "tsan")
            check(ran.code == 0 and "of what has hooks only" in ran.out.splitlines()[0], f"{name}: the first line", ran)
            check(f"{name}() of the C library" in " ".join(ran.out.split()), f"{name}: it is named", ran)


main(test)
