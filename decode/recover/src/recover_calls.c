/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and returns, contracts, signal handlers: what a thread does to its own place. */
#include "recover_thread.h"

#include <errno.h>
#include <string.h>

#include "vtb/array.h"

#define FRAMES_MAX 65536u
#define SIGNAL_FRAME 16384u /* with all of AVX-512's and AMX's registers in it */

static const uint8_t saved_regs[7] = { OPS_RSP, OPS_RBX, OPS_RBP, 12, 13, 14, 15 };

/* ------------------------------------------------------------------ calls */

int recover_push_frame(struct recover_thread *t, uint64_t ret)
{
	struct recover_frame *f;

	if (t->n_frames >= FRAMES_MAX) { /* endless recursion: forget the oldest half */
		memmove(t->frames, t->frames + FRAMES_MAX / 2, FRAMES_MAX / 2 * sizeof(*t->frames));
		t->n_frames = FRAMES_MAX / 2;
	}
	if (vtb_array_room(t, frames) < 0)
		return -ENOMEM;
	f = &t->frames[t->n_frames++];
	f->ret = ret;
	f->told = f->shown = false;
	for (unsigned i = 0; i < 7; i++)
		f->saved[i] = t->cpu.r[saved_regs[i]];
	return 0;
}

/* Control returns to `to`: registers that the ABI preserves and that have become unknown are as they were at the call.
 */
void recover_pop_frame(struct recover_thread *t, uint64_t to)
{
	size_t i = t->n_frames;

	while (i > 0 && t->frames[i - 1].ret != to)
		i--;
	if (!i)
		return;
	t->n_frames = i - 1;
	for (unsigned k = 0; k < 7; k++) {
		struct recover_value *r = &t->cpu.r[saved_regs[k]];

		if (r->known != RECOVER_ALL && t->frames[i - 1].saved[k].known == RECOVER_ALL)
			*r = t->frames[i - 1].saved[k];
	}
}

/* ------------------------------------------------------------------ contracts */

static void forget_caller_saved(struct recover_cpu *cpu)
{
	static const uint8_t regs[] = { OPS_RAX, OPS_RCX, OPS_RDX, OPS_RSI, OPS_RDI, 8, 9, 10, 11 };

	for (size_t i = 0; i < sizeof(regs); i++)
		cpu->r[regs[i]] = (struct recover_value){ 0, 0 };
	for (unsigned i = 0; i < OPS_VECTORS; i++)
		cpu->x[i].known = 0;
	cpu->flags_known = 0;
}

/* What is registered is remembered if all of it is known. */
static void register_at_exit(struct recover_thread *t, uint32_t owner)
{
	struct recover_run *run = t->run;

	if (t->cpu.r[OPS_RDI].known != RECOVER_ALL || t->cpu.r[OPS_RSI].known != RECOVER_ALL)
		return;
	if (vtb_array_room(run, at_exits) < 0)
		run->error = -ENOMEM;
	else
		run->at_exits[run->n_at_exits++] =
		    (struct recover_at_exit){ t->cpu.r[OPS_RDI].v, t->cpu.r[OPS_RSI].v, owner };
}

/* The C library calls `function` for an object that it was told of: the last one first. */
static void take_at_exit(struct recover_thread *t, uint64_t function)
{
	struct recover_run *run = t->run;

	for (size_t i = run->n_at_exits; i-- > 0;)
		if (run->at_exits[i].function == function &&
		    (run->at_exits[i].owner == RECOVER_PROCESS || run->at_exits[i].owner == t->slot)) {
			recover_cpu_set(&t->cpu, OPS_RDI, run->at_exits[i].object);
			memmove(run->at_exits + i, run->at_exits + i + 1,
			        (run->n_at_exits - i - 1) * sizeof(*run->at_exits));
			run->n_at_exits--;
			return;
		}
}

/* ------------------------------------------------------------------ setjmp */

/* At setjmp's first instruction: what longjmp will bring back. */
static void save_jump(struct recover_thread *t)
{
	const struct recover_value buffer = t->cpu.r[OPS_RDI];
	struct recover_jump *j = NULL;

	if (buffer.known != RECOVER_ALL)
		return;
	for (size_t i = 0; i < t->n_jumps && !j; i++)
		if (t->jumps[i].buffer == buffer.v)
			j = &t->jumps[i];
	if (!j && vtb_array_room(t, jumps) < 0) {
		t->run->error = -ENOMEM;
		return;
	}
	j = j ? j : &t->jumps[t->n_jumps++];
	*j = (struct recover_jump){ .buffer = buffer.v,
		                    .frames = t->n_frames ? t->n_frames - 1 : 0,
		                    .suspended = t->n_suspended };
	for (unsigned k = 0; k < 7; k++)
		j->saved[k] = t->cpu.r[saved_regs[k]];
	if (j->saved[0].known == RECOVER_ALL)
		j->saved[0].v += 8; /* without the return address */
}

/* longjmp has left for where setjmp was called. */
static bool jump_back(struct recover_thread *t)
{
	const struct recover_value buffer = t->quiet.before.r[OPS_RDI], result = t->quiet.before.r[OPS_RSI];
	const struct recover_jump *j = NULL;

	for (size_t i = 0; i < t->n_jumps; i++)
		if (buffer.known == RECOVER_ALL && t->jumps[i].buffer == buffer.v)
			j = &t->jumps[i];
	if (!j || j->frames > t->n_frames || j->suspended > t->n_suspended)
		return false;
	recover_cpu_forget(&t->cpu);
	for (unsigned k = 0; k < 7; k++)
		t->cpu.r[saved_regs[k]] = j->saved[k];
	if ((result.known & 0xf) == 0xf)
		recover_cpu_set(&t->cpu, OPS_RAX, (uint32_t)result.v ? (uint32_t)result.v : 1);
	t->n_frames = j->frames;
	t->n_suspended = j->suspended;
	t->quiet.active = false;
	return true;
}

/* Control has reached `ip` by a call or jump: does a contract begin here? */
void recover_enter_contract(struct recover_thread *t, uint64_t ip)
{
	const struct recover_contract *contract = recover_contract_at(t->run->contracts, ip);
	struct recover_quiet *q = &t->quiet;
	uint8_t bytes[8];

	if (!contract)
		return;
	*q = (struct recover_quiet){ .active = true,
		                     .contract = contract,
		                     .entry = ip,
		                     .before = t->cpu,
		                     .frames = t->n_frames,
		                     .slot = t->last_slot };
	if (t->cpu.r[OPS_RSP].known == RECOVER_ALL &&
	    recover_memory_read(&t->run->memory, t->cpu.stamp, t->cpu.r[OPS_RSP].v, 8, bytes) == 0xff)
		memcpy(&q->ret, bytes, 8);
	else if (t->n_frames)
		q->ret = t->frames[t->n_frames - 1].ret;
	if (contract->kind == CONTRACT_AT_EXIT || contract->kind == CONTRACT_AT_THREAD_EXIT)
		register_at_exit(t, contract->kind == CONTRACT_AT_EXIT ? RECOVER_PROCESS : t->slot);
	if (contract->kind == CONTRACT_SETJMP)
		save_jump(t);
	q->result = recover_contract_enter(contract, &t->cpu);
}

/* The loader has found the function that was called and jumps to it: as if it had been called directly. */
static void resolved(struct recover_thread *t)
{
	const struct recover_quiet *q = &t->quiet;

	memcpy(t->cpu.r, q->before.r, sizeof(t->cpu.r));
	memcpy(t->cpu.x, q->before.x, sizeof(t->cpu.x));
	t->cpu.flags_known = 0;
	t->cpu.r[11] = (struct recover_value){ 0, 0 };
	if (t->cpu.r[OPS_RSP].known == RECOVER_ALL)
		t->cpu.r[OPS_RSP].v += 16; /* what the two instructions of the linkage table pushed */
}

static bool is_unwinder(const struct recover_contract *contract)
{
	return contract->kind == CONTRACT_UNWINDER || contract->kind == CONTRACT_RAISES ||
	       contract->kind == CONTRACT_DELETES;
}

/* Registers of the function that made the i-th call, at its landing pad: as they were at the call. */
static void restore_at_pad(struct recover_thread *t, size_t i, uint64_t args)
{
	for (unsigned k = 0; k < 7; k++)
		t->cpu.r[saved_regs[k]] = t->frames[i].saved[k];
	if (t->cpu.r[OPS_RSP].known == RECOVER_ALL)
		t->cpu.r[OPS_RSP].v += args;
	t->n_frames = i;
	while (t->n_suspended && t->suspended[t->n_suspended - 1].frames > i)
		t->n_suspended--; /* the exception went through what was called back */
}

/* The unwinder has gone to `ip`. If that is the landing pad of a call that has not returned, the exception came out of
 * that call. */
static void land(struct recover_thread *t, uint64_t ip)
{
	struct recover_quiet *q = &t->quiet;
	const struct recover_value exception =
	    q->contract->kind == CONTRACT_RAISES ? q->before.r[OPS_RDI] : (struct recover_value){ 0, 0 };
	const size_t n = q->frames < t->n_frames ? q->frames : t->n_frames;
	uint64_t pad, args;

	q->active = false;
	recover_cpu_forget(&t->cpu);
	for (size_t i = is_unwinder(q->contract) ? n : 0; i-- > 0;)
		if (recover_contract_landing(t->run->contracts, t->frames[i].ret, &pad, &args) && pad == ip) {
			restore_at_pad(t, i, args);
			t->cpu.r[OPS_RAX] = exception;
			return;
		}
	t->n_frames = n;
	t->stack_dirty = true;
}

static void leave_contract(struct recover_thread *t, uint64_t to, bool returned)
{
	struct recover_quiet *q = &t->quiet;
	struct recover_value rsp = q->before.r[OPS_RSP];
	size_t i = t->n_frames;

	q->active = false;
	if (!returned) {
		resolved(t);
		return;
	}
	if (rsp.known == RECOVER_ALL)
		rsp.v += 8;
	while (i > 0 && t->frames[i - 1].ret != to)
		i--;
	if (!i && to != q->ret) { /* the unwinder has gone to a landing pad */
		land(t, to);
		return;
	}
	if (i) /* the function may have been reached through the resolver, which pushed two words */
		rsp = t->frames[i - 1].saved[0];
	for (unsigned k = 0; k < 7; k++)
		t->cpu.r[saved_regs[k]] = q->before.r[saved_regs[k]];
	forget_caller_saved(&t->cpu);
	t->cpu.r[OPS_RAX] = q->result;
	t->cpu.r[OPS_RSP] = rsp;
	recover_pop_frame(t, to);
}

/* The stack pointer is not known, but what lies there is only this thread's: a place of our own stands for it. At a
 * function's first instruction rsp is 8 more than a multiple of 16. */
static void stand_on_unknown_stack(struct recover_thread *t)
{
	recover_cpu_set(&t->cpu, OPS_RSP,
	                SYMBOLIC_BASE(t->slot) - (1ull << 34) - ((uint64_t)(++t->n_unknown_stacks & 0xfff) << 20) - 8);
	t->symbolic = true;
	t->stack_dirty = true;
}

/* What the unwinder calls back is a personality routine, or what decides where a forced unwinding ends, or what
 * destroys the exception. */
static void tell_of_exception(struct recover_thread *t)
{
	const struct recover_quiet *q = &t->suspended[t->n_suspended - 1];

	if (q->contract->kind == CONTRACT_RAISES)
		t->cpu.r[OPS_RCX] = q->before.r[OPS_RDI];
	else if (q->contract->kind == CONTRACT_DELETES)
		t->cpu.r[OPS_RSI] = q->before.r[OPS_RDI];
}

/* A contract calls back into code that has none (a start routine, a destructor): that is interpreted, from nothing. */
static int call_back(struct recover_thread *t, uint64_t ret, uint64_t function)
{
	const struct recover_value rsp = t->cpu.r[OPS_RSP];

	if (vtb_array_room(t, suspended) < 0)
		return -ENOMEM;
	t->suspended[t->n_suspended] = t->quiet;
	t->suspended[t->n_suspended].resume = ret;
	t->suspended[t->n_suspended++].frames = t->n_frames;
	t->quiet.active = false;
	recover_cpu_forget(&t->cpu);
	t->cpu.r[OPS_RSP] = rsp;
	if (rsp.known != RECOVER_ALL)
		stand_on_unknown_stack(t);
	take_at_exit(t, function);
	tell_of_exception(t);
	return 0;
}

/* A return to `to` out of a callback takes up the contract again. */
bool recover_resume_contract(struct recover_thread *t, uint64_t to)
{
	for (size_t i = t->n_suspended; i-- > 0;)
		if (t->suspended[i].resume == to) {
			t->quiet = t->suspended[i];
			t->n_frames = t->quiet.frames < t->n_frames ? t->quiet.frames : t->n_frames;
			t->n_suspended = i;
			return true;
		}
	return false;
}

/* A call inside a contract: of the registers that it preserves only the stack pointer is known. */
static int push_quiet_frame(struct recover_thread *t, uint64_t ret)
{
	const int r = recover_push_frame(t, ret);
	struct recover_frame *f = &t->frames[t->n_frames - 1];

	if (r < 0)
		return r;
	if (f->saved[0].known == RECOVER_ALL)
		f->saved[0].v += 8; /* the call has been executed already */
	for (unsigned i = 1; i < 7; i++)
		f->saved[i] = (struct recover_value){ 0, 0 };
	return 0;
}

/* A contract that what was called back has reached by a jump as its last thing, and that returns for it. */
static bool end_callback(struct recover_thread *t, uint64_t to)
{
	struct recover_value rsp = t->quiet.before.r[OPS_RSP];

	for (size_t i = t->n_suspended && to ? t->suspended[t->n_suspended - 1].frames : t->n_frames; i < t->n_frames;
	     i++)
		if (t->frames[i].ret == to)
			return false;
	if (!to || !recover_resume_contract(t, to))
		return false;
	forget_caller_saved(&t->cpu);
	if (rsp.known == RECOVER_ALL)
		rsp.v += 8;
	t->cpu.r[OPS_RSP] = rsp;
	return true;
}

/* _Unwind_DeleteException ends with a jump to the exception's destructor, which returns for it. */
static void jump_out(struct recover_thread *t)
{
	const struct recover_quiet *q = &t->quiet;

	for (unsigned k = 0; k < 7; k++)
		t->cpu.r[saved_regs[k]] = q->before.r[saved_regs[k]];
	forget_caller_saved(&t->cpu);
	t->cpu.r[OPS_RSI] = q->before.r[OPS_RDI];
	t->quiet.active = false;
}

/* One instruction inside a contract. `next` is the address after it. */
int recover_pass_quietly(struct recover_thread *t, const struct vtb_pt_insn *insn, const struct vtb_ops *ops,
                         uint64_t next)
{
	struct recover_quiet *q = &t->quiet;
	const bool loader = q->contract->kind == CONTRACT_LOADER, unwinder = is_unwinder(q->contract);
	const bool at_home =
	    recover_contract_is_system(t->run->contracts, next) ||
	    (q->contract->kind == CONTRACT_PRIVATE && recover_contract_is_cxx(t->run->contracts, next));
	const bool leaves = next && !at_home;
	int r = 0;

	recover_exec_stack(&t->cpu, ops);
	if (insn->class == VTB_PT_CALL || insn->class == VTB_PT_CALL_INDIRECT) {
		if (leaves)
			return call_back(t, insn->ip + insn->size, next);
		r = push_quiet_frame(t, insn->ip + insn->size);
		if (r < 0)
			return r;
		q->depth++;
	} else if (insn->class == VTB_PT_RETURN) {
		if (q->depth == 0 || (loader && next == q->ret)) {
			if (!end_callback(t, next))
				leave_contract(t, next, true);
			return 0;
		}
		q->depth--;
		recover_pop_frame(t, next);
	}
	/* The resolver leaves the loader by a jump with nothing left on its own stack. */
	if (loader && insn->class == VTB_PT_JUMP_INDIRECT && !recover_contract_is_loader(t->run->contracts, next) &&
	    next && q->depth == 0) {
		leave_contract(t, next, false);
		recover_contract_learn(t->run->contracts, q->slot, next);
		recover_enter_contract(t, next);
	} else if (leaves && q->contract->kind == CONTRACT_LONGJMP && jump_back(t)) {
		return 0;
	} else if (leaves && q->depth > 0 && !unwinder &&
	           insn->class != VTB_PT_RETURN) { /* a callback as the last thing that a function does */
		q->depth--;
		return call_back(t, t->n_frames ? t->frames[t->n_frames - 1].ret : 0,
		                 next); /* the frames of its own calls may be forgotten */
	} else if (leaves && q->contract->kind == CONTRACT_DELETES && q->depth == 0) {
		jump_out(t);
	} else if (leaves) { /* how it got there is beyond us: a landing pad, a tail call */
		land(t, next);
	}
	return 0;
}

/* ------------------------------------------------------------------ interruptions */

/* Everything is uncertain from here on. */
void recover_lose_track(struct recover_thread *t)
{
	recover_cpu_forget(&t->cpu);
	recover_memory_forget_all(&t->run->memory);
	t->run->stats.forgotten++;
	t->quiet.active = false;
	t->n_frames = 0;
	t->n_suspended = 0;
	t->n_interrupted = 0;
	t->stack_dirty = true;
}

/* Control was at `expected` (0: just after a system call) and goes on at `ip` after a break of tracing. */
void recover_resume_elsewhere(struct recover_thread *t, uint64_t expected, uint64_t ip)
{
	for (unsigned i = t->n_interrupted; i-- > 0;)
		if (t->interrupted[i].ip == ip) { /* back from the handler */
			const struct recover_stamp stamp = t->cpu.stamp;

			t->cpu = t->interrupted[i].cpu;
			t->cpu.stamp = stamp;
			t->quiet = t->interrupted[i].quiet;
			t->symbolic = t->interrupted[i].symbolic;
			t->n_frames =
			    t->interrupted[i].n_frames < t->n_frames ? t->interrupted[i].n_frames : t->n_frames;
			t->n_interrupted = i;
			return;
		}
	if (t->cpu.r[OPS_RSP].known == RECOVER_ALL) /* the kernel's frame, below the red zone */
		recover_memory_forget(&t->run->memory, t->cpu.stamp, t->cpu.r[OPS_RSP].v - SIGNAL_FRAME,
		                      SIGNAL_FRAME - 128);
	if (t->n_interrupted < sizeof(t->interrupted) / sizeof(*t->interrupted))
		t->interrupted[t->n_interrupted++] =
		    (struct recover_interrupted){ expected, t->cpu, t->quiet, t->n_frames, t->symbolic };
	recover_cpu_forget(&t->cpu);
	t->quiet.active = false;
	stand_on_unknown_stack(t);
}
