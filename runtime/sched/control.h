/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file control.h
 * Operations under control: they arrive, wait to be chosen, take effect, are done.
 *
 *     hook ── vtb_ctl_arrive ── [schedule point: somebody is chosen; we sleep until it is us] ── take effect ──
 * vtb_ctl_done
 *
 * The point before an operation is the point after the thread's previous one (docs/algorithms.md, "Operations and
 * points"): what the thread does in between is invisible to others. Only the thread whose turn it is runs; everything
 * below is called by it.
 */
#ifndef VTB_RT_CONTROL_H
#define VTB_RT_CONTROL_H

#include "base.h"
#include "points/one_address.h"

/** How a primitive behaves at one operation; one row of a table each (prim_*.c). */
struct vtb_primitive {
	const char *name;
	/** Can the thread do it now? NULL: always. Must depend only on model state; called again after every operation
	 * on a synchronisation object. */
	bool (*ready)(const struct vtb_rt_thread *t, const struct vtb_call *call);
	/** Take effect: change the model's state, set call->result and call->value. NULL: nothing to do. */
	void (*perform)(struct vtb_rt_thread *t, struct vtb_call *call);
	/** With `ready`: the one address whose operations can change the answer, besides what is the thread's own (its
	 * deadline, a signal to it). NULL, or no function: the answer is asked again after every operation on any
	 * object. */
	const void *(*waits_at)(const struct vtb_rt_thread *t, const struct vtb_call *call);
	/** What is performed changes no other object's state than that of call->obj and of the one at address
	 * call->arg. Where this is not said, all threads are looked at again. */
	bool local;
	/** Slot of the thread that t waits for here, because it has what t wants; VTB_NO_PATH: none, or nobody knows.
	 * NULL: it waits for no thread in particular. Circles of these are deadlocks. */
	uint32_t (*holder)(const struct vtb_rt_thread *t, const struct vtb_call *call);
};
/** For `waits_at`: the operation's object. ALIKE: and of all who wait there by this primitive, without a deadline,
 * `ready` says the same. */
const void *vtb_ctl_at_object(const struct vtb_rt_thread *t, const struct vtb_call *call);
const void *vtb_ctl_alike_at_object(const struct vtb_rt_thread *t, const struct vtb_call *call);

/** Arrive at `call` and return when it is this thread's turn and the operation can be done. */
void vtb_ctl_arrive(struct vtb_rt_thread *t, struct vtb_call *call);
/** It has taken effect: record it, see whom it has enabled. */
void vtb_ctl_done(struct vtb_rt_thread *t, struct vtb_call *call);
/** Arrive, perform, done. Returns call->result. */
long vtb_ctl_op(struct vtb_rt_thread *t, struct vtb_call *call);
/** From here on t takes no signals, or its wait ends by them: one that is there comes before. An operation if others
 * are there. */
void vtb_ctl_open_to_signals(struct vtb_rt_thread *t);

/** Does the schedule want the weak compare-exchange that `t` is about to do to fail? */
bool vtb_ctl_cas_fails(struct vtb_rt_thread *t);

/** A plain access of 2^size_log2 bytes; returns when it may be made. On a stack: call vtb_rt_stack_access() before. */
void vtb_ctl_access(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc);
/** Likewise, at once, where nothing but the policy decides (points/access.c). False: it is not so, nothing has been
 * done, and no register that a call keeps has been touched. O(1). */
bool vtb_ctl_access_calmly(struct vtb_rt_thread *t, unsigned kind, const void *addr, unsigned size_log2, uint64_t pc);
/** A plain access of any size. */
void vtb_ctl_range(struct vtb_rt_thread *t, unsigned kind, const void *addr, uint64_t size, uint64_t pc);

/** An access has been made: end the run if its memory was freed before. */
void vtb_ctl_check_alive(const struct vtb_call *call);
/** Likewise of any operation: of a mutex, a condition, ..., an initialiser the object counts. */
void vtb_ctl_check_object(const struct vtb_call *call);

/** The run has failed: record it and end the process. `message` is cut to the outcome's room. */
_Noreturn void vtb_ctl_fail(enum vtb_verdict verdict, uint64_t pc, const char *message);

#endif /* VTB_RT_CONTROL_H */
