/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file trace.h
 * One run of a program: its names and its events. File format: docs/format/trace.md (trace.json, and for many events a
 * zstd file beside it).
 *
 * Shape:     events stand in an order that contradicts nothing known. With VTB_ORDER_TOTAL it is the order they took
 * place in. With VTB_ORDER_SYNC only the order of sync events among each other and of each thread's events is known:
 * two accesses of different threads with no sync event ordering them may have happened either way. Addresses: each
 * event's address is exact, symbolic (object and offset known, runtime address not) or unknown. Ownership: the trace
 * owns its arrays and its table.
 */
#ifndef VTB_TRACE_H
#define VTB_TRACE_H

#include "vtb/error.h"
#include "vtb/events.h"
#include "vtb/limits.h"
#include "vtb/symtab.h"

#define VTB_TRACE_VERSION 1
#define VTB_TRACE_INLINE_EVENTS 2000u /* more than this go to a file of their own */

/** vtb_event.flags */
enum {
	VTB_EVF_VALUE = 1 << 0,         /* `value` is known */
	VTB_EVF_ADDR_SYMBOLIC = 1 << 1, /* `var` is known, `addr` is the offset in its object */
	VTB_EVF_ADDR_UNKNOWN = 1 << 2,  /* neither; `addr` is 0, `var` is VTB_NONE */
	VTB_EVF_DEVIATED = 1 << 3,      /* took place by a deviation other than a thread switch: costs 1 in c */
	VTB_EVF_ACQUIRES = 1 << 4,      /* is an acquire in the sync order (kind, memory order and result considered) */
	VTB_EVF_RELEASES = 1 << 5,      /* is a release in the sync order */
	VTB_EVF_WEAK =
	    1 << 6, /* controlled runs: a compare-exchange that succeeded and might have failed for no reason */
	VTB_EVF_TRY = 1 << 7, /* controlled runs: a join of the form that does not wait; a call that locks or unlocks a
	                         file (for the whole process: a write); a signal that only became pending, as no thread
	                         was open to it */
	VTB_EVF_IN_FILES = (1 << 6) - 1, /* those before WEAK; what tells of controlled runs only is not written */
};

/** One event; 40 bytes. */
struct vtb_event {
	uint64_t addr;  /* of the access or the sync object; of the first byte for ranges */
	uint64_t value; /* as events.def says for the kind; memory: the value read or written, low 64 bits */
	uint32_t var;   /* variable id; sync objects, threads, streams are variables too; VTB_NONE unknown */
	uint32_t site;  /* site id or VTB_NONE */
	uint32_t size;  /* bytes touched; 0 if it does not touch memory */
	uint32_t
	    aux; /* COND_WAIT/WAKE: variable id of the mutex; FAIL: verdict; BLOCK, PENDING: kind waited at; else 0 */
	uint16_t thread;   /* thread id */
	uint8_t kind;      /* enum vtb_event_kind */
	uint8_t flags;     /* VTB_EVF_* */
	uint8_t order;     /* atomics: memory order; else, controlled runs: VTB_MOVES_* of vtb/wire.h; or 0 */
	uint8_t deviation; /* with VTB_EVF_DEVIATED: enum vtb_deviation_kind; else 0 */
	uint16_t place;    /* deviation WAITER: place in the queue of the waiter woken; else 0 */
};

enum vtb_trace_order { VTB_ORDER_TOTAL, VTB_ORDER_SYNC };

/** How a run ended. Also the outcome of a controlled run. */
struct vtb_outcome {
	enum vtb_verdict verdict;
	uint32_t flags;      /* VTB_OUT_* of vtb/wire.h */
	int exit_status;     /* as wait() would give it to a shell: 0..255, 128 + signal */
	int signal;          /* 0 none */
	uint32_t thread;     /* thread that failed, or VTB_NONE */
	uint32_t site;       /* where, or VTB_NONE */
	uint32_t var;        /* the object concerned (faulting access, mutex, ...), or VTB_NONE */
	const char *message; /* what the program said; "" none; owned by the table's strings */
	const char
	    *signature; /* stable name of the failure: kind + sites + objects, no address, no thread number; "" none */
	uint64_t output_hash, output_size;
	uint64_t points;
};

/** Is it not known what the run has done, though it came to its end? Its records made no sense, did not all fit, or its
 * process was gone without a word. */
bool vtb_outcome_is_unread(const struct vtb_outcome *outcome);

struct vtb_trace {
	char **argv;   /* NULL-terminated, owned; argv[0] as given */
	char *cwd;     /* owned, may be NULL */
	char *backend; /* "rt", "control", "pt", "step", "qemu", "synthetic"; owned */
	struct vtb_symtab tab;
	enum vtb_trace_order order;
	struct vtb_outcome outcome;
	uint64_t lost; /* events known to be missing; LOST events say where */
	struct vtb_event *events;
	size_t n_events, cap_events;
};

void vtb_trace_init(struct vtb_trace *trace); /* an empty trace: {0} with VTB_NONE where it belongs */
void vtb_trace_fini(struct vtb_trace *trace);

/** Read trace.json and its events file, or the trace of a failure.json. On error *ret is untouched. -VTB_E_FORMAT,
 * _VERSION, _LIMIT, _SCHEMA, errno. */
int vtb_trace_read(const char *path, struct vtb_trace *ret, struct vtb_error *err);

/** Write to `path` through a temporary name and rename, so that a reader never sees half a file. Deterministic. */
int vtb_trace_write(const struct vtb_trace *trace, const char *path, struct vtb_error *err);

/** The same for events that come piece by piece, in their order: what is held is a block of them (all, if the text goes
 * to stdout or a pipe). vtb_trace_writer_end() takes all but the events from `trace`. Nothing is there before that. */
struct vtb_trace_writer;
int vtb_trace_writer_new(const char *path, struct vtb_trace_writer **ret, struct vtb_error *err);
int vtb_trace_writer_add(struct vtb_trace_writer *w, const struct vtb_event *events, size_t n, struct vtb_error *err);
int vtb_trace_writer_end(struct vtb_trace_writer *w, const struct vtb_trace *trace, struct vtb_error *err);
void vtb_trace_writer_free(struct vtb_trace_writer *w);

/** Look at a trace's events without holding them: `trace` comes to have all but its events (trace->n_events says how
 * many there were), and `take` gets them in their order, some at a time, when the rest of *trace is complete. Negative
 * from `take`: stop with that error. */
int vtb_trace_scan(const char *path, struct vtb_trace *trace,
                   int (*take)(const struct vtb_event *events, size_t n, void *data), void *data,
                   struct vtb_error *err);

/* ---- what an event means (common/src/events/event_kinds.c) */
struct vtb_event_info {
	const char *name;
	const char *text;
	enum vtb_family family;
	uint32_t flags; /* VTB_EV_* */
};
/** By kind; no name: there is no such kind. */
extern const struct vtb_event_info vtb_event_infos[VTB_EVENT_KINDS];

/** Row of the kind, or NULL if there is no such kind. */
static inline const struct vtb_event_info *vtb_event_info(unsigned kind)
{
	return kind < VTB_EVENT_KINDS && vtb_event_infos[kind].name ? &vtb_event_infos[kind] : NULL;
}

/** Kind with this JSON name, or -EINVAL. */
int vtb_event_kind_by_name(const char *name);
const char *vtb_verdict_name(enum vtb_verdict verdict); /* JSON name */
const char *vtb_verdict_text(enum vtb_verdict verdict); /* one sentence */
int vtb_verdict_exit_code(enum vtb_verdict verdict);
int vtb_verdict_by_name(const char *name); /* or -EINVAL */

static inline bool vtb_event_is(const struct vtb_event *e, uint32_t flags)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && (info->flags & flags) == flags;
}

/** Is it an operation of the program, counted in its thread's index and with a schedule point? FAIL, which is seen
 * there, is none. */
static inline bool vtb_event_is_operation(const struct vtb_event *e)
{
	return e->kind != VTB_E_FAIL && vtb_event_is(e, VTB_EV_VISIBLE);
}

/** Did child processes go on after it, which may do anything? */
static inline bool vtb_event_moves_children(const struct vtb_event *e)
{
	const struct vtb_event_info *info = e->order ? vtb_event_info(e->kind) : NULL;

	return info && info->family != VTB_FAMILY_ATOMIC && info->family != VTB_FAMILY_MEMORY;
}

/** Does it depend on all input and output: a read, which may be of many descriptors, or what lets child processes go
 * on? */
static inline bool vtb_event_reads_io(const struct vtb_event *e)
{
	return e->kind == VTB_E_IO_READ || (vtb_event_changes_io(e->kind) && vtb_event_moves_children(e));
}

/** A row of an execution that is no step of the run, but says of steps that they are not told: LOST, OWNED. */
static inline bool vtb_event_stands_for_others(const struct vtb_event *e)
{
	return e->kind == VTB_E_LOST || e->kind == VTB_E_OWNED;
}

/** Set VTB_EVF_ACQUIRES and _RELEASES from kind, memory order and result. */
void vtb_event_classify(struct vtb_event *e);

enum vtb_lock_change { VTB_LOCK_SAME, VTB_LOCK_TAKEN, VTB_LOCK_GIVEN };

/** What an event does to the locks of its thread: mutexes, spin locks and read-write locks. VTB_EVF_ACQUIRES and
 * _RELEASES decide: an attempt that failed takes nothing, and a robust mutex whose owner has died is taken. A wait for
 * a condition gives its mutex back, once, and has it again when it is over; whose deadline has passed does not have it
 * yet when it wakes, and takes it by an event of its own. *ret_lock: which variable, VTB_NONE if nobody knows (anything
 * if all stays the same); *ret_shared: taken for reading only. O(1). */
enum vtb_lock_change vtb_lock_change(const struct vtb_event *e, uint32_t *ret_lock, bool *ret_shared);

/** Do two events touch the same bytes, or the same object if neither touches memory? False if an address is unknown. */
bool vtb_event_overlap(const struct vtb_event *a, const struct vtb_event *b);
/** Conflict: overlap, different threads, at least one writes. */
bool vtb_event_conflict(const struct vtb_event *a, const struct vtb_event *b);

#endif /* VTB_TRACE_H */
