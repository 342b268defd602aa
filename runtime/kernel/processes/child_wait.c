/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waiting for child processes, and looking whether one has ended without waiting. Children go first (at_rest.c): one
 * that has not ended by now waits for something, which another thread may do. So who looks finds what there is at its
 * turn, and that other threads come before and after that is for the schedule to say. Where a child goes on by itself,
 * what is found is a matter of time, which no schedule says: the run has said so, and the child is given some.
 */
#include <errno.h>
#include <sys/wait.h>
#include <time.h>

#include "base.h"
#include "syscalls.h"

#define TICK_NSEC 200000
#define TICKS_OF_LOOK 250u  /* a short-lived child has come to its end by then */
#define TICKS_OF_RUN 20000u /* four seconds */

struct wait {
	const greg_t *g;
	int type, options; /* as waitid() has them */
	pid_t id;
	long result;
	bool made;
};

static struct wait wait_of(const greg_t *g)
{
	const pid_t pid = (pid_t)g[REG_RDI];

	if (g[REG_RAX] == SYS_waitid)
		return (struct wait){
			.g = g, .type = (int)g[REG_RDI], .id = (pid_t)g[REG_RSI], .options = (int)g[REG_R10]
		};
	return (struct wait){ .g = g,
		              .type = pid > 0     ? P_PID
		                      : pid == -1 ? P_ALL
		                                  : P_PGID,
		              .id = pid < -1  ? -pid
		                    : pid > 0 ? pid
		                              : 0,
		              .options = (int)g[REG_RDX] | WEXITED };
}

/* Would the call give something, or fail? */
static bool is_there(const struct wait *w)
{
	siginfo_t info = { 0 };
	const long r = sys6(SYS_waitid, w->type, w->id, (long)&info, w->options | WNOHANG | WNOWAIT, 0, 0);

	return r < 0 || info.si_pid;
}

static bool is_cancelled(const struct vtb_rt_thread *t)
{
	return t->sched.cancelled && t->sched.cancel_enabled;
}

static bool child_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return is_cancelled(t) || is_there((const struct wait *)call->data);
}

const struct vtb_primitive vtb_primitive_child = { "wait for a child process", child_ready, NULL, NULL, false, NULL };

/* One that is under control, too, does nothing while we look. */
static void leave_time(const struct wait *w)
{
	static uint32_t spent;
	const struct timespec tick = { .tv_nsec = TICK_NSEC };

	for (uint32_t i = 0; i < TICKS_OF_LOOK && spent < TICKS_OF_RUN && !is_there(w); i++) {
		sys3(SYS_nanosleep, (long)&tick, 0, 0);
		spent++;
	}
}

static void look(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct wait *w = (struct wait *)call->data;

	if (is_cancelled(t)) /* it ends here, and has taken nothing */
		return;
	if (!is_there(w) && vtb_children_go_by_themselves(false) && !vtb_sched.aside)
		leave_time(w);
	call->idle = !is_there(w);
	w->result = vtb_syscall_make(w->g);
	w->made = true;
}

static const struct vtb_primitive primitive_look = {
	"look for a child process that has ended", NULL, look, NULL, false, NULL
};

bool vtb_child_wait(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	struct wait w = wait_of(g);
	struct vtb_call call = { .prim = w.options & WNOHANG ? &primitive_look : &vtb_primitive_child,
		                 .kind = VTB_E_IO_READ,
		                 .obj = vtb_io_name(VTB_IO_CHILD, 0),
		                 .data = (uint64_t)&w,
		                 .pc = t->base.pc,
		                 .interrupt = VTB_INTERRUPT_RESTARTS };

	*ret = vtb_ctl_op(t, &call);
	vtb_cancellation_point(t);
	if (!w.made)
		return call.interrupted;
	*ret = w.result;
	return true;
}
