/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for those whom no schedule moves: child processes, and whoever holds the other end of a pipe or connection.
 * When nobody of the program can go on they are given time by the system's clock: as much as would pass by the
 * program's own before its next deadline, so that a time limit on an answer is not over at once; then, if there is no
 * deadline, some seconds.
 */
#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base.h"
#include "follow.h"
#include "models.h"
#include "signals.h"
#include "syscalls.h"

#define RETRY_MSEC 20     /* between two attempts to get what somebody outside has */
#define OUTSIDE_MSEC 4000 /* how long an answer may take when nobody else can go on */

/* ---- which descriptors lead out of the process */

static bool status(int fd, struct stat *st)
{
	return sys3(SYS_fstat, fd, (long)st, 0) == 0;
}

static bool own_peer(int fd)
{
	struct ucred peer = { 0 };
	unsigned size = sizeof(peer);

	return sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0) == 0 &&
	       (peer.pid == (pid_t)sys3(SYS_getpid, 0, 0, 0) ||
	        (peer.pid && (uint32_t)peer.pid == vtb_follow_partner()));
}

/* Does another descriptor of ours hold the other end? For a pipe: the same file. */
static bool has_other_end(int fd, const struct stat *mine)
{
	struct stat other;

	if (vtb_signalfd_is(fd))
		return true;
	for (int i = vtb_io_next(-1, &other); i < INT_MAX; i = vtb_io_next(i, &other))
		if (i != fd && other.st_ino == mine->st_ino && other.st_dev == mine->st_dev)
			return true;
	for (uint32_t i = 0; vtb_closed_held(i) >= 0; i++)
		if (vtb_closed_held(i) != fd && status(vtb_closed_held(i), &other) && other.st_ino == mine->st_ino &&
		    other.st_dev == mine->st_dev)
			return true;
	return false;
}

/* Nothing will come any more: the other end is closed, or has said that it will not write. */
static bool is_over(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLRDHUP };
	const struct timespec none = { 0 };

	return sys6(SYS_ppoll, (long)&p, 1, (long)&none, 0, 0, 0) != 0;
}

static bool leads_out(int fd)
{
	struct stat st;

	if (!status(fd, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISCHR(st.st_mode) || is_over(fd))
		return false; /* always ready, or not there, or there is nobody at the other end */
	if (S_ISFIFO(st.st_mode))
		return !has_other_end(fd, &st) &&
		       !vtb_follow_partner(); /* what leads to our partner does not lead out */
	if (S_ISSOCK(st.st_mode))
		return !own_peer(fd);
	return false; /* eventfd, epoll: nobody else has them */
}

static bool has_children(void)
{
	siginfo_t info;

	return sys6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
}

#define PORTS 512 /* descriptors among which the other end of a connection is looked for */

static uint16_t port_of(int fd, long call)
{
	struct sockaddr_storage a = { 0 };
	unsigned size = sizeof(a);

	if (sys3(call, fd, (long)&a, (long)&size) < 0)
		return 0;
	return a.ss_family == AF_INET    ? ((struct sockaddr_in *)&a)->sin_port
	       : a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
	                                 : 0;
}

/* Connected, and no socket of ours has the port at the other end: not the client's, nor the server's, nor one that
 * listens and has yet to accept. */
static bool connected_outside(int fd)
{
	const uint16_t port = port_of(fd, SYS_getpeername);

	for (int i = 0; port && i < PORTS; i++)
		if (i != fd && port_of(i, SYS_getsockname) == port)
			return false;
	for (uint32_t i = 0; port && vtb_closed_held(i) >= 0; i++)
		if (vtb_closed_held(i) != fd && port_of(vtb_closed_held(i), SYS_getsockname) == port)
			return false;
	return port;
}

/* Is there somebody outside who holds the other end? Of listening sockets and unconnected ones: no, nobody need ever
 * come. */
static bool awaits_outside(int fd)
{
	struct stat st;
	struct ucred peer = { 0 };
	unsigned size = sizeof(peer);

	if (!status(fd, &st) || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)) || is_over(fd))
		return false;
	if (S_ISFIFO(st.st_mode))
		return !has_other_end(fd, &st) && !vtb_follow_partner();
	if (sys6(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&peer, (long)&size, 0) == 0 && peer.pid > 0)
		return !own_peer(fd) ||
		       (has_children() && !vtb_follow_partner()); /* one of a pair, whose other end a child may have */
	return connected_outside(fd);
}

/* Of any descriptor but the standard ones. O(descriptors). */
static bool any_awaits_outside(void)
{
	struct stat st;

	for (int fd = vtb_io_next(2, &st); fd < INT_MAX; fd = vtb_io_next(fd, &st))
		if (awaits_outside(fd))
			return true;
	return false;
}

bool vtb_io_has_children(void)
{
	return has_children() && !vtb_follow_partner();
}

bool vtb_io_from_outside(bool asks)
{
	struct stat st;

	if (has_children())
		return true;
	if (!asks)
		return false;
	for (int fd = vtb_io_next(-1, &st); fd < INT_MAX; fd = vtb_io_next(fd, &st))
		if (leads_out(fd))
			return true;
	return false;
}

/* ---- waiting */

static bool waits_outside(const struct vtb_rt_thread *t)
{
	return t->base.state == VTB_T_ALIVE && t->sched.call && vtb_schedule_allows(t) &&
	       vtb_syscall_waits_for(t->sched.call) != WAIT_NONE;
}

/* Is the answer that it waits for somebody else's to give? */
static bool expects_answer(const struct vtb_rt_thread *t)
{
	if (!waits_outside(t))
		return false;
	switch (vtb_syscall_waits_for(t->sched.call)) {
	case WAIT_CHILD:
		return vtb_io_has_children();
	case WAIT_INPUT:
		return awaits_outside((int)t->sched.call->data);
	case WAIT_POLL:
		return any_awaits_outside() || vtb_child_signal_expected();
	default:
		return false;
	}
}

static bool somebody(bool (*does)(const struct vtb_rt_thread *t))
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (does(vtb_rt.threads[i]))
			return true;
	return false;
}

static bool can_go_on(const struct vtb_rt_thread *t)
{
	return waits_outside(t) && t->sched.call->prim->ready(t, t->sched.call);
}

/* Look each millisecond; true once somebody can go on. */
static bool watch(uint64_t msec, bool signals)
{
	const struct timespec tick = { .tv_nsec = 1000000 };

	for (uint64_t now = 0; now < msec; now++) {
		if (now % RETRY_MSEC == RETRY_MSEC - 1)
			vtb_try_look_again(true);
		if (somebody(can_go_on) || (signals && vtb_child_signal_take()))
			return true;
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
	}
	return false;
}

static bool watch_outside(uint64_t msec)
{
	const bool signals = vtb_child_signal_expected();
	uint64_t before = 0;
	bool any;

	if (signals)
		before = vtb_child_signal_hold();
	any = watch(msec, signals);
	if (signals)
		vtb_child_signal_release(before);
	if (any && vtb_children_made)
		vtb_children_rest();
	return any;
}

bool vtb_syscall_patience(void)
{
	const uint64_t next = vtb_time_next();
	uint64_t msec;

	if (vtb_rt.options & VTB_OPT_REAL_TIME || next == UINT64_MAX || !somebody(expects_answer))
		return false;
	msec = (next - vtb_sched.now) / 1000000;
	return watch_outside(msec < OUTSIDE_MSEC ? msec : OUTSIDE_MSEC);
}

static bool waits_for_child(const struct vtb_rt_thread *t)
{
	return waits_outside(t) && vtb_syscall_waits_for(t->sched.call) == WAIT_CHILD;
}

/* Nobody goes on, and what one of them waits for has not come. */
static const char *why_nobody(void)
{
	if (vtb_follow_left() && somebody(waits_for_child))
		return "every thread waits, and the forked process that one of them waits for does not end: "
		       "--follow-children takes the control along with it";
	return "every thread waits, and the input that one of them waits for does not come";
}

bool vtb_syscall_outside(void)
{
	if (!vtb_io_from_outside(true) || (!somebody(waits_outside) && !vtb_child_signal_expected()))
		return false;
	if (watch_outside(OUTSIDE_MSEC))
		return true;
	vtb_shared_memory_waits();
	vtb_failure_end(VTB_V_TIMEOUT, 0, 0, 0, why_nobody());
}
