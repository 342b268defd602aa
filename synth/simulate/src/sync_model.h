/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file sync_model.h
 * What synchronisation operations do: one row per family of primitives (sync_model.c). Used by every simulated program.
 *
 * Shape:     objects and threads are dense numbers given by the user of the model. An operation is known before it
 * takes place; it can take place when vtb_sync_enabled() says so, and vtb_sync_apply() does it. Ownership: the state
 * owns its arrays; vtb_sync_fini() frees them. Errors:    -ENOMEM from init; the operations cannot fail.
 */
#ifndef VTB_SYNC_MODEL_H
#define VTB_SYNC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/events.h"
#include "vtb/hash.h"

#define VTB_SYNC_NONE UINT32_MAX

enum vtb_sync_life { VTB_SYNC_UNBORN, VTB_SYNC_ALIVE, VTB_SYNC_ENDED };

/** What is fixed before a run starts. */
struct vtb_sync_start {
	uint32_t count; /* semaphore: its value; barrier: how many threads it waits for */
};

struct vtb_sync_object {
	uint32_t owner;   /* thread that holds it exclusively, or VTB_SYNC_NONE */
	uint32_t depth;   /* how many times over */
	uint32_t readers; /* read-write lock: shared holders */
	uint32_t count;   /* semaphore: value; barrier: needed */
	uint32_t arrived; /* barrier: in this round */
	uint32_t round;   /* barrier: rounds completed */
	uint32_t lost;    /* condition: signals that nobody waited for */
	bool done;        /* once: the initialiser has run */
};

struct vtb_sync_thread {
	uint8_t life;      /* enum vtb_sync_life */
	bool woken;        /* may leave the queue it is in */
	bool late;         /* likewise: its deadline is over; as long as it has not left it can still be woken */
	uint32_t queue;    /* condition or futex it waits in, or VTB_SYNC_NONE */
	uint32_t ticket;   /* order of arrival in queues */
	uint32_t round;    /* barrier: round it arrived in */
	uint32_t birth;    /* order of creation */
	uint64_t deadline; /* sleeping until; 0: not asleep */
};

/** One operation, before it takes place. */
struct vtb_sync_op {
	uint8_t kind;    /* enum vtb_event_kind */
	bool timed;      /* COND_WAKE: with a deadline, `arg`; it is not known beforehand whether it passes */
	bool gives_up;   /* a try or timed form that did not get it in the recording, or a wait that timed out */
	uint32_t object; /* or VTB_SYNC_NONE */
	uint32_t mutex;  /* COND_WAIT, COND_WAKE: object number of the mutex */
	uint32_t target; /* THREAD_*: thread number concerned, or VTB_SYNC_NONE */
	uint64_t arg;    /* SLEEP: nanoseconds; timed: who has less comes first if nobody can go on; ONCE_BEGIN: 1 if it
	                    runs the initialiser */
};

struct vtb_sync {
	struct vtb_sync_object *objects;
	struct vtb_sync_thread *threads;
	const struct vtb_sync_start *start; /* borrowed, one per object */
	uint32_t n_objects, n_threads;
	uint32_t tickets, births;
	uint32_t place; /* the next COND_SIGNAL wakes the waiter behind so many others; 0 again after it */
	uint64_t now;   /* virtual nanoseconds */
};

int vtb_sync_init(struct vtb_sync *s, uint32_t n_objects, uint32_t n_threads, const struct vtb_sync_start *start);
void vtb_sync_fini(struct vtb_sync *s);
/** Back to the beginning: nobody is born, nothing is held. */
void vtb_sync_reset(struct vtb_sync *s);
/** Make *to, of the same size and start, equal to *from. O(objects + threads). */
void vtb_sync_copy(const struct vtb_sync *from, struct vtb_sync *to);
/** A fingerprint of all that decides what operations do from here on. O(objects + threads^2). */
void vtb_sync_state(const struct vtb_sync *s, struct vtb_hash128 *ret);
/** Mix a number into a fingerprint of a state. */
void vtb_sync_mix(struct vtb_hash128 *h, uint64_t value);
void vtb_sync_born(struct vtb_sync *s, uint32_t thread);

/** Can `thread`, which is alive, do this now? */
bool vtb_sync_enabled(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
/** Waiters that a signal could wake. */
uint32_t vtb_sync_waiters(const struct vtb_sync *s, uint32_t object);
/** Do it. Returns the event's value: 0 or an error number, waiters woken, ... as events.def says for the kind. */
uint64_t vtb_sync_apply(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
/** Does this operation, which is not enabled, wait for nothing but time? */
bool vtb_sync_waits_for_time(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
/** Let time pass for it: it is enabled as soon as nothing else is in its way. */
void vtb_sync_time_out(struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);
/** Thread that must act before `thread` can do `op`: the owner of the lock, the thread joined; VTB_SYNC_NONE if none in
 * particular. */
uint32_t vtb_sync_waits_for(const struct vtb_sync *s, uint32_t thread, const struct vtb_sync_op *op);

#endif /* VTB_SYNC_MODEL_H */
