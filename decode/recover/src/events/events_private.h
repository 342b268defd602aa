/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file events_private.h  Recovered accesses to events: what the log of a stepped run (recover_events.c) and the
 * runtime's (recover_join.c) share. */
#ifndef DECODE_EVENTS_PRIVATE_H
#define DECODE_EVENTS_PRIVATE_H

#include "vtb/ingest_records.h"
#include "vtb/map64.h"
#include "vtb/recover_events.h"
#include "vtb/symbols.h"

#define CALLS_MAX 64u /* logged calls of one thread inside each other */

/** A logged call that has not returned. */
struct recovered_call {
	uint16_t function;
	uint64_t regs[6];
	uint64_t pc;
};

struct recovered_slot {
	struct recovered_call calls[CALLS_MAX];
	unsigned n_calls;
	uint64_t fs_base;     /* also its pthread_t */
	uint64_t start, arg;  /* start routine and its argument; 0: main */
	uint32_t parent, nth; /* VTB_NONE: not known */
	uint32_t thread;      /* id; VTB_NONE: of no thread that has a name, its accesses are left out */
	uint32_t n_children;
	bool begun, ended;
};

struct recovered {
	struct vtb_pt_recording *rec;
	struct vtb_ingest *in;
	struct vtb_trace *trace;
	struct vtb_symbols *symbols;
	struct recovered_slot *slots;
	struct vtb_map64
	    in_source;      /* address of an instruction -> 1: it belongs to the program, 0: to what the linker added */
	uint32_t *child_of; /* by log index: slot created by this pthread_create, VTB_NONE */
	uint32_t last;      /* slot that did something last */
};

/** Tell the ingester what the recording had mapped. */
int recovered_modules(struct recovered *ev, struct vtb_error *err);

/** Fill ev->slots and ev->child_of from the log, and name the threads. 0 or an error. */
int recovered_threads(struct recovered *ev);

/** One record of a thread that has a name, as an event of the trace. 0 or an error. */
int recovered_add(struct recovered *ev, uint32_t slot, const struct vtb_raw_record *rec);

/** Of struct vtb_recover_sink, with a struct recovered. */
int recovered_access(void *arg, const struct vtb_recover_access *a);
int recovered_gap(void *arg, uint32_t slot, const struct vtb_pt_gap *gap);

#endif /* DECODE_EVENTS_PRIVATE_H */
