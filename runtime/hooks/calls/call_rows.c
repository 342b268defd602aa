/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of libc that do little more than make one system call, told as that (told_memory.h). Those of which the
 * caller's memory is told in another way have rows elsewhere. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "computed.h"
#include "kernel.h"
#include "told_memory.h"

#define TOLD(nr, ...) vtb_rt_tell_call(nr, (const long[6]){ __VA_ARGS__ }, pc)
#define P(pointer) (long)(pointer)
/* The wait or the system call is a schedule point. */
#define CALL(ret, name, params, args, ...) AROUND(ret, name, params, args, result != (ret)-1, TOLD(__VA_ARGS__))

/* What they leave, at one parameter or several. */
#define ANSWER(ret, name, params, args, outs) \
	ANSWERS(ret, name, params, args, (void)0, outs, result != (ret)-1, (void)0)
#define GETS_AND_ANSWERS(ret, name, params, args, to, outs) \
	ANSWERS(ret, name, params, args, IN(to, sizeof(*to)), outs, result != (ret)-1, (void)0)
#define ANSWER_BYTES(name, params, args, reads) \
	ANSWERS(ssize_t, name, params, args, reads, OUT(to, n), result > 0, WROTE(0, (size_t)result))
#define LEFT(param) OUT(param, sizeof(*(param)))

/* What the room below answers (kernel.h), with a schedule point in it or not. */
#define OURS(ret, name, params, answer, told)            \
	VTB_EXPORT ret name params;                      \
	VTB_EXPORT ret name params                       \
	{                                                \
		const uint64_t pc = VTB_CALLER;          \
		const bool tells = vtb_rt_is_hooked(pc); \
		ret result;                              \
                                                         \
		if (tells) {                             \
			told;                            \
		}                                        \
		result = answer;                         \
		if (tells) {                             \
			const int saved = errno;         \
                                                         \
			told;                            \
			errno = saved;                   \
		}                                        \
		return result;                           \
	}

/* ---- descriptors */

ANSWERS(int, accept, (int fd, struct sockaddr *to, socklen_t *size), (fd, to, size), (void)0, OUT_SIZED(to, size),
        result >= 0, WROTE_SIZED(size))
ANSWERS(int, accept4, (int fd, struct sockaddr *to, socklen_t *size, int flags), (fd, to, size, flags), (void)0,
        OUT_SIZED(to, size), result >= 0, WROTE_SIZED(size))
CALL(ssize_t, recvfrom, (int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size),
     (fd, to, n, flags, from, size), SYS_recvfrom, fd, P(to), P(n), flags, P(from), P(size))
CALL(ssize_t, sendto, (int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t size),
     (fd, from, n, flags, to, size), SYS_sendto, fd, P(from), P(n), flags, P(to), size)
CALL(int, recvmmsg, (int fd, struct mmsghdr *all, unsigned n, int flags, struct timespec *span),
     (fd, all, n, flags, span), SYS_recvmmsg, fd, P(all), n)
CALL(int, sendmmsg, (int fd, struct mmsghdr *all, unsigned n, int flags), (fd, all, n, flags), SYS_sendmmsg, fd, P(all),
     n)
CALL(ssize_t, preadv2, (int fd, const struct iovec *parts, int n, off_t at, int flags), (fd, parts, n, at, flags),
     SYS_preadv2, fd, P(parts), n)
CALL(ssize_t, pwritev2, (int fd, const struct iovec *parts, int n, off_t at, int flags), (fd, parts, n, at, flags),
     SYS_pwritev2, fd, P(parts), n)
CALL(ssize_t, preadv64v2, (int fd, const struct iovec *parts, int n, off64_t at, int flags), (fd, parts, n, at, flags),
     SYS_preadv2, fd, P(parts), n)
CALL(ssize_t, pwritev64v2, (int fd, const struct iovec *parts, int n, off64_t at, int flags), (fd, parts, n, at, flags),
     SYS_pwritev2, fd, P(parts), n)
CALL(ssize_t, pwritev64, (int fd, const struct iovec *parts, int n, off64_t at), (fd, parts, n, at), SYS_pwritev, fd,
     P(parts), n)
CALL(int, select, (int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *span), (n, in, out, other, span),
     SYS_select, n, P(in), P(out), P(other), P(span))
CALL(int, pselect, (int n, fd_set *in, fd_set *out, fd_set *other, const struct timespec *span, const sigset_t *mask),
     (n, in, out, other, span, mask), SYS_pselect6, n, P(in), P(out), P(other), P(span))
CALL(ssize_t, sendfile, (int to, int from, off_t *at, size_t n), (to, from, at, n), SYS_sendfile, to, from, P(at))
CALL(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t n), (to, from, at, n), SYS_sendfile, to, from, P(at))
CALL(ssize_t, splice, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
     (from, at, to, to_at, n, flags), SYS_splice, from, P(at), to, P(to_at))
CALL(ssize_t, copy_file_range, (int from, off64_t *at, int to, off64_t *to_at, size_t n, unsigned flags),
     (from, at, to, to_at, n, flags), SYS_copy_file_range, from, P(at), to, P(to_at))
ANSWER_BYTES(getdents64, (int fd, void *to, size_t n), (fd, to, n), (void)0)
ANSWER_BYTES(getxattr, (const char *path, const char *name, void *to, size_t n), (path, name, to, n), IN_TEXT(path);
             IN_TEXT(name))
ANSWER_BYTES(lgetxattr, (const char *path, const char *name, void *to, size_t n), (path, name, to, n), IN_TEXT(path);
             IN_TEXT(name))
ANSWER_BYTES(fgetxattr, (int fd, const char *name, void *to, size_t n), (fd, name, to, n), IN_TEXT(name))
ANSWER_BYTES(listxattr, (const char *path, char *to, size_t n), (path, to, n), IN_TEXT(path))
ANSWER_BYTES(llistxattr, (const char *path, char *to, size_t n), (path, to, n), IN_TEXT(path))
ANSWER_BYTES(flistxattr, (int fd, char *to, size_t n), (fd, to, n), (void)0)
#define MESSAGE     \
	OUT(to, n); \
	LEFT(priority)
ANSWERS(ssize_t, mq_receive, (mqd_t queue, char *to, size_t n, unsigned *priority), (queue, to, n, priority), (void)0,
        MESSAGE, result >= 0, WROTE(0, (size_t)result))
ANSWERS(ssize_t, mq_timedreceive, (mqd_t queue, char *to, size_t n, unsigned *priority, const struct timespec *until),
        (queue, to, n, priority, until), IN(until, sizeof(*until)), MESSAGE, result >= 0, WROTE(0, (size_t)result))
CALL(ssize_t, vmsplice, (int fd, const struct iovec *parts, size_t n, unsigned flags), (fd, parts, n, flags),
     SYS_vmsplice, fd, P(parts), P(n))
CALL(int, mq_send, (mqd_t queue, const char *from, size_t n, unsigned priority), (queue, from, n, priority),
     SYS_mq_timedsend, queue, P(from), P(n))
CALL(int, mq_timedsend, (mqd_t queue, const char *from, size_t n, unsigned priority, const struct timespec *until),
     (queue, from, n, priority, until), SYS_mq_timedsend, queue, P(from), P(n), priority, P(until))
ANSWER(int, mq_getattr, (mqd_t queue, struct mq_attr *to), (queue, to), LEFT(to))
GETS_AND_ANSWERS(int, mq_setattr, (mqd_t queue, const struct mq_attr *from, struct mq_attr *old), (queue, from, old),
                 from, LEFT(old))
ANSWER(int, tcgetattr, (int fd, struct termios *to), (fd, to), LEFT(to))

static int control(int fd, unsigned long request, void *at, uint64_t pc)
{
	BEHIND(int, call, (int fd, unsigned long request, ...), ioctl)
	int result;

	if (!vtb_rt_is_hooked(pc))
		return call(fd, request, at);
	TOLD(SYS_ioctl, fd, (long)request, P(at));
	result = call(fd, request, at);
	if (result != -1)
		TOLD(SYS_ioctl, fd, (long)request, P(at));
	return result;
}

VTB_EXPORT int ioctl(int fd, unsigned long request, ...);
VTB_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *at;

	va_start(args, request);
	at = va_arg(args, void *);
	va_end(args);
	return control(fd, request, at, VTB_CALLER);
}

static int control_file(int (*call)(int fd, int command, ...), int fd, int command, void *at, uint64_t pc)
{
	const bool tells = vtb_rt_is_hooked(pc);
	int result;

	if (tells)
		TOLD(SYS_fcntl, fd, command, P(at));
	result = call(fd, command, at);
	if (tells)
		TOLD(SYS_fcntl, fd, command, P(at));
	return result;
}

#define FCNTL(name)                                                     \
	VTB_EXPORT int name(int fd, int command, ...);                  \
	VTB_EXPORT int name(int fd, int command, ...)                   \
	{                                                               \
		BEHIND(int, call, (int fd, int command, ...), name)     \
		va_list args;                                           \
		void *at;                                               \
                                                                        \
		va_start(args, command);                                \
		at = va_arg(args, void *);                              \
		va_end(args);                                           \
		return control_file(call, fd, command, at, VTB_CALLER); \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

VTB_EXPORT int prctl(int option, ...);
VTB_EXPORT int prctl(int option, ...)
{
	const uint64_t pc = VTB_CALLER;
	const bool tells = vtb_rt_is_hooked(pc);
	unsigned long args[4];
	va_list ap;
	int result;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (tells)
		TOLD(SYS_prctl, option, (long)args[0]);
	result = vtb_prctl(option, args, pc);
	if (tells && result != -1)
		TOLD(SYS_prctl, option, (long)args[0]);
	return result;
}

ANSWERS(ssize_t, msgrcv, (int queue, void *to, size_t n, long type, int flags), (queue, to, n, type, flags), (void)0,
        OUT(to, sizeof(long) + n), result >= 0, WROTE(0, sizeof(long) + (size_t)result))
AROUND(int, shmctl, (int id, int command, struct shmid_ds *at), (id, command, at), result != -1,
       TOLD(SYS_shmctl, id, command, P(at)))
AROUND(int, msgctl, (int id, int command, struct msqid_ds *at), (id, command, at), result != -1,
       TOLD(SYS_msgctl, id, command, P(at)))

VTB_EXPORT int semctl(int id, int which, int command, ...);
VTB_EXPORT int semctl(int id, int which, int command, ...)
{
	BEHIND(int, call, (int id, int which, int command, ...), semctl)
	const uint64_t pc = VTB_CALLER;
	const bool tells = vtb_rt_is_hooked(pc);
	va_list args;
	void *at;
	int result;

	va_start(args, command);
	at = va_arg(args, void *);
	va_end(args);
	if (tells)
		TOLD(SYS_semctl, id, which, command, P(at));
	result = call(id, which, command, at);
	if (tells && result != -1)
		TOLD(SYS_semctl, id, which, command, P(at));
	return result;
}

/* ---- time */

OURS(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *to), vtb_timer_create(clock, event, to, pc),
     looks(event, event ? sizeof(*event) : 0, pc);
     changes(to, sizeof(*to), pc))
OURS(int, timer_settime, (timer_t it, int flags, const struct itimerspec *to, struct itimerspec *old),
     (vtb_follow_sets_timer(), vtb_timer_settime(it, flags, to, old, pc)), looks(to, to ? sizeof(*to) : 0, pc);
     changes(old, sizeof(*old), pc))
OURS(int, timer_gettime, (timer_t it, struct itimerspec *to), vtb_timer_gettime(it, to, pc),
     changes(to, sizeof(*to), pc))
/* Of threads it is a system call that is modelled; child processes are watched from outside. */
#define SETS_TIMER(name, params, args, to)                                                                            \
	ANSWERS_AFTER(vtb_follow_sets_timer(), int, name, params, args, IN(to, sizeof(*to)), LEFT(old), result != -1, \
	              (void)0)
SETS_TIMER(timerfd_settime, (int fd, int flags, const struct itimerspec *to, struct itimerspec *old),
           (fd, flags, to, old), to)
ANSWER(int, getitimer, (__itimer_which_t which, struct itimerval *to), (which, to), LEFT(to))
SETS_TIMER(setitimer, (__itimer_which_t which, const struct itimerval *to, struct itimerval *old), (which, to, old), to)
VTB_EXPORT unsigned alarm(unsigned seconds)
{
	vtb_follow_sets_timer();
	return VTB_CALL_REAL(alarm)(seconds);
}
VTB_EXPORT useconds_t ualarm(useconds_t first, useconds_t interval)
{
	vtb_follow_sets_timer();
	return VTB_CALL_REAL(ualarm)(first, interval);
}
ANSWER(int, clock_getres, (clockid_t clock, struct timespec *to), (clock, to), LEFT(to))
ANSWER(int, timespec_getres, (struct timespec * to, int base), (to, base), LEFT(to))
ANSWER(int, clock_getcpuclockid, (pid_t id, clockid_t *to), (id, to), LEFT(to))
ANSWER(int, pthread_getcpuclockid, (pthread_t thread, clockid_t *to), (thread, to), LEFT(to))
ANSWER(int, adjtimex, (struct timex * it), (it), LEFT(it))
ANSWER(int, clock_adjtime, (clockid_t clock, struct timex *it), (clock, it), LEFT(it))
ANSWER(int, ntp_gettimex, (struct ntptimeval * to), (to), LEFT(to))

/* ---- processes and what is theirs */

#define ENDED(name, params, args, outs) ANSWERS(pid_t, name, params, args, (void)0, outs, result > 0, (void)0)
#define USED          \
	LEFT(status); \
	LEFT(used)
ENDED(wait, (int *status), (status), LEFT(status))
ENDED(waitpid, (pid_t id, int *status, int options), (id, status, options), LEFT(status))
ENDED(wait3, (int *status, int options, struct rusage *used), (status, options, used), USED)
ENDED(wait4, (pid_t id, int *status, int options, struct rusage *used), (id, status, options, used), USED)
ANSWER(int, waitid, (idtype_t type, id_t id, siginfo_t *to, int options), (type, id, to, options), LEFT(to))
ANSWER(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to), LEFT(to))
ANSWER(int, getrlimit64, (__rlimit_resource_t what, struct rlimit64 *to), (what, to), LEFT(to))
GETS_AND_ANSWERS(int, prlimit, (pid_t id, __rlimit_resource_t what, const struct rlimit *to, struct rlimit *old),
                 (id, what, to, old), to, LEFT(old))
GETS_AND_ANSWERS(int, prlimit64, (pid_t id, __rlimit_resource_t what, const struct rlimit64 *to, struct rlimit64 *old),
                 (id, what, to, old), to, LEFT(old))
ANSWER(int, getresuid, (uid_t * a, uid_t *b, uid_t *c), (a, b, c), LEFT(a); LEFT(b); LEFT(c))
ANSWER(int, getresgid, (gid_t * a, gid_t *b, gid_t *c), (a, b, c), LEFT(a); LEFT(b); LEFT(c))
CALL(int, getgroups, (int n, gid_t *to), (n, to), SYS_getgroups, n, P(to))
ANSWER(int, sched_getparam, (pid_t id, struct sched_param *to), (id, to), LEFT(to))
ANSWER(int, sched_rr_get_interval, (pid_t id, struct timespec *to), (id, to), LEFT(to))
ANSWER(int, getcpu, (unsigned *cpu, unsigned *node), (cpu, node), LEFT(cpu); LEFT(node))
CALL(int, msync, (void *at, size_t n, int flags), (at, n, flags), SYS_msync, P(at), P(n))
CALL(int, mincore, (void *at, size_t n, unsigned char *to), (at, n, to), SYS_mincore, P(at), P(n), P(to))

OURS(int, pthread_setname_np, (pthread_t thread, const char *text), vtb_thread_name_set(thread, text, pc),
     looks_start(text, 16, pc))
OURS(int, pthread_getname_np, (pthread_t thread, char *to, size_t n), vtb_thread_name(thread, to, n, pc),
     changes(to, n < 16 ? n : 16, pc))
OURS(int, sched_getaffinity, (pid_t id, size_t n, cpu_set_t *to), vtb_affinity_of(id, n, to), changes(to, n, pc))

/* ---- signals */

GETS_AND_ANSWERS(int, sigaction, (int signal, const struct sigaction *to, struct sigaction *old), (signal, to, old), to,
                 LEFT(old))
ANSWER(int, sigpending, (sigset_t * to), (to), LEFT(to))
GETS_AND_ANSWERS(int, sigaltstack, (const stack_t *to, stack_t *old), (to, old), to, LEFT(old))
