/* SPDX-License-Identifier: BSD-2-Clause */
#include "signals.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "scheduler.h"
#include "base.h"

#define FRAME_ROOM 16384u /* of the kernel's, for a handler */
#define FIRST_QUEUED 32   /* those below are pending at most once */

struct pending {
	siginfo_t info;
	uint32_t slot;
	int signal;
};

static struct pending first_queue[VTB_SIGNALS_ROOM], *queue = first_queue; /* oldest first */
static uint32_t queue_room = VTB_SIGNALS_ROOM;
static uint32_t n_queue;
static uint64_t first_mask;

static uint64_t bit(int signal)
{
	return 1ull << (signal - 1);
}

static bool in_set(uint64_t set, int signal)
{
	return set >> (signal - 1) & 1;
}

/* ---- masks */

void vtb_signals_begin(void)
{
	for (int signal = 1; signal < NSIG; signal++) {
		struct vtb_action a = vtb_signal_action(signal);

		if (!(a.mask & VTB_SIGNALS_OWN))
			continue;
		a.mask &= ~VTB_SIGNALS_OWN;
		sys6(SYS_rt_sigaction, signal, (long)&a, 0, 8, 0, 0);
	}
	sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&first_mask, 8, 0, 0);
}

void vtb_signals_forked(void)
{
	n_queue = 0;
}

void vtb_signals_inherit(struct vtb_rt_thread *t, const struct vtb_rt_thread *creator)
{
	t->kernel.sigmask = creator ? creator->kernel.sigmask : first_mask;
	if (creator || t->base.slot)
		vtb_signals_asked_about(~t->kernel.sigmask);
}

void vtb_signals_changed(void)
{
	vtb_signals_update();
	vtb_stretch_end();
	vtb_signals_tell();
}

void vtb_signals_look_at_timer(struct vtb_rt_thread *t, uint64_t due)
{
	t->kernel.timer_at = due;
	if (due)
		vtb_signals_changed();
}

uint64_t vtb_signals_set_mask(struct vtb_rt_thread *t, uint64_t mask)
{
	const uint64_t before = t->kernel.sigmask, kernel = mask & ~VTB_SIGNALS_OWN;

	if (mask == before)
		return before;
	vtb_signals_opened(~mask | ~before);
	t->kernel.sigmask = mask;
	vtb_sched.masks = true;
	if (vtb_engine->mask_changes)
		vtb_engine->mask_changes();
	sys6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&kernel, 0, 8, 0, 0);
	vtb_signals_changed();
	return before;
}

/* ---- who is to be interrupted */

struct vtb_rt_thread *vtb_signals_receiver(int signal)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];

		if (t->base.state == VTB_T_ALIVE && !t->sched.service && !in_set(t->kernel.sigmask, signal))
			return t;
	}
	return NULL;
}

static struct vtb_rt_thread *receiver_of(const struct pending *p)
{
	struct vtb_rt_thread *t;

	if (p->slot == VTB_SIGNAL_PROCESS)
		return vtb_signals_receiver(p->signal);
	t = vtb_rt.threads[p->slot];
	return t->base.state == VTB_T_ALIVE && !in_set(t->kernel.sigmask, p->signal) ? t : NULL;
}

/* A signal that t might have, if things went otherwise than by default. One at a time: one that it has comes first. */
static int may_come(const struct vtb_rt_thread *t)
{
	if (t->sched.interrupted)
		return 0;
	for (uint32_t i = 0; i < n_queue; i++)
		if (queue[i].slot == VTB_SIGNAL_PROCESS && !t->sched.service &&
		    !in_set(t->kernel.sigmask, queue[i].signal) && vtb_signals_receiver(queue[i].signal) != t)
			return queue[i].signal;
	return vtb_timers_due(t);
}

static bool any_state; /* marks may have to change */
static int told;       /* threads of which it was told that a signal may come */

void vtb_signals_update(void)
{
	const bool timers = vtb_timers_next() != UINT64_MAX;

	if (!n_queue && !timers && !any_state)
		return;
	any_state = true;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		vtb_rt.threads[i]->sched.interrupted = false;
	for (uint32_t i = 0; i < n_queue; i++) {
		struct vtb_rt_thread *t = receiver_of(&queue[i]);

		if (t)
			t->sched.interrupted = true;
	}
}

void vtb_signals_tell(void)
{
	if (!any_state)
		return;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++) {
		struct vtb_rt_thread *t = vtb_rt.threads[i];
		const int signal = t->base.state == VTB_T_ALIVE ? may_come(t) : 0;

		if ((signal != 0) == t->kernel.due)
			continue;
		t->kernel.due = signal != 0;
		told += t->kernel.due ? 1 : -1;
		vtb_sched_fact(VTB_E_SIGNAL_DUE, vtb_sched.running ? vtb_sched.running : t, 0, 0, t->base.slot,
		               (uint64_t)signal);
	}
	any_state = told || n_queue || vtb_timers_next() != UINT64_MAX;
}

/* ---- the queue */

static void drop(uint32_t i)
{
	for (n_queue--; i < n_queue; i++)
		queue[i] = queue[i + 1];
}

/* The next one for t out of `set`: its own before the process's, low numbers first, as the kernel has it. */
static int64_t find(const struct vtb_rt_thread *t, uint64_t set)
{
	int64_t best = -1;

	for (uint32_t i = 0; i < n_queue; i++) {
		const bool own = queue[i].slot == t->base.slot;

		if ((!own && queue[i].slot != VTB_SIGNAL_PROCESS) || !in_set(set, queue[i].signal))
			continue;
		if (best < 0 || (own && queue[best].slot != t->base.slot) ||
		    (own == (queue[best].slot == t->base.slot) && queue[i].signal < queue[best].signal))
			best = i;
	}
	return best;
}

void vtb_signals_forget(int signal)
{
	for (uint32_t i = n_queue; i-- > 0;)
		if (queue[i].signal == signal)
			drop(i);
	vtb_signals_update();
}

static bool take(const struct vtb_rt_thread *t, uint64_t set, struct pending *ret)
{
	const int64_t i = find(t, set);

	if (i < 0)
		return false;
	*ret = queue[i];
	drop((uint32_t)i);
	vtb_signals_update();
	return true;
}

int vtb_signals_take(const struct vtb_rt_thread *t, uint64_t set, siginfo_t *ret)
{
	struct pending p;

	if (!take(t, set, &p))
		return 0;
	*ret = p.info;
	return p.signal;
}

bool vtb_signals_any(const struct vtb_rt_thread *t, uint64_t set)
{
	return find(t, set) >= 0;
}

uint64_t vtb_signals_unreceived(const struct vtb_rt_thread *t, uint64_t set, uint64_t *ret_set)
{
	uint64_t n = 0;

	*ret_set = 0;
	for (uint32_t i = 0; i < n_queue; i++)
		if ((queue[i].slot == t->base.slot || queue[i].slot == VTB_SIGNAL_PROCESS) &&
		    in_set(set, queue[i].signal) && !receiver_of(&queue[i])) {
			*ret_set |= bit(queue[i].signal);
			n++;
		}
	return n;
}

/* ---- a signal comes to be */

static bool is_pending(int signal, uint32_t slot)
{
	for (uint32_t i = 0; i < n_queue; i++)
		if (queue[i].signal == signal && queue[i].slot == slot)
			return true;
	return false;
}

/* As the kernel counts, which allows no more. */
static uint64_t most_pending(void)
{
	struct rlimit limit = { 0 };

	vtb_engine_written(&limit, sizeof(limit));
	sys6(SYS_prlimit64, 0, RLIMIT_SIGPENDING, 0, (long)&limit, 0, 0);
	return limit.rlim_cur;
}

int vtb_signals_generate(int signal, const siginfo_t *info, uint32_t slot)
{
	const struct pending p = { .info = *info, .slot = slot, .signal = signal };
	const struct vtb_action a = vtb_signal_action(signal);
	const bool ended = slot != VTB_SIGNAL_PROCESS && vtb_rt.threads[slot]->base.state != VTB_T_ALIVE;
	const bool waited_for = vtb_signals_waited_for(signal, slot);

	if (!waited_for && vtb_signal_ignored(&a, signal) && receiver_of(&p))
		return 0;
	if (ended)
		return 0;
	if (signal < FIRST_QUEUED && is_pending(signal, slot))
		return 0;
	if (n_queue >= VTB_SIGNALS_ROOM)
		vtb_signals_asked_about(~0ull); /* what does not fit any more others decide */
	if (n_queue >= VTB_SIGNALS_ROOM && n_queue >= most_pending())
		return -EAGAIN;
	queue = vtb_limit_grow(queue, &queue_room, n_queue, sizeof(*queue), VTB_LIMIT_SIGNALS);
	queue[n_queue++] = p;
	vtb_signals_note_come(signal);
	vtb_signals_update();
	return 0;
}

bool vtb_signals_early(struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < n_queue; i++)
		if (queue[i].slot == VTB_SIGNAL_PROCESS && !in_set(t->kernel.sigmask, queue[i].signal) &&
		    vtb_signals_receiver(queue[i].signal) != t) {
			queue[i].slot = t->base.slot;
			vtb_signals_update();
			return true;
		}
	if (!vtb_timers_early(t))
		return false;
	vtb_sched.slot->outcome.flags |= VTB_OUT_TIMING;
	return true;
}

/* ---- a signal is handled */

static const struct vtb_primitive primitive_handle = { "signal handler", NULL, NULL, NULL, false, NULL };

static _Noreturn void ends_process(const struct vtb_rt_thread *t, const struct vtb_call *call, int signal)
{
	char text[] = "the process was ended by signal 00, which has no handler";
	char *digits = text + sizeof("the process was ended by signal ") - 1;

	(void)t;
	digits[0] = (char)('0' + signal / 10);
	digits[1] = (char)('0' + signal % 10);
	vtb_failure_end(signal == SIGABRT ? VTB_V_ASSERTION : VTB_V_SIGNAL, signal, call->pc, 0, text);
}

/* The handler may wait itself, or be left by a jump: what the interrupted wait needs is put back if it was changed. */
static void run_handler(struct vtb_rt_thread *t, struct pending *p, const struct vtb_action *a)
{
	const struct vtb_rt_thread before = { .sched.queue = t->sched.queue,
		                              .models.ticket = t->models.ticket,
		                              .sched.signalled = t->sched.signalled,
		                              .sched.spurious = t->sched.spurious,
		                              .sched.deadline = t->sched.deadline,
		                              .sched.until = t->sched.until,
		                              .kernel.sigmask = t->kernel.sigmask };
	const uint64_t pc = t->base.pc;

	vtb_signals_opened(~t->kernel.sigmask);
	t->sched.deadline = 0;
	t->kernel.sigmask |= a->mask | (a->flags & SA_NODEFER ? 0 : bit(p->signal));
	vtb_sched.masks = true;
	if (vtb_engine->mask_changes)
		vtb_engine->mask_changes();
	vtb_signals_changed();
	vtb_engine_written((const char *)__builtin_frame_address(0) - FRAME_ROOM, FRAME_ROOM);
	sys6(SYS_rt_tgsigqueueinfo, sys3(SYS_getpid, 0, 0, 0), sys3(SYS_gettid, 0, 0, 0), p->signal, (long)&p->info, 0,
	     0);
	t->kernel.sigmask = before.kernel.sigmask;
	t->sched.deadline = before.sched.deadline;
	t->sched.until = before.sched.until;
	t->base.pc = pc;
	if (t->sched.queue != before.sched.queue) {
		t->sched.queue = before.sched.queue;
		t->models.ticket = before.models.ticket;
		t->sched.signalled = before.sched.signalled;
		t->sched.spurious = before.sched.spurious;
	}
	vtb_signals_changed();
}

void vtb_signals_handle(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct pending p;
	struct vtb_action a;

	if (!take(t, ~t->kernel.sigmask, &p)) {
		t->sched.interrupted = false;
		return;
	}
	a = vtb_signal_action(p.signal);
	if (vtb_signal_ignored(&a, p.signal))
		return;
	if (vtb_signal_stops(&a, p.signal)) {
		vtb_rt_uncontrolled(VTB_UNC_SYSCALL);
		return;
	}
	if (a.handler == SIG_DFL)
		ends_process(t, call, p.signal);
	vtb_signals_end_aborted(t, p.signal, &a);
	vtb_ctl_done(t, &(struct vtb_call){ .prim = &primitive_handle,
	                                    .kind = VTB_E_SIGNAL_HANDLE,
	                                    .pc = (uint64_t)a.handler + 1,
	                                    .arg = (uint64_t)p.signal });
	call->interrupted |= call->interrupt == VTB_INTERRUPT_ALWAYS ||
	                     (call->interrupt == VTB_INTERRUPT_RESTARTS && !(a.flags & SA_RESTART));
	run_handler(t, &p, &a);
}

/* The call that made it possible does not return before a first handler has run. */
void vtb_signals_deliver(struct vtb_rt_thread *t)
{
	struct vtb_call none = { .prim = &primitive_handle, .kind = VTB_E_SIGNAL_HANDLE, .pc = t->base.pc };

	while (t->sched.interrupted && !t->base.inside) {
		vtb_sched_point(t, &none);
		if (t->sched.interrupted)
			vtb_signals_handle(t, &none);
	}
	t->sched.call = NULL;
}

uint64_t vtb_signals_pending(const struct vtb_rt_thread *t)
{
	uint64_t set = 0;

	for (uint32_t i = 0; i < n_queue; i++)
		if (queue[i].slot == t->base.slot || queue[i].slot == VTB_SIGNAL_PROCESS)
			set |= bit(queue[i].signal);
	return set & t->kernel.sigmask;
}
