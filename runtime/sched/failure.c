/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures end the run at once: the outcome is written, then the process is gone, without handlers or destructors. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "base.h"
#include "scheduler.h"

#define ALTSTACK (32u << 10)

/* The thread does not come back, which is when its last write is looked at. That may be what faults. */
static void note_written(struct vtb_rt_thread *t, uint64_t fault)
{
	if (t->base.written_word &&
	    fault - t->base.written_addr < 1ull << (t->base.written_log2 & (VTB_WRITTEN_OWN - 1)))
		vtb_note_not_written(t);
	else
		vtb_note_written(t);
}

static void put_failure(enum vtb_verdict verdict, uint64_t pc, uint64_t fault)
{
	struct vtb_rt_thread *t = vtb_sched.running ? vtb_sched.running : vtb_self;
	uint64_t pcs[VTB_REC_EXTRA_MAX];
	struct vtb_rec rec = { .kind = VTB_E_FAIL,
		               .addr = fault & 0xffffffffffffull,
		               .pc = pc & 0xffffffffffffull,
		               .flags = VTB_REC_ARG,
		               .arg = verdict,
		               .pcs = pcs };

	if (!t)
		return;
	note_written(t, fault);
	rec.n_pcs = vtb_rt_stack(t, pc, pcs, VTB_REC_EXTRA_MAX - 1);
	vtb_rt_put(t, &rec);
	if (vtb_sched.schedule->flags & VTB_SCHED_STACKS)
		vtb_sched_tell_stack(t, t, pc, 0);
	vtb_sched.slot->outcome.thread = t->base.slot;
}

_Noreturn void vtb_failure_end(enum vtb_verdict verdict, int signal, uint64_t pc, uint64_t fault, const char *message)
{
	struct vtb_wire_outcome *o = &vtb_sched.slot->outcome;
	size_t n = strlen(message);

	o->verdict = verdict;
	o->signal = (uint32_t)signal;
	o->pc = pc;
	o->fault = fault;
	o->exit_status = signal ? 128u + (uint32_t)signal : 1u;
	if (n >= sizeof(o->message))
		n = sizeof(o->message) - 1;
	memcpy(o->message, message, n);
	o->message[n] = 0;
	put_failure(verdict, pc, fault);
	if (vtb_self)
		vtb_self->base.fault = NULL;
	vtb_engine->stop((int)o->exit_status);
	__builtin_unreachable();
}

_Noreturn void vtb_ctl_fail(enum vtb_verdict verdict, uint64_t pc, const char *message)
{
	vtb_failure_end(verdict, verdict == VTB_V_ASSERTION ? SIGABRT : 0, pc, 0, message);
}

/* The first caller outside of the library that makes the call. */
static uint64_t outermost(const struct vtb_rt_fault *callers, uint64_t pc)
{
	for (uint32_t i = 0; i < callers->n; i++)
		if (!vtb_rt_same_module(callers->pcs[i], pc))
			return callers->pcs[i];
	return vtb_self->base.pc;
}

void vtb_failure_call(greg_t *g, const char *message)
{
	const uint64_t pc = (uint64_t)g[REG_RIP];
	struct vtb_rt_fault callers;

	vtb_rt_unwind(vtb_self, g, &callers);
	vtb_self->base.fault = &callers;
	vtb_failure_end(VTB_V_LIMIT, 0, outermost(&callers, pc), 0, message);
}

/* What a thread operation is done to is a number, not a place. */
void vtb_misuse(const struct vtb_call *call, const char *message)
{
	if (vtb_sched.schedule->flags & VTB_SCHED_PAST)
		return;
	vtb_failure_end(VTB_V_MISUSE, 0, call->pc, call->kind < VTB_E_LOCK ? 0 : (uint64_t)call->obj, message);
}

/* ---- faults */

bool (*vtb_failure_answer)(const siginfo_t *info, greg_t *g);
struct vtb_elsewhere vtb_elsewhere;

void vtb_failure_answers_end(void)
{
	vtb_tsc_release();
	if (vtb_elsewhere.release)
		vtb_elsewhere.release();
}

static const char *fault_text(int signal)
{
	switch (signal) {
	case SIGSEGV:
		return "segmentation fault";
	case SIGBUS:
		return "bus error";
	case SIGFPE:
		return "arithmetic fault (division by zero or overflow)";
	case SIGILL:
		return "illegal instruction";
	case SIGPIPE:
		return "a write to what nobody can read any more";
	default:
		return "the program was aborted";
	}
}

bool vtb_failure_is_own(int signal, const siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint64_t resume = vtb_rt_peek_fixup((uint64_t)g[REG_RIP]);

	if (signal == SIGSEGV && vtb_failure_answer && vtb_failure_answer(info, g))
		return true;
	if (signal == SIGSEGV && vtb_elsewhere.leads && vtb_elsewhere.leads(g))
		return true;
	if (vtb_engine->fault && vtb_engine->fault(signal, info, g))
		return true;
	if (resume)
		g[REG_RIP] = (greg_t)resume;
	else if (vtb_elsewhere.comes_from)
		vtb_elsewhere.comes_from(g);
	return resume != 0;
}

void vtb_failure_handle(int signal, siginfo_t *info, void *context)
{
	const bool has_address = signal == SIGSEGV || signal == SIGBUS;
	struct vtb_rt_fault callers;
	uint64_t pc;

	if (vtb_failure_is_own(signal, info, context))
		return;
	pc = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	vtb_rt_unwind_failed();
	if (!vtb_sched.active || !vtb_self)
		sys_exit_group(128 + signal);
	if (signal != SIGPIPE && !vtb_rt_frames_stored(vtb_self)) { /* where hooks tell of functions they know better */
		vtb_rt_unwind(vtb_self, ((ucontext_t *)context)->uc_mcontext.gregs, &callers);
		vtb_self->base.fault = &callers;
	}
	/* the site is what hooks know it by: a call's return address; a faulting instruction is its own; a call of the
	 * kernel's is made in the runtime */
	vtb_failure_end(signal == SIGABRT ? VTB_V_ASSERTION : VTB_V_SIGNAL, signal,
	                signal == SIGPIPE ? vtb_self->base.pc : pc + 1, has_address ? (uint64_t)info->si_addr : 0,
	                fault_text(signal));
}

bool vtb_failure_handles(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL || signal == SIGABRT ||
	       signal == SIGPIPE;
}

void vtb_failure_thread(void)
{
	stack_t stack = { .ss_size = ALTSTACK };

	stack.ss_sp = vtb_shared_pages(ALTSTACK);
	if (stack.ss_sp)
		sys3(SYS_sigaltstack, (long)&stack, 0, 0);
}
