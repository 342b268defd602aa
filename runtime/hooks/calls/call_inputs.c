/* SPDX-License-Identifier: BSD-2-Clause */
/* What system calls read of the program's memory where its own functions only hand it on: names of files, addresses of
 * sockets, settings. Two threads that make a name in one buffer get the file of one of them twice. Constants are left
 * out, as nobody writes them. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "rows.h"
#include "told_memory.h"

static bool is_there(uint64_t addr)
{
	uint64_t byte;

	return vtb_rt_load_if(addr, 0, &byte);
}

/* What is no memory the kernel refuses with EFAULT. */
static void reads(const void *addr, size_t size, uint64_t pc)
{
	const uint64_t first = (uint64_t)addr;

	if (!vtb_rt_is_constant(first) && size && is_there(first) && is_there(first + size - 1))
		looks(addr, size, pc);
}

/* The call is a schedule point, and the kernel reads behind it. */
#define READS(ret, name, params, args, told) AROUND(ret, name, params, args, true, told)
#define ONE vtb_rt_tell_text(path, pc)
#define TWO  \
	ONE; \
	vtb_rt_tell_text(to, pc)

/* Whether there is a third argument the flags say; what is not one is handed on and not looked at. */
#define OPENS(symbol, params, args) OPENS_LIKE(symbol, params, args, (void)0)
#define OPENS_LIKE(symbol, params, args, told)            \
	VTB_EXPORT int symbol##s params __asm__(#symbol); \
	VTB_EXPORT int symbol##s params                   \
	{                                                 \
		const uint64_t pc = VTB_CALLER;           \
		int result, saved;                        \
		BEHIND(int, call, params, symbol)         \
                                                          \
		if (!vtb_rt_is_hooked(pc))                \
			return call args;                 \
		vtb_rt_tell_text(path, pc);               \
		told;                                     \
		result = call args;                       \
		saved = errno;                            \
		vtb_rt_tell_text(path, pc);               \
		told;                                     \
		errno = saved;                            \
		return result;                            \
	}
OPENS(open, (const char *path, int flags, unsigned mode), (path, flags, mode))
OPENS(open64, (const char *path, int flags, unsigned mode), (path, flags, mode))
OPENS(openat, (int at, const char *path, int flags, unsigned mode), (at, path, flags, mode))
OPENS(openat64, (int at, const char *path, int flags, unsigned mode), (at, path, flags, mode))
OPENS_LIKE(mq_open, (const char *path, int flags, unsigned mode, const struct mq_attr *like), (path, flags, mode, like),
           if (flags & O_CREAT) reads(like, sizeof(*like), pc))
READS(int, mq_notify, (mqd_t queue, const struct sigevent *to), (queue, to), reads(to, sizeof(*to), pc))

READS(int, creat, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, creat64, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, access, (const char *path, int mode), (path, mode), ONE)
READS(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), ONE)
READS(int, mkdir, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), ONE)
READS(int, rmdir, (const char *path), (path), ONE)
READS(int, unlink, (const char *path), (path), ONE)
READS(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), ONE)
READS(int, remove, (const char *path), (path), ONE)
READS(int, chdir, (const char *path), (path), ONE)
READS(int, chmod, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group), ONE)
READS(int, truncate, (const char *path, off_t size), (path, size), ONE)
READS(int, truncate64, (const char *path, off64_t size), (path, size), ONE)
READS(int, mkfifo, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, eaccess, (const char *path, int mode), (path, mode), ONE)
READS(int, euidaccess, (const char *path, int mode), (path, mode), ONE)
READS(int, fchmodat, (int at, const char *path, mode_t mode, int flags), (at, path, mode, flags), ONE)
READS(int, lchmod, (const char *path, mode_t mode), (path, mode), ONE)
READS(int, lchown, (const char *path, uid_t user, gid_t group), (path, user, group), ONE)
READS(int, fchownat, (int at, const char *path, uid_t user, gid_t group, int flags), (at, path, user, group, flags),
      ONE)
READS(int, mkfifoat, (int at, const char *path, mode_t mode), (at, path, mode), ONE)
READS(int, mknod, (const char *path, mode_t mode, dev_t dev), (path, mode, dev), ONE)
READS(int, mknodat, (int at, const char *path, mode_t mode, dev_t dev), (at, path, mode, dev), ONE)
READS(long, pathconf, (const char *path, int what), (path, what), ONE)
READS(int, chroot, (const char *path), (path), ONE)
READS(int, acct, (const char *path), (path), ONE)
READS(int, removexattr, (const char *path, const char *to), (path, to), TWO)
READS(int, lremovexattr, (const char *path, const char *to), (path, to), TWO)
READS(int, shm_open, (const char *path, int flags, mode_t mode), (path, flags, mode), ONE)
READS(int, shm_unlink, (const char *path), (path), ONE)
READS(int, mq_unlink, (const char *path), (path), ONE)
READS(int, memfd_create, (const char *path, unsigned flags), (path, flags), ONE)
READS(int, inotify_add_watch, (int fd, const char *path, uint32_t what), (fd, path, what), ONE)
READS(key_t, ftok, (const char *path, int what), (path, what), ONE)
READS(int, renameat, (int from, const char *path, int at, const char *to), (from, path, at, to), TWO)
READS(int, renameat2, (int from, const char *path, int at, const char *to, unsigned flags), (from, path, at, to, flags),
      TWO)
READS(int, linkat, (int from, const char *path, int at, const char *to, int flags), (from, path, at, to, flags), TWO)
READS(int, symlinkat, (const char *path, int at, const char *to), (path, at, to), TWO)
READS(int, rename, (const char *path, const char *to), (path, to), TWO)
READS(int, link, (const char *path, const char *to), (path, to), TWO)
READS(int, symlink, (const char *path, const char *to), (path, to), TWO)
READS(FILE *, fopen, (const char *path, const char *to), (path, to), TWO)
READS(FILE *, fopen64, (const char *path, const char *to), (path, to), TWO)
READS(DIR *, opendir, (const char *path), (path), ONE)

#define ADDRESS reads(to, size, pc)
READS(int, bind, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), ADDRESS)
READS(int, connect, (int fd, const struct sockaddr *to, socklen_t size), (fd, to, size), ADDRESS)
READS(int, setsockopt, (int fd, int level, int name, const void *to, socklen_t size), (fd, level, name, to, size),
      ADDRESS)
READS(int, epoll_ctl, (int set, int how, int fd, struct epoll_event *to), (set, how, fd, to),
      reads(to, sizeof(*to), pc))
READS(int, setrlimit, (__rlimit_resource_t which, const struct rlimit *to), (which, to), reads(to, sizeof(*to), pc))
READS(int, setrlimit64, (__rlimit_resource_t which, const struct rlimit64 *to), (which, to), reads(to, sizeof(*to), pc))
READS(int, msgsnd, (int queue, const void *from, size_t size, int flags), (queue, from, size, flags),
      reads(from, sizeof(long) + size, pc))
READS(int, semop, (int set, struct sembuf *all, size_t n), (set, all, n), reads(all, n * sizeof(*all), pc))

/* ---- times, values, ranks */

#define TIMES(to) reads(to, 2 * sizeof(*to), pc)
READS(int, utime, (const char *path, const struct utimbuf *to), (path, to), ONE; reads(to, sizeof(*to), pc))
READS(int, utimes, (const char *path, const struct timeval to[2]), (path, to), ONE; TIMES(to))
READS(int, lutimes, (const char *path, const struct timeval to[2]), (path, to), ONE; TIMES(to))
READS(int, futimes, (int fd, const struct timeval to[2]), (fd, to), TIMES(to))
READS(int, utimensat, (int at, const char *path, const struct timespec to[2], int flags), (at, path, to, flags), ONE;
      TIMES(to))
READS(int, futimens, (int fd, const struct timespec to[2]), (fd, to), TIMES(to))
READS(int, setxattr, (const char *path, const char *to, const void *from, size_t n, int flags),
      (path, to, from, n, flags), TWO;
      reads(from, n, pc))
READS(int, lsetxattr, (const char *path, const char *to, const void *from, size_t n, int flags),
      (path, to, from, n, flags), TWO;
      reads(from, n, pc))
READS(int, fsetxattr, (int fd, const char *path, const void *from, size_t n, int flags), (fd, path, from, n, flags),
      ONE;
      reads(from, n, pc))
READS(int, tcsetattr, (int fd, int when, const struct termios *to), (fd, when, to), reads(to, sizeof(*to), pc))
READS(int, clock_settime, (clockid_t clock, const struct timespec *to), (clock, to), reads(to, sizeof(*to), pc))
READS(int, sched_setaffinity, (pid_t id, size_t n, const cpu_set_t *to), (id, n, to), reads(to, n, pc))
READS(int, sched_setparam, (pid_t id, const struct sched_param *to), (id, to), reads(to, sizeof(*to), pc))
READS(int, sched_setscheduler, (pid_t id, int policy, const struct sched_param *to), (id, policy, to),
      reads(to, sizeof(*to), pc))
READS(int, semtimedop, (int set, struct sembuf *all, size_t n, const struct timespec *to), (set, all, n, to),
      reads(all, n * sizeof(*all), pc);
      reads(to, sizeof(*to), pc))
