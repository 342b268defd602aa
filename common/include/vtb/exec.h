/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exec.h
 * One controlled (or simulated) execution: what happened at every schedule point. Ids are those of the runner's symbol
 * table.
 *
 * Shape:     `events` holds the visible operations only, in execution order, plus FAIL, LOST and, if `owned`, OWNED.
 * What main does first may be left out (struct vtb_runner, stem); indexes of its operations do not count it then.
 * Row i of `enabled` is the set of thread ids that could have been chosen when event i was; thread i is bit i. So at
 * the point before event i (i >= 1): p = thread of event i-1 was running, p "can go on" if it is in row i, and row i
 * without row i-1 (and without p) are the threads that event i-1 has just enabled. `pending` says what each thread that
 * had not ended was about to do when the run ended, as the event that it would have been: its kind, site and object.
 * `waits` says who waits in a way that time or chance may end: from row `row` on `thread` waits at an operation of
 * `kind`, with a deadline if `armed`; or does not wait any more, if `kind` is 0. In order of rows. With `kind`
 * SIGNAL_DUE it says, if `armed`, that a signal may come to the thread earlier than it does by default. `states`: equal
 * fingerprints, equal states, as far as what may come is concerned; only if the runner was asked for them (runner.h),
 * behind the last deviation, and where something could be decided. In order of rows. `kinds` says which deviations
 * other than switches whoever executed the run can make: bit 1 << kind. Ownership: owns its arrays; vtb_exec_fini()
 * frees them.
 */
#ifndef VTB_EXEC_H
#define VTB_EXEC_H

#include "vtb/schedule.h"
#include "vtb/trace.h"

#define VTB_EXEC_ALL_KINDS                                                                                \
	(1u << VTB_DEV_TIMEOUT | 1u << VTB_DEV_SPURIOUS | 1u << VTB_DEV_WAITER | 1u << VTB_DEV_CAS_FAIL | \
	 1u << VTB_DEV_SIGNAL)
/** In `kinds`: the deadline of a wait for a condition also passes while its mutex is held. */
#define VTB_EXEC_LATE_UNDER_LOCK (1u << 31)

struct vtb_wait {
	uint32_t row; /* number of events that took place before */
	uint16_t thread;
	uint8_t kind; /* enum vtb_event_kind, 0: the wait is over */
	bool armed;   /* it has a deadline; kind 0: it is over because time has passed, as nobody could go on */
};

/** A fingerprint of the state in which event `row` was chosen (the last row: the end). */
struct vtb_exec_state {
	uint64_t lo, hi;
	uint32_t row;
};

/** A thread read a clock between its last operation among the first `row` events and its next one. */
struct vtb_clock_read {
	uint32_t row, thread;
};

/** n operations of one thread, one after the other, `from` operations behind the beginning of the run. */
struct vtb_passed {
	uint64_t from, n;
};

struct vtb_exec {
	struct vtb_event *events;
	size_t n_events, cap_events;
	uint64_t *enabled;             /* n_events rows of `stride` words */
	size_t n_enabled, cap_enabled; /* words */
	uint32_t stride;               /* words a row: (thread ids + 63) / 64 */
	struct vtb_event *pending; /* operations not done: one per thread alive at the end, site and object filled in */
	size_t n_pending, cap_pending;
	struct vtb_wait *waits;
	size_t n_waits, cap_waits;
	struct vtb_exec_state *states;
	size_t n_states, cap_states;
	struct vtb_clock_read *clock_reads; /* of clocks that move when others read them */
	size_t n_clock_reads, cap_clock_reads;
	uint32_t kinds;
	uint32_t n_vain; /* of the last events: only threads went on that were held back as spinning and tried again, as
	                    nobody else could go on; and nobody got any further */
	bool brief; /* the schedule was, and all that is known of the run is `print`: it passed, and is of the class of
	               the run that had this print and was told in full */
	uint64_t print; /* runs with the same one of one runner are of one class and ended alike; 0: none */
	bool partial;   /* plain accesses at some sites were not looked at, and are no events */
	bool owned;     /* accesses to what only one thread touches stand in OWNED rows, by their number: they are
	                   operations, and nobody else went on at their points */
	uint32_t told;  /* `owned`, or `passed` says what was passed over: runs of one runner with the same number tell
	                   the same of the same accesses; the more is told the higher it is. 0: all is told */
	struct vtb_passed *passed; /* not `owned`: what it was once run without, in order; here it is told */
	size_t n_passed, cap_passed;
	struct vtb_outcome outcome;
};

void vtb_exec_fini(struct vtb_exec *x);
int vtb_exec_copy(const struct vtb_exec *x, struct vtb_exec *ret);
/** The thread reads a clock behind the last event. 0 or -ENOMEM. */
int vtb_exec_add_clock_read(struct vtb_exec *x, uint32_t thread);

static inline bool vtb_exec_enabled(const struct vtb_exec *x, size_t event, uint32_t thread)
{
	return thread / 64 < x->stride && (x->enabled[event * x->stride + thread / 64] >> thread % 64 & 1);
}

/** Was the choice of event i (i >= 1) a preemptive switch (docs/algorithms.md, "Deviations")? The one definition
 *  of it. */
bool vtb_exec_preempts(const struct vtb_exec *x, size_t i);

/** c and v of the run: preemptive switches and other deviations, and the distinct variables they are charged to: for a
 *  switch the object of the operation before it, for another deviation the object of the event that took place by it
 *  (TIMEOUT: the clock, one variable whatever timed out). An unknown object counts as one variable. Of a run
 * that is `owned` v is what it is at least. O(n). l and t are 0. */
struct vtb_tuple vtb_exec_tuple(const struct vtb_exec *x);

/** The schedule that reproduces this run exactly: policy run-to-block, a SWITCH wherever another thread goes on (cost 1
 *  if that preempts, else 0: so it does not rest on the default choice when the running thread must wait), other
 *  deviations as they happened. A deviation that makes a thread runnable (SPURIOUS, TIMEOUT) stands before the SWITCH
 * to it, at the same point. Operations are nameless: see vtb_exec_name_ops(). 0 or -ENOMEM; on error *ret is empty.
 * O(n). */
int vtb_exec_schedule(const struct vtb_exec *x, struct vtb_schedule *ret);

/** Fill the name of every operation of `s` that took place in `x` (ids of both are those of `tab`); its strings are the
 *  table's. Operations that did not take place stay as they are. 0 or -ENOMEM. O(events + operations). */
int vtb_exec_name_ops(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_schedule *s);

/** The same of n schedules at once. O(events + operations of all). */
int vtb_exec_name_many(const struct vtb_exec *x, const struct vtb_symtab *tab, struct vtb_schedule *const *schedules,
                       size_t n);

/* ---- the user's functions under way at each event of a run: names are those of a table */

struct vtb_call {
	const char *function, *file;
	uint32_t line; /* of the operation, or of the call of the next inner function */
};

/** Innermost first. Equal stacks of a run begin at the same number. */
struct vtb_call_stack {
	size_t first, n; /* in `calls` */
};

struct vtb_run_calls {
	struct vtb_call *calls;
	size_t n_calls, cap_calls;
	struct vtb_call_stack *of_event; /* n 0: none is known */
	size_t n_of_event, cap_of_event;
};

void vtb_run_calls_fini(struct vtb_run_calls *c);

#endif /* VTB_EXEC_H */
