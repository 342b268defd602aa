#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hidden.py BIN_DIR OUTCOMES COMPILER: two threads call functions whose state lies hidden in libc or in the kernel. Partial-order reduction, which tries
another order only of operations that depend on each other, comes upon both endings."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <iconv.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static void handler(int signal) { (void)signal; }
static struct timeval stamps[2];
static struct sigaction action;
static sigset_t waiting;
static struct rlimit limit = { 100, 100 }, found;
static struct epoll_event event = { .events = EPOLLIN };
static struct itimerval timer = { .it_value = { .tv_sec = 100 } }, left;
static struct itimerspec timer_spec = { .it_value = { .tv_sec = 100 } }, left_spec;
static char here[4096], letter[] = "1", *page;
static FILE *file;
static pthread_key_t key, another_key;
static void ends_3(void) { _exit(3); }
static void ends_4(void) { _exit(4); }
static struct stat status;
static struct tm date = { .tm_year = 70, .tm_mday = 1 };
static time_t moment = 86400;
static wchar_t wide[] = L"1";
static sem_t semaphore;
static pthread_t thread;
static struct timespec now;
static timer_t posix_timer, another_timer;
static struct timeval day;
static char *line;
static pthread_attr_t thread_is;
static pthread_mutexattr_t mutex_is;
static pthread_condattr_t condition_is;
static pthread_rwlockattr_t rwlock_is;
static pthread_barrierattr_t barrier_is;
static pthread_mutex_t mutex;
static pthread_cond_t condition;
static pthread_rwlock_t rwlock;
static cpu_set_t one_of;
static int first_processor(void) { cpu_set_t all; int i = 0; sched_getaffinity(0, sizeof(all), &all); while (!CPU_ISSET(i, &all)) i++; return i; }
static unsigned seed = 1;
static unsigned short words[3];
static struct drand48_data generator;
static struct random_data random_data;
static size_t room;
static struct flock range = { .l_type = F_WRLCK, .l_len = 1 };
static void *returned;
static void *returns(void *arg) { return (char *)arg + 1; }
static int returns_one(void *arg) { return 1; }
typedef void (*handler_of)(void);
handler_of set_new_handler(handler_of) __asm__("_ZSt15set_new_handlerPFvvE");
handler_of get_new_handler(void) __asm__("_ZSt15get_new_handlerv");
handler_of set_terminate(handler_of) __asm__("_ZSt13set_terminatePFvvE");
handler_of get_terminate(void) __asm__("_ZSt13get_terminatev");
void *set_default_resource(void *) __asm__("_ZNSt3pmr20set_default_resourceEPNS_15memory_resourceE");
void *get_default_resource(void) __asm__("_ZNSt3pmr20get_default_resourceEv");
int xalloc(void) __asm__("_ZNSt8ios_base6xallocEv");
static char *options[] = { "p", "-a", "-b", NULL };
static void *root;
static int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static sem_t *named;
static struct sched_param parameters;
static regex_t expression;
static regmatch_t match;
static iconv_t converter;
static DIR *directory;
static struct dirent *entry, *another;
static char *text;
static mbstate_t shift;
static struct passwd *user;
static struct group *group;
static struct servent *service;
static wchar_t *rest;
static int table[8];
static struct element { struct element *next, *before; } first_element, second_element;
static struct utsname names;
static sigset_t set;
static long whole;
static eventfd_t events;
static double wholes;
static volatile double third = 7.5;
static struct pollfd polled;
static struct epoll_event met;
static struct msghdr message;
static struct iovec part;
static struct statvfs file_system;
static socklen_t length;
static char *word, *sub_options[] = { "a", "b", "c", NULL };
static int result, one = 1, fd, other, ends[2], more[2];

"""
# What each thread does, and what main does before and after them; both orders give other results.
MANY = 40  # more than as many as there was room for
SOME = 4  # every fourth one in the default set

PROGRAMS = {
    "environment": ('setenv("VTB_HIDDEN", "1", 1);', 'result = getenv("VTB_HIDDEN") != NULL;'),
    "environment, the text itself": ('static char text[] = "VTB_HIDDEN=1"; putenv(text);', 'result = getenv("VTB_HIDDEN") != NULL;'),
    "random": ("random();", "result = random() == 1804289383;"),
    "rand": ("srand(7);", "result = rand() == 1804289383;"),
    "numbers by a seed": ("fd = rand_r(&seed);", "other = rand_r(&seed);", "", "result = fd < other;"),
    "numbers by three words": ("fd = erand48(words) * 1e6;", "other = erand48(words) * 1e6;", "", "result = fd < other;"),
    "numbers of a generator": ("long n; lrand48_r(&generator, &n); fd = n;", "long n; lrand48_r(&generator, &n); other = n;", "srand48_r(1, &generator);", "result = fd < other;"),
    "numbers of another": ("random_r(&random_data, &fd);", "random_r(&random_data, &other);", "initstate_r(1, here, 64, &random_data);", "result = fd < other;"),
    "lrand48": ("lrand48();", "result = lrand48() == 0;"),
    "directory": ('chdir("/");', 'getcwd(here, sizeof(here)); result = strcmp(here, "/") == 0;'),
    "mask of files": ("umask(0123);", "result = umask(077) == 0123;"),
    "limits": ("setrlimit(RLIMIT_NOFILE, &limit);", "getrlimit(RLIMIT_NOFILE, &found); result = found.rlim_cur == 100;"),
    "priorities": ("setpriority(PRIO_PROCESS, 0, 3);", "result = getpriority(PRIO_PROCESS, 0) == 3;"),
    "signals": ("signal(SIGUSR1, handler);", "result = signal(SIGUSR1, SIG_IGN) == handler;"),
    "timer": ("setitimer(ITIMER_REAL, &timer, NULL);", "getitimer(ITIMER_REAL, &left); result = left.it_value.tv_sec > 0;"),
    "timer of a descriptor": ("timerfd_settime(fd, 0, &timer_spec, NULL);", "timerfd_gettime(fd, &left_spec); result = left_spec.it_value.tv_sec > 0;",
                              "fd = timerfd_create(CLOCK_MONOTONIC, 0);"),
    "numbers of descriptors": ("fd = dup(1);", "other = eventfd(0, 0);", "", "result = fd < other;"),
    "numbers of pipes": ("pipe(ends);", "pipe(more);", "", "result = ends[0] < more[0];"),
    "a number that is free again": ("close(fd);", 'other = open("/dev/null", O_RDONLY);', "fd = dup(1);", "result = fd == other;"),
    "a number for a new file": ("close(fd);", 'other = open("new", O_RDWR | O_CREAT, 0600);', "fd = dup(1);", "result = fd == other;"),
    "a number that stands for another file": ("dup2(ends[1], fd);", 'write(fd, "x", 1);', 'fd = open("/dev/null", O_WRONLY); pipe(ends);',
                                              "ioctl(ends[0], FIONREAD, &other); result = other;"),
    "flags": ("fcntl(ends[0], F_SETFL, O_NONBLOCK);", "result = !!(fcntl(ends[0], F_GETFL) & O_NONBLOCK);", "pipe(ends);"),
    "closed twice": ("close(fd);", "result = close(fd) == 0;", "fd = dup(1);"),
    "closed and written": ("close(fd);", 'result = write(fd, "x", 1) < 0;', 'fd = open("/dev/null", O_WRONLY);'),
    "what is in a pipe": ('write(ends[1], "x", 1);', "ioctl(ends[0], FIONREAD, &other); result = other;", "pipe(ends);"),
    "set of epoll": ("epoll_ctl(other, EPOLL_CTL_ADD, fd, &event);", "struct epoll_event got; result = epoll_wait(other, &got, 1, 0);",
                     "fd = eventfd(1, 0); other = epoll_create1(0);"),
    "option of a socket": ("setsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));",
                           "socklen_t size = sizeof(other); getsockopt(ends[0], SOL_SOCKET, SO_KEEPALIVE, &other, &size); result = other;",
                           "socketpair(AF_UNIX, SOCK_STREAM, 0, ends);"),
    "times of a file": ("stamps[1].tv_sec = 5;", 'utimes("times", stamps); stat("times", &status); result = status.st_mtime == 5;', 'close(open("times", O_RDWR | O_CREAT, 0600));'),
    "what a signal is to do": ("action.sa_handler = handler;", "sigaction(SIGUSR1, &action, 0); result = signal(SIGUSR1, SIG_IGN) == handler;", "action.sa_handler = SIG_IGN;"),
    "which signals wait": ("sigaddset(&waiting, SIGUSR1);", "sigset_t s; pthread_sigmask(SIG_BLOCK, &waiting, 0); pthread_sigmask(SIG_BLOCK, 0, &s); result = sigismember(&s, SIGUSR1);"),
    "size of a file": ("ftruncate(fd, 3);", "fstat(fd, &status); result = status.st_size == 3;", 'fd = open("size", O_RDWR | O_CREAT, 0600); ftruncate(fd, 0);'),
    "locale": ('setlocale(LC_ALL, "C.UTF-8");', "result = MB_CUR_MAX > 1;"),
    "time zone": ('setenv("TZ", "XYZ-3", 1); tzset();', "result = localtime(&moment)->tm_hour == 3;"),
    "keys": ("pthread_key_create(&key, 0);", "pthread_key_create(&another_key, 0);", "", "result = key < another_key;"),
    "keys of C11": ("tss_create(&key, 0);", "tss_create(&another_key, 0);", "", "result = key < another_key;"),
    "a key that is gone": ("pthread_key_delete(key);", "result = pthread_setspecific(key, &key) == 0;", "pthread_key_create(&key, 0);"),
    "what is called at the end": ("atexit(ends_3);", "atexit(ends_4);"),
    "what is called at a quick end": ("at_quick_exit(ends_3);", "at_quick_exit(ends_4);", "", "quick_exit(0);"),
    "a letter that is put back": ("result = getc(file) == 'z';", "ungetc('z', file);", 'file = fmemopen("ab", 2, "r");'),
    "place in a stream": ("getc(file);", "result = ftell(file) == 1;", 'file = fmemopen("ab", 2, "r");'),
    "a stream that is locked": ("flockfile(file); fd = 1; funlockfile(file);", "result = ftrylockfile(file) != 0; if (!result) funlockfile(file);", 'file = fmemopen("ab", 2, "r");'),
    "a place that is set": ("fsetpos64(file, (void *)here);", "result = getc(file) == 'a';", 'file = fmemopen("ab", 2, "r"); fgetpos64(file, (void *)here); getc(file);'),
    "end of a stream": ("getc(file);", "result = feof(file);", 'file = fmemopen("b", 1, "r"); getc(file);'),
    "buffer of a stream": ("setvbuf(file, 0, _IONBF, 0);", 'fputs("x", file); ioctl(ends[0], FIONREAD, &result);', 'pipe(ends); file = fdopen(ends[1], "w");'),
    "memory that is emptied": ("madvise(page, 4096, MADV_DONTNEED);", "result = *page == 1;",
                               "page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *page = 1;"),
    "status of a file": ('stat("/dev/null", &status);', "result = status.st_mode != 0;"),
    "ends of a pipe": ("pipe(ends);", "result = ends[1] != 0;"),
    "parts of what is written": ("struct iovec part = { letter, 1 }; writev(ends[1], &part, 1);", "letter[0] = '2';", "pipe(ends);",
                                 "read(ends[0], here, 1); result = here[0] == '2';"),
    "value of a semaphore": ("sem_getvalue(&semaphore, &other);", "result = other;", "sem_init(&semaphore, 0, 3);"),
    "what a thread returns": ("pthread_join(thread, &returned);", "result = !!returned;", "pthread_create(&thread, 0, returns, 0);"),
    "what a thread of C11 returns": ("thrd_join(thread, &other);", "result = other;", "thrd_create(&thread, returns_one, 0);"),
    "time": ("time(&moment);", "result = moment != 86400;"),
    "a clock": ("clock_gettime(CLOCK_REALTIME, &now);", "result = !!now.tv_sec;"),
    "time by a base": ("timespec_get(&now, TIME_UTC);", "result = !!now.tv_sec;"),
    "time of day": ("gettimeofday(&day, 0);", "result = !!day.tv_sec;"),
    "numbers in a stream": ('fscanf(file, "%d", &fd);', 'fscanf(file, "%d", &other);', 'file = fmemopen("1 2", 3, "r");', "result = fd < other;"),
    "numbers in the input": ('scanf("%d", &fd);', 'scanf("%d", &other);', 'stdin = fmemopen("1 2", 3, "r");', "result = fd < other;"),
    "a line": ("getline(&line, &room, file);", "result = !!line;", 'file = fmemopen("ab", 2, "r");'),
    "room of a line": ("getdelim(&line, &room, 'b', file);", "result = !!room;", 'file = fmemopen("ab", 2, "r");'),
    "letters of a line": ("getline(&line, &room, file);", "result = *line == 'a';", 'line = calloc(1, room = 64); file = fmemopen("ab", 2, "r");'),
    "options": ('getopt(3, options, "ab");', "result = getopt(3, options, \"ab\") == 'a';"),
    "a table": ('ENTRY e = { "a", "b" }; hsearch(e, ENTER);', 'ENTRY e = { "a" }; result = !!hsearch(e, FIND);', "hcreate(10);"),
    "a tree": ("tsearch(&one, &root, order);", "result = !!tfind(&one, &root, order);"),
    "a tree that shrinks": ("tdelete(&one, &root, order);", "result = !!tfind(&one, &root, order);", "tsearch(&one, &root, order);"),
    "a semaphore that loses its name": ('sem_unlink("/vtb_hidden_2");', 'result = sem_open("/vtb_hidden_2", 0) != SEM_FAILED;',
                                        'named = sem_open("/vtb_hidden_2", O_CREAT, 0600, 1);', 'sem_unlink("/vtb_hidden_2");'),
    "how a thread is scheduled": ("pthread_setschedparam(thread, SCHED_BATCH, &parameters);",
                                  "struct sched_param p; int policy; pthread_getschedparam(thread, &policy, &p); result = policy == SCHED_BATCH;",
                                  "thread = pthread_self();"),
    "concurrency": ("pthread_setconcurrency(3);", "result = pthread_getconcurrency() == 3;"),
    "handler of new": ("set_new_handler(ends_3);", "result = get_new_handler() == ends_3;"),
    "handler of terminate": ("set_terminate(ends_3);", "result = get_terminate() == ends_3;"),
    "memory by default": ("set_default_resource(&one);", "result = get_default_resource() == &one;"),
    "words of streams": ("fd = xalloc();", "other = xalloc();", "", "result = fd < other;"),
    "memory that the kernel copies": ("struct iovec to = { &result, 1 }, from = { &one, 1 }; process_vm_readv(getpid(), &to, 1, &from, 1, 0);",
                                      "other = result;", "", "result = other;"),
    "a date": ("date.tm_mday = 3;", "result = timegm(&date) == 0;"),
    "a date in parts": ("gmtime_r(&moment, &date);", "result = date.tm_mday == 2;"),
    "wide characters": ("wide[0] = 0;", "result = wcslen(wide);"),
    "a text that is matched": ("here[0] = 'b';", "result = regexec(&expression, here, 0, 0, 0) == 0;", 'strcpy(here, "a"); regcomp(&expression, "a", REG_NOSUB);'),
    "what has matched": ('regexec(&expression, "ba", 1, &match, 0);', "result = match.rm_so == 1;", 'regcomp(&expression, "a", 0);'),
    "a pattern": ('regcomp(&expression, "b", REG_NOSUB);', 'result = regexec(&expression, "a", 0, 0, 0) == 0;', 'regcomp(&expression, "a", REG_NOSUB);'),
    "a text in another character set": ("char *f = letter, *t = here; size_t n = 1, m = 9; iconv(converter, &f, &n, &t, &m);", "result = here[0] == '1';", 'converter = iconv_open("UTF-16LE", "UTF-8");'),
    "a text that is converted": ("letter[0] = '2';", "char *f = letter, *t = here; size_t n = 1, m = 9; iconv(converter, &f, &n, &t, &m); result = here[0] == '2';", 'converter = iconv_open("UTF-16LE", "UTF-8");'),
    "a byte order mark": ("char *f = letter, *t = here; size_t n = 1, m = 9; iconv(converter, &f, &n, &t, &m);", "char *f = letter, *t = here + 100; size_t n = 1, m = 9; iconv(converter, &f, &n, &t, &m); result = m == 7;", 'converter = iconv_open("UTF-16", "UTF-8");'),
    "digits": ("int p, s; text = ecvt(1.5, 3, &p, &s);", "int p, s; other = ecvt(2.5, 3, &p, &s)[0];", "int p, s; text = ecvt(9, 3, &p, &s);", "result = text[0] == '1';"),
    "the place of the point": ("int s; ecvt(1.5, 3, &fd, &s);", "result = fd == 1;"),
    "digits behind the point": ("int p, s; fcvt(1.5, 3, &p, &s);", "int p, s; fcvt(2.5, 3, &p, &s);", "int p, s; text = fcvt(9, 3, &p, &s);", "result = text[0] == '1';"),
    "digits in a text": ("gcvt(1.5, 3, here);", "result = here[0] == '1';"),
    "digits to the base 64": ("l64a(3);", "l64a(4);", "text = l64a(9);", "result = text[0] == '1';"),
    "a number to the base 64": ("here[0] = '3';", "result = a64l(here) == 5;", 'strcpy(here, "3");  here[0] = 0;'),
    "names in a directory": ("entry = readdir(directory);", "another = readdir(directory);", 'mkdir("d", 0700); directory = opendir("d");', "result = strcmp(entry->d_name, another->d_name) < 0;"),
    "a directory from its start": ("rewinddir(directory);", "result = readdir(directory) != 0;", 'mkdir("d", 0700); directory = opendir("d"); readdir(directory); readdir(directory);'),
    "place in a directory": ("readdir(directory);", "result = telldir(directory) != 0;", 'mkdir("d", 0700); directory = opendir("d");'),
    "a wide character": ('mbtowc(wide, "a", 1);', "result = wide[0] == 'a';"),
    "a character of a text": ("here[0] = 'b';", "wchar_t w; mbtowc(&w, here, 1); result = w == 'b';", "here[0] = 'a';"),
    "a narrow character": ("wctomb(here, L'a');", "result = here[0] == 'a';"),
    "length of a character": ("here[0] = 'b';", "result = mblen(here, 1) == 1;"),
    "half a character": ('wchar_t w; mbrtowc(&w, "\\xc3", 1, 0);', 'wchar_t w; result = mbrtowc(&w, "\\xa4", 1, 0) == 1;', 'setlocale(LC_ALL, "C.UTF-8");'),
    "length of half a character": ('mbrlen("\\xc3", 1, 0);', 'result = mbrlen("\\xa4", 1, 0) == 1;', 'setlocale(LC_ALL, "C.UTF-8");'),
    "half a character of one's own": ('wchar_t w; mbrtowc(&w, "\\xc3", 1, &shift);', 'wchar_t w; result = mbrtowc(&w, "\\xa4", 1, &shift) == 1;', 'setlocale(LC_ALL, "C.UTF-8");'),
    "whether it is half a character": ('wchar_t w; mbrtowc(&w, "\\xc3", 1, &shift);', "result = mbsinit(&shift) != 0;", 'setlocale(LC_ALL, "C.UTF-8");'),
    "a wide text": ('const char *s = "ab"; mbsrtowcs(wide, &s, 1, 0);', "result = wide[0] == 'a';"),
    "a narrow text": ('const wchar_t *s = L"ab"; wcsrtombs(here, &s, 2, 0);', "result = here[0] == 'a';"),
    "a user": ('getpwnam("daemon");', 'getpwnam("bin");', 'user = getpwnam("root");', "result = user->pw_uid == 1;"),
    "a user that is looked at": ('getpwnam("daemon");', "result = user->pw_uid == 1;", 'user = getpwnam("root");'),
    "a group": ("getgrgid(1);", "getgrgid(2);", "group = getgrgid(0);", "result = group->gr_gid == 1;"),
    "a service": ('getservbyname("ftp", "tcp");', 'getservbyname("ssh", "tcp");', 'service = getservbyname("http", "tcp");', "result = service->s_port == htons(21);"),
    "wide words": ('wcstok(0, L" ", &rest);', 'result = *wcstok(0, L" ", &rest) == \'b\';', 'static wchar_t w[] = L"a b c d"; wcstok(w, L" ", &rest);'),
    "a date from a text": ('strptime("3", "%d", &date);', "result = date.tm_mday == 3;"),
    "environment of a command": ('setenv("VTB_X", "1", 1);', 'result = system("exit ${VTB_X:-0}") != 0;'),
    "environment of a command that is read": ('setenv("VTB_X", "1", 1);', 'FILE *p = popen("exit ${VTB_X:-0}", "r"); result = pclose(p) != 0;'),
    "argument of an option": ('getopt(3, options, "a:");', "result = optarg != 0;"),
    "a wide number": ("wide[0] = L'7';", "result = wcstol(wide, 0, 10) == 7;"),
    "order of wide texts": ("wide[0] = L'7';", 'result = wcscoll(wide, L"7") == 0;'),
    "a longer wide text": ('wcsncat(wide, L"", 1); wcsncat(wide + 1, L"x", 1);', "result = wide[1] == 'x';", "wide[0] = 'a'; wide[1] = 0;"),
    "a text to be compared": ('strxfrm(here, "b", 3);', "result = here[0] == 'b';"),
    "order of versions": ("strverscmp(here, here); here[0] = '7';", 'result = strverscmp(here, "7") == 0;'),
    "an element that is added": ("size_t s = sizeof(int); int k = 3; lsearch(&k, table, &room, s, order);", "result = table[0] == 3;"),
    "an element that is found": ("table[0] = 3;", "int k = 3; size_t n = 1; result = lfind(&k, table, &n, sizeof(int), order) != 0;"),
    "a list": ("insque(&second_element, &first_element);", "result = first_element.next == &second_element;"),
    "a shorter list": ("remque(&second_element);", "result = first_element.next == 0;", "insque(&first_element, 0); insque(&second_element, &first_element);"),
    "bytes that change places": ('swab("ab", here, 2);', "result = here[0] == 'b';"),
    "the last part of a path": ("basename(here);", "result = here[1] == 0;", 'strcpy(here, "a/");'),
    "the rest of a path": ("dirname(here);", "result = here[1] == 0;", 'strcpy(here, "a/b");'),
    "name of the system": ("uname(&names);", "result = names.sysname[0] != 0;"),
    "name of the machine": ("gethostname(here, 9);", "result = here[0] != 0;"),
    "where a link leads": ('readlink("/proc/self/exe", here, 9);', "result = here[0] != 0;"),
    "a path": ('realpath("/", here);', "result = here[0] != 0;"),
    "name of a new file": ("mkstemp(here);", "result = here[0] == 'x' && here[1] != 'X';", 'strcpy(here, "xXXXXXX");'),
    "a text that is printed": ('asprintf(&line, "a");', "result = line != 0;"),
    "a set of signals": ("sigaddset(&set, SIGUSR1);", "result = sigismember(&set, SIGUSR1);"),
    "a number that is scanned": ('sscanf("7", "%d", &room);', "result = room == 7;"),
    "a text that is scanned": ('sscanf("7 b", "%*d %4[a-z]", here);', "result = here[0] == 'b';"),
    "a number from a stream": ('fscanf(file, "%ld", &whole);', "result = whole == 7;", 'file = fmemopen("7", 1, "r");'),
    "how much was printed": ('sprintf(here, "ab%n", &fd);', "result = fd == 2;"),
    "the whole part of a number": ("modf(third, &wholes);", "result = wholes == 7;"),
    "power of a number": ("frexp(third, &fd);", "result = fd == 3;"),
    "sign of a number": ("lgamma(-0.5);", "result = signgam < 0;"),
    "which descriptor is ready": ("poll(&polled, 1, 0);", "result = polled.revents == POLLOUT;", "pipe(ends); polled.fd = ends[1]; polled.events = POLLOUT;"),
    "what descriptor is ready": ("epoll_wait(fd, &met, 1, 0);", "result = met.events == EPOLLIN;",
                                 "pipe(ends); write(ends[1], here, 1); fd = epoll_create1(0); epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &event);"),
    "a message": ("recvmsg(ends[0], &message, 0);", "result = here[0] == '1';",
                  "socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); write(ends[1], letter, 1); part.iov_base = here; part.iov_len = 1; message.msg_iov = &part; message.msg_iovlen = 1;"),
    "a message that is sent": ("sendmsg(ends[1], &message, 0);", "letter[0] = '2';",
                               "socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); part.iov_base = letter; part.iov_len = 1; message.msg_iov = &part; message.msg_iovlen = 1;",
                               "read(ends[0], here, 1); result = here[0] == '1';"),
    "type of a socket": ("getsockopt(fd, SOL_SOCKET, SO_TYPE, &room, &length);", "result = (int)room == SOCK_DGRAM;", "fd = socket(AF_UNIX, SOCK_DGRAM, 0); room = 0; length = 4;"),
    "room of a file system": ("statvfs(\"/\", &file_system);", "result = file_system.f_bsize != 0;"),
    "a file below a directory": ("fstatat(AT_FDCWD, \"/\", &status, 0);", "result = status.st_ino != 0;"),
    "a new key": ("pthread_key_create(&another_key, 0);", "result = another_key != 99;", "another_key = 99;"),
    "an aligned block": ("posix_memalign((void **)&line, 64, 64);", "result = line != 0;"),
    "a signal that came": ("sigwait(&set, &fd);", "result = fd == SIGUSR1;",
                           "sigemptyset(&set); sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, 0); kill(getpid(), SIGUSR1);"),
    "a number of events": ("eventfd_read(fd, &events);", "result = events == 5;", "fd = eventfd(5, 0);"),
    "bytes that are turned": ("memfrob(here, 2);", "result = here[0] != 0;"),
    "an option among others": ('getsubopt(&line, sub_options, &word);', "result = word != 0 && word[0] == '1';", 'line = strcpy(here, "b=1,c");'),
    "a lock that ends with its descriptor": ("close(fd);", "result = flock(other, LOCK_EX | LOCK_NB) == 0;",
                                             'fd = open("l", O_RDWR | O_CREAT, 0600); other = open("l", O_RDWR); flock(fd, LOCK_EX);'),
    "a locked range that ends with it": ("dup2(other, fd);", "result = fcntl(other, F_OFD_SETLK, &range) == 0;",
                                         'fd = open("l", O_RDWR | O_CREAT, 0600); other = open("l", O_RDWR); fcntl(fd, F_OFD_SETLK, &range);'),
    "a pipe whose other end is closed": ("close(ends[0]);", 'result = write(ends[1], "x", 1) == 1;', "signal(SIGPIPE, SIG_IGN); pipe(ends);"),
    "a socket whose other end is closed": ("close(ends[0]);", 'result = send(ends[1], "x", 1, MSG_NOSIGNAL) == 1;', "socketpair(AF_UNIX, SOCK_STREAM, 0, ends);"),
    "the end of a pipe itself": ("close(ends[1]);", 'result = write(ends[1], "x", 1) == 1;', "pipe(ends);"),
    "a file by two descriptors": ('write(fd, "1", 1); close(fd);', 'write(other, "2", 1);', 'fd = open("two", O_RDWR | O_CREAT | O_APPEND, 0600); other = open("two", O_RDWR | O_APPEND);',
                                  "pread(other, here, 1, 0); result = here[0] == '1';"),
    "what a file is cut off to by its name": ('truncate("cut", 3);', "ftruncate(fd, 5);", 'fd = open("cut", O_RDWR | O_CREAT, 0600);', "fstat(fd, &status); result = status.st_size == 3;"),
    "a range of descriptors": ("syscall(SYS_close_range, ends[1], ends[1], 0);", 'result = write(ends[1], "x", 1) == 1;', "pipe(ends);"),
    "parts of what is read": ("preadv(fd, &part, 1, 0);", 'pwrite(fd, "2", 1, 0);', 'fd = open("parts", O_RDWR | O_CREAT, 0600); pwrite(fd, letter, 1, 0); part.iov_base = here; part.iov_len = 1;',
                              "result = here[0] == '1';"),
    "the first part of what is read": ("struct iovec parts[2] = { { here, 1 }, { here + 64, 1 } }; readv(ends[0], parts, 2);", "char first = here[0]; result = first && !here[64];",
                                       'pipe(ends); write(ends[1], "12", 2);'),
    "the first part of a message": ("struct iovec parts[2] = { { here, 1 }, { here + 64, 1 } }; struct msghdr both = { .msg_iov = parts, .msg_iovlen = 2 }; recvmsg(ends[0], &both, 0);",
                                    "char first = here[0]; result = first && !here[64];", 'socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); write(ends[1], "12", 2);'),
    "the first number from a stream": ('fscanf(file, "%d %d", &fd, &other);', "int first = fd; result = first == 7 && !other;", 'file = fmemopen("7 8", 3, "r");'),
    "the text before a number of the input": ('scanf("%s %d", here, &other);', "char first = here[0]; result = first && !other;", 'stdin = fmemopen("a 8", 3, "r");'),
    "characters before a number from a stream": ('fscanf(file, "%5c %d", here, &other);', "char first = here[0]; result = first && !other;", 'file = fmemopen("abcde 8", 7, "r");'),
    "a text, said to be of characters, before a number": ('fscanf(file, "%hs %d", here, &other);', "char first = here[0]; result = first && !other;", 'file = fmemopen("a 8", 3, "r");'),
    "the first of many numbers from a stream": (f'fscanf(file, "{"%hhd" * MANY}", {", ".join(f"here + {i}" for i in range(MANY))});', f"char first = here[0]; result = first && !here[{MANY - 1}];",
                                                f'file = fmemopen("{"7 " * MANY}", {2 * MANY}, "r");'),
    "a call that is in no table": ("result = syscall(SYS_flistxattr, fd, 0, 0) < 0;", "close(fd);", 'fd = open("/dev/null", O_RDONLY);'),
    "when a file was changed": ("struct timespec t[2] = { { 5 }, { 5 } }; futimens(fd, t);", 'write(fd, "x", 1);', 'fd = open("when", O_RDWR | O_CREAT, 0600);',
                                "fstat(fd, &status); result = status.st_mtim.tv_sec == 5;"),
    "numbers of POSIX timers": ("timer_create(CLOCK_MONOTONIC, 0, &posix_timer);", "timer_create(CLOCK_MONOTONIC, 0, &another_timer);", "", "result = (long)posix_timer < (long)another_timer;"),
    "a POSIX timer": ("timer_settime(posix_timer, 0, &timer_spec, 0);", "timer_gettime(posix_timer, &left_spec); result = left_spec.it_value.tv_sec > 0;", "timer_create(CLOCK_MONOTONIC, 0, &posix_timer);"),
    "a POSIX timer that is gone": ("timer_delete(posix_timer);", "result = timer_settime(posix_timer, 0, &timer_spec, 0) == 0;", "timer_create(CLOCK_MONOTONIC, 0, &posix_timer);"),
    "name of a file that is opened": ("here[1] = 'x';", "result = open(here, O_RDONLY) >= 0;", 'strcpy(here, "/tmp");'),
    "name of a file that is looked for": ("here[1] = 'x';", "result = access(here, F_OK) == 0;", 'strcpy(here, "/tmp");'),
    "name that a file gets": ("here[1] = 'x';", 'rename("old", here); result = access("nb", F_OK) == 0;', 'close(creat("old", 0600)); strcpy(here, "nb");'),
    "name of a directory": ("here[1] = 'x';", "result = opendir(here) != 0;", 'strcpy(here, "/tmp");'),
    "value of an option": ("one = 0;", "setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, 4); length = 4; getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &other, &length); result = other != 0;",
                           "fd = socket(AF_INET, SOCK_DGRAM, 0);"),
    "what epoll is to look for": ("event.events = 0;", "epoll_ctl(other, EPOLL_CTL_ADD, fd, &event); struct epoll_event got; result = epoll_wait(other, &got, 1, 0) == 1;",
                                  "fd = eventfd(1, 0); other = epoll_create1(0);"),
    "a limit that is set": ("limit.rlim_cur = 50;", "setrlimit(RLIMIT_NOFILE, &limit); getrlimit(RLIMIT_NOFILE, &found); result = found.rlim_cur == 50;"),
    "name of a stream that is opened": ("here[1] = 'x';", 'result = fopen(here, "r") != 0;', 'strcpy(here, "/tmp");'),
    "name in the environment": ("here[0] = 'x';", "result = getenv(here) != 0;", 'strcpy(here, "PATH");'),
    "value in the environment": ("letter[0] = '9';", 'setenv("VTB_HIDDEN", letter, 1);', "", "result = getenv(\"VTB_HIDDEN\")[0] == '9';"),
    "a setting by prctl()": ("prctl(PR_SET_DUMPABLE, 0);", "result = prctl(PR_GET_DUMPABLE) == 0;"),
    "the personality": ("personality(ADDR_NO_RANDOMIZE | STICKY_TIMEOUTS);", "result = (personality(0xffffffff) & STICKY_TIMEOUTS) != 0;"),
    "the user": ("if (seteuid(65534)) fd = 1;", "result = geteuid() == 65534 || fd;"),
    "the groups": ("gid_t id = 5; if (setgroups(1, &id)) fd = 1;", "gid_t id = 0; getgroups(1, &id); result = id == 5 || fd;", "setgroups(0, 0);"),
    "memory of System V that is gone": ("shmctl(fd, IPC_RMID, 0);", "result = shmat(fd, 0, 0) != (void *)-1;", "fd = shmget(IPC_PRIVATE, 4096, 0600);"),
    "who is attached to it": ("shmat(fd, 0, 0);", "struct shmid_ds d; shmctl(fd, IPC_STAT, &d); result = d.shm_nattch == 1;", "fd = shmget(IPC_PRIVATE, 4096, 0600);", "shmctl(fd, IPC_RMID, 0);"),
    "memory that is no longer there": ("munmap(page, 4096);", "result = msync(page, 4096, MS_SYNC) == 0;", "page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);"),
    "pages that are there": ("madvise(page, 4096, MADV_DONTNEED);", "unsigned char v; mincore(page, 4096, &v); result = v & 1;",
                             "page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *page = 1;"),
    "where a file is sent from": ("sendfile(ends[1], fd, 0, 3);", "result = lseek(fd, 0, SEEK_CUR) == 3;", 'pipe(ends); fd = open("/proc/self/exe", O_RDONLY);'),
    "a mutex as it is to be": ("pthread_mutexattr_settype(&mutex_is, PTHREAD_MUTEX_RECURSIVE);", "int v; pthread_mutexattr_gettype(&mutex_is, &v); result = v == PTHREAD_MUTEX_RECURSIVE;",
                              "pthread_mutexattr_init(&mutex_is);"),
    "a condition as it is to be": ("pthread_condattr_setclock(&condition_is, CLOCK_MONOTONIC);", "clockid_t v; pthread_condattr_getclock(&condition_is, &v); result = v == CLOCK_MONOTONIC;",
                                  "pthread_condattr_init(&condition_is);"),
    "a read-write lock as it is to be": ("pthread_rwlockattr_setkind_np(&rwlock_is, 2);", "int v; pthread_rwlockattr_getkind_np(&rwlock_is, &v); result = v == 2;", "pthread_rwlockattr_init(&rwlock_is);"),
    "a barrier as it is to be": ("pthread_barrierattr_setpshared(&barrier_is, 1);", "int v; pthread_barrierattr_getpshared(&barrier_is, &v); result = v;", "pthread_barrierattr_init(&barrier_is);"),
    "room for a stack": ("pthread_attr_setstacksize(&thread_is, 1 << 20);", "size_t v; pthread_attr_getstacksize(&thread_is, &v); result = v == 1 << 20;", "pthread_attr_init(&thread_is);"),
    "a thread as it is to be": ("pthread_attr_setstacksize(&thread_is, 1ul << 46);", "result = pthread_create(&thread, &thread_is, returns, 0) != 0;", "pthread_attr_init(&thread_is);"),
    "a letter of the locale": ('setlocale(LC_ALL, "C.UTF-8");', "result = towupper(0xe4) == 0xc4;"),
    "a wide letter that is printed": ('setlocale(LC_ALL, "C.UTF-8");', 'char b[9]; result = snprintf(b, 9, "%lc", 0xe4) == 2;'),
    "letters of a text": ('setlocale(LC_ALL, "C.UTF-8");', 'result = mbstowcs(0, "\\xc3\\xa4", 0) == 1;'),
    "a mutex that is made": ("pthread_mutexattr_settype(&mutex_is, PTHREAD_MUTEX_RECURSIVE);", "pthread_mutex_init(&mutex, &mutex_is);", "pthread_mutexattr_init(&mutex_is);",
                           "pthread_mutex_lock(&mutex); result = pthread_mutex_trylock(&mutex) == 0;"),
    "a condition that is made": ("pthread_condattr_setclock(&condition_is, CLOCK_MONOTONIC);", "pthread_cond_init(&condition, &condition_is);", "pthread_condattr_init(&condition_is);",
                                "static pthread_cond_t plain; result = memcmp(&condition, &plain, sizeof(plain)) != 0;"),
    "a read-write lock that is made": ("pthread_rwlockattr_setkind_np(&rwlock_is, 2);", "pthread_rwlock_init(&rwlock, &rwlock_is);", "pthread_rwlockattr_init(&rwlock_is);",
                                      "static pthread_rwlock_t plain; result = memcmp(&rwlock, &plain, sizeof(plain)) != 0;"),
    "a number of the locale that is scanned": ('setlocale(LC_ALL, "C.UTF-8");', 'wchar_t w[4]; result = sscanf("\\xc3\\xa4", "%l[^x]", w) == 1 && w[0] == 0xe4;'),
    "a letter of several bytes": ('setlocale(LC_ALL, "C.UTF-8");', 'wchar_t w; result = mbtowc(&w, "\\xc3\\xa4", 2) == 2;'),
    "bytes of a letter": ('setlocale(LC_ALL, "C.UTF-8");', "char b[16]; result = wctomb(b, 0xe4) == 2;"),
    "bytes of a letter by a state": ('setlocale(LC_ALL, "C.UTF-8");', "char b[16]; result = wcrtomb(b, 0xe4, &shift) == 2;"),
    "a terminal no longer": ("dup2(fd, 0);", "result = isatty(0);", 'fd = open("/dev/null", O_RDWR); dup2(posix_openpt(O_RDWR | O_NOCTTY), 0);'),
    "a descriptor for what was standard": ("dup2(ends[0], 0);", "ioctl(0, FIONREAD, &result);", 'pipe(ends); write(ends[1], "x", 1);'),
    "processors of another thread": ("sched_setaffinity(other, sizeof(one_of), &one_of);", "cpu_set_t v; sched_getaffinity(other, sizeof(v), &v); result = CPU_COUNT(&v) == 1;",
                                    "other = getpid(); CPU_SET(first_processor(), &one_of);"),
    "processors by a handle": ("pthread_setaffinity_np(thread, sizeof(one_of), &one_of);", "cpu_set_t v; sched_getaffinity(getpid(), sizeof(v), &v); result = CPU_COUNT(&v) == 1;",
                              "thread = pthread_self(); CPU_SET(first_processor(), &one_of);"),
    "processors of threads to come": ("pthread_attr_setaffinity_np(&thread_is, sizeof(one_of), &one_of);", "cpu_set_t v; pthread_attr_getaffinity_np(&thread_is, sizeof(v), &v); result = CPU_COUNT(&v) == 1;",
                                     "pthread_attr_init(&thread_is); CPU_SET(first_processor(), &one_of);"),
    "attributes of who runs": ("pthread_getattr_np(pthread_self(), &thread_is);", "size_t v; pthread_attr_getstacksize(&thread_is, &v); result = v == 1 << 20;",
                              "pthread_attr_init(&thread_is); pthread_attr_setstacksize(&thread_is, 1 << 20);"),
    "a pattern of the locale": ('setlocale(LC_ALL, "C.UTF-8");', 'regex_t it; result = regcomp(&it, "^.$", REG_EXTENDED | REG_NOSUB) == 0 && regexec(&it, "\\xc3\\xa4", 0, 0, 0) == 0;'),
    "an empty set of signals": ("sigemptyset(&set);", "result = sigismember(&set, SIGUSR1);", "sigfillset(&set);"),
}


def functions(at, first, second, before="", after=""):
    bodies = {"first": first, "second": second, "before": before, "after": after}
    return "".join(f"static void *{name}{at}(void *arg) {{ {body} return arg; }}\n" for name, body in bodies.items())


def source():
    """All of them in one program: its argument says which."""
    texts = [functions(at, *bodies) for at, bodies in enumerate(PROGRAMS.values())]
    table = ", ".join(f"{{ first{at}, second{at}, before{at}, after{at} }}" for at in range(len(texts)))
    return HEAD + "".join(texts) + f"""
static void *(*const all[][4])(void *) = {{ {table} }};

int main(int argc, char **argv)
{{
	void *(*const *program)(void *) = all[argc > 1 ? atoi(argv[1]) : 0];
	pthread_t t[2];

	program[2](0);
	pthread_create(&t[0], 0, program[0], 0);
	pthread_create(&t[1], 0, program[1], 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	program[3](0);
	return result ? 3 : 4;
}}
"""


def test(bin_dir, outcomes, compiler, *which):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-lstdc++", "-lm", expect=0)
        for at, name in list(enumerate(PROGRAMS))[:: 1 if which == ("all",) else SOME]:
            ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "60", str(at), timeout=100, expect=0)
            endings = {tuple(line.split()[:2]) for line in ran.out.splitlines()[:-1]}
            check(endings == {("exit", "3"), ("exit", "4")}, f"{name}: not both endings", ran)


main(test)
