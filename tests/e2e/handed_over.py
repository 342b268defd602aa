#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""handed_over.py BIN_DIR OUTCOMES COMPILER [all]: a thread calls a function that leaves something where a pointer says, and another looks there. Partial-order reduction,
which tries another order only of accesses that meet, comes upon both endings: what was there before, and what the function has left. Without "all": every third of them."""
import os
import shlex

from e2e import Place, check, hooked, main

HEAD = """#define _GNU_SOURCE
#include <asm/prctl.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <grp.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <math.h>
#include <mqueue.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <wchar.h>

static _Alignas(64) char there[4096], before_it[4096], room[4096];
static void *const at = there;
static int *const number = (int *)there;
static int fd, ends[2], result;
static pid_t child;
static socklen_t length = 128;
static pthread_t self;
static timer_t timer;
static FILE *file;
static char *page;
static volatile double third = 7.5;
static struct itimerspec spec = { .it_value = { .tv_sec = 100 } };
static struct itimerval old_spec = { .it_value = { .tv_sec = 100 } };
static struct sockaddr_in address = { .sin_family = AF_INET };
static struct iovec part = { there, 4 };
static struct mmsghdr message;
static struct addrinfo *found;
static loff_t place;
static sem_t given, seen;
static void *library;
static int *volatile at_stack;

static void listens(void)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX, .sun_path = "s" };
	socklen_t size = sizeof(name);

	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(fd, (struct sockaddr *)&name, size);
	listen(fd, 2);
	connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&name, size);
}
static void has_file(void) { fd = open("f", O_RDWR | O_CREAT, 0600); write(fd, "abcdefgh", 8); lseek(fd, 0, SEEK_SET); }
static void has_pipe(void) { pipe(ends); write(ends[1], "abcdefgh", 8); }
static void has_names(void) { close(open("f", O_RDWR | O_CREAT, 0600)); strcpy(at, "g"); }
static void has_semaphores(void) { fd = semget(IPC_PRIVATE, 2, 0600); semctl(fd, 1, SETVAL, 7); }
static void has_queue(void)
{
	struct mq_attr a = { .mq_maxmsg = 1, .mq_msgsize = 64 };

	memcpy(at, &a, sizeof(a));
	mq_unlink("/vtb_over");
	fd = mq_open("/vtb_over", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &a);
	mq_unlink("/vtb_over");
}
static jmp_buf elsewhere;
static ucontext_t after, by_way;
static char stacks[2][65536];
static void goes(void) { result = 1; }
static void has_context(ucontext_t *c, int stack, ucontext_t *next)
{
	getcontext(c);
	c->uc_stack.ss_sp = stacks[stack];
	c->uc_stack.ss_size = sizeof(stacks[stack]);
	c->uc_link = next;
	makecontext(c, (void (*)(void))sched_yield, 0);
}
static void has_contexts(void) { has_context(at, 0, &after); has_context(&by_way, 1, at); }
static void has_child(void) { child = fork(); if (!child) _exit(3); }

"""
PAIR = 'socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); write(ends[1], "abc", 3);'
TURNS = "((ucontext_t *)at)->uc_mcontext.gregs[REG_RIP] = (greg_t)(void *)goes;"
GOES = "volatile int again = 0; getcontext(&after); if (!again++) %s;"
# What is called, and how many bytes of `there` are looked at; what main does before.
PROGRAMS = {
    "accept": ("accept(fd, at, &length);", 2, "listens();"),
    "accept4": ("accept4(fd, at, &length, 0);", 2, "listens();"),
    "recvfrom": ("recvfrom(ends[0], at, 3, 0, 0, 0);", 3, PAIR),
    "recvmmsg": ("recvmmsg(ends[0], &message, 1, 0, 0);", 3, PAIR + "message.msg_hdr.msg_iov = &part; message.msg_hdr.msg_iovlen = 1;"),
    "preadv2": ("preadv2(ends[0], &part, 1, -1, 0);", 4, "has_pipe();"),
    "select": ("struct timeval none = { 0, 0 }; select(fd + 1, at, 0, 0, &none);", 8, "pipe(ends); fd = ends[0]; FD_SET(fd, (fd_set *)at);"),
    "pselect": ("struct timespec none = { 0, 0 }; pselect(fd + 1, at, 0, 0, &none, 0);", 8, "pipe(ends); fd = ends[0]; FD_SET(fd, (fd_set *)at);"),
    "sendfile": ("sendfile(ends[1], fd, at, 2);", 8, "has_file(); has_pipe(); memset(at, 0, 8);"),
    "copy_file_range": ('int to = open("g", O_RDWR | O_CREAT, 0600); copy_file_range(fd, at, to, 0, 2, 0);', 8, "has_file(); memset(at, 0, 8);"),
    "mq_receive": ("mq_receive(fd, room, sizeof(room), at);", 4, 'struct mq_attr a = { .mq_maxmsg = 1, .mq_msgsize = 64 }; mq_unlink("/vtb_over"); '
                   'fd = mq_open("/vtb_over", O_RDWR | O_CREAT | O_NONBLOCK, 0600, &a); mq_send(fd, "x", 1, 3); mq_unlink("/vtb_over");'),
    "ioctl": ("ioctl(ends[0], FIONREAD, at);", 4, "has_pipe();"),
    "ioctl nobody knows": ("ioctl(fd, 0x8912, at);", 4, "fd = socket(AF_INET, SOCK_DGRAM, 0); memset(at, 0, 64); *number = 64;"),
    "fcntl": ("fcntl(fd, F_GETLK, at);", 2, "has_file(); memset(at, 0, 64); ((struct flock *)at)->l_type = F_WRLCK;"),
    "shmctl": ("shmctl(fd, IPC_STAT, at);", 8, "fd = shmget(IPC_PRIVATE, 4096, 0600); shmat(fd, 0, 0); shmctl(fd, IPC_RMID, 0);"),
    "fgetpos64": ("fgetpos64(file, at);", 8, 'file = fmemopen("ab", 2, "r"); getc(file);'),
    "statvfs64": ('statvfs64("/", at);', 16),
    "fstatat64": ('fstatat64(AT_FDCWD, "/", at, 0);', 16),
    "scandir64": ('scandir64("/", at, 0, 0);', 8),
    "mkstemp64": ('mkstemp64(at);', 8, 'strcpy(at, "zzXXXXXX");'),
    "timer_gettime": ("timer_gettime(timer, at);", 32, "struct sigevent e = { .sigev_notify = SIGEV_NONE }; timer_create(CLOCK_MONOTONIC, &e, &timer);"),
    "timer_settime": ("timer_settime(timer, 0, &spec, at);", 32, "struct sigevent e = { .sigev_notify = SIGEV_NONE }; timer_create(CLOCK_MONOTONIC, &e, &timer);"),
    "timerfd_settime": ("timerfd_settime(fd, 0, &spec, at);", 32, "fd = timerfd_create(CLOCK_MONOTONIC, 0);"),
    "getitimer": ("getitimer(ITIMER_REAL, at);", 32),
    "setitimer": ("setitimer(ITIMER_VIRTUAL, &old_spec, at);", 32),
    "clock_getres": ("clock_getres(CLOCK_MONOTONIC, at);", 16),
    "adjtimex": ("adjtimex(at);", 208, "memset(at, 0, 208);"),
    "waitpid": ("waitpid(child, at, 0);", 4, "has_child();"),
    "waitid": ("waitid(P_PID, child, at, WEXITED);", 16, "has_child();"),
    "getrlimit": ("getrlimit(RLIMIT_NOFILE, at);", 16),
    "prlimit": ("prlimit(0, RLIMIT_NOFILE, 0, at);", 16),
    "getresuid": ("uid_t b, c; getresuid(at, &b, &c);", 4),
    "sched_getparam": ("sched_getparam(0, at);", 4),
    "sched_getaffinity": ("sched_getaffinity(0, 128, at);", 128),
    "pthread_getaffinity_np": ("pthread_getaffinity_np(self, 128, at);", 128),
    "pthread_getschedparam": ("struct sched_param p; pthread_getschedparam(self, at, &p);", 4),
    "pthread_getname_np": ("pthread_getname_np(self, at, 16);", 16),
    "prctl": ("prctl(PR_GET_NAME, at);", 16),
    "mincore": ("mincore(page, 4096, at);", 1, "page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); *page = 1;"),
    "sigaction": ("sigaction(SIGUSR1, 0, at);", 8),
    "sigprocmask": ("sigprocmask(SIG_BLOCK, 0, at);", 8),
    "pthread_sigmask": ("pthread_sigmask(SIG_BLOCK, 0, at);", 8),
    "sigpending": ("sigpending(at);", 8),
    "sigaltstack": ("sigaltstack(0, at);", 24),
    "a read by its number": ("syscall(SYS_read, ends[0], at, 4);", 4, "has_pipe();"),
    "a clock by its number": ("syscall(SYS_clock_gettime, CLOCK_REALTIME, at);", 16),
    "a name by its number": ("syscall(SYS_uname, at);", 64),
    "a wait by its number": ("syscall(SYS_poll, at, 1, 0);", 8, "has_pipe(); *(struct pollfd *)at = (struct pollfd){ ends[0], POLLIN };"),
    "getpwuid_r": ("struct passwd *p; getpwuid_r(0, at, room, sizeof(room), &p);", 8),
    "a user's texts": ("struct passwd u, *p; getpwuid_r(0, &u, at, 1024, &p);", 4),
    "getpwnam_r": ("struct passwd u; getpwnam_r(\"root\", &u, room, sizeof(room), at);", 8),
    "getgrgid_r": ("struct group *p; getgrgid_r(0, at, room, sizeof(room), &p);", 8),
    "getgrouplist": ("int n = 8; getgrouplist(\"root\", 7, at, &n);", 4),
    "getservbyname_r": ("struct servent *p; getservbyname_r(\"http\", \"tcp\", at, room, sizeof(room), &p);", 8),
    "gethostbyname_r": ("struct hostent *p; int e; gethostbyname_r(\"127.0.0.1\", at, room, sizeof(room), &p, &e);", 8),
    "getaddrinfo": ("struct addrinfo like = { .ai_flags = AI_NUMERICHOST }; getaddrinfo(\"127.0.0.1\", 0, &like, at);", 8),
    "getnameinfo": ("getnameinfo((struct sockaddr *)&address, sizeof(address), at, 32, 0, 0, NI_NUMERICHOST);", 8),
    "swprintf": ("swprintf(at, 8, L\"ab%d\", 3);", 8),
    "swscanf": ("swscanf(L\"12\", L\"%d\", at);", 4),
    "wcpcpy": ("wcpcpy(at, L\"abc\");", 16),
    "wcstold": ("wcstold(L\"12\", at);", 8),
    "strtold": ("strtold(\"12\", at);", 8),
    "modfl": ("modfl(third, at);", 10),
    "lgamma_r": ("lgamma_r(-0.5, at);", 4),
    "fcvt_r": ("int p, s; fcvt_r(third, 2, &p, &s, at, 32);", 4),
    "initstate_r": ("initstate_r(3, room, 64, at);", 16, "memset(at, 0, 64);"),
    "strerror_r": ("__xpg_strerror_r(ENOENT, at, 64);", 16),
    "ether_aton_r": ("ether_aton_r(\"1:2:3:4:5:6\", at);", 6),
    "mktemp": ("mktemp(at);", 8, "strcpy(at, \"zzXXXXXX\");"),
    "if_indextoname": ("if_indextoname(1, at);", 4),
    "getifaddrs": ("getifaddrs(at);", 8),
    "dladdr": ("dladdr(listens, at);", 8),
    "msgrcv": ("msgrcv(fd, at, 8, 0, IPC_NOWAIT);", 8, "long m[2] = { 1, 2 }; fd = msgget(IPC_PRIVATE, 0600); msgsnd(fd, m, 8, 0);"),
    "clock_getcpuclockid": ("clock_getcpuclockid(0, at);", 4),
    "preadv64v2": ("preadv64v2(ends[0], &part, 1, -1, 0);", 4, "has_pipe();"),
    "strtoimax": ("strtoimax(\"12\", at, 10);", 8),
    "mbsnrtowcs": ("const char *text = \"a\"; mbsnrtowcs(at, &text, 1, 2, 0);", 4),
    "cfmakeraw": ("cfmakeraw(at);", 16),
    "sigfillset": ("sigfillset(at);", 8),
    "dlinfo": ("dlinfo(library, RTLD_DI_LINKMAP, at);", 8, "library = dlopen(0, RTLD_NOW);"),
    "semctl": ("semctl(fd, 0, GETALL, at); semctl(fd, 0, IPC_RMID);", 4, "has_semaphores();"),
    "timer_create": ("timer_create(CLOCK_MONOTONIC, 0, at);", 4),
    "a message's sender": ("recvmsg(ends[0], &message.msg_hdr, 0);", 2, PAIR + "message.msg_hdr.msg_name = at; message.msg_hdr.msg_namelen = 64; "
                           "bind(ends[1], (struct sockaddr *)&(struct sockaddr_un){ AF_UNIX }, 2); write(ends[1], \"abc\", 3); read(ends[0], room, 3);"),
    "more than one event by its number": ("syscall(SYS_epoll_wait, fd, at, 2, 0);", 24, "has_pipe(); fd = epoll_create1(0); struct epoll_event e = { EPOLLIN }; "
                                          "epoll_ctl(fd, EPOLL_CTL_ADD, ends[0], &e); epoll_ctl(fd, EPOLL_CTL_ADD, dup(ends[0]), &e);", "result = memcmp(there + 12, before_it + 12, 12) != 0;"),
    # The other way round: what the second one's call is given, the first one changes.
    "given to semctl": ("number[0] = 0x90009;", 0, "has_semaphores(); memset(at, 0, 8);", "semctl(fd, 0, SETALL, at); result = semctl(fd, 1, GETVAL) == 9; semctl(fd, 0, IPC_RMID);"),
    "given to shmctl": ("((struct shmid_ds *)at)->shm_perm.mode = 0640;", 0, "fd = shmget(IPC_PRIVATE, 64, 0600); shmctl(fd, IPC_STAT, at);",
                        "shmctl(fd, IPC_SET, at); struct shmid_ds s; shmctl(fd, IPC_STAT, &s); result = s.shm_perm.mode & 040; shmctl(fd, IPC_RMID, 0);"),
    "given to fcntl": ("*(short *)at = F_WRLCK;", 0, "has_file(); *(struct flock *)at = (struct flock){ .l_type = F_UNLCK };",
                       "fcntl(fd, F_OFD_SETLK, at); struct flock l = { .l_type = F_WRLCK }; fcntl(open(\"f\", O_RDWR), F_OFD_GETLK, &l); result = l.l_type == F_WRLCK;"),
    "given to renameat": ("there[0] = 'h';", 0, "has_names();", 'renameat(AT_FDCWD, "f", AT_FDCWD, at); result = !access("h", F_OK);'),
    "given to mkfifoat": ("there[0] = 'h';", 0, "has_names();", 'mkfifoat(AT_FDCWD, at, 0600); result = !access("h", F_OK);'),
    "given to getxattr": ("there[0] = '/';", 0, "has_names();", 'getxattr(at, "user.none", room, 8); result = errno != ENOENT;'),
    "given to sendmsg": ("message.msg_hdr.msg_iovlen = 0;", 0, PAIR + "read(ends[0], room, 3); message.msg_hdr.msg_iov = &part; message.msg_hdr.msg_iovlen = 1;",
                         "result = sendmsg(ends[1], &message.msg_hdr, 0) == 0;"),
    "given to pthread_setname_np": ("there[0] = 'h';", 0, "has_names();", "char name[16]; pthread_setname_np(self, at); pthread_getname_np(self, name, 16); result = name[0] == 'h';"),
    "setjmp": ("setjmp(at);", 64),
    "sigsetjmp": ("sigsetjmp(at, 1);", 72),
    "getcontext": ("getcontext(at);", 64),
    "swapcontext": (GOES % "swapcontext(at, &by_way)", 64, "has_context(&by_way, 1, &after);"),
    "makecontext": ("makecontext(at, goes, 7, 1, 2, 3, 4, 5, 6, 7);", 256, "has_context(at, 0, 0);"),
    "given to longjmp": ("sem_wait(&given); memcpy(at, elsewhere, sizeof(elsewhere));", 0, "sem_init(&given, 0, 0);",
                         "if (setjmp(elsewhere)) result = 1; else if (!setjmp(at)) { sem_post(&given); longjmp(at, 1); }"),
    "given to swapcontext": (TURNS, 0, "has_contexts();", "swapcontext(&after, at);"),
    "given to setcontext": (TURNS, 0, "has_contexts();", GOES % "setcontext(at)"),
    "what a context goes on by": (TURNS, 0, "has_contexts();", GOES % "setcontext(&by_way)"),
    "where a thread's data are": ("syscall(SYS_arch_prctl, ARCH_GET_FS, at);", 8),
    "given to mq_open": ("((struct mq_attr *)at)->mq_msgsize = -1;", 0, "has_queue();", 'result = mq_open("/vtb_over", O_RDWR | O_CREAT, 0600, at) < 0; mq_unlink("/vtb_over");'),
    "given to mq_notify": ("number[3] = 99;", 0, "has_queue(); *(struct sigevent *)at = (struct sigevent){ .sigev_notify = SIGEV_NONE }; ", "result = mq_notify(fd, at) < 0;"),
    "a directory by its number": ("there[0] = 'h';", 0, "has_names();", 'syscall(SYS_mkdir, at, 0700); result = !access("h", F_OK);'),
    "onto one's own stack": ('int n = 0; at_stack = &n; sem_post(&given); sscanf("12", "%d", &n); sem_wait(&seen);', 4, "sem_init(&given, 0, 0); sem_init(&seen, 0, 0);",
                             "sem_wait(&given); result = *at_stack == 12; sem_post(&seen);"),
}


def functions(at, call, size, before="", looks=None):
    looks = looks or f"result = memcmp(there, before_it, {size}) != 0;"
    return f"static void *first{at}(void *arg) {{ {call} return arg; }}\nstatic void *second{at}(void *arg) {{ {looks} return arg; }}\n" \
           f"static void before{at}(void) {{ {before} }}\n"


def source():
    texts = [functions(at, *bodies) for at, bodies in enumerate(PROGRAMS.values())]
    table = ", ".join(f"{{ first{at}, second{at} }}" for at in range(len(texts)))
    begins = ", ".join(f"before{at}" for at in range(len(texts)))
    return HEAD + "".join(texts) + f"""
static void *(*const all[][2])(void *) = {{ {table} }};
static void (*const begins[])(void) = {{ {begins} }};

int main(int argc, char **argv)
{{
	const int which = argc > 1 ? atoi(argv[1]) : 0;
	pthread_t t[2];

	self = pthread_self();
	memset(there, 0x55, sizeof(there));
	begins[which]();
	memcpy(before_it, there, sizeof(there));
	pthread_create(&t[0], 0, all[which][0], 0);
	pthread_create(&t[1], 0, all[which][1], 0);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return result ? 3 : 4;
}}
"""


def test(bin_dir, outcomes, compiler, which="some"):
    with Place(bin_dir) as place:
        with open(place.path("prog.c"), "w", encoding="utf-8") as f:
            f.write(source())
        place.run(*hooked("tsan", shlex.split(compiler)), "-w", "-g", "-O1", "-o", "prog", "prog.c", "-pthread", "-lm", "-lrt", expect=0)
        missed = []
        for at, name in list(enumerate(PROGRAMS))[:: 1 if which == "all" else 3]:
            ran = place.run(os.path.abspath(outcomes), "./prog", "dpor", "-", "60", str(at), timeout=100, expect=0)
            endings = {tuple(line.split()[:2]) for line in ran.out.splitlines()[:-1]}
            if endings != {("exit", "3"), ("exit", "4")}:
                missed.append(f"{name}: {sorted(endings)}")
        check(not missed, "not both endings: " + "; ".join(missed))


main(test)
