/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recover_access.h"
#include "vtb/array.h"
#include "vtb/log.h"

#define STACK_SHOWN 12u
#define NO_INSN (-1)

/* ------------------------------------------------------------------ flow */

static const struct vtb_pt_insn *insn_at(const struct recover_thread *t, int64_t index)
{
	return vtb_pt_code_insn(t->run->code, (uint32_t)index);
}

static int report_gap(struct recover_thread *t, const struct vtb_pt_gap *gap)
{
	const struct vtb_recover_sink *sink = t->run->sink;

	return sink && sink->gap ? sink->gap(sink->arg, t->slot, gap) : 0;
}

/* Take an item that is not a block. */
static int take_mark(struct recover_thread *t, const struct vtb_pt_item *item, const struct vtb_pt_gap *gap)
{
	if (item->kind == VTB_PT_TIME)
		t->ahead_tsc = item->value;
	else if (item->kind == VTB_PT_ENABLED || item->kind == VTB_PT_BRANCH)
		t->ahead_enabled = true;
	else if (item->kind == VTB_PT_GAP) {
		t->ahead_broken = true;
		return report_gap(t, gap);
	}
	return 0;
}

/* Read on to the instruction after the current one. */
static int read_ahead(struct recover_thread *t)
{
	struct vtb_pt_item item;
	const struct vtb_pt_gap *gap;
	int r;

	if (t->left && t->ahead >= 0) {
		t->left--;
		t->ahead = vtb_pt_code_next(t->run->code, (uint32_t)t->ahead);
		if (t->ahead >= 0)
			return 0;
		t->left = 0; /* not readable any more: the rest of the block is lost */
		t->ahead_broken = true;
	}
	while ((r = vtb_pt_reader_next(t->reader, &item, &gap)) > 0) {
		if (item.kind != VTB_PT_BLOCK) {
			r = take_mark(t, &item, gap);
			if (r < 0)
				return r;
			continue;
		}
		t->ahead = vtb_pt_code_at(t->run->code, item.value);
		t->left = item.n - 1;
		if (t->ahead == -ENOMEM)
			return -ENOMEM;
		if (t->ahead >= 0)
			return 0;
		t->ahead_broken = true;
	}
	t->ahead = NO_INSN;
	return r;
}

/* The effect of an instruction, decoded at its first execution. */
static const struct vtb_ops *ops_of(struct recover_thread *t, int64_t index)
{
	struct recover_run *run = t->run;
	struct vtb_pt_insn *insn = vtb_pt_code_insn(run->code, (uint32_t)index);
	uint8_t bytes[16];

	if (insn->user)
		return &run->ops[insn->user - 1];
	if (vtb_array_room(run, ops) < 0) {
		run->error = -ENOMEM;
		return NULL;
	}
	vtb_ops_decode(run->decoder, bytes, vtb_pt_image_read(run->rec->session.image, insn->ip, bytes, insn->size),
	               insn->ip, &run->ops[run->n_ops]);
	run->ops[run->n_ops].size = insn->size;
	insn->user = (uint32_t)++run->n_ops;
	return &run->ops[run->n_ops - 1];
}

/* ------------------------------------------------------------------ the log */

static const struct vtb_pt_log *next_log(const struct recover_thread *t)
{
	const struct recover_order *order = &t->run->order;

	if (t->cpu.stamp.passed >= order->n[t->slot])
		return NULL;
	return &t->run->rec->log[order->entries[t->slot][t->cpu.stamp.passed]];
}

/* A fact about a register. It must not contradict what we believed. */
static void learn(struct recover_thread *t, unsigned reg, uint64_t value)
{
	const struct recover_value *r = &t->cpu.r[reg];

	if (r->known == RECOVER_ALL && r->v != value && !(reg == OPS_RSP && t->symbolic))
		t->run->stats.contradictions++;
	recover_cpu_set(&t->cpu, reg, value);
}

static void learn_rsp(struct recover_thread *t, uint64_t rsp)
{
	const bool was_known = t->cpu.r[OPS_RSP].known == RECOVER_ALL;

	if (t->symbolic) /* the frames remembered so far speak of the other place */
		t->n_frames = 0;
	learn(t, OPS_RSP, rsp);
	t->symbolic = false;
	if (!t->first_rsp || rsp > t->first_rsp)
		t->first_rsp = rsp;
	if (!was_known && t->stack_dirty) {
		recover_memory_forget(&t->run->memory, t->cpu.stamp, t->first_rsp - STACK_REACH, STACK_REACH + 65536);
		t->stack_dirty = false;
	}
}

static void shift_cpu(struct recover_cpu *cpu, uint64_t delta)
{
	for (unsigned i = 0; i < OPS_GPRS; i++)
		if (cpu->r[i].known == RECOVER_ALL && IS_SYMBOLIC_STACK(cpu->r[i].v))
			cpu->r[i].v += delta;
}

/* The stack whose place was not known lies here: all that was reckoned from its pointer moves. */
static void stand_on_known_stack(struct recover_thread *t, uint64_t rsp)
{
	const uint64_t delta = rsp - t->cpu.r[OPS_RSP].v;

	if (t->cpu.r[OPS_RSP].known != RECOVER_ALL) {
		learn_rsp(t, rsp);
		return;
	}
	shift_cpu(&t->cpu, delta);
	shift_cpu(&t->quiet.before, delta);
	for (size_t i = 0; i < t->n_suspended; i++)
		shift_cpu(&t->suspended[i].before, delta);
	for (size_t i = 0; i < t->n_frames; i++)
		for (unsigned k = 0; k < 7; k++)
			if (t->frames[i].saved[k].known == RECOVER_ALL && IS_SYMBOLIC_STACK(t->frames[i].saved[k].v))
				t->frames[i].saved[k].v += delta;
	t->symbolic = false;
	t->first_rsp = rsp;
}

static const uint8_t arg_regs[6] = { OPS_RDI, OPS_RSI, OPS_RDX, OPS_RCX, 8, 9 };

static unsigned args_of(uint16_t function)
{
	switch (function) {
#define VTB_PT_FUNCTION(symbol, number, name, args) \
	case number:                                \
		return args;
#include "vtb/pt_functions.def"
#undef VTB_PT_FUNCTION
	default:
		return 0;
	}
}

/* The thread control block begins with its own address (System V ABI for thread-local storage, variant II), and in
 * glibc repeats it at 16; the stack protector's canary and the guard that setjmp mixes in are those of the thread that
 * made this one. */
static void learn_fs(struct recover_thread *t, uint64_t fs)
{
	static const uint64_t selves[] = { 0, 16 }, guards[] = { 0x28, 0x30 };
	struct recover_run *run = t->run;
	uint8_t bytes[8];

	if (t->cpu.fs.known == RECOVER_ALL && t->cpu.fs.v == fs)
		return;
	t->cpu.fs = (struct recover_value){ fs, RECOVER_ALL };
	memcpy(bytes, &fs, 8);
	for (size_t i = 0; i < 2; i++)
		recover_memory_write(&run->memory, t->cpu.stamp, fs + selves[i], 8, bytes, 0xff);
	if (!run->first_fs)
		run->first_fs = fs;
	for (size_t i = 0; i < 2 && run->first_fs != fs; i++) {
		const uint32_t known =
		    recover_memory_read(&run->memory, t->cpu.stamp, run->first_fs + guards[i], 8, bytes);

		recover_memory_write(&run->memory, t->cpu.stamp, fs + guards[i], 8, bytes, known);
	}
}

static void apply_log(struct recover_thread *t, const struct vtb_pt_log *log)
{
	if (log->known & VTB_PT_LOG_FS)
		learn_fs(t, log->fs_base);
	if (log->phase == VTB_PT_PHASE_START && log->known & VTB_PT_LOG_RSP && t->symbolic) {
		stand_on_known_stack(t, log->rsp);
		goto heap;
	}
	/* Inside a contract the registers are those before it; only its own first instruction says more about them. */
	if (t->quiet.active && (log->phase != VTB_PT_PHASE_ENTRY || log->ip != t->quiet.entry))
		goto heap;
	if (log->known & VTB_PT_LOG_RSP)
		learn_rsp(t, log->rsp);
	if (log->known & VTB_PT_LOG_REGS) {
		if (log->phase == VTB_PT_PHASE_RETURN)
			learn(t, OPS_RAX, log->regs[0]);
		else if (log->phase == VTB_PT_PHASE_START)
			learn(t, OPS_RDI, log->regs[0]);
		else
			for (unsigned i = 0; i < args_of(log->function); i++)
				learn(t, arg_regs[i], log->regs[i]);
	}
	t->quiet.before = t->cpu;
heap:
	recover_heap_log(t, log);
}

static int pass_log(struct recover_thread *t, const struct vtb_pt_log *log)
{
	const struct vtb_recover_sink *sink = t->run->sink;

	uint64_t stack[STACK_SHOWN];
	size_t n = 0;

	t->cpu.stamp.passed++;
	t->run->next_log++;
	for (size_t i = t->n_frames; i-- > 0 && n < STACK_SHOWN;)
		stack[n++] = t->frames[i].ret;
	return sink && sink->log ? sink->log(sink->arg, log, stack, n) : 0;
}

/* Is the thread, about to execute `ip`, where the entry says? The runtime's log knows where its functions were called
 * from, not where their first instruction is: that is the first one of the system's with the return address on top.
 * Entries without any place are of no certain time: they go with those before them. */
static bool is_here(const struct recover_thread *t, const struct vtb_pt_log *log, uint64_t ip)
{
	if (log->ip && t->taken_at == t->executed + 1 && t->taken_place == log->ip + log->phase)
		return false;             /* that was the one before; this is of the next time round */
	if (log->call == VTB_PT_CALL_END) /* the start routine has returned to what called it */
		return t->quiet.active && !t->n_suspended && t->slot > 0;
	if (log->call)
		return t->n_frames && t->frames[t->n_frames - 1].ret == log->call && !t->frames[t->n_frames - 1].told &&
		       recover_contract_is_system(t->run->contracts, ip);
	return log->ip == ip || !log->ip;
}

/* Entries at this instruction. Returns 0 if one of them has to wait for its turn, 1 if all are passed. */
static int take_log(struct recover_thread *t, uint64_t ip)
{
	const struct vtb_pt_log *log;

	while ((log = next_log(t)) && is_here(t, log, ip)) {
		int r;

		if (t->run->order.entries[t->slot][t->cpu.stamp.passed] != t->run->next_log)
			return 0;
		if (log->ip) {
			t->taken_at = t->executed + 1;
			t->taken_place = log->ip + log->phase;
		}
		if (log->call && log->call != VTB_PT_CALL_END)
			t->frames[t->n_frames - 1].told = true;
		r = pass_log(t, log);
		if (r < 0)
			return r;
		apply_log(t, log);
	}
	return 1;
}

void recover_thread_skip_log(struct recover_thread *t)
{
	const struct vtb_pt_log *log = next_log(t);

	if (log && pass_log(t, log) < 0)
		t->run->error = -ECANCELED;
}

/* ------------------------------------------------------------------ one instruction */

/* After `insn`, control is at `next`: calls, returns, contracts. */
static int follow(struct recover_thread *t, const struct vtb_pt_insn *insn, const struct vtb_ops *ops, uint64_t next)
{
	int r = 0;

	if (!next)
		return 0;
	if (insn->class == VTB_PT_RETURN && t->n_suspended && recover_resume_contract(t, next))
		return 0;
	if (insn->class == VTB_PT_RETURN)
		recover_pop_frame(t, next);
	if (insn->class == VTB_PT_JUMP_INDIRECT || insn->class == VTB_PT_CALL_INDIRECT)
		if (ops->op[0].type == OPS_MEM && ops->op[0].base == OPS_NO_REG && ops->op[0].index == OPS_NO_REG) {
			recover_contract_learn(t->run->contracts, (uint64_t)ops->op[0].value, next);
			if (!recover_contract_is_loader(t->run->contracts, next)) /* not the last step to it */
				t->last_slot = (uint64_t)ops->op[0].value;
		}
	if (insn->class == VTB_PT_CALL || insn->class == VTB_PT_CALL_INDIRECT || insn->class == VTB_PT_JUMP ||
	    insn->class == VTB_PT_JUMP_INDIRECT)
		recover_enter_contract(t, next);
	return r;
}

/* For those who ask why so little is known: VTB_LOG=recover_thread=debug. */
static void tell_forgotten(const struct recover_thread *t, uint64_t ip, const struct vtb_ops *ops)
{
	const struct vtb_pt_recording *rec = t->run->rec;

	for (size_t i = 0; i < rec->n_maps; i++)
		if (ip >= rec->maps[i].lo && ip < rec->maps[i].hi) {
			vtb_debug("All memory is forgotten: slot=%u, module=\"%s\", offset=0x%" PRIx64 ", code=%u",
			          t->slot, rec->maps[i].path, ip - rec->maps[i].lo + rec->maps[i].offset, ops->code);
			return;
		}
}

static int execute(struct recover_thread *t, const struct vtb_pt_insn *insn, const struct vtb_ops *ops, uint64_t next)
{
	const bool call = insn->class == VTB_PT_CALL || insn->class == VTB_PT_CALL_INDIRECT;
	const uint32_t epoch = t->run->memory.epoch;
	int r = recover_accesses(t, ops, insn);
	t->run->stats.instructions++;
	t->executed++;
	if (r < 0)
		return r;
	if (t->quiet.active)
		return recover_pass_quietly(t, insn, ops, next);
	if (call && next != insn->ip + insn->size)
		r = recover_push_frame(t, insn->ip + insn->size);
	if ((ops->code == OPS_PUSH || ops->code == OPS_CALL) && t->cpu.r[OPS_RSP].known != RECOVER_ALL)
		t->stack_dirty = true;
	recover_exec(&t->cpu, ops, insn->ip, next);
	if (t->run->memory.epoch != epoch)
		tell_forgotten(t, insn->ip, ops);
	if (t->run->memory.failed)
		return -ENOMEM;
	return r < 0 ? r : follow(t, insn, ops, next);
}

/* Move `ahead` to `current`. Returns 0 at the end. */
static int advance(struct recover_thread *t)
{
	t->current = t->ahead;
	t->tsc = t->ahead_tsc;
	if (t->current < 0) {
		t->ended = true;
		return 0;
	}
	return 1;
}

static bool returns_from_signal(const struct recover_thread *t, const struct vtb_ops *ops)
{
	return ops->code == OPS_SYSCALL && t->cpu.r[OPS_RAX].known == RECOVER_ALL &&
	       t->cpu.r[OPS_RAX].v == 15; /* rt_sigreturn */
}

/* Execute the current instruction and go to the next. */
static int step(struct recover_thread *t)
{
	const int64_t current = t->current;
	const struct vtb_ops *ops = ops_of(t, current);
	struct vtb_pt_insn insn;
	uint64_t next = 0, after;
	bool jumped;
	int r;

	if (!ops)
		return -ENOMEM;
	insn = *insn_at(t, current);
	t->ahead_broken = t->ahead_enabled = false;
	r = read_ahead(t);
	if (r < 0)
		return r;
	after = insn.ip + insn.size;
	if (t->ahead >= 0 && !t->ahead_broken)
		next = insn_at(t, t->ahead)->ip;
	/* A break of tracing inside straight code that resumes elsewhere is a signal: the instruction itself went on to
	 * the one after it. */
	jumped = t->ahead_enabled && next && insn.class == VTB_PT_FAR ? next != after : false;
	if (t->ahead_enabled && next && insn.class == VTB_PT_OTHER && next != after)
		jumped = true;
	if (jumped && !returns_from_signal(t, ops)) {
		r = execute(t, &insn, ops, after);
		if (r >= 0)
			recover_resume_elsewhere(t, after, next);
	} else if (jumped) {
		r = execute(t, &insn, ops, 0);
		if (r >= 0)
			recover_resume_elsewhere(t, 0, next);
	} else {
		r = execute(t, &insn, ops, next);
	}
	if (r < 0)
		return r;
	if (t->ahead_broken)
		recover_lose_track(t);
	return advance(t) < 0 ? -ENOMEM : 1;
}

/* Entries that lie in what was lost. */
static void skip_lost_log(struct recover_thread *t)
{
	const struct vtb_pt_log *log;

	while ((log = next_log(t)) && log->tsc < t->tsc &&
	       t->run->order.entries[t->slot][t->cpu.stamp.passed] == t->run->next_log)
		recover_thread_skip_log(t);
}

int recover_thread_go(struct recover_thread *t)
{
	const uint64_t began = t->tsc;
	int moved = 0;

	while (!t->ended) {
		const uint32_t turn = t->run->next_log;
		int r = take_log(t, insn_at(t, t->current)->ip);

		if (r <= 0)
			return r < 0 ? r : moved || t->run->next_log != turn;
		if (t->run->next_log != turn) /* its place in the log may be earlier than its next instruction: let time
		                                 decide who is next */
			return 1;
		r = step(t);
		if (r < 0)
			return r;
		moved = 1;
		if (t->cpu.r[OPS_RSP].known != RECOVER_ALL && !t->n_frames)
			skip_lost_log(t);
		if (t->tsc != began)
			return 1;
	}
	return moved;
}

/* What the C library does before a thread's start routine and after it. */
static const struct recover_contract born = { .kind = CONTRACT_READS };

int recover_thread_init(struct recover_thread *t, struct recover_run *run, uint32_t slot, size_t index)
{
	int r;

	*t = (struct recover_thread){ .run = run, .slot = slot, .ahead = NO_INSN };
	t->cpu.memory = &run->memory;
	t->cpu.stamp.slot = slot;
	r = vtb_pt_reader_new(&run->rec->session, index, 1, &t->reader);
	if (r < 0)
		return r;
	recover_cpu_set(&t->cpu, OPS_RSP, SYMBOLIC_BASE(slot));
	t->symbolic = true;
	r = read_ahead(t);
	if (r < 0)
		return r;
	if (t->ahead >= 0 && slot > 0 &&
	    recover_contract_is_system(run->contracts,
	                               insn_at(t, t->ahead)->ip)) /* born in the C library: until it calls back */
		t->quiet = (struct recover_quiet){
			.active = true, .contract = &born, .depth = INT32_MAX / 2, .before = t->cpu
		};
	return advance(t);
}

void recover_thread_fini(struct recover_thread *t)
{
	vtb_pt_reader_free(t->reader);
	free(t->frames);
	free(t->suspended);
	free(t->jumps);
	free(t->heap.bytes);
	t->reader = NULL;
	t->frames = NULL;
}
