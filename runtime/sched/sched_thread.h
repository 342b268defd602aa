/* SPDX-License-Identifier: BSD-2-Clause */
/** @file sched_thread.h Of a thread: the operation that it is at, and what decides when it goes on. Plain data. */
#ifndef VTB_RT_SCHED_THREAD_H
#define VTB_RT_SCHED_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct vtb_call;
struct vtb_primitive;
struct vtb_round;
struct vtb_stood;
struct vtb_rt_thread;

/** An operation that a thread may come round to (runtime/sched/spins/progress.c). */
struct vtb_anchor {
	uint64_t pc;           /* where it was; 0: the next operation will do */
	const void *obj;       /* what it touched there */
	uint64_t word;         /* and what stood in it */
	uint32_t steps, limit; /* operations since; how many make another one the anchor */
	uint32_t misses;       /* times it was there in another state */
	uint8_t kind;          /* of the operation: an update is a read and a write at one place */
	bool tracks;           /* what is touched is noted */
	bool clean;            /* since it was met what the thread leaves on its stack is cleared: it may be tracked */
	bool lost;             /* not all of it */
	bool slowly;           /* its state has come again: what is touched must be seen */
	bool anything;         /* it has looked at what is not in memory: any change by others may matter */
	bool changed;          /* the thread has changed something */
	bool kept;             /* reading: it has been held back here, and the next round ends here, too */
	bool pauses;           /* reading: only where the thread gives way is it moved to */
	uint64_t others;       /* operations of others, as it was there */
	uint64_t changes;      /* changes by others when it was held back */
	struct vtb_stood *stood; /* its registers and its stack there */
	struct vtb_round *round;
};

struct vtb_sched_thread {
	struct vtb_call *call; /* the operation it is at; NULL while it runs between operations */
	bool enabled;          /* `call` can be done now */
	bool waits;            /* in a list of those that stand at an operation: ready.c */
	uint32_t ops;          /* visible operations done */
	uint64_t *told;        /* of its last operation: the record, behind its first two words; NULL: none */
	uint32_t path;         /* index in the schedule's paths, VTB_NO_PATH if not named there */
	uint64_t rank;         /* place in the order of ranks: lower runs first */
	const void *waits_at;
	const struct vtb_primitive *alike; /* all who wait there like this can go on, or none: ready.c */
	struct vtb_rt_thread *waits_before, *waits_after;
	const void *queue; /* of a condition variable or futex, where it waits (models/queue.c) */
	bool signalled, spurious;
	bool interrupted; /* before its operation it has a signal to handle */
	bool service;     /* a timer's thread: not the program's */
	bool cancelled, cancel_enabled, cancel_async;
	bool spinning;     /* this and the rest: fair.c, progress.c */
	bool gives_way;    /* not for what it did itself: others are to have their turn (meet.c) */
	bool stuck;        /* in a loop without a way out and without an operation: nothing that others do ends it */
	bool for_words;    /* it is assumed to spin, on the words that it has read again (variety.h) */
	int kernel_id;     /* carrier threads: as the kernel knows it */
	uint64_t deadline; /* virtual nanoseconds; 0: none */
	uint64_t used;     /* virtual nanoseconds of its own, not waits */
	uint64_t until;    /* of a wait for descriptors: its own time-out; the deadline may be a timer's among them */
	uint32_t yields;
	uint32_t pauses;      /* yields and sleeps since all threads were spinning */
	uint32_t looked;      /* operations done when it was last looked whether its loop has a way out */
	uint32_t next_object; /* of those that it has looked at: which place is the next one's */
	uint64_t spin_epoch, spin_times, spin_others, own_epoch;
	uint64_t clock_reads, clock_others; /* since somebody else moved; what that was */
	uint64_t clock_told;                /* point before which a reading was told, plus 1 */
	struct vtb_anchor reading;          /* of a round that changes nothing */
	struct vtb_anchor writing;          /* of one that puts things back as they were */
	uint32_t breaks;                    /* times that it read something new: it computes */
	uint32_t rests;                     /* times in a row that it was left alone for that; 0: it is not */
	uint32_t rest_began;                /* operations done then */
	uint32_t own_changes;               /* of its own stack, while it reads what it knows */
	uint64_t round_lo, round_hi;        /* what of its stack was written on rounds that it did not go again, */
	uint64_t round_pc;                  /* and where it was held back for that */
	struct vtb_anchor *exact;           /* spinning: the round that it repeats; NULL: that is only assumed */
};

#endif /* VTB_RT_SCHED_THREAD_H */
