/* SPDX-License-Identifier: BSD-2-Clause */
/* Waiting for signals: sigwait() and its like, pause(), sigsuspend(); and which call is which. */
#include <errno.h>

#include "base.h"
#include "scheduler.h"
#include "signals.h"
#include "syscalls.h"

/* ---- until one of a set is there, call->data */

static bool set_pending(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return vtb_signals_any(t, call->data) || vtb_wait_is_over(t) || (t->sched.cancelled && t->sched.cancel_enabled);
}

static siginfo_t taken; /* between perform and the end of the call nobody else runs */

static void take_pending(struct vtb_rt_thread *t, struct vtb_call *call)
{
	call->arg = (uint64_t)vtb_signals_take(t, call->data, &taken);
	call->result = call->arg ? (long)call->arg : -EAGAIN;
}

static const struct vtb_primitive primitive_wait = {
	"wait for a signal", set_pending, take_pending, NULL, false, NULL
};

/* No time is given: what is there by now. */
static void look_for_pending(struct vtb_rt_thread *t, struct vtb_call *call)
{
	take_pending(t, call);
	call->idle = call->result < 0;
}

static const struct vtb_primitive primitive_look = { "look for a signal", NULL, look_for_pending, NULL, false, NULL };

bool vtb_signals_waited_for(int signal, uint32_t slot)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE && t->sched.call && t->sched.call->prim == &primitive_wait &&
		    t->sched.call->data >> (signal - 1) & 1 && (slot == VTB_SIGNAL_PROCESS || slot == t->base.slot))
			return true;
	}
	return false;
}

long vtb_signals_wait(struct vtb_rt_thread *t, const greg_t *g)
{
	const struct timespec *span = (const struct timespec *)g[REG_RDX];
	struct vtb_call call = { .prim = &primitive_wait,
		                 .kind = VTB_E_SIGNAL_HANDLE,
		                 .pc = t->base.pc,
		                 .data = *(const uint64_t *)g[REG_RDI],
		                 .interrupt = VTB_INTERRUPT_ALWAYS };

	t->sched.until = 0;
	t->sched.deadline = vtb_timers_due_for(call.data); /* when there is one by itself */
	if (span && !span->tv_sec && !span->tv_nsec) {
		call.prim = &primitive_look;
		vtb_signals_look_at_timer(t, t->sched.deadline);
		t->sched.deadline = 0;
	} else if (span) {
		t->sched.until = vtb_sched.now + (uint64_t)span->tv_sec * 1000000000u + (uint64_t)span->tv_nsec + 1;
		if (!t->sched.deadline || t->sched.until < t->sched.deadline)
			t->sched.deadline = t->sched.until;
	}
	vtb_ctl_op(t, &call);
	t->sched.deadline = t->kernel.timer_at = 0;
	vtb_cancellation_point(t);
	if (call.result > 0 && g[REG_RSI])
		*(siginfo_t *)g[REG_RSI] = taken;
	return call.result;
}

/* ---- until a handler has run */

static bool until_interrupted(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)call;
	return t->sched.cancelled && t->sched.cancel_enabled;
}

static const struct vtb_primitive primitive_pause = { "pause", until_interrupted, NULL, NULL, false, NULL };

long vtb_signals_pause(struct vtb_rt_thread *t, uint64_t mask)
{
	struct vtb_call call = { .prim = &primitive_pause,
		                 .kind = VTB_E_SIGNAL_HANDLE,
		                 .pc = t->base.pc,
		                 .interrupt = VTB_INTERRUPT_ALWAYS,
		                 .masked = mask != t->kernel.sigmask };
	const uint64_t before = vtb_signals_set_mask(t, mask);

	vtb_ctl_op(t, &call);
	vtb_signals_set_mask(t, before);
	vtb_cancellation_point(t);
	return -EINTR;
}

/* ---- the calls */

void vtb_signals_mask_called(struct vtb_rt_thread *t, const greg_t *g)
{
	const uint64_t *set = (const uint64_t *)g[REG_RSI];
	uint64_t *old = (uint64_t *)g[REG_RDX], mask = t->kernel.sigmask;

	if (set)
		mask = g[REG_RDI] == SIG_BLOCK ? mask | *set : g[REG_RDI] == SIG_UNBLOCK ? mask & ~*set : *set;
	vtb_signals_looked_at(t, t->kernel.sigmask & ~mask);
	vtb_signals_opened(~t->kernel.sigmask | ~mask);
	if (old)
		*old = t->kernel.sigmask; /* the runtime's own are never blocked in the kernel */
	t->kernel.sigmask = mask & ~(1ull << (SIGKILL - 1) | 1ull << (SIGSTOP - 1));
	vtb_signals_update();
	if (t->sched.interrupted)
		vtb_signals_deliver(t);
}

bool vtb_signals_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	switch (g[REG_RAX]) {
	case SYS_rt_sigtimedwait:
		*ret = g[REG_RDX] && !vtb_time_is_valid((const struct timespec *)g[REG_RDX]) ? -EINVAL
		                                                                             : vtb_signals_wait(t, g);
		return true;
	case SYS_rt_sigsuspend:
		*ret = vtb_signals_pause(t, *(const uint64_t *)g[REG_RDI]);
		return true;
	case SYS_pause:
		*ret = vtb_signals_pause(t, t->kernel.sigmask);
		return true;
	case SYS_rt_sigpending:
		vtb_signals_look_at_timer(t, vtb_timers_due_for(t->kernel.sigmask));
		vtb_signals_looked_at(t, ~0ull);
		t->kernel.timer_at = 0;
		*(uint64_t *)g[REG_RDI] = vtb_signals_pending(t);
		*ret = 0;
		return true;
	case SYS_signalfd:
	case SYS_signalfd4:
		return vtb_signalfd_set(g, ret);
	default:
		return vtb_signals_send_call(t, g, ret);
	}
}
