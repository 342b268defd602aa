/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets and the runtime's log of one run to one trace.
 *
 * The log (DIR/process.vtb, DIR/thread-N.vtbe) is merged by its stamps as ever. Each record then becomes an entry of
 * the log that the recovery follows: what the thread did in this order, at which call, and which facts it tells.
 *
 *     unlock, signal, create ...   stamped before the call takes effect: at the first instruction of the called
 * function lock, wake, join ...         stamped afterwards: at the return address allocation                   both:
 * the size before, the block after birth                        rsp and fs base at an instruction of the runtime's
 *
 * When the recovery passes an entry, the record becomes the event that it is in a recording without packets.
 */
#include "events_private.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"

struct join {
	struct vtb_ingest_join base;
	struct recovered ev;
	struct vtb_pt_recording *rec;
	struct vtb_pt_log *log;
	size_t n_log, cap_log;
	uint32_t *entry_of; /* by log index: the record that becomes an event there, VTB_NONE: none */
	size_t n_entry_of, cap_entry_of;
	bool begun; /* main's birth has come: blocks before it were handed out when nobody looked */
};

static int put(struct join *j, uint32_t entry, const struct vtb_pt_log *log)
{
	if (vtb_array_room(j, log) < 0 || vtb_array_room(j, entry_of) < 0)
		return -ENOMEM;
	j->log[j->n_log] = *log;
	j->log[j->n_log++].tsc = UINT64_MAX; /* stamps are no times */
	j->entry_of[j->n_entry_of++] = entry;
	return 0;
}

/* Does the record stand before the call that it tells of takes effect? */
static bool is_early(const struct vtb_raw_record *rec)
{
	switch (rec->kind) {
	case VTB_E_UNLOCK:
	case VTB_E_RWUNLOCK:
	case VTB_E_COND_WAIT:
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
	case VTB_E_SEM_POST:
	case VTB_E_BARRIER_ARRIVE:
	case VTB_E_THREAD_CREATE:
	case VTB_E_FREE:
	case VTB_E_MUTEX_DESTROY:
	case VTB_E_SEM_DESTROY:
	case VTB_E_BARRIER_DESTROY:
		return true;
	default:
		return false;
	}
}

static int put_birth(struct join *j, uint32_t i, const struct vtb_raw_record *rec, struct vtb_pt_log log)
{
	log.phase = VTB_PT_PHASE_START;
	log.ip = rec->arg;
	log.rsp = rec->value;
	log.known = rec->value ? VTB_PT_LOG_RSP : 0;
	if (rec->n_stack) {
		log.fs_base = rec->stack[0];
		log.known |= VTB_PT_LOG_FS;
	}
	return put(j, i, &log);
}

static int put_allocation(struct join *j, uint32_t i, const struct vtb_raw_record *rec, struct vtb_pt_log log)
{
	int r;

	log.function = VTB_PT_FN_MALLOC;
	log.regs[0] = rec->arg;
	log.call = rec->pc;
	r = put(j, VTB_NONE, &log);
	if (r < 0)
		return r;
	log.call = 0;
	log.ip = rec->pc;
	log.phase = VTB_PT_PHASE_RETURN;
	log.regs[0] = rec->addr;
	log.known = VTB_PT_LOG_REGS;
	return put(j, i, &log);
}

static int put_record(struct join *j, uint32_t i)
{
	const struct vtb_ingest_entry *e = &j->base.entries[i];
	struct vtb_pt_log log = { .slot = e->slot, .phase = VTB_PT_PHASE_ENTRY };
	struct vtb_raw_record rec;

	if (!vtb_raw_record_read(e->words, e->n_words, &rec))
		return -VTB_E_FORMAT;
	if (rec.kind == VTB_E_THREAD_BEGIN && e->slot == 0)
		j->begun = true;
	if (rec.kind == VTB_E_THREAD_BEGIN)
		return put_birth(j, i, &rec, log);
	if (!j->begun)
		return put(j, i, &log);
	if (rec.kind == VTB_E_ALLOC && rec.pc)
		return put_allocation(j, i, &rec, log);
	if (rec.kind == VTB_E_THREAD_END) {
		log.call = VTB_PT_CALL_END;
	} else if (is_early(&rec)) {
		log.call = rec.pc;
		log.function = rec.kind == VTB_E_FREE ? VTB_PT_FN_FREE : VTB_PT_FN_NONE;
		log.regs[0] = rec.addr;
	} else if (rec.flags & VTB_REC_STAMP) {
		log.phase = VTB_PT_PHASE_RETURN;
		log.ip = rec.pc;
	} /* else of no certain place */
	return put(j, i, &log);
}

/* ---- threads: the runtime's slots for the kernel's numbers */

static uint32_t slot_of_tid(const struct join *j, uint32_t tid)
{
	for (uint32_t s = j->base.n_threads; s-- > 0;) /* a number that was given again belongs to the later thread */
		if (j->base.threads[s].tid == tid)
			return s;
	return VTB_NONE;
}

/* Threads that the runtime has not seen get slots behind: their flow is followed, their accesses have nobody's name. */
static int renumber(struct join *j)
{
	struct vtb_pt_session *session = &j->rec->session;
	uint32_t n = j->base.n_threads;

	for (size_t i = 0; i < session->n_threads; i++) {
		const uint32_t tid =
		                   session->threads[i].tid < j->rec->n_tids ? j->rec->tids[session->threads[i].tid] : 0,
		               slot = slot_of_tid(j, tid);

		session->threads[i].tid = slot != VTB_NONE ? slot : n++;
		j->ev.trace->lost += slot == VTB_NONE && session->threads[i].instructions;
	}
	free(j->rec->tids);
	j->rec->tids = calloc(n + 1, sizeof(*j->rec->tids));
	if (!j->rec->tids)
		return -ENOMEM;
	j->rec->n_tids = j->rec->cap_tids = n;
	j->rec->n_births = 0;
	for (uint32_t s = 0; s < j->base.n_threads; s++)
		j->rec->tids[s] = j->base.threads[s].tid;
	j->ev.slots = calloc(n + 1, sizeof(*j->ev.slots));
	if (!j->ev.slots)
		return -ENOMEM;
	for (uint32_t s = 0; s < n; s++)
		j->ev.slots[s].thread = s < j->base.n_threads ? j->base.ids[s] : VTB_NONE;
	return 0;
}

/* ---- events */

static int take_log(void *arg, const struct vtb_pt_log *log, const uint64_t *stack, size_t n_stack)
{
	struct recovered *ev = arg;
	struct join *j = (struct join *)(void *)((char *)ev - offsetof(struct join, ev));
	const uint32_t entry = j->entry_of[log - j->log];
	struct vtb_event e;
	struct vtb_raw_record rec;
	int r;

	(void)stack;
	(void)n_stack;
	if (entry == VTB_NONE)
		return 0;
	vtb_raw_record_read(j->base.entries[entry].words, j->base.entries[entry].n_words, &rec);
	r = vtb_ingest_event(ev->in, j->base.ids[log->slot], &rec, &e);
	if (r < 0 || !vtb_ingest_is_kept(rec.kind))
		return r;
	if (vtb_array_room(ev->trace, events) < 0)
		return -ENOMEM;
	ev->trace->events[ev->trace->n_events++] = e;
	return 0;
}

static int run(struct vtb_ingest_join *base, struct vtb_ingest *in, struct vtb_trace *trace, struct vtb_error *err)
{
	struct join *j = (struct join *)(void *)base;
	const struct vtb_recover_sink sink = {
		.access = recovered_access, .log = take_log, .gap = recovered_gap, .arg = &j->ev
	};
	struct vtb_recover_stats stats;
	int r = 0;

	j->ev.rec = j->rec;
	j->ev.in = in;
	j->ev.trace = trace;
	j->ev.symbols = base->symbols;
	for (size_t i = 0; r >= 0 && i < base->n_entries; i++)
		r = put_record(j, (uint32_t)i);
	if (r >= 0)
		r = renumber(j);
	j->rec->log = j->log;
	j->rec->n_log = j->n_log;
	j->rec->total = false; /* stamps order synchronisation, times only roughly the rest */
	if (r >= 0)
		r = vtb_recover(j->rec, &sink, &stats, err);
	free(j->log);
	free(j->entry_of);
	free(j->ev.slots);
	vtb_map64_fini(&j->ev.in_source);
	j->rec->log = NULL;
	j->rec->n_log = 0;
	return r;
}

int vtb_recover_join(const char *dir, struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_error *err)
{
	struct join j = { .base = { .run = run }, .rec = rec };

	return vtb_ingest_recording_joined(dir, &j.base, trace, err);
}
