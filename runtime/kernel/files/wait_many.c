/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * poll, select, epoll: waiting until one of many descriptors is ready. The kernel reads what is asked for when the call
 * is made, has the files from then on, and writes its answer at the end. So the wait is at copies: what others write to
 * the program's arrays meanwhile is nothing to it, and neither is whose numbers they close (files/closed_under.c).
 *
 * Whether something is ready is asked without taking it: an event that is told once (EPOLLET, EPOLLONESHOT) is told to
 * who goes on, not to who is looked at first.
 */
#include "syscalls.h"

#include <alloca.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <time.h>

#include "base.h"
#include "signals.h"

#define SECOND 1000000000ull
#define NO_LIMIT UINT64_MAX
#define SHARE_OF_STACK 8u /* the part of what is left that a copy may take */

enum { POLL, SELECT, EPOLL };

struct many {
	int how;
	bool at_once; /* the time-out is none at all: a look, not a wait */
	long result;
	struct pollfd *fds; /* POLL: the copy; the program's, where that is too long */
	uint64_t n;         /* also of SELECT, where it is the first number behind */
	fd_set want[3], got[3];
	greg_t g[NGREG]; /* EPOLL: the call in a form that does not wait */
};

/* ---- what is ready */

static long look(struct many *m)
{
	const struct timespec none = { 0 };
	struct pollfd set;
	struct stat st;

	switch (m->how) {
	case POLL:
		return vtb_poll_now(m->fds, m->n);
	case SELECT:
		memcpy(m->got, m->want, sizeof(m->got));
		return sys6(SYS_pselect6, (long)m->n, (long)&m->got[0], (long)&m->got[1], (long)&m->got[2], (long)&none,
		            0);
	default:
		set = (struct pollfd){ .fd = (int)m->g[REG_RDI], .events = POLLIN };
		return vtb_poll_now(&set, 1) || (int)m->g[REG_RDX] <= 0 || sys3(SYS_fstat, set.fd, (long)&st, 0) < 0 ||
		       st.st_mode & S_IFMT; /* to be refused */
	}
}

static long take(struct many *m)
{
	return m->how == EPOLL ? vtb_syscall_make(m->g) : look(m);
}

static bool many_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct many *m = (struct many *)call->data;

	vtb_signalfd_look_as(t);
	return m->at_once || look(m) || vtb_wait_is_over(t) || vtb_cancel_wakes(t);
}

/* Who finds nothing has learned nothing of those who write: hbgraph's sync order. Time that has passed is nothing
 * found, too. */
static void many_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct many *m = (struct many *)call->data;

	vtb_signalfd_look_as(t);
	m->result = take(m);
	call->idle = call->has_value = !m->result;
	call->value = m->result ? 0 : EAGAIN;
}

static const struct vtb_primitive primitive_many = { "poll", many_ready, many_perform, NULL, false, NULL };
static const struct vtb_primitive primitive_select = { "select", many_ready, many_perform, NULL, false, NULL };

bool vtb_many_waits(const struct vtb_call *call)
{
	return call->prim == &primitive_many || call->prim == &primitive_select;
}

/* ---- descriptors that are closed meanwhile */

static bool wants(const struct many *m, int fd)
{
	return fd < FD_SETSIZE && (FD_ISSET(fd, &m->want[0]) || FD_ISSET(fd, &m->want[1]) || FD_ISSET(fd, &m->want[2]));
}

bool vtb_many_waits_at(const struct vtb_call *call, int fd)
{
	const struct many *m = (const struct many *)call->data;

	for (uint64_t i = 0; m->how == POLL && i < m->n; i++)
		if (m->fds[i].fd == fd)
			return true;
	return m->how == EPOLL ? (int)m->g[REG_RDI] == fd : m->how == SELECT && (uint64_t)fd < m->n && wants(m, fd);
}

bool vtb_many_may_wait_at(const struct vtb_call *call, int fd)
{
	const struct many *m = (const struct many *)call->data;

	return m->how == EPOLL ? vtb_epoll_may_look_at((int)m->g[REG_RDI], fd) : vtb_many_waits_at(call, fd);
}

void vtb_many_goes_on_at(struct vtb_call *call, int fd, int ours)
{
	struct many *m = (struct many *)call->data;

	for (uint64_t i = 0; m->how == POLL && i < m->n; i++)
		if (m->fds[i].fd == fd)
			m->fds[i].fd = ours;
	if (m->how == EPOLL)
		m->g[REG_RDI] = ours;
	for (int k = 0; m->how == SELECT && ours < FD_SETSIZE && k < 3; k++)
		if (FD_ISSET(fd, &m->want[k])) {
			FD_CLR(fd, &m->want[k]);
			FD_SET(ours, &m->want[k]);
			m->n = (uint64_t)ours < m->n ? m->n : (uint64_t)ours + 1;
		}
}

/* As the program knows it. */
static void rename_back(void *many, int fd, int ours)
{
	struct many *m = many;

	for (int k = 0; m->how == SELECT && ours < FD_SETSIZE && k < 3; k++)
		if (FD_ISSET(ours, &m->got[k])) {
			FD_CLR(ours, &m->got[k]);
			FD_SET(fd, &m->got[k]);
		}
}

/* ---- a wait */

/* What a wait for many is called: the first descriptors, and what they are. */
struct names {
	uint64_t payload;
	uint32_t n;
};

static void add_name(struct names *names, int fd)
{
	if (fd < 0)
		return;
	if (names->n < VTB_IO_POLL_MAX && fd < 128)
		names->payload |= (uint64_t)(vtb_io_what(fd) << 7 | (unsigned)fd) << 10 * names->n++;
	else
		names->payload |= 1ull << 10 * VTB_IO_POLL_MAX;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* `span`: for how long the call may wait; `timers`: when the first timer among the descriptors goes off, 0: never.
 * Times stand with the thread and not on its stack, as in prim_sleep.c. */
static void set_deadline(struct vtb_rt_thread *t, uint64_t span, uint64_t timers)
{
	t->sched.until = span == NO_LIMIT ? 0 : vtb_sched.now + span + 1;
	t->sched.deadline = span ? earlier(t->sched.until, timers) : 0;
	vtb_signals_look_at_timer(t, span ? 0 : timers);
}

/* The deadline is set. ppoll, pselect, epoll_pwait: `mask` while it waits. `answer`: writes what has come to the
 * program's memory. */
static long wait_many(struct vtb_rt_thread *t, struct many *m, const void *name, const uint64_t *mask,
                      void (*answer)(const struct many *m, const greg_t *g), const greg_t *g)
{
	struct vtb_call call = { .prim = m->how == SELECT ? &primitive_select : &primitive_many,
		                 .kind = VTB_E_IO_READ,
		                 .obj = name,
		                 .pc = t->base.pc,
		                 .data = (uint64_t)m,
		                 .interrupt = VTB_INTERRUPT_ALWAYS,
		                 .masked = mask && *mask != t->kernel.sigmask };
	const uint64_t before = mask ? vtb_signals_set_mask(t, *mask) : t->kernel.sigmask;

	vtb_ctl_op(t, &call);
	t->sched.deadline = t->kernel.timer_at = 0;
	if (call.interrupted)
		m->result = -EINTR;
	vtb_closed_let_go(t, rename_back, m);
	answer(m, g);
	vtb_signals_set_mask(t, before);
	vtb_cancellation_point(t);
	return m->result;
}

static uint64_t span_of(const struct timespec *span)
{
	return (uint64_t)span->tv_sec * SECOND + (uint64_t)span->tv_nsec;
}

/* ---- the calls */

/* Also of a wait that is interrupted; not of one that is refused. */
static void answer_poll(const struct many *m, const greg_t *g)
{
	struct pollfd *fds = (struct pollfd *)g[REG_RDI];

	for (uint64_t i = 0; fds != m->fds && (m->result >= 0 || m->result == -EINTR) && i < m->n; i++)
		fds[i].revents = m->result > 0 ? m->fds[i].revents : 0;
}

static bool fits(const struct vtb_rt_thread *t, uint64_t n)
{
	const uint64_t here = (uint64_t)__builtin_frame_address(0);

	return vtb_rt_own_stack(t, here) && n <= (here - t->base.stack_lo) / SHARE_OF_STACK / sizeof(struct pollfd);
}

static long wait_poll(struct vtb_rt_thread *t, const greg_t *g)
{
	const uint64_t *mask = g[REG_RAX] == SYS_ppoll ? (const uint64_t *)g[REG_R10] : NULL;
	struct names names = { 0 };
	struct many m = { .how = POLL, .fds = (struct pollfd *)g[REG_RDI], .n = (uint64_t)g[REG_RSI] };
	uint64_t span = NO_LIMIT, timers = 0;

	for (uint64_t i = 0; i < m.n; i++) {
		add_name(&names, m.fds[i].fd);
		timers = earlier(timers, m.fds[i].events & POLLIN ? vtb_signalfd_due_at(m.fds[i].fd) : 0);
	}
	if (g[REG_RAX] == SYS_poll) {
		if ((int)g[REG_RDX] >= 0)
			span = (uint64_t)(int)g[REG_RDX] * 1000000u;
	} else if (g[REG_RDX]) {
		if (!vtb_time_is_valid((const struct timespec *)g[REG_RDX]))
			return -EINVAL;
		span = span_of((const struct timespec *)g[REG_RDX]);
	}
	m.at_once = !span;
	set_deadline(t, span, timers);
	if (fits(t, m.n))
		m.fds = memcpy(alloca((m.n + 1) * sizeof(*m.fds)), m.fds, m.n * sizeof(*m.fds));
	return wait_many(t, &m, vtb_io_name(VTB_IO_POLL, names.payload), mask, answer_poll, g);
}

static void answer_none(const struct many *m, const greg_t *g)
{
	(void)m;
	(void)g;
}

static long wait_epoll(struct vtb_rt_thread *t, const greg_t *g)
{
	const uint64_t *mask = g[REG_RAX] == SYS_epoll_wait ? NULL : (const uint64_t *)g[REG_R8];
	struct many m = { .how = EPOLL };
	uint64_t span = NO_LIMIT;

	memcpy(m.g, g, sizeof(m.g));
	m.g[REG_RAX] = SYS_epoll_wait;
	m.g[REG_R10] = 0;
	if (g[REG_RAX] == SYS_epoll_pwait2)
		span = g[REG_R10] ? span_of((const struct timespec *)g[REG_R10]) : NO_LIMIT;
	else if ((int)g[REG_R10] >= 0)
		span = (uint64_t)(int)g[REG_R10] * 1000000u;
	m.at_once = !span;
	set_deadline(t, span, vtb_signalfd_due_in((int)g[REG_RDI]));
	return wait_many(t, &m, vtb_io_name(VTB_IO_EPOLL, (uint64_t)g[REG_RDI]), mask, answer_none, g);
}

static uint64_t numbers(const greg_t *g)
{
	return (uint64_t)g[REG_RDI] < FD_SETSIZE ? (uint64_t)g[REG_RDI] : FD_SETSIZE;
}

static size_t bytes_of(const greg_t *g)
{
	return (numbers(g) + 63) / 64 * 8;
}

static void answer_select(const struct many *m, const greg_t *g)
{
	const greg_t to[3] = { g[REG_RSI], g[REG_RDX], g[REG_R10] };

	for (int i = 0; m->result >= 0 && i < 3; i++)
		if (to[i])
			memcpy((void *)to[i], &m->got[i], bytes_of(g));
}

static long wait_select(struct vtb_rt_thread *t, const greg_t *g)
{
	const struct {
		const uint64_t *mask;
		size_t size;
	} *with = g[REG_RAX] == SYS_pselect6 ? (const void *)g[REG_R9] : NULL;
	const greg_t from[3] = { g[REG_RSI], g[REG_RDX], g[REG_R10] };
	struct many m = { .how = SELECT, .n = numbers(g) };
	uint64_t span = NO_LIMIT, timers = 0;
	struct names names = { 0 };
	long r;

	if ((int)g[REG_RDI] < 0)
		return -EINVAL;
	for (int i = 0; i < 3; i++)
		if (from[i])
			memcpy(&m.want[i], (const void *)from[i], bytes_of(g));
	for (int fd = 0; fd < (int)m.n; fd++)
		if (wants(&m, fd)) {
			add_name(&names, fd);
			timers = earlier(timers, FD_ISSET(fd, &m.want[0]) ? vtb_signalfd_due_at(fd) : 0);
		}
	if (g[REG_R8])
		span = g[REG_RAX] == SYS_select ? (uint64_t)((struct timeval *)g[REG_R8])->tv_sec * SECOND +
		                                      (uint64_t)((struct timeval *)g[REG_R8])->tv_usec * 1000u
		                                : span_of((const struct timespec *)g[REG_R8]);
	m.at_once = !span;
	set_deadline(t, span, timers);
	r = wait_many(t, &m, vtb_io_name(VTB_IO_POLL, names.payload), with ? with->mask : NULL, answer_select, g);
	vtb_io_tell_left(t, (struct timespec *)g[REG_R8], g[REG_RAX] == SYS_select ? 1000 : 1);
	return r;
}

long vtb_many_call(enum vtb_wait wait, struct vtb_rt_thread *t, const greg_t *g)
{
	return wait == WAIT_POLL ? wait_poll(t, g) : wait == WAIT_EPOLL ? wait_epoll(t, g) : wait_select(t, g);
}
