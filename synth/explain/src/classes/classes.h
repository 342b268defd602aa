/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file classes.h
 * The table of kinds of mistakes, and what their rules ask of a core. The first row that fits is the core's: what is
 * more special stands before what is less.
 */
#ifndef VTB_CORE_CLASSES_H
#define VTB_CORE_CLASSES_H

#include "vtb/core_class.h"
#include "vtb/exec_waits.h"

#define CORE_CLASSES(row)                                                                                           \
	row(core_double_free) row(core_use_after_free) row(core_half_object) row(core_livelock) row(core_abandoned) \
	    row(core_join_under_lock) row(core_self_deadlock) row(core_deadlock) row(core_wait_under_lock)          \
	        row(core_pool_starvation) row(core_hold_and_wait) row(core_predicate_without_mutex)                 \
	            row(core_lost_wakeup) row(core_too_few_woken) row(core_not_signalled) row(core_overposted)      \
	                row(core_aba) row(core_check_not_repeated) row(core_timing) row(core_use_before_init)       \
	                    row(core_multi_atomicity) row(core_atomicity) row(core_order)

#define CORE_CLASS_DECLARED(name) extern const struct vtb_core_class name;
CORE_CLASSES(CORE_CLASS_DECLARED)
#undef CORE_CLASS_DECLARED

extern const struct vtb_core_class *const core_classes[];
extern const size_t core_n_classes;

static inline bool core_is_access(unsigned kind)
{
	const enum vtb_family family = vtb_event_info(kind)->family;

	return family == VTB_FAMILY_MEMORY || family == VTB_FAMILY_ATOMIC;
}

/** Is it an access to data, or does it free data? */
bool core_is_data(const struct vtb_core_op *op);
/** Does the thread of event `at` hold this lock there? */
bool core_holds_lock(const struct vtb_exec *x, size_t at, uint32_t lock);
/** Does it hold it, and only shared? */
bool core_holds_shared(const struct vtb_exec *x, size_t at, uint32_t lock);
/** Since which event it has held a lock all along, or `at` if it holds none there. */
size_t core_locked_since(const struct vtb_exec *x, size_t at);
/** The lock that it takes by that event, or VTB_NONE. */
uint32_t core_takes_lock(const struct vtb_exec *x, size_t at);
/** A lock that it holds there, or VTB_NONE. */
uint32_t core_some_lock(const struct vtb_exec *x, size_t at);

/** Is it about to take a lock? */
static inline bool core_wants_lock(const struct vtb_event *pending)
{
	const enum vtb_family family = vtb_event_info(pending->kind)->family;

	return (family == VTB_FAMILY_MUTEX || family == VTB_FAMILY_RWLOCK) && vtb_event_is(pending, VTB_EV_ACQUIRE);
}

/** Does a thread wait for a lock that it has? */
bool core_waits_for_itself(const struct vtb_exec *x);
/** Does the thread hold it when the run is over? */
bool core_keeps_lock(const struct vtb_exec *x, uint32_t thread, uint32_t lock);
/** Does a thread wait for the end of another while it holds a lock that the other waits for? Both are in x->pending. */
bool core_joins_under_lock(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t *ret_join, size_t *ret_taker);
/** If a literal is a waiter's test of its predicate, under a mutex, before another thread's change of it without that:
 * the mutex, else VTB_NONE. */
uint32_t core_predicate_mutex(const struct vtb_core_view *v, size_t literal);
/** Does the thread of the literal's first operation do it after a wait, without testing again what it waited for? */
bool core_used_untested(const struct vtb_core_view *v, size_t literal);
/** Has this event's memory been written before? */
bool core_written_before(const struct vtb_exec *x, size_t at);

/** Has what the thread read last there before its exchange, this event, been changed by others since, and changed back?
 */
bool core_exchanged_same(const struct vtb_exec *x, size_t exchange);

static inline bool core_reads(const struct vtb_core_op *op)
{
	return core_is_data(op) && !(vtb_event_info(op->kind)->flags & VTB_EV_WRITES);
}

static inline bool core_writes(const struct vtb_core_op *op)
{
	return core_is_data(op) && vtb_event_info(op->kind)->flags & VTB_EV_WRITES;
}

/** Threads wait, and nobody is left to wake them. */
static inline bool core_hangs(const struct vtb_core_view *v)
{
	const enum vtb_verdict verdict = v->core->exec.outcome.verdict;

	return verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LOST_WAKEUP;
}

#endif /* VTB_CORE_CLASSES_H */
