/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Log entries and recovered accesses to events. What gives something away counts at the call (unlock, signal, create),
 * what takes something at the return (lock, join, wake): then the order of the events never contradicts what happened.
 *
 * Left out: accesses inside the C and C++ libraries and contracts, stack slots of calls, slots that indirect branches
 * go through, and a thread's accesses to what no other thread reaches on its stack.
 */
#include "events_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

#define RETURN_REACH 4096u /* log entries between a call and its return that are looked through */

int recovered_add(struct recovered *ev, uint32_t slot, const struct vtb_raw_record *rec)
{
	struct vtb_event e;
	int r = vtb_ingest_event(ev->in, ev->slots[slot].thread, rec, &e);

	if (r < 0)
		return r;
	if (vtb_array_room(ev->trace, events) < 0)
		return -ENOMEM;
	ev->trace->events[ev->trace->n_events++] = e;
	ev->last = slot;
	return 0;
}

static uint32_t slot_of_handle(const struct recovered *ev, uint64_t pthread)
{
	for (uint32_t s = 0; s < ev->rec->n_tids; s++)
		if (ev->slots[s].fs_base == pthread)
			return s;
	return VTB_NONE;
}

/* ------------------------------------------------------------------ log */

/* What a function's call and return are; the object is the first argument. */
static const struct meaning {
	uint16_t function;
	uint8_t at_entry, at_return; /* event kinds, 0 none */
} meanings[] = {
	{ VTB_PT_FN_MUTEX_LOCK, 0, VTB_E_LOCK },
	{ VTB_PT_FN_MUTEX_TRYLOCK, 0, VTB_E_TRYLOCK },
	{ VTB_PT_FN_MUTEX_TIMEDLOCK, 0, VTB_E_TIMEDLOCK },
	{ VTB_PT_FN_MUTEX_UNLOCK, VTB_E_UNLOCK, 0 },
	{ VTB_PT_FN_MUTEX_INIT, VTB_E_MUTEX_INIT, 0 },
	{ VTB_PT_FN_MUTEX_DESTROY, VTB_E_MUTEX_DESTROY, 0 },
	{ VTB_PT_FN_SPIN_LOCK, 0, VTB_E_LOCK },
	{ VTB_PT_FN_SPIN_TRYLOCK, 0, VTB_E_TRYLOCK },
	{ VTB_PT_FN_SPIN_UNLOCK, VTB_E_UNLOCK, 0 },
	{ VTB_PT_FN_RWLOCK_RDLOCK, 0, VTB_E_RDLOCK },
	{ VTB_PT_FN_RWLOCK_WRLOCK, 0, VTB_E_WRLOCK },
	{ VTB_PT_FN_RWLOCK_TRYRDLOCK, 0, VTB_E_TRYRDLOCK },
	{ VTB_PT_FN_RWLOCK_TRYWRLOCK, 0, VTB_E_TRYWRLOCK },
	{ VTB_PT_FN_RWLOCK_UNLOCK, VTB_E_RWUNLOCK, 0 },
	{ VTB_PT_FN_COND_WAIT, VTB_E_COND_WAIT, VTB_E_COND_WAKE },
	{ VTB_PT_FN_COND_TIMEDWAIT, VTB_E_COND_WAIT, VTB_E_COND_WAKE },
	{ VTB_PT_FN_COND_SIGNAL, VTB_E_COND_SIGNAL, 0 },
	{ VTB_PT_FN_COND_BROADCAST, VTB_E_COND_BROADCAST, 0 },
	{ VTB_PT_FN_SEM_WAIT, 0, VTB_E_SEM_WAIT },
	{ VTB_PT_FN_SEM_TRYWAIT, 0, VTB_E_SEM_TRYWAIT },
	{ VTB_PT_FN_SEM_TIMEDWAIT, 0, VTB_E_SEM_WAIT },
	{ VTB_PT_FN_SEM_POST, VTB_E_SEM_POST, 0 },
	{ VTB_PT_FN_SEM_INIT, VTB_E_SEM_INIT, 0 },
	{ VTB_PT_FN_SEM_DESTROY, VTB_E_SEM_DESTROY, 0 },
	{ VTB_PT_FN_BARRIER_WAIT, VTB_E_BARRIER_ARRIVE, VTB_E_BARRIER_LEAVE },
	{ VTB_PT_FN_BARRIER_INIT, VTB_E_BARRIER_INIT, 0 },
	{ VTB_PT_FN_BARRIER_DESTROY, VTB_E_BARRIER_DESTROY, 0 },
};

static const struct meaning *meaning_of(uint16_t function)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(*meanings); i++)
		if (meanings[i].function == function)
			return &meanings[i];
	return NULL;
}

/* As controlled runs have it: a return address at the routine's first instruction. */
static uint64_t begin_pc(const struct recovered_slot *s)
{
	return s->start ? s->start + 1 : 0;
}

static int end_thread(struct recovered *ev, uint32_t slot)
{
	const struct vtb_raw_record rec = { .kind = VTB_E_THREAD_END, .pc = begin_pc(&ev->slots[slot]) };

	if (ev->slots[slot].ended || !ev->slots[slot].begun)
		return 0;
	ev->slots[slot].ended = true;
	return recovered_add(ev, slot, &rec);
}

static int joined(struct recovered *ev, const struct vtb_pt_log *log, const struct recovered_call *call)
{
	const uint32_t child = slot_of_handle(ev, call->regs[0]);
	const struct vtb_raw_record rec = { .kind = VTB_E_THREAD_JOIN, .addr = child, .pc = call->pc };
	int r;

	if (child == VTB_NONE || log->regs[0] != 0)
		return 0;
	r = end_thread(ev, child);
	return r < 0 ? r : recovered_add(ev, log->slot, &rec);
}

static int created(struct recovered *ev, const struct vtb_pt_log *log, const struct recovered_call *call)
{
	const uint32_t child = ev->child_of[log - ev->rec->log];
	struct vtb_raw_record rec = {
		.kind = VTB_E_THREAD_CREATE, .addr = child, .pc = call->pc, .flags = VTB_REC_VALUE | VTB_REC_ARG
	};

	if (child == VTB_NONE) /* it failed, or the child never came to its routine */
		return 0;
	rec.value = ev->slots[child].nth;
	rec.arg = log->regs[2];
	return recovered_add(ev, log->slot, &rec);
}

static uint64_t block_size(const struct recovered_call *call)
{
	switch (call->function) {
	case VTB_PT_FN_MALLOC:
		return call->regs[0];
	case VTB_PT_FN_CALLOC:
		return call->regs[0] * call->regs[1];
	default:
		return call->regs[1];
	}
}

/* The allocator's own frame is gone when its block is there: where it returned to is the innermost. */
static int add_with_stack(struct recovered *ev, uint32_t slot, struct vtb_raw_record *rec, const uint64_t *stack,
                          size_t n_stack)
{
	uint64_t pcs[VTB_REC_EXTRA_MAX] = { rec->pc };
	const size_t n = n_stack < VTB_REC_EXTRA_MAX - 1 ? n_stack : VTB_REC_EXTRA_MAX - 1;

	memcpy(pcs + 1, stack, n * sizeof(*pcs));
	rec->flags |= VTB_REC_STACK;
	rec->stack = pcs;
	rec->n_stack = (uint8_t)(n + 1);
	return recovered_add(ev, slot, rec);
}

/* realloc is a free and an allocation, as the runtime records it. */
static int allocated(struct recovered *ev, const struct vtb_pt_log *log, const struct recovered_call *call,
                     const uint64_t *stack, size_t n_stack)
{
	struct vtb_raw_record rec = { .kind = VTB_E_FREE, .addr = call->regs[0], .pc = call->pc };
	int r = 0;

	if (call->function == VTB_PT_FN_REALLOC && call->regs[0])
		r = recovered_add(ev, log->slot, &rec);
	if (r < 0 || !log->regs[0] || call->function == VTB_PT_FN_POSIX_MEMALIGN)
		return r;
	rec = (struct vtb_raw_record){
		.kind = VTB_E_ALLOC, .addr = log->regs[0], .pc = call->pc, .flags = VTB_REC_ARG, .arg = block_size(call)
	};
	return add_with_stack(ev, log->slot, &rec, stack, n_stack);
}

/* Where the call returns to: its return entry says so; a call that never returns has only the caller's frame. */
static uint64_t return_address(const struct recovered *ev, const struct vtb_pt_log *log, uint64_t fallback)
{
	const struct vtb_pt_log *end = ev->rec->log + ev->rec->n_log;

	for (const struct vtb_pt_log *l = log + 1; l < end && l < log + RETURN_REACH; l++)
		if (l->slot == log->slot && l->function == log->function && l->phase == VTB_PT_PHASE_RETURN &&
		    l->rsp == log->rsp + 8)
			return l->ip;
	return fallback;
}

static int take_entry(struct recovered *ev, const struct vtb_pt_log *log, const struct recovered_call *call)
{
	const struct meaning *m = meaning_of(log->function);
	struct vtb_raw_record rec = { .addr = log->regs[0], .pc = call->pc };

	if (log->function == VTB_PT_FN_THREAD_CREATE)
		return created(ev, log, call);
	if (log->function == VTB_PT_FN_FREE && log->regs[0]) {
		rec.kind = VTB_E_FREE;
		return recovered_add(ev, log->slot, &rec);
	}
	if (!m || !m->at_entry)
		return 0;
	rec.kind = m->at_entry;
	if (rec.kind == VTB_E_COND_WAIT) {
		rec.flags = VTB_REC_ARG;
		rec.arg = log->regs[1];
	}
	return recovered_add(ev, log->slot, &rec);
}

static int take_return(struct recovered *ev, const struct vtb_pt_log *log, const struct recovered_call *call,
                       const uint64_t *stack, size_t n_stack)
{
	const struct meaning *m = meaning_of(log->function);
	struct vtb_raw_record rec = { .addr = call->regs[0], .pc = call->pc, .result = (uint8_t)log->regs[0] };

	if (log->function == VTB_PT_FN_THREAD_JOIN)
		return joined(ev, log, call);
	if (log->function >= VTB_PT_FN_MALLOC && log->function <= VTB_PT_FN_MEMALIGN && log->function != VTB_PT_FN_FREE)
		return allocated(ev, log, call, stack, n_stack);
	if (!m || !m->at_return)
		return 0;
	rec.kind = m->at_return;
	if (rec.kind == VTB_E_COND_WAKE) {
		rec.flags = VTB_REC_ARG;
		rec.arg = call->regs[1];
	} else if (rec.kind == VTB_E_BARRIER_LEAVE) {
		rec.result = (uint32_t)log->regs[0] == UINT32_MAX; /* PTHREAD_BARRIER_SERIAL_THREAD */
	}
	return recovered_add(ev, log->slot, &rec);
}

/* Calls that the C library, the dynamic linker and the unwinder make for themselves. */
static bool is_internal(const struct recovered *ev, uint64_t pc)
{
	const struct vtb_ingest_module *m = pc ? vtb_ingest_module_at(ev->in, pc - 1) : NULL;
	const char *name = m ? strrchr(m->path, '/') : NULL;

	return name && (!strncmp(name, "/libc.so", 8) || !strncmp(name, "/libc-", 6) || !strncmp(name, "/ld-", 4) ||
	                !strncmp(name, "/libgcc_s", 9) || !strncmp(name, "/libpthread", 11));
}

static int take_log(void *arg, const struct vtb_pt_log *log, const uint64_t *stack, size_t n_stack)
{
	struct recovered *ev = arg;
	struct recovered_slot *s = &ev->slots[log->slot];
	const struct vtb_raw_record begin = { .kind = VTB_E_THREAD_BEGIN, .pc = begin_pc(s) };
	struct recovered_call call;

	if ((log->function == VTB_PT_FN_START_ROUTINE && log->phase == VTB_PT_PHASE_RETURN) ||
	    (log->function == VTB_PT_FN_THREAD_EXIT && log->phase == VTB_PT_PHASE_ENTRY && log->slot))
		return end_thread(ev, log->slot);
	if (log->function == VTB_PT_FN_START_ROUTINE || (log->phase == VTB_PT_PHASE_START && log->slot == 0)) {
		if (s->begun)
			return 0;
		s->begun = true;
		return recovered_add(ev, log->slot, &begin);
	}
	if (log->phase == VTB_PT_PHASE_ENTRY) {
		call = (struct recovered_call){ .function = log->function,
			                        .pc = return_address(ev, log, n_stack ? stack[0] : 0) };
		memcpy(call.regs, log->regs, sizeof(call.regs));
		if (s->n_calls < CALLS_MAX)
			s->calls[s->n_calls++] = call;
		return is_internal(ev, call.pc) ? 0 : take_entry(ev, log, &call);
	}
	while (log->phase == VTB_PT_PHASE_RETURN && s->n_calls)
		if (s->calls[--s->n_calls].function == log->function) { /* calls above it never returned */
			call = s->calls[s->n_calls];
			return is_internal(ev, call.pc) ? 0 : take_return(ev, log, &call, stack, n_stack);
		}
	return 0;
}

int vtb_recover_events(struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_recover_stats *ret_stats,
                       struct vtb_error *err)
{
	struct recovered ev = { .rec = rec, .trace = trace };
	const struct vtb_recover_sink sink = {
		.access = recovered_access, .log = take_log, .gap = recovered_gap, .arg = &ev
	};
	struct vtb_symbols *symbols = NULL;
	int r = vtb_symbols_new(&symbols);

	ev.symbols = symbols;
	ev.slots = calloc(rec->n_tids + 1, sizeof(*ev.slots));
	ev.child_of = calloc(rec->n_log + 1, sizeof(*ev.child_of));
	if (r >= 0 && (!ev.slots || !ev.child_of))
		r = -ENOMEM;
	if (r >= 0)
		r = vtb_ingest_new(&trace->tab, symbols, &ev.in);
	if (r >= 0)
		r = recovered_modules(&ev, err);
	if (r >= 0) {
		r = recovered_threads(&ev);
	}
	if (r >= 0)
		r = vtb_recover(rec, &sink, ret_stats, err);
	for (uint32_t s = 1; r >= 0 && s < rec->n_tids && trace->outcome.verdict == VTB_V_NONE; s++)
		r = end_thread(&ev, s); /* of a run that failed, some were still on their way */
	if (r >= 0 && trace->outcome.verdict != VTB_V_NONE) {
		trace->outcome.thread = ev.slots[rec->died < rec->n_tids ? rec->died : ev.last].thread;
		for (size_t i = trace->n_events; i-- > 0 && trace->outcome.site == VTB_NONE;)
			if (trace->events[i].thread == trace->outcome.thread)
				trace->outcome.site = trace->events[i].site;
	}
	if (r >= 0 && vtb_ingest_users(ev.in) < 0)
		r = -ENOMEM;
	vtb_ingest_free(ev.in);
	vtb_map64_fini(&ev.in_source);
	vtb_symbols_free(symbols);
	free(ev.slots);
	free(ev.child_of);
	return r;
}
