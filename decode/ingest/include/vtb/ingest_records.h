/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file ingest_records.h
 * Ingest one record at a time: for whoever makes the records himself, or puts others between those of a recording
 * (packets). vtb/ingest.h does whole runs.
 */
#ifndef VTB_INGEST_RECORDS_H
#define VTB_INGEST_RECORDS_H

#include "vtb/ingest.h"
#include "vtb/raw_record.h"

/** A file in the process. */
struct vtb_ingest_module {
	uint64_t lo, hi, base;
	uint32_t id;
	const char *path;
	uint64_t key; /* hash of path and build-id: equal across runs */
};

/** The module that holds `addr`, NULL none; valid until the next vtb_ingest_modules(). O(log modules). */
const struct vtb_ingest_module *vtb_ingest_module_at(const struct vtb_ingest *in, uint64_t addr);

/** From now on `pc` in a record is the instruction itself, no return address. 0 or -ENOMEM. */
int vtb_ingest_exact_pc(struct vtb_ingest *in, uint64_t pc);

/** Thread `thread` (id in the table of names) has this slot. 0 or -ENOMEM. */
int vtb_ingest_set_slot(struct vtb_ingest *in, uint64_t slot, uint32_t thread);

/** Fill *e from a record of `thread`. The kind is valid. 0 or an error. */
int vtb_ingest_event(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec, struct vtb_event *e);

/** How many of the `size` bytes at `addr` are of the variable that holds the first: all, if it has no known parts. */
uint64_t vtb_ingest_part(struct vtb_ingest *in, uint64_t addr, uint64_t size);

/** Does this kind become an event? The others only steer the reading. */
bool vtb_ingest_is_kept(unsigned kind);

/** One record of a recording, in the order of the merge; it lies in a mapped file. */
struct vtb_ingest_entry {
	const uint64_t *words;
	uint32_t n_words, slot;
};

/** Somebody who makes the trace out of the records instead. All of it is borrowed for the call. */
struct vtb_ingest_join {
	int (*run)(struct vtb_ingest_join *join, struct vtb_ingest *in, struct vtb_trace *trace, struct vtb_error *err);
	const struct vtb_ingest_entry *entries;
	size_t n_entries;
	const struct vtb_wire_thread *threads; /* by slot */
	const uint32_t *ids;                   /* by slot: thread ids */
	uint32_t n_threads;
	struct vtb_symbols *symbols;
};

/** As vtb_ingest_recording(), but `join` makes the events. */
int vtb_ingest_recording_joined(const char *dir, struct vtb_ingest_join *join, struct vtb_trace *trace,
                                struct vtb_error *err);

#endif /* VTB_INGEST_RECORDS_H */
