/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file chances.h
 * Where a run could have departed other than by a thread switch: deadlines that pass although others can run, wake-ups
 * without a signal, signals that wake another waiter, weak compare-exchanges that fail, asynchronous signals that come
 * earlier.
 *
 * Shape:     a walk along the run. Before event i vtb_chances_before() lists what could happen at that point,
 * vtb_chances_of() how event i itself could come out differently, then vtb_chances_feed() takes the event. Ownership:
 * scratch memory, kept from run to run. Exactness: a wake-up is listed only where it takes effect at once: while the
 * mutex is free and nobody has woken the thread. At other points it would be the same as at the next such point.
 */
#ifndef VTB_CHANCES_H
#define VTB_CHANCES_H

#include "vtb/exec.h"

#define VTB_CHANCE_CLOCK (UINT32_MAX - 1) /* what all deadlines are charged to; no variable has this id */

struct vtb_chance {
	uint8_t kind;        /* enum vtb_deviation_kind */
	uint32_t target;     /* as in struct vtb_deviation */
	uint32_t var;        /* charged to */
	struct vtb_event at; /* the operation that waits, or that comes out differently */
};

struct vtb_chance_waiter {
	struct vtb_event event; /* COND_WAIT if it is in a queue; kind 0: not */
	uint8_t kind;           /* waits at an operation of this kind that time or chance may end; 0 no */
	bool armed;
	bool signalled;
	bool due;         /* an asynchronous signal may come to it at any time */
	uint32_t ticket;  /* order of arrival in queues */
	uint32_t late_at; /* row + 1 before which time has ended its wait, since nobody could go on; 0 none */
};

struct vtb_chances {
	const struct vtb_exec *x;
	bool any;         /* else every list is empty */
	bool changed;     /* since vtb_chances_before() has looked at the waiters; its list may be another one */
	size_t next_wait; /* in x->waits */
	uint32_t tickets;
	struct vtb_chance_waiter *waiters; /* by thread */
	size_t n_waiters, cap_waiters;
	uint32_t *held; /* by variable: how often the mutex is held */
	size_t n_held, cap_held;
	struct vtb_chance *list; /* the result of the last call */
	size_t n_list, cap_list;
	size_t n_before; /* of it are still those of vtb_chances_before(), if nothing has changed */
};

/** Did the run end because everybody waits? Then chance may still have woken somebody at its end. */
bool vtb_chances_at_end(const struct vtb_exec *x);
/** Has the run anything that time or chance could change? Cheaper than the walk along it; false is certain. O(events).
 */
bool vtb_chances_any(const struct vtb_exec *x);
/** Begin with a run. */
void vtb_chances_begin(struct vtb_chances *c, const struct vtb_exec *x);
/** Fill the list with TIMEOUT, SPURIOUS and SIGNAL at the point before event i. 0 or -ENOMEM. O(threads), or O(1) where
 * it is as at the point before. */
int vtb_chances_before(struct vtb_chances *c, size_t i);
/** Fill the list with WAITER and CAS_FAIL of event i. 0 or -ENOMEM. O(threads). */
int vtb_chances_of(struct vtb_chances *c, size_t i);
/** Event i has taken place. 0 or -ENOMEM. O(1), signals O(threads). */
int vtb_chances_feed(struct vtb_chances *c, size_t i);
void vtb_chances_fini(struct vtb_chances *c);

/** Which kinds (bit 1 << kind) were possible anywhere in the run. A deadline that nobody waited for in this run counts:
 * a timed lock that is free here is held in another order. -ENOMEM is reported as all kinds. O(events). */
uint32_t vtb_chances_possible(struct vtb_chances *c, const struct vtb_exec *x);

/** "passing deadlines, spurious wake-ups" for a set of kinds; "" for none. Returns buf. */
const char *vtb_chances_words(uint32_t kinds, char *buf, size_t size);

/** 0 .. VTB_CHANCE_CLASSES-1: in this order kinds are tried. */
#define VTB_CHANCE_CLASSES 5u
uint32_t vtb_chance_class(unsigned kind);

#endif /* VTB_CHANCES_H */
