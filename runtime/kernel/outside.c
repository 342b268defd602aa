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
#include <string.h>
#include <sys/ioctl.h>
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

/* Of a connection over IP, as IPv6 writes it; port 0: unknown. */
struct end {
	uint8_t address[16];
	uint16_t port;
};

static struct end end_of(int fd, long call)
{
	struct sockaddr_storage a = { 0 };
	const struct sockaddr_in *four = (struct sockaddr_in *)&a;
	const struct sockaddr_in6 *six = (struct sockaddr_in6 *)&a;
	unsigned size = sizeof(a);
	struct end end = { 0 };

	if (sys3(call, fd, (long)&a, (long)&size) < 0)
		return end;
	if (a.ss_family == AF_INET) {
		end.address[10] = end.address[11] = 0xff;
		memcpy(end.address + 12, &four->sin_addr, sizeof(four->sin_addr));
		end.port = four->sin_port;
	} else if (a.ss_family == AF_INET6) {
		memcpy(end.address, &six->sin6_addr, sizeof(end.address));
		end.port = six->sin6_port;
	}
	return end;
}

static int socket_option(int fd, int option)
{
	unsigned size = sizeof(int);
	int value = 0;

	return sys6(SYS_getsockopt, fd, SOL_SOCKET, option, (long)&value, (long)&size, 0) == 0 ? value : 0;
}

static bool same_end(const struct end *a, const struct end *b)
{
	return a->port == b->port && memcmp(a->address, b->address, sizeof(a->address)) == 0;
}

/* Does it listen where that connection goes, which it has yet to accept? */
static bool listens_at(int fd, const struct end *end)
{
	static const uint8_t any_four[16] = { [10] = 0xff, [11] = 0xff }, any_six[16];
	const struct end own = end_of(fd, SYS_getsockname);

	return own.port == end->port && socket_option(fd, SO_ACCEPTCONN) &&
	       (same_end(&own, end) || memcmp(own.address, any_four, sizeof(any_four)) == 0 ||
	        memcmp(own.address, any_six, sizeof(any_six)) == 0);
}

/* Of this machine: the address is the caller's own, too. */
static bool is_near(const struct end *own, const struct end *peer)
{
	static const uint8_t loopback[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };

	return memcmp(own->address, peer->address, sizeof(own->address)) == 0 ||
	       memcmp(peer->address, loopback, sizeof(loopback)) == 0;
}

static bool is_other_end(int fd, const struct end *own, const struct end *peer)
{
	const struct end name = end_of(fd, SYS_getsockname), to = end_of(fd, SYS_getpeername);

	return (same_end(&name, peer) && same_end(&to, own)) || (is_near(own, peer) && listens_at(fd, peer));
}

enum { NO_CONNECTION, CONNECTED_INSIDE, CONNECTED_OUTSIDE };

/* Who has the other end of a connection over IP: a socket of ours, or one that listens and has yet to accept? */
static int connection_of(int fd)
{
	const struct end own = end_of(fd, SYS_getsockname), peer = end_of(fd, SYS_getpeername);
	struct stat st;

	if (!peer.port || socket_option(fd, SO_TYPE) != SOCK_STREAM)
		return peer.port ? CONNECTED_OUTSIDE : NO_CONNECTION;
	for (int i = vtb_io_next(-1, &st); i < INT_MAX; i = vtb_io_next(i, &st))
		if (i != fd && S_ISSOCK(st.st_mode) && is_other_end(i, &own, &peer))
			return CONNECTED_INSIDE;
	for (uint32_t i = 0; vtb_closed_held(i) >= 0; i++)
		if (vtb_closed_held(i) != fd && is_other_end(vtb_closed_held(i), &own, &peer))
			return CONNECTED_INSIDE;
	return CONNECTED_OUTSIDE;
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
		return !own_peer(fd) && connection_of(fd) != CONNECTED_INSIDE;
	return false; /* eventfd, epoll: nobody else has them */
}

static bool has_children(void)
{
	siginfo_t info;

	return sys6(SYS_waitid, P_ALL, 0, (long)&info, WEXITED | WNOHANG | WNOWAIT, 0, 0) == 0;
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
	return connection_of(fd) == CONNECTED_OUTSIDE;
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

/* May it be that this thread waits for somebody to connect there? */
static bool may_accept(const struct vtb_rt_thread *t, int fd)
{
	if (!waits_outside(t))
		return false;
	switch (vtb_syscall_waits_for(t->sched.call)) {
	case WAIT_INPUT:
		return (int)t->sched.call->data == fd;
	case WAIT_POLL:
		return vtb_many_may_wait_at(t->sched.call, fd);
	default:
		return false;
	}
}

/* Whoever connects to a socket at which nobody waits wakes nobody. */
static bool listens_idly(int fd)
{
	if (!socket_option(fd, SO_ACCEPTCONN))
		return false;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (may_accept(vtb_rt.threads[i], fd))
			return false;
	return true;
}

static bool may_be_woken_from_outside(void)
{
	struct stat st;

	if (has_children() || vtb_child_signal_expected())
		return true;
	for (int fd = vtb_io_next(-1, &st); fd < INT_MAX && somebody(waits_outside); fd = vtb_io_next(fd, &st))
		if (leads_out(fd) && !listens_idly(fd))
			return true;
	return false;
}

static bool any_on_its_way(void)
{
	struct stat st;
	int bytes;

	for (int fd = vtb_io_next(-1, &st); fd < INT_MAX; fd = vtb_io_next(fd, &st)) {
		bytes = 0;
		if (S_ISSOCK(st.st_mode) && connection_of(fd) == CONNECTED_INSIDE &&
		    sys3(SYS_ioctl, fd, TIOCOUTQ, (long)&bytes) == 0 && bytes > 0)
			return true;
	}
	return false;
}

/* What we have written to our own connections may be some moments on its way. True if somebody can go on. */
static bool comes_in(void)
{
	const struct timespec tick = { .tv_nsec = 1000000 };

	for (uint64_t msec = 0; msec < OUTSIDE_MSEC && any_on_its_way() && !somebody(can_go_on); msec++)
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
	return somebody(can_go_on);
}

/* Nobody outside ends a circle of locks. */
bool vtb_syscall_outside(void)
{
	if (vtb_deadlock_circle())
		return false;
	if (somebody(waits_outside) && comes_in())
		return true;
	if (!vtb_io_from_outside(true) || !may_be_woken_from_outside() ||
	    (!somebody(waits_outside) && !vtb_child_signal_expected()))
		return false;
	if (watch_outside(OUTSIDE_MSEC))
		return true;
	vtb_shared_memory_waits();
	vtb_failure_end(VTB_V_TIMEOUT, 0, 0, 0, why_nobody());
}
