#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""inside.py BIN_DIR OUTCOMES COMPILER [all]: functions of libc that make system calls inside, under locks of libc's own; a pipe
that is full, or whose byte is a lock. Two threads that call them at once are searched to the end by partial-order reduction, and by the portfolio (all), which counts the classes that it sees; where the order matters both
endings are found."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <locale.h>
#include <netdb.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

static const time_t moment = 86400 * 200;
static pthread_t idle;
static int ends[2];
static char room[2][4096];
static int result;
static FILE *file;
static int fd;
static sigset_t set;
/* one kind of time, three hours before Greenwich's */
static const char zone_file[] = "TZif\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\4\\0\\0\\x2a\\x30\\0\\0XYZ";
static void *nothing(void *arg) { return arg; }
static void handle(int signal) { result = signal != 0; }
/* a signal that is blocked and pending, and a signalfd for it */
static void pend(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, 0);
	fd = signalfd(-1, &set, SFD_NONBLOCK);
	kill(getpid(), SIGUSR1);
}
static int by_fd(void)
{
	struct signalfd_siginfo info;

	return read(fd, &info, sizeof(info)) == sizeof(info);
}

"""
# What both threads do (`at`: 0 or 1), and what main does before.
CORRECT = {
    "gmtime_r": "struct tm parts; gmtime_r(&moment, &parts); assert(parts.tm_year == 70);",
    "localtime_r": "struct tm parts; localtime_r(&moment, &parts); assert(parts.tm_year == 70);",
    "localtime_r of another zone": ("struct tm parts; localtime_r(&moment, &parts); assert(parts.tm_hour == 3);", 'setenv("TZ", "XYZ-3", 1);'),
    "mktime": "struct tm parts = { .tm_year = 70, .tm_mday = 2 }; assert(mktime(&parts) == 86400);",
    "strftime": 'struct tm parts = { .tm_year = 70, .tm_mday = 1 }; assert(strftime(room[at], 99, "%Y", &parts) == 4);',
    "getpwnam_r": 'struct passwd it, *found; assert(!getpwnam_r("root", &it, room[at], 4096, &found) && found);',
    "getgrgid_r": "struct group it, *found; assert(!getgrgid_r(0, &it, room[at], 4096, &found) && found);",
    "getservbyname_r": 'struct servent it, *found; getservbyname_r("http", "tcp", &it, room[at], 4096, &found);',
    "iconv_open": 'iconv_t it = iconv_open("UTF-16", "UTF-8"); assert(it != (iconv_t)-1); iconv_close(it);',
    "iconv_open with a module": 'iconv_t it = iconv_open("ISO-8859-15", "UTF-8"); assert(it != (iconv_t)-1); iconv_close(it);',
    "setlocale": 'assert(setlocale(LC_ALL, "C.UTF-8"));',
    "newlocale": 'locale_t it = newlocale(LC_ALL_MASK, "C.UTF-8", 0); assert(it); freelocale(it);',
    "syslog": 'syslog(LOG_INFO, "vtb");',
    "perror": 'perror("vtb");',
    "fputs and fflush": 'assert(fputs("line\\n", stdout) >= 0); assert(!fflush(stdout));',
    "fflush of all": 'fputs("line\\n", stdout); fflush(NULL);',
    "a signal before a thread is made": ("if (!at) kill(getpid(), SIGUSR1);", "signal(SIGUSR1, SIG_IGN);"),
    "freopen, and all that was printed": ('if (at) fflush(NULL); else freopen("/dev/null", "r", file);', 'file = fopen("lines", "w"); fputs("a", file);'),
    "tryjoin": "if (!at) while (pthread_tryjoin_np(idle, NULL)) sched_yield();",
}
CORRECT["a pipe that is full"] = ("for (int i = 0; i < 2; i++) assert((at ? write(ends[1], room[1], 4096) : read(ends[0], room[0], 4096)) == 4096);",
                                  "pipe(ends); fcntl(ends[1], F_SETPIPE_SZ, 4096);")
CORRECT["tryjoin"] = (CORRECT["tryjoin"], "pthread_create(&idle, 0, nothing, 0);")
# What the one does and the other, and main before them and after; both orders give other results.
ORDERED = {
    "the zone is set, then asked for": ('setenv("TZ", "XYZ-3", 1); tzset();', "struct tm parts; localtime_r(&moment, &parts); result = parts.tm_hour == 3;"),
    "a date that looks at the zone": ('setenv("TZ", "XYZ-3", 1);', "struct tm parts = { .tm_year = 70, .tm_mday = 2 }; result = mktime(&parts) == 86400;"),
    "the zone's file": ('rename("new", "zone");', "struct tm parts; localtime_r(&moment, &parts); result = parts.tm_hour == 3;",
                        'file = fopen("new", "w"); fwrite(zone_file, 1, sizeof(zone_file), file); fclose(file); strcpy(room[0], ":");'
                        'getcwd(room[0] + 1, 4000); strcat(room[0], "/zone"); setenv("TZ", room[0], 1);'),
    "lines in a file": ('fputs("a", file); fflush(file);', 'fputs("b", file); fflush(file);', 'file = fopen("lines", "w");',
                        'file = fopen("lines", "r"); result = getc(file) == 97;'),
    "a byte in a pipe is a lock": ("read(ends[0], room[0], 1); result = 0; write(ends[1], room[0], 1);",
                                   "read(ends[0], room[1], 1); result = 1; write(ends[1], room[1], 1);", "pipe(ends); write(ends[1], room[0], 1);"),
    "all that was printed": ('fputs("a", file);', "fflush(NULL); result = lseek(fileno(file), 0, SEEK_END) == 1;", 'file = fopen("lines", "w");'),
}
ORDERED.update({
    "the number of a stream": ("result = fileno(file) == -1;", 'freopen("/nowhere/at all", "r", file);', 'file = fopen("lines", "w");'),
    "a library that is loaded": ('dlopen("libresolv.so.2", RTLD_NOW);', 'result = dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD) != 0;'),
    "a library that goes": ("dlclose(file);", 'result = dlopen("libresolv.so.2", RTLD_NOW | RTLD_NOLOAD) != 0;', 'file = dlopen("libresolv.so.2", RTLD_NOW);'),
    "a name that a library brings": ('dlopen("libresolv.so.2", RTLD_NOW | RTLD_GLOBAL);', 'result = dlsym(RTLD_DEFAULT, "__p_class") != 0;'),
    "whose an address is": ("dlclose(file);", 'Dl_info whose; result = dladdr(*(void **)room[1], &whose) != 0;',
                            'file = dlopen("libresolv.so.2", RTLD_NOW); *(void **)room[1] = dlsym(file, "__p_class");'),
    "a limit of files": ("struct rlimit few = { 2, 2 }; setrlimit(RLIMIT_FSIZE, &few);", 'result = write(fd, "abc", 3) == 3;',
                         'signal(SIGXFSZ, SIG_IGN); fd = open("short", O_RDWR | O_CREAT, 0600);'),
    "a variable of the zone": ('setenv("TZ", "XYZ-3", 1); tzset();', "result = timezone == -10800;"),
    "what of a closed descriptor is to be on the disk": ("result = fsync(fd) == 0;", "close(fd);", 'fd = open("synced", O_RDWR | O_CREAT, 0600);'),
    "a closed descriptor whose mode is set": ("result = fchmod(fd, 0600) == 0;", "close(fd);", 'fd = open("mode", O_RDWR | O_CREAT, 0600);'),
    "a closed descriptor that is mapped": ("result = mmap(0, 4096, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED;", "close(fd);", 'fd = open("/proc/self/exe", O_RDONLY);'),
    "a program that is gone": ('unlink("shell");', 'execl("./shell", "sh", "-c", "exit 4", (char *)0); result = 1;', 'symlink("/bin/sh", "shell");'),
    "a signal that is waited for or read": ("int n; sigwait(&set, &n);", "if (by_fd()) { result = 1; kill(getpid(), SIGUSR1); }", "pend();"),
    "a signal that is waited for, and pending": ("int n; sigwait(&set, &n);", "sigset_t now; sigpending(&now); result = sigismember(&now, SIGUSR1);", "pend();"),
    "a signal that is read or let in": ("by_fd();", "sigprocmask(SIG_UNBLOCK, &set, 0);", "signal(SIGUSR1, handle); pend();"),
    "a signal that is read or ignored": ("result = by_fd();", "signal(SIGUSR1, SIG_IGN);", "pend();"),
})
# Both orders give other results, and no two operations say what may come first: either both are found, or not all is claimed to be.
UNTOLD = {
    "a stream that is locked": ("flockfile(file); room[0][0] = getc(file); funlockfile(file);", "result = getc(file) == 97;",
                                'file = fopen("lines", "w+"); fputs("ab", file); rewind(file);'),
    "a stream that is locked, without operations": ("flockfile(file); result = getc_unlocked(file) == 'b'; funlockfile(file);", "getc(file);",
                                                    'file = fmemopen("xab", 3, "r"); getc(file);'),
}
BRIEF = ["a stream that is locked", "a stream that is locked, without operations",
         "gmtime_r", "mktime", "getpwnam_r", "iconv_open with a module", "setlocale", "fputs and fflush", "tryjoin", "the zone is set, then asked for",
         "the zone's file", "all that was printed", "a pipe that is full",
         "a byte in a pipe is a lock", "a signal before a thread is made", "freopen, and all that was printed", "the number of a stream", "a library that is loaded",
         "a library that goes", "a name that a library brings", "whose an address is", "a limit of files", "a variable of the zone", "what of a closed descriptor is to be on the disk",
         "a closed descriptor whose mode is set", "a closed descriptor that is mapped", "a program that is gone",
         "a signal that is waited for or read", "a signal that is waited for, and pending",
         "a signal that is read or let in", "a signal that is read or ignored"]


def source():
    """All of them in one program: its argument says which."""
    texts = []
    for body in CORRECT.values():
        body, before = body if isinstance(body, tuple) else (body, "")
        texts.append((f"const long at = (long)arg; (void)at; {body}", f"const long at = (long)arg; (void)at; {body}", before, ""))
    texts += [(*bodies, "", "")[:4] for bodies in [*ORDERED.values(), *UNTOLD.values()]]
    functions = "".join(f"static void *f{at}_{i}(void *arg) {{ {body} return arg; }}\n" for at, bodies in enumerate(texts) for i, body in enumerate(bodies))
    table = ", ".join("{ " + ", ".join(f"f{at}_{i}" for i in range(4)) + " }" for at in range(len(texts)))
    return HEAD + functions + f"""
static void *(*const all[][4])(void *) = {{ {table} }};

int main(int argc, char **argv)
{{
	void *(*const *program)(void *) = all[argc > 1 ? atoi(argv[1]) : 0];
	pthread_t t[2];

	program[2](0);
	pthread_create(&t[0], 0, program[0], 0);
	pthread_create(&t[1], 0, program[1], (void *)1);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	program[3](0);
	return result ? 3 : 4;
}}
"""


def searched(place, outcomes, at):
    ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "60", str(at), timeout=100, expect=0)
    lines = ran.out.splitlines()
    return ran, {tuple(line.split()[:2]) for line in lines[:-1]}, "exhausted=1 complete=1" in lines[-1] and "diverged=0" in lines[-1]


def test(bin_dir, outcomes, compiler, which="brief"):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", expect=0)
        for at, name in enumerate([*CORRECT, *ORDERED, *UNTOLD]):
            if which == "brief" and name not in BRIEF:
                continue
            ran, endings, complete = searched(place, outcomes, at)
            if name in UNTOLD:
                check(not complete or len(endings) == 2, f"{name}: one ending, and complete", ran)
                continue
            check(complete, f"{name}: not every class was run", ran)
            check(endings == ({("exit", "4")} if name in CORRECT else {("exit", "3"), ("exit", "4")}), f"{name}: other endings", ran)
            if which == "brief" and name not in ("gmtime_r", "fputs and fflush", "freopen, and all that was printed"):
                continue
            ran = place.run("vtb", "hunt", "--json", "--no-canary", "--time=30", "--fail-if=never", "--", "./prog", str(at), timeout=60, expect=0)
            check(ran.json()["complete"], f"{name}: the portfolio does not come to its end", ran)


main(test)
