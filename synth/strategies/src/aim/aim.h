/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file aim.h
 * The state of the strategy aim, shared by strategy_aim.c (which schedule next) and aim_stops.c and aim_patterns.c
 * (what a run shows).
 *
 *      order     main   A ........p | B ........................ | the others | A, from behind p to its end
 *      another   main   A ........p | B ......q | the others | A, from behind p | B, from behind q
 *
 * A pattern: A does p, B something that p conflicts with, A something later that conflicts with B, too. Where such
 * operations belong together they come out in one piece in most schedules, and in a failing one they do not.
 */
#ifndef VTB_AIM_H
#define VTB_AIM_H

#include "heap.h"
#include "symmetry.h"
#include "visits.h"
#include "vtb/array.h"
#include "vtb/bounded_map.h"
#include "vtb/chances.h"
#include "vtb/coverage.h"
#include "vtb/map64.h"
#include "vtb/strategy.h"

#define AIM_HALVES 2u         /* threads that are stopped between two operations */
#define AIM_CHANCES 2u        /* that are taken in one schedule */
#define AIM_STOPS 5u          /* these, and one that waits */
#define AIM_HANDLED 12u       /* operations behind the beginning of a handler: those are taken for its own */
#define AIM_LOOKED 16u        /* threads whose stops are looked for in one run */
#define AIM_HELD 4u           /* locks of a thread that are known */
#define AIM_PLACE 64u         /* bytes */
#define AIM_SHARED (1u << 31) /* of a lock that is held: others may hold it, too, if they do not want it alone */
#define AIM_PARTNERS 4u       /* threads for which one stop is tried: who comes to the conflict soonest */

struct aim_stop {
	uint32_t thread, index; /* operations that it has then done */
	uint32_t var, site;     /* what the stop is charged to; where it is */
	bool waits;             /* for a condition, and when it is woken it lets all others go first */
	uint8_t chance;         /* 0: the thread is stopped; else it is not, and what time or chance does there: a
	                           deadline of `target` passes, or a signal comes to it (enum vtb_deviation_kind) */
	uint32_t target, next;  /* whom that lets go on, before which of its operations; VTB_NONE: it goes on anyway.
	                           WAITER: the number in its queue of who is woken */
};

/** A thread waits with a deadline, or a signal may come to it. */
struct aim_span {
	uint32_t thread, from, to; /* before events [from, to] */
	uint32_t done;             /* operations of the thread at its beginning */
	uint32_t mutex;            /* that it needs to go on, VTB_NONE: none */
	uint32_t site;             /* where it waits */
	uint8_t chance;            /* enum vtb_deviation_kind */
};

/** A schedule: the first thread goes as far as its stop, the second as far as its own, or to its end. */
struct aim_shot {
	uint32_t first, second, third; /* VTB_NONE: nobody in particular */
	struct aim_stop stops[AIM_STOPS];
	uint8_t n_stops;
	bool soon;                 /* who was stopped goes on before the others */
	uint32_t cost;             /* the lower the sooner */
	uint32_t more;             /* that it costs, as others were run at the same places */
	uint32_t look;             /* at which it was found */
	uint32_t circle, n_circle; /* stops in `circles` besides; no such: nothing is learnt from the run */
};

/** The last operations of a thread on a variable in the run: events, VTB_NONE: none. */
struct aim_ops {
	uint32_t touched, written;
};

/** Locks that a thread holds; more are not noticed. */
struct aim_holder {
	uint32_t held[AIM_HELD]; /* VTB_NONE: a free place */
};

/** A lock was asked for while another one was held. */
struct aim_edge {
	uint32_t from, to, thread, index; /* operations of the thread before it asked */
	uint32_t site;
	struct aim_holder holder;
	uint32_t next; /* with the same `from`: row + 1 */
	bool tried;
};

/** Operations of threads other than the one that is looked at, on a variable. */
struct aim_last {
	uint32_t thread;
	struct aim_ops ops, late; /* until it joined somebody; after that */
	uint32_t lock;            /* that it had then taken last and still held, VTB_NONE: none */
	uint32_t next;            /* of this variable, VTB_NONE: the last */
};

struct aim {
	const struct vtb_space *space;
	struct vtb_symmetry symmetry;
	struct aim_shot *shots;
	size_t n_shots, cap_shots;
	struct vtb_heap queue;
	struct vtb_bounded_map alike;   /* places of stops -> how many looks' shots were run there, << 32, and the last
	                                   such look */
	struct vtb_bounded_map known;   /* stops that are in the queue or were */
	struct vtb_bounded_map equal;   /* stops that lead to a class that was seen */
	struct vtb_bounded_map classes; /* of its runs */
	struct vtb_bounded_map read; /* variable, routine of a reader, routine of who has written that: known pairs */
	uint32_t *begins;            /* thread -> site of its first operation, VTB_NONE */
	size_t n_begins, cap_begins;
	uint32_t *routines; /* thread -> the first one that runs its routine; VTB_NONE: not looked at */
	size_t n_routines, cap_routines;
	uint32_t looks; /* how often stops of a thread were looked for in a run */
	uint64_t proposed, dropped;
	bool started;

	/* scratch, one run at a time */
	struct aim_last *lasts;
	size_t n_lasts, cap_lasts;
	struct vtb_map64 by_var; /* variable -> first of its rows in `lasts` + 1 */
	struct aim_part {
		uint64_t addr;
		uint32_t var, next; /* place in `parts` + 1 */
	} * parts;                  /* variables that were touched in the run, by where they lie */
	size_t n_parts, cap_parts;
	struct aim_edge *edges;
	size_t n_edges, cap_edges;
	struct vtb_map64 counted; /* semaphores */
	struct vtb_map64 by_lock; /* held lock -> first of its edges + 1 */
	struct aim_stop *circles; /* of all shots */
	size_t n_circles, cap_circles;
	struct vtb_map64 by_place; /* address / AIM_PLACE -> first of its rows in `parts` + 1 */
	uint32_t *given;           /* variables of blocks that are given back */
	size_t n_given, cap_given;
	struct vtb_map64 given_at; /* event -> first of its rows in `given` << 32, their number */
	struct aim_life {
		uint32_t creator, created; /* event; VTB_NONE: not known */
		uint32_t joiner, joined;
		bool joins; /* it has joined somebody */
	} * lives;          /* by thread */
	size_t n_lives, cap_lives;
	struct visits all_visits, visits; /* of the run as a whole, and up to where it is looked at */
	uint32_t next_any;                /* as `next`, whoever it conflicts with */
	uint32_t next_own;                /* likewise another thread of its routine that does the same */
	uint32_t next_wait; /* where the thread waits next for a condition without giving back the mutex before,
	                       as a place in `ops`; VTB_NONE */
	uint32_t next_given, next_mutex; /* the lock that it gives back for that, and the condition's mutex */
	uint32_t *ops;                   /* events of the thread being looked at */
	size_t n_ops, cap_ops;
	uint8_t *rounds; /* likewise: of a wait in which it looks again and again */
	size_t n_rounds, cap_rounds;
	uint32_t *round_begins; /* likewise: where the round that ends there began; UINT32_MAX: none ends there */
	size_t n_round_begins, cap_round_begins;
	uint32_t *locks; /* the mutex that it then holds */
	size_t n_locks, cap_locks;
	uint32_t *held; /* thread -> mutex that it has taken last and still holds, VTB_NONE */
	size_t n_held, cap_held;
	uint32_t *next; /* thread -> the next operation, as a place in `ops`, that conflicts with it; VTB_NONE */
	size_t n_next, cap_next;
	uint32_t *done; /* thread -> operations so far */
	size_t n_done, cap_done;
	struct vtb_map64 touched; /* variable -> 1: read, 2: written */
	struct vtb_map64 met;     /* classes of threads, or variables: who was met there */
	struct aim_span *spans;   /* in order of their beginnings */
	size_t n_spans, cap_spans;
	uint32_t *latest; /* thread -> its last event */
	size_t n_latest, cap_latest;
	uint32_t *depends; /* thread -> so many operations of the one that is looked at come before its next one */
	size_t n_depends, cap_depends;
	struct vtb_map64 written; /* variable -> likewise, of what stands in it */
	struct vtb_map64 stood;   /* variable and value -> likewise, when it first stood there */
	struct vtb_map64 reached; /* variable and thread -> likewise, of its first touch and, << 32, its first write */
	struct aim_step {
		uint32_t thread, done, var, site;
		bool writes;
	} * steps; /* of threads to which a signal may come, while it may, in the run without stops */
	size_t n_steps, cap_steps;
	struct vtb_map64 fresh;  /* block on the heap -> the event that touches it first */
	struct vtb_map64 looked; /* site and variable -> the last place in `ops` (aim_rounds.c: + 1) */
	struct vtb_chances chances;
	struct vtb_map64 handled; /* variable -> 1: read, 2: written by handlers of signals */
};

/* ---- aim_lasts.c */
/** The lock that the event's thread has taken last and still holds, with AIM_SHARED: one is enough to know of. */
void aim_hold(uint32_t *held, const struct vtb_event *e);
bool aim_writes(const struct vtb_event *e);
/** The lowest thread that has looked like it. */
uint32_t aim_class_of(const struct aim *s, uint32_t thread);
/** A condition's waiter has to do with the mutex, too. VTB_NONE: nothing else. */
uint32_t aim_other_var(const struct vtb_event *e);
/** The last operation of that row that may come while `thread` lives, of those that write if need be; VTB_NONE: none.
 */
uint32_t aim_last_of(const struct aim *s, const struct aim_last *last, uint32_t thread, bool writes);
static const struct aim_life aim_unknown_life = { VTB_NONE, VTB_NONE, VTB_NONE, VTB_NONE, false };
/** If it is the creator that is at event i: has it created the thread by then? */
bool aim_lives_at(const struct aim *s, uint32_t thread, uint32_t creator, uint32_t i);
/** The block on the heap in which the variable lies; VTB_NONE: none. */
uint32_t aim_block_of(const struct aim *s, uint32_t var);
/** Does the event give back the memory at that address? */
bool aim_gives_back(const struct vtb_event *e, uint64_t addr);
/** The variables that lie in the block which event i gives back; NULL: none, or it is no such event. */
const uint32_t *aim_given(const struct aim *s, uint32_t i, uint32_t *ret_n);
/** Fill s->lasts. `second` (VTB_NONE) is scratch by thread; s->held is empty, s->lives as large. 0 or -ENOMEM. */
int aim_read_lasts(struct aim *s, const struct vtb_exec *x, uint32_t *second);

/* ---- aim_depends.c */
/** The thread of a handle; VTB_NONE. */
uint32_t aim_thread_of(const struct aim *s, uint32_t var);
/** For each thread, what it has read of what the thread did, or what has let it go on: fill s->reached. 0 or -ENOMEM.
 * O(events). */
int aim_read_depends(struct aim *s, const struct vtb_exec *x, uint32_t thread);
/** Would `other` come to the variable if the thread was stopped after so many operations, as far as is known? That of a
 * `fresh` block it has to be told of: where it only gives it back, it is not known to come. Mutexes
 * are not looked at, and what it would do if it read something else is not known. */
bool aim_comes_anyway(const struct aim *s, uint32_t other, uint32_t var, bool writes, uint32_t done, bool fresh);

/* ---- aim_routines.c */
/** Fill s->begins of threads that are not known yet. 0 or -ENOMEM. */
int aim_read_begins(struct aim *s, const struct vtb_exec *x);
/** Do they run the same routine? */
bool aim_is_like(const struct aim *s, uint32_t a, uint32_t b);
/** The first thread that runs its routine. */
uint32_t aim_routine_of(struct aim *s, uint32_t thread);

/* ---- aim_stops.c */
/** One thread, as far as its stops are looked for. */
struct aim_look {
	struct aim *s;
	const struct aim_shot *shot;
	const struct vtb_exec *x;
	uint32_t thread;
	uint32_t partner;  /* whom it is to be stopped for; VTB_NONE: for anybody */
	uint32_t twin;     /* another thread of its routine, VTB_NONE */
	uint32_t alone;    /* place in `ops` of its first write to what no other one of its routine has written */
	uint32_t from, to; /* events: those behind `to` are not stopped at */
	uint32_t helped;   /* event behind which it has come only as others than who was stopped have gone on */
	uint32_t base;     /* operations of the thread before the first that is looked at */
	bool whenever;     /* what others did before it they may do after it, too */
	bool known;        /* the run is of a class that was looked at, by another order of the threads */
	bool only_chances; /* no stops, but what time does in their places */
};

/** Queue the shot with another stop of that thread, for all that suggest themselves. 0 or -ENOMEM. O(events). */
int aim_stops_of(struct aim_look *l);

/** Queue the shot with a stop of the thread at that place in `ops`, at that variable, for the partner. 0 or -ENOMEM. */
int aim_shoot(struct aim_look *l, uint32_t place, uint32_t var, uint32_t partner, uint32_t cost);

/* ---- aim_costs.c */
bool aim_is_lock(const struct vtb_event *e);
/** Does who holds the one lock keep out who wants the other? Either may be shared. */
bool aim_keeps_out(uint32_t held, uint32_t wanted);
/** A stop behind that operation, as it concerns the variable; the next one that conflicts comes at that distance. */
uint32_t aim_cost_of(const struct aim_look *l, const struct vtb_event *e, uint32_t var, uint32_t distance);
/** Likewise, at a place in `ops`. */
uint32_t aim_cost_between(const struct aim_look *l, uint32_t place, uint32_t var, uint32_t next);
/** How doubtful is it that the other one does something in between? */
uint32_t aim_cost_of_doubt(const struct aim_look *l, uint32_t place, uint32_t var, const struct aim_last *last);
/** Who is not the first of a routine's threads that comes into question shows little that the first does not. */
uint32_t aim_cost_of_partner(const struct aim_look *l, const uint32_t *before, uint32_t n, uint32_t partner);
/** It is read under the mutex of the condition that is waited for next, and the other one, who wakes, writes it without
 * that mutex: in between the waiter is not there yet, and then nobody wakes it. */
bool aim_sleeps_through(const struct aim_look *l, uint32_t place, const struct aim_last *last);

/* ---- aim_equal.c */
/** What a stop means is decided by what the others do meanwhile: where none of it conflicts with the thread's next
 *  operations, or with its last ones, a stop behind these, or before those, leads to the same class. Note such. 0 or
 *  -ENOMEM. O(events). */
int aim_note_equal(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x);
bool aim_is_equal(const struct aim *s, const struct aim_shot *shot);

/* ---- aim_rounds.c */
#define AIM_ROUND_AGAIN 1u /* it does there what it does again before it does anything else */
#define AIM_ROUND_KNOWN 2u /* and has done so before, and nobody else has gone on since */
/** Fill s->rounds, by places in `ops`. 0 or -ENOMEM. O(operations). */
int aim_read_rounds(struct aim_look *l);

/* ---- aim_shares.c */
/** Queue the shot with stops behind what the thread has taken under a lock, for another one of its routine. 0 or
 * -ENOMEM. O(operations). */
int aim_share_work(struct aim_look *l);

/* ---- aim_wakes.c */
bool aim_is_stopped(const struct aim_shot *shot, uint32_t thread);
/** Does the order of such operations matter? */
bool aim_could_meet(const struct aim *s, const struct vtb_event *e);
/** Queue the shot with another who wakes last, for each who waited. 0 or -ENOMEM. O(events x those who waited). */
int aim_wake_last(struct aim_look *l);
/** Queue the shot with another stop of those who came in before who waited had gone on. 0 or -ENOMEM. O(events). */
int aim_stop_between(struct aim_look *l, const struct aim_stop *wait);

/* ---- aim_chances.c */
/** Fill s->spans and s->handled. 0 or -ENOMEM. O(events). */
int aim_read_spans(struct aim *s, const struct vtb_exec *x);
/** Its span before event `row`; NULL: it has none there. */
const struct aim_span *aim_span_at(const struct aim *s, uint32_t thread, uint32_t row, uint8_t chance);
/** Queue the shot with each chance as soon as it can be taken, and with signals between two operations of who handles
 * them. 0 or -ENOMEM. O(events + spans). */
int aim_take_chances(struct aim_look *l);
/** Whose deadline has passed waits at the same place again: queue the shot with all of its deadlines. 0 or -ENOMEM. */
int aim_wait_out(struct aim_look *l);
/** A signal has come in the run: queue the schedules in which it comes between two operations that conflict with what
 * its handler did. 0 or -ENOMEM. O(steps). */
int aim_signal_between(struct aim_look *l);
uint32_t aim_chances(const struct aim_shot *shot);

/* ---- aim_waiters.c */
/** Somebody signals while several wait: queue the shot with another one of them woken. 0 or -ENOMEM. O(events +
 * signals x threads). */
int aim_wake_others(struct aim_look *l);

/* ---- aim_reads.c */
/** Note who has read what from whom. 0 or -ENOMEM. O(events). */
int aim_note_reads(struct aim *s, const struct vtb_exec *x);
/** Queue orders in which somebody reads what another one has left and nobody of its routine has read yet. 0 or -ENOMEM.
 * O(events + variables x threads^2). */
int aim_read_unread(struct aim_look *l);

/* ---- aim_ends.c */
/** Operations of the thread before that event. O(events). */
uint32_t aim_done_at(const struct vtb_exec *x, uint32_t thread, uint32_t row);
/** Queue the shot with that stop. 0 or -ENOMEM. */
int aim_add_stop(struct aim_look *l, struct aim_stop stop, uint32_t cost);
/** Others had still something to do when the run ended: queue the shot with stops of who ended it. 0 or -ENOMEM.
 * O(events). */
int aim_stop_before_end(struct aim_look *l);

/* ---- aim_circles.c */
/** Queue a schedule for each circle of locks that the run suggests. 0 or -ENOMEM. O(events + edges^2). */
int aim_circles(struct aim_look *l);

/* ---- aim_patterns.c */
/** Queue what the run of the shot suggests. 0 or -ENOMEM. O(events x classes of threads). */
int aim_learn(struct aim *s, const struct aim_shot *shot, const struct vtb_exec *x, bool new_class);
void aim_patterns_fini(struct aim *s);
/** The event behind that at which the stop is; VTB_NONE: the run does not come to it. */
uint32_t aim_behind(const struct vtb_exec *x, const struct aim_stop *stop);

/* ---- aim_ranks.c */
/** Who goes before whom in the shot's schedule. 0 or -ENOMEM. */
int aim_rank(const struct aim *s, const struct aim_shot *shot, struct vtb_schedule *to);

/* ---- strategy_aim.c */
uint64_t aim_key_of(const struct aim_shot *shot);
/** Queue a shot with that cost, unless it is known. 0 or -ENOMEM. */
int aim_queue(struct aim *s, struct aim_shot shot, uint32_t cost);

/** Stops between two operations, without that of who waits. */
static inline uint32_t aim_halves(const struct aim_shot *shot)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < shot->n_stops; i++)
		n += !shot->stops[i].waits && !shot->stops[i].chance;
	return n;
}

#endif /* VTB_AIM_H */
