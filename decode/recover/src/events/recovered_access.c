/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recovered accesses to events: calls whose variables others reach, the parts of wide accesses, loss. */
#include "events_private.h"

#include <string.h>

static int log2_of(uint64_t size)
{
	return size && size <= 16 && !(size & (size - 1)) ? __builtin_ctzll(size) : (int)VTB_REC_SIZE_IN_ARG;
}

static int add_unknown(struct recovered *ev, const struct vtb_recover_access *a, unsigned kind)
{
	struct vtb_raw_record rec = { .kind = VTB_E_READ, .pc = a->ip, .addr = 0 };
	struct vtb_event *e;
	int r = recovered_add(ev, a->slot, &rec);

	if (r < 0)
		return r;
	e = &ev->trace->events[ev->trace->n_events - 1];
	e->kind = (uint8_t)kind;
	e->var = VTB_NONE;
	e->addr = 0;
	e->size = a->size < UINT32_MAX ? (uint32_t)a->size : 0;
	e->flags = VTB_EVF_ADDR_UNKNOWN;
	e->order = kind == VTB_E_ATOMIC_RMW ? VTB_ORDER_SEQ_CST : 0;
	vtb_event_classify(e);
	return 0;
}

/* The C library's mathematics are interpreted, as their results matter; what they access is as little the program's as
 * what the rest of the C library does. */
static bool is_mathematics(const struct vtb_ingest_module *m)
{
	const char *name = m ? strrchr(m->path, '/') : NULL;

	return name && strncmp(name, "/libm.so", 8) == 0;
}

/* Start-up files and linkage tables have no line where the program has some: nobody's accesses. */
static int in_source(struct recovered *ev, uint64_t ip)
{
	const struct vtb_ingest_module *m;
	struct vtb_place place;
	uint64_t known;
	int r;

	if (vtb_map64_get(&ev->in_source, ip, &known))
		return (int)known;
	m = vtb_ingest_module_at(ev->in, ip);
	known = !is_mathematics(m);
	if (m && vtb_symbols_has_debug_info(ev->symbols, m->path)) {
		vtb_symbols_place(ev->symbols, m->path, ip - m->base, &place);
		known = place.line != 0;
	}
	r = vtb_map64_set(&ev->in_source, ip, known);
	return r < 0 ? r : (int)known;
}

/* The call whose variables others reach, before the first of them: it gives them their names. */
static int add_call(struct recovered *ev, const struct vtb_recover_access *a)
{
	const struct vtb_raw_record rec = {
		.kind = VTB_E_FRAME, .addr = a->addr, .pc = a->call_pc, .value = a->stack_of, .arg = a->call_sp
	};
	struct vtb_event e;
	int r = 0;

	if (a->stack_of == VTB_PT_NONE || !a->call_pc || ev->slots[a->stack_of].thread == VTB_NONE)
		return 0;
	if (a->call_exact)
		r = vtb_ingest_exact_pc(ev->in, a->call_pc);
	return r < 0 ? r : vtb_ingest_event(ev->in, ev->slots[a->slot].thread, &rec, &e);
}

/* Vectors, and words, are stored over several variables, elements or members at once: each has its own event. Letters
 * that fit a word are one, as a word may well be none of them: what a heap block holds is a guess. */
#define WORD 8u
#define WIDE_MAX 64u
#define LEAST_OF_WORD 4u

static int add_part(struct recovered *ev, const struct vtb_recover_access *a, struct vtb_raw_record rec, uint64_t size)
{
	int r = 0;

	rec.size_log2 = (uint8_t)log2_of(size);
	if (rec.size_log2 == VTB_REC_SIZE_IN_ARG) {
		rec.flags = VTB_REC_ARG;
		rec.arg = size;
	}
	if (rec.kind == VTB_E_WRITE && (a->mode & OPS_READS)) { /* add [x], 1: a read, then a write */
		rec.kind = VTB_E_READ;
		r = recovered_add(ev, a->slot, &rec);
		rec.kind = VTB_E_WRITE;
	}
	return r < 0 ? r : recovered_add(ev, a->slot, &rec);
}

static int add_parts(struct recovered *ev, const struct vtb_recover_access *a, struct vtb_raw_record rec)
{
	const bool wide = !a->atomic && a->size >= WORD && a->size <= WIDE_MAX;
	uint64_t done = 0, part;
	int r = 0;

	do {
		rec.addr = a->addr + done;
		part = wide ? vtb_ingest_part(ev->in, rec.addr, a->size - done) : a->size;
		if (a->size <= WORD && part < LEAST_OF_WORD)
			part = a->size - done;
		r = add_part(ev, a, rec, part);
		done += part;
	} while (r >= 0 && done < a->size);
	return r;
}

int recovered_access(void *arg, const struct vtb_recover_access *a)
{
	struct recovered *ev = arg;
	const unsigned kind = a->atomic ? VTB_E_ATOMIC_RMW : a->mode & OPS_WRITES ? VTB_E_WRITE : VTB_E_READ;
	struct vtb_raw_record rec = {
		.kind = (uint8_t)kind, .addr = a->addr, .pc = a->ip, .order = a->atomic ? VTB_ORDER_SEQ_CST : 0
	};
	int r;

	if (a->library || a->quiet || a->implicit || a->own_stack || ev->slots[a->slot].thread == VTB_NONE)
		return 0;
	r = in_source(ev, a->ip);
	if (r <= 0)
		return r;
	r = vtb_ingest_exact_pc(ev->in, a->ip);
	if (r < 0)
		return r;
	if (a->state != VTB_RECOVER_EXACT)
		return add_unknown(ev, a, kind);
	r = add_call(ev, a);
	return r < 0 ? r : add_parts(ev, a, rec);
}

int recovered_gap(void *arg, uint32_t slot, const struct vtb_pt_gap *gap)
{
	struct recovered *ev = arg;
	const struct vtb_raw_record rec = { .kind = VTB_E_LOST, .pc = gap->ip };

	ev->trace->lost++;
	if (ev->slots[slot].thread == VTB_NONE)
		return 0;
	return recovered_add(ev, slot, &rec);
}
