/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file pt_events.h  Recovered accesses to events: what the log of a stepped run (pt_events.c) and the runtime's (pt_join.c) share. */
#ifndef DECODE_PT_EVENTS_H
#define DECODE_PT_EVENTS_H

#include "ingest_private.h"
#include "source_pt.h"

#define PT_CALLS_MAX 64u /* logged calls of one thread inside each other */

/** A logged call that has not returned. */
struct pt_call {
	uint16_t function;
	uint64_t regs[6];
	uint64_t pc;
};

struct pt_slot {
	struct pt_call calls[PT_CALLS_MAX];
	unsigned n_calls;
	uint64_t fs_base;        /* also its pthread_t */
	uint64_t start, arg;     /* start routine and its argument; 0: main */
	uint32_t parent, nth;    /* VTB_NONE: not known */
	uint32_t thread;         /* id; VTB_NONE: of no thread that has a name, its accesses are left out */
	uint32_t n_children;
	bool begun, ended;
};

struct pt_events {
	struct vtb_pt_recording *rec;
	struct vtb_ingest *in;
	struct vtb_trace *trace;
	struct vtb_symbols *symbols;
	struct pt_slot *slots;
	struct map64 in_source; /* address of an instruction -> 1: it belongs to the program, 0: to what the linker added */
	uint32_t *child_of;     /* by log index: slot created by this pthread_create, VTB_NONE */
	uint32_t last;          /* slot that did something last */
};

int pt_events_add(struct pt_events *ev, uint32_t slot, const struct record *rec);
/** Of struct recover_sink, with a struct pt_events. */
int pt_events_access(void *arg, const struct recover_access *a);
int pt_events_gap(void *arg, uint32_t slot, const struct vtb_pt_gap *gap);

#endif /* DECODE_PT_EVENTS_H */
