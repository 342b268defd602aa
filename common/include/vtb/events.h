/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file events.h
 * Kinds of events and their meaning, from the table vtb/events.def; verdicts, from vtb/verdicts.def.
 * Shared by the runtime (in the traced process) and the tools; includes no other header of ours.
 */
#ifndef VTB_EVENTS_H
#define VTB_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	VTB_EV_READS = 1 << 0,
	VTB_EV_WRITES = 1 << 1,
	VTB_EV_ACQUIRE = 1 << 2,
	VTB_EV_RELEASE = 1 << 3,
	VTB_EV_VISIBLE = 1 << 4,
	VTB_EV_BLOCKS = 1 << 5,
};

enum vtb_family {
	VTB_FAMILY_NONE, /* no such kind */
	VTB_FAMILY_MEMORY,
	VTB_FAMILY_ATOMIC,
	VTB_FAMILY_THREAD,
	VTB_FAMILY_MUTEX,
	VTB_FAMILY_RWLOCK,
	VTB_FAMILY_COND,
	VTB_FAMILY_SEM,
	VTB_FAMILY_BARRIER,
	VTB_FAMILY_ONCE,
	VTB_FAMILY_FUTEX,
	VTB_FAMILY_CLOCK,
	VTB_FAMILY_IO,
	VTB_FAMILY_SIGNAL,
	VTB_FAMILY_HEAP,
	VTB_FAMILY_STACK,
	VTB_FAMILY_RUN,
};

enum vtb_event_kind {
#define VTB_EVENT(symbol, number, name, family, flags, text) VTB_E_##symbol = number,
#include "vtb/events.def"
#undef VTB_EVENT
	VTB_EVENT_KINDS = 128, /* kinds are below this */
};

enum vtb_verdict {
#define VTB_VERDICT(symbol, number, name, code, text) VTB_V_##symbol = number,
#include "vtb/verdicts.def"
#undef VTB_VERDICT
	VTB_VERDICTS,
};

/** The kind that an operation is of before it is known how it comes out: what it is looked for by in other runs. */
static inline unsigned vtb_event_pending_kind(unsigned kind)
{
	return kind == VTB_E_ATOMIC_CAS_FAIL ? VTB_E_ATOMIC_RMW : kind == VTB_E_ONCE_FOUND ? VTB_E_ONCE_BEGIN : kind;
}

/** What an operation of main means for the *stem* of a run, which is all before main makes its first thread
 * (vtb/exec_stem.h). */
enum vtb_stem_part {
	VTB_STEM_ENDS,     /* time, signals, chance or other threads can have to do with it: what follows is no stem */
	VTB_STEM_TOLD,     /* told like operations behind the stem */
	VTB_STEM_LEFT_OUT, /* nothing depends on its order: runs can be told without it */
};
static inline enum vtb_stem_part vtb_event_in_stem(unsigned kind)
{
	switch (kind) {
	case VTB_E_READ:
	case VTB_E_WRITE:
	case VTB_E_FREE:
		return VTB_STEM_LEFT_OUT;
	case VTB_E_THREAD_BEGIN: /* main's own */
	case VTB_E_ATOMIC_LOAD:
	case VTB_E_ATOMIC_STORE:
	case VTB_E_ATOMIC_RMW: /* a weak one may fail: ends it */
	case VTB_E_LOCK:
	case VTB_E_TRYLOCK:
	case VTB_E_UNLOCK:
	case VTB_E_MUTEX_INIT:
	case VTB_E_MUTEX_DESTROY:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_RWUNLOCK:
	case VTB_E_RWLOCK_INIT:
	case VTB_E_RWLOCK_DESTROY:
	case VTB_E_COND_INIT:
	case VTB_E_COND_DESTROY:
	case VTB_E_SEM_INIT:
	case VTB_E_SEM_DESTROY:
	case VTB_E_BARRIER_INIT:
	case VTB_E_BARRIER_DESTROY:
	case VTB_E_ONCE_BEGIN:
	case VTB_E_ONCE_END:
	case VTB_E_ONCE_FOUND:
	case VTB_E_IO_WRITE:
	case VTB_E_IO_CLOSE:
		return VTB_STEM_TOLD;
	default:
		return VTB_STEM_ENDS;
	}
}

/** Does it change what is behind a descriptor, or end that? */
static inline int vtb_event_changes_io(unsigned kind)
{
	return kind == VTB_E_IO_WRITE || kind == VTB_E_IO_CLOSE;
}

/** Was the run stopped by vtb, so that nothing is known of the rest of it? */
static inline int vtb_verdict_is_cut(enum vtb_verdict verdict)
{
	return verdict == VTB_V_TIMEOUT || verdict == VTB_V_LIMIT;
}

/** Memory orders as in <stdatomic.h> (0 relaxed .. 5 seq_cst). */
enum {
	VTB_ORDER_RELAXED = 0,
	VTB_ORDER_CONSUME,
	VTB_ORDER_ACQUIRE,
	VTB_ORDER_RELEASE,
	VTB_ORDER_ACQ_REL,
	VTB_ORDER_SEQ_CST
};

/** BLOCK, UNBLOCK: of the thread whose slot is the value, and of others: behind `arg` their slots + 1, up to four a
 * word, 16 bits each from the lowest on, 0 none (VTB_REC_STACK). */
/** In the arg of a BLOCK record, beside the kind: the wait has a deadline. */
#define VTB_BLOCK_ARMED 0x100u
/** UNBLOCK: why, in `arg`; 0: somebody did something. */
#define VTB_UNBLOCK_TIME 1u
#define VTB_UNBLOCK_AGAIN 2u

/** What a deviation is: a departure from the default policy at one schedule point (docs/algorithms.md, "Deviations").
 *  Each costs 1 in c, except that a switch at a point where the running thread cannot go on, or to a thread that its
 *  operation has just enabled, is free. */
enum vtb_deviation_kind {
	VTB_DEV_SWITCH = 1,   /* run thread `target` instead of the default choice */
	VTB_DEV_DEMOTE = 2,   /* policy priority: the thread goes on as the next fragment of the priority list */
	VTB_DEV_WAITER = 3,   /* wake waiter number `target` instead of the first */
	VTB_DEV_SPURIOUS = 4, /* the waiting thread `target` wakes without a signal */
	VTB_DEV_TIMEOUT = 5,  /* the deadline of thread `target` passes although others can run */
	VTB_DEV_CAS_FAIL = 6, /* the weak compare-exchange fails */
	VTB_DEV_SIGNAL =
	    7, /* a signal comes to thread `target` earlier: one that is sent to the process, or a timer's */
};

/** Does it let thread `target` go on, at the point before that thread's next operation? */
static inline int vtb_deviation_wakes(unsigned kind)
{
	return kind == VTB_DEV_SPURIOUS || kind == VTB_DEV_TIMEOUT || kind == VTB_DEV_SIGNAL;
}

/** Does its target name a thread? */
static inline int vtb_deviation_names_thread(unsigned kind)
{
	return kind == VTB_DEV_SWITCH || vtb_deviation_wakes(kind);
}

#endif /* VTB_EVENTS_H */
