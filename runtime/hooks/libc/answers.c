/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel and libc hand over at pointers: which descriptors are ready, addresses, sizes, limits, parts of
 * numbers. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <time.h>

#include "computed.h"
#include "instr_libc.h"

/* ---- waits */

AROUND(int, poll, (struct pollfd * fds, nfds_t n, int span), (fds, n, span), result >= 0,
       changes(fds, n * sizeof(*fds), pc))
AROUND(int, ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *span, const sigset_t *mask),
       (fds, n, span, mask), result >= 0, changes(fds, n * sizeof(*fds), pc))
#define EVENTS OUT(events, most > 0 ? (size_t)most * sizeof(*events) : 0)
#define CAME WROTE(0, (size_t)result * sizeof(*events))
ANSWERS(int, epoll_wait, (int fd, struct epoll_event *events, int most, int span), (fd, events, most, span), (void)0,
        EVENTS, result > 0, CAME)
ANSWERS(int, epoll_pwait, (int fd, struct epoll_event *events, int most, int span, const sigset_t *mask),
        (fd, events, most, span, mask), (void)0, EVENTS, result > 0, CAME)
ANSWERS(int, epoll_pwait2,
        (int fd, struct epoll_event *events, int most, const struct timespec *span, const sigset_t *mask),
        (fd, events, most, span, mask), (void)0, EVENTS, result > 0, CAME)

/* ---- sockets */

ANSWERS(int, getsockname, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), (void)0, OUT_SIZED(to, size),
        result == 0, WROTE_SIZED(size))
ANSWERS(int, getpeername, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), (void)0, OUT_SIZED(to, size),
        result == 0, WROTE_SIZED(size))
ANSWERS(int, getsockopt, (int fd, int level, int name, void *to, socklen_t *size), (fd, level, name, to, size), (void)0,
        OUT_SIZED(to, size), result == 0, WROTE_SIZED(size))

/* ---- what is left, used, free */

#define ONE(name, params, args, reads) \
	ANSWERS(int, name, params, args, reads, OUT(to, sizeof(*to)), result == 0, (void)0)
ONE(eventfd_read, (int fd, eventfd_t *to), (fd, to), (void)0)
ONE(timerfd_gettime, (int fd, struct itimerspec *to), (fd, to), (void)0)
#define ROOM_OF(suffix)                                                                                             \
	ONE(statvfs##suffix, (const char *path, struct statvfs##suffix *to), (path, to), IN_TEXT(path))             \
	ONE(fstatvfs##suffix, (int fd, struct statvfs##suffix *to), (fd, to), (void)0)                              \
	ONE(statfs##suffix, (const char *path, struct statfs##suffix *to), (path, to), IN_TEXT(path))               \
	ONE(fstatfs##suffix, (int fd, struct statfs##suffix *to), (fd, to), (void)0)                                \
	ONE(fstatat##suffix, (int fd, const char *path, struct stat##suffix *to, int flags), (fd, path, to, flags), \
	    IN_TEXT(path))
ROOM_OF()
ROOM_OF(64)
ONE(statx, (int fd, const char *path, int flags, unsigned mask, struct statx *to), (fd, path, flags, mask, to),
    IN_TEXT(path))

/* ---- parts of numbers and of texts */

/* Where the mathematical library leaves the sign of lgamma(). */
static void hands_sign(uint64_t pc)
{
	static const void *sign; /* the program's, if it names it */

	if (!sign)
		sign = dlsym(RTLD_DEFAULT, "signgam");
	changes(sign, sizeof(int), pc);
}

#define PARTS(real, f)                                                                                    \
	ROW(real, modf##f, (real x, real * whole), (x, whole), changes(whole, sizeof(*whole), pc))        \
	ROW(real, frexp##f, (real x, int *power), (x, power), changes(power, sizeof(*power), pc))         \
	ROW(real, remquo##f, (real x, real y, int *part), (x, y, part), changes(part, sizeof(*part), pc)) \
	COMPUTES_VOID(sincos##f, (real x, real * sine, real * cosine), (x, sine, cosine), (void)0,        \
	              INTO(sine, sizeof(*sine));                                                          \
	              INTO(cosine, sizeof(*cosine)))                                                      \
	ROW(real, lgamma##f, (real x), (x), hands_sign(pc))
PARTS(double, )
PARTS(float, f)

COMPUTES(void *, memfrob, (void *at, size_t size), (at, size), looks(at, size, pc), INTO(at, size))
COMPUTES(char *, strfry, (char *text), (text), looks_text(text, pc), INTO(text, vtb_real.strlen(text)))
/* Its end is written where the option ends, not where the text does. */
COMPUTES(int, getsubopt, (char **text, char *const *names, char **value), (text, names, value),
         SEES(text, sizeof(*text));
         looks_text(*text, pc), INTO(vtb_real.strchr(*text, ','), 1); INTO(text, sizeof(*text));
         INTO(value, sizeof(*value)))
