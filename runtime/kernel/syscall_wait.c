/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls that may wait for another thread of the program. The kernel must not be let to wait: it would put the
 * only running thread to sleep, baton in hand. So the wait takes place in the model, and the call is made once it need
 * not wait.
 */
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>

#include "base.h"
#include "follow.h"
#include "signals.h"

#define SECOND 1000000000ull

/* ---- descriptors */

long vtb_poll_now(struct pollfd *fds, uint64_t n)
{
	const struct timespec none = { 0 };

	return sys6(SYS_ppoll, (long)fds, (long)n, (long)&none, 0, 0, 0);
}

/* Calls that wait are cancellation points: the thread goes on, to its end. */
bool vtb_cancel_wakes(const struct vtb_rt_thread *t)
{
	return t->sched.cancelled && t->sched.cancel_enabled;
}

/* Ready, in error, or closed: the call will not wait; or its time is over. call->data: the descriptor, call->aux: the
 * poll events. */
static bool descriptor_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	struct pollfd p = { .fd = (int)call->data, .events = (short)call->aux };

	vtb_signalfd_look_as(t);
	return vtb_cancel_wakes(t) || vtb_wait_is_over(t) || vtb_poll_now(&p, 1) != 0;
}

/* Others may have closed it since the call was made. */
static void descriptor_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	if (sys3(SYS_fcntl, (int)call->data, F_GETFD, 0) < 0) {
		call->value = EBADF;
		call->has_value = true;
	}
}

static const struct vtb_primitive primitive_descriptor = {
	"input or output", descriptor_ready, descriptor_perform, NULL, false, NULL
};
const struct vtb_primitive vtb_primitive_of_descriptor = {
	"input or output without waiting", NULL, descriptor_perform, NULL, true, NULL
};

/* The call itself asks not to wait. */
static bool asks_not_to_wait(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_recvfrom:
	case SYS_sendto:
	case SYS_recvmmsg:
	case SYS_sendmmsg:
		return g[REG_R10] & MSG_DONTWAIT;
	case SYS_recvmsg:
	case SYS_sendmsg:
		return g[REG_RDX] & MSG_DONTWAIT;
	default:
		return false;
	}
}

/* As vtb_syscall_make. The model has what some are to get. */
static long make(const greg_t *g)
{
	long r;

	if (vtb_signalfd_read(vtb_self, g, &r))
		return r;
	return vtb_syscall_make(g);
}

/* Other descriptors may go with it (SCM_RIGHTS): it goes by what is done to those, too. */
static bool takes_others_along(const greg_t *g)
{
	const bool many = g[REG_RAX] == SYS_sendmmsg;
	const long n = many ? g[REG_RDX] : g[REG_RAX] == SYS_sendmsg;
	bool takes = false;

	for (long i = 0; i < n && i < IOV_MAX && !takes; i++) {
		const greg_t at =
		    g[REG_RSI] + i * (greg_t)sizeof(struct mmsghdr) + (greg_t)offsetof(struct msghdr, msg_controllen);
		uint64_t length = 0;

		if (!vtb_rt_peek((const void *)at, sizeof(length), &length))
			break;
		takes = length != 0;
	}
	return takes;
}

/* True if the call is not made: a signal has interrupted it, or its time is over. */
static bool wait_once(struct vtb_rt_thread *t, unsigned kind, const greg_t *g, short events, bool waits, long *ret)
{
	const int fd = (int)g[REG_RDI];
	const uint64_t span = waits ? vtb_io_span(fd, !(events & POLLOUT)) : 0;
	struct vtb_call call = { .prim = waits ? &primitive_descriptor : &vtb_primitive_of_descriptor,
		                 .kind = (uint8_t)kind,
		                 .obj = vtb_io_object(fd),
		                 .aux = (uint32_t)events,
		                 .data = (uint64_t)fd,
		                 .arg = vtb_mq_deadline(g),
		                 .pc = t->base.pc,
		                 .interrupt = span ? VTB_INTERRUPT_ALWAYS : VTB_INTERRUPT_RESTARTS };
	struct pollfd p = { .fd = fd, .events = events };

	t->sched.until = span ? vtb_sched.now + span : call.arg;
	t->sched.deadline = t->sched.until ? t->sched.until : vtb_signalfd_due_at(fd); /* when it is ready by itself */
	vtb_signals_look_at_timer(t, waits ? 0 : t->sched.deadline);
	*ret = vtb_ctl_op(t, &call);
	t->sched.deadline = t->kernel.timer_at = 0;
	vtb_cancellation_point(t);
	if (vtb_closed_goes_on(t, &call, g, make, ret))
		return true;
	if (call.interrupted || !waits || !vtb_wait_is_over(t) || vtb_poll_now(&p, 1))
		return call.interrupted;
	*ret = span ? -EAGAIN : -ETIMEDOUT;
	return true;
}

/* A call that will not wait is part of its operation: what comes back with nothing changes nothing; loops wait. */
struct attempt {
	const greg_t *g;
	long result;
	bool made;
};

static void attempt_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct attempt *a = (struct attempt *)call->data;

	if (vtb_cancel_wakes(t)) /* it ends here, and has taken nothing */
		return;
	a->result = make(a->g);
	a->made = true;
	call->idle = a->result == -EAGAIN;
}

static const struct vtb_primitive primitive_attempt = {
	"input or output without waiting", NULL, attempt_perform, NULL, false, NULL
};

static bool make_attempt(struct vtb_rt_thread *t, unsigned kind, const greg_t *g, long *ret)
{
	struct attempt a = { .g = g };
	struct vtb_call call = { .prim = &primitive_attempt,
		                 .kind = (uint8_t)kind,
		                 .obj = vtb_io_object((int)g[REG_RDI]),
		                 .data = (uint64_t)&a,
		                 .pc = t->base.pc,
		                 .interrupt = VTB_INTERRUPT_RESTARTS };

	vtb_signals_look_at_timer(t, vtb_signalfd_due_at((int)g[REG_RDI]));
	*ret = vtb_ctl_op(t, &call);
	t->kernel.timer_at = 0;
	vtb_cancellation_point(t);
	if (!a.made)
		return call.interrupted;
	*ret = a.result;
	if (!call.idle) {
		vtb_try_look_again(false);
		vtb_sched_recheck();
	}
	return true;
}

/* The kernel calls a descriptor ready that has room for little: what is more would have the call wait in the kernel. */
static bool may_be_too_much(const greg_t *g)
{
	const unsigned what = g[REG_RAX] == SYS_write ? vtb_io_what((int)g[REG_RDI]) : VTB_IO_NOTHING;

	return what == VTB_IO_EVENT ||
	       ((what == VTB_IO_PIPE || what == VTB_IO_SOCKET) && (uint64_t)g[REG_RDX] > PIPE_BUF);
}

/* Part by part, as there is room, and each part an operation. */
static long write_parts(struct vtb_rt_thread *t, const greg_t *g, long flags)
{
	greg_t part[NGREG];
	long done = 0, r;

	memcpy(part, g, sizeof(part));
	for (;;) {
		if (wait_once(t, VTB_E_IO_WRITE, part, POLLOUT, true, &r))
			return done ? done : r;
		sys3(SYS_fcntl, (int)g[REG_RDI], F_SETFL, flags | O_NONBLOCK);
		r = vtb_syscall_make(part);
		sys3(SYS_fcntl, (int)g[REG_RDI], F_SETFL, flags);
		if (vtb_children_made && r > 0)
			vtb_children_go_on(t, false);
		vtb_sched_recheck();
		if (r == -EAGAIN) {
			vtb_fair_hold_back(t); /* there is room, but not enough */
			continue;
		}
		if (r < 0)
			return done ? done : r;
		done += r;
		if (done >= g[REG_RDX])
			return done;
		part[REG_RSI] += r;
		part[REG_RDX] -= r;
	}
}

/* True if there is nothing more to do, *ret is the result. */
static bool wait_descriptor(struct vtb_rt_thread *t, unsigned kind, const greg_t *g, short events, long *ret)
{
	const long flags = sys3(SYS_fcntl, (int)g[REG_RDI], F_GETFL, 0);
	const bool waits = flags >= 0 && !(flags & O_NONBLOCK) && !asks_not_to_wait(g) && !vtb_mq_refuses(g);

	vtb_mapped_file_used(t, (int)g[REG_RDI], kind == VTB_E_IO_WRITE);
	if (flags < 0 || takes_others_along(g)) /* closed: nobody knows what it was, or could have been */
		kind = VTB_E_IO_READ;
	if (waits && may_be_too_much(g)) {
		*ret = write_parts(t, g, flags);
		return true;
	}
	if (flags >= 0 && !waits && vtb_engine_of_run((int)g[REG_RDI])) /* else each call is made by the engine */
		return make_attempt(t, kind, g, ret);
	return wait_once(t, kind, g, events, waits, ret);
}

/* What is printed to memory (vtb_engine.captured) never waits, and needs no question to the kernel. */
static const struct vtb_primitive primitive_captured = { "output", NULL, NULL, NULL, true, NULL };

static bool tell_captured(struct vtb_rt_thread *t, const greg_t *g, const void *object, long *ret)
{
	struct vtb_call call = { .prim = &primitive_captured, .kind = VTB_E_IO_WRITE, .obj = object, .pc = t->base.pc };

	call.aux = POLLOUT;
	call.data = (uint64_t)g[REG_RDI];
	call.interrupt = VTB_INTERRUPT_RESTARTS;
	*ret = vtb_ctl_op(t, &call);
	vtb_cancellation_point(t);
	return call.interrupted;
}

static bool wait_output(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	const void *captured = vtb_engine_captured((int)g[REG_RDI]);

	return captured ? tell_captured(t, g, captured, ret) : wait_descriptor(t, VTB_E_IO_WRITE, g, POLLOUT, ret);
}

/* ---- which call */

const struct vtb_primitive vtb_primitive_always = { "input or output without waiting", NULL, NULL, NULL, true, NULL };

static long sleep_call(const greg_t *g)
{
	int r;

	if (g[REG_RAX] == SYS_nanosleep)
		r = vtb_ctl_clock_nanosleep(CLOCK_REALTIME, 0, (const struct timespec *)g[REG_RDI],
		                            (struct timespec *)g[REG_RSI]);
	else
		r = vtb_ctl_clock_nanosleep((clockid_t)g[REG_RDI], (int)g[REG_RSI], (const struct timespec *)g[REG_RDX],
		                            (struct timespec *)g[REG_R10]);
	return -r;
}

bool vtb_syscall_wait(const struct vtb_syscall *row, greg_t *g, long *ret)
{
	struct vtb_rt_thread *t = vtb_self;

	t->base.pc = vtb_rt_outer_caller((uint64_t)g[REG_RIP], (const uint64_t *)g[REG_RSP]);
	switch (row->wait) {
	case WAIT_FUTEX:
		return vtb_futex_call(t, g, ret) && vtb_shared_futex(g, ret);
	case WAIT_INPUT:
		return vtb_random_read(t, g, ret) || wait_descriptor(t, VTB_E_IO_READ, g, POLLIN, ret) ||
		       vtb_signalfd_read(t, g, ret);
	case WAIT_OUTPUT:
		return wait_output(t, g, ret);
	case WAIT_RANDOM:
		return vtb_random_call(t, g, ret);
	case WAIT_TRY:
		if (vtb_try_call(t, g, ret))
			return true;
		vtb_syscall_tell(t, row, g);
		return false;
	case WAIT_CHANGE:
	case WAIT_ASK:
	case WAIT_NUMBERS:
	case WAIT_LOOK:
	case WAIT_NAMES:
		vtb_syscall_tell(t, row, g);
		return vtb_fifo_open(t, g, ret);
	case WAIT_POLL:
	case WAIT_EPOLL:
	case WAIT_SELECT:
		*ret = vtb_many_call((enum vtb_wait)row->wait, t, g);
		return true;
	case WAIT_SLEEP:
		*ret = sleep_call(g);
		return true;
	case WAIT_CHILD:
		return vtb_child_wait(t, g, ret);
	case WAIT_IDS:
	case WAIT_AFFINITY:
	case WAIT_THREAD_NAME:
	case WAIT_SETTING:
	case WAIT_COUNTED:
		return vtb_told_call((enum vtb_wait)row->wait, t, g, ret);
	case WAIT_SIGNAL:
		vtb_syscall_tell(t, row, g);
		return vtb_signals_call(t, g, ret);
	case WAIT_TIMER:
		vtb_syscall_tell(t, row, g);
		return vtb_timers_call(g, ret);
	default:
		if (!row->name)
			vtb_syscall_tell(t, row, g);
		return false;
	}
}

enum vtb_wait vtb_syscall_waits_for(const struct vtb_call *call)
{
	if (call->prim == &primitive_descriptor)
		return WAIT_INPUT;
	if (vtb_many_waits(call))
		return WAIT_POLL;
	return call->prim == &vtb_primitive_child            ? WAIT_CHILD
	       : vtb_try_waits(call) || vtb_fifo_waits(call) ? WAIT_TRY
	                                                     : WAIT_NONE;
}

static bool waits_at(const struct vtb_call *call, int fd)
{
	return call->prim == &primitive_descriptor ? (int)call->data == fd
	                                           : vtb_many_waits(call) && vtb_many_waits_at(call, fd);
}

static void goes_on_at(struct vtb_call *call, int fd, int ours)
{
	if (call->prim == &primitive_descriptor)
		call->data = (uint64_t)ours;
	else
		vtb_many_goes_on_at(call, fd, ours);
}

const struct vtb_waits vtb_syscall_waits = { waits_at, goes_on_at };
