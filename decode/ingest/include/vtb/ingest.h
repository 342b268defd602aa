/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file ingest.h
 * From raw records (vtb/wire.h) to events with names: interns sites, objects and variables in a symbol table, so that
 * equal things get equal ids in every run of the same program. Used on recordings (vtb-decode) and on the events of
 * controlled runs (replay's runner), where it must be cheap: a memo makes it one hash look-up for a site and one for a
 * variable.
 *
 * Ownership: borrows the table and the symbols; both must outlive it.
 */
#ifndef VTB_INGEST_H
#define VTB_INGEST_H

#include "vtb/error.h"
#include "vtb/exec.h"
#include "vtb/stop.h"
#include "vtb/trace.h"
#include "vtb/wire.h"

struct vtb_stem;    /* what all runs begin with, vtb/exec_stem.h */
struct vtb_symbols; /* names from ELF and DWARF, vtb/symbols.h */
struct vtb_ingest;

int vtb_ingest_new(struct vtb_symtab *tab, struct vtb_symbols *symbols, struct vtb_ingest **ret);
void vtb_ingest_free(struct vtb_ingest *in);
/** Names were added to the table by somebody else, each of them new to it: know them. O(names). 0 or -ENOMEM. */
int vtb_ingest_named(struct vtb_ingest *in);

/** Of each place in the table that was inlined into the user's code, add the user's line (struct vtb_site, user), as
 * far as there is room. For a trace, when all events have been read: in controlled runs a place has one site. O(sites).
 * 0 or -ENOMEM. */
int vtb_ingest_users(struct vtb_ingest *in);

/** Learn the modules of the process whose block this is (checked against `size`). Call again when it changed. */
int vtb_ingest_modules(struct vtb_ingest *in, const void *block, size_t size, struct vtb_error *err);

/** Forget what lives only as long as one run: heap blocks, frames, thread slots. Names stay. */
void vtb_ingest_begin_run(struct vtb_ingest *in);

/** From now on leave off reading a run, with -ECANCELED, when `stop` says that a run on its way is to be given up and
 * somebody has asked for it: a run of millions of records takes seconds. Not for the clock's sake alone, since what a
 * run that was made has shown is worth its reading. Borrowed; NULL: read to the end. */
void vtb_ingest_until(struct vtb_ingest *in, struct vtb_stop *stop);

/** From now on read controlled runs without what their stem leaves out. Of a run whose stem is another one the outcome
 * says VTB_OUT_DIVERGED. Borrowed; NULL: runs are read whole. */
void vtb_ingest_leave_out(struct vtb_ingest *in, const struct vtb_stem *stem);

/** One controlled run: the records of a slot, in execution order, to an execution. `exec` must be empty. */
int vtb_ingest_exec(struct vtb_ingest *in, const uint64_t *words, size_t n_words,
                    const struct vtb_wire_outcome *outcome, struct vtb_exec *exec, struct vtb_error *err);

/** One free-running recording directory, all threads merged in stamp order, to a trace. `trace` must be
 * vtb_trace_init()ed. */
int vtb_ingest_recording(const char *dir, struct vtb_trace *trace, struct vtb_error *err);

/** The same, but events are handed on in their order, some at a time, instead of kept: afterwards trace->n_events is 0.
 * Sites, variables and threads that they name are in the table then; names of threads may be added later. Negative from
 * `take`: stop with that error. */
struct vtb_ingest_sink {
	int (*take)(const struct vtb_event *events, size_t n, void *data);
	void *data;
};
int vtb_ingest_recording_to(const char *dir, const struct vtb_ingest_sink *sink, struct vtb_trace *trace,
                            struct vtb_error *err);

/** A controlled run as a trace (for failure.json, viz): names of `tab` that the run uses, events of `exec`. */
int vtb_trace_from_exec(const struct vtb_exec *exec, const struct vtb_symtab *tab, struct vtb_trace *ret);

#endif /* VTB_INGEST_H */
