/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file strategy_cvt.h
 * The state of the strategy cvt, shared by strategy_cvt.c (levels and queue), cvt_items.c (work items) and
 * cvt_branch.c (new work items from a run). See strategy_cvt.c for what it does.
 */
#ifndef VTB_STRATEGY_CVT_H
#define VTB_STRATEGY_CVT_H

#include "heap.h"
#include "matters.h"
#include "influence.h"
#include "symmetry.h"
#include "visits.h"
#include "vtb/bounded_map.h"
#include "vtb/bounded_text.h"
#include "vtb/chances.h"
#include "vtb/coverage.h"
#include "vtb/map64.h"
#include "vtb/strategy.h"

#define CVT_NONE UINT32_MAX
#define CVT_LEVELS 16u /* c and l stay below: they have four bits each in the queue's key */

/** A work item: an order of the threads, or its parent's demotions and one more. */
struct cvt_item {
	uint32_t parent;   /* or CVT_NONE: a priority order */
	uint32_t children; /* that have not been freed; in the list of free items: the next */
	uint64_t key;      /* for pruning */
	struct vtb_past
	    *past; /* operations of its run, if children of it may be run without seeing all accesses; owned, or NULL */
	uint32_t order; /* number of its priority order */
	uint32_t point; /* the demotion takes place before event `point` */
	uint32_t index; /* operations that thread `after` has done at that point */
	uint32_t var;   /* what it is charged to */
	uint32_t cast;  /* who takes part in the priority order */
	uint16_t after;
	uint16_t place;  /* of the new fragment in the list of ranks so far; WAITER: of the waiter in its queue */
	uint16_t target; /* TIMEOUT, SPURIOUS: thread that goes on; it becomes the new fragment */
	uint32_t next;   /* TIMEOUT, SPURIOUS: operations that thread has then done */
	uint8_t kind;    /* enum vtb_deviation_kind: DEMOTE, or a chance taken */
	uint8_t c, v, l;
	uint8_t late; /* how often the sites of its stops had been come to before, for the same variable: the most, as a
	                 stage of coverage.h */
	uint8_t stops, places; /* c and v as the order of search has them: with what counts there */
	bool costs;            /* a preemption; false: the switch is free */
	bool counts;           /* there it is like a preemption: it costs, or it is a hand-over (strategy_cvt.c) */
	bool dull; /* nobody would have noticed the stop in the run that it was made from (influence.h), or it is inside
	              a critical section */
	bool reads;  /* it is stopped after an operation that writes nothing */
	bool beyond; /* more than two threads need: see strategy_cvt.c */
	bool run;
	bool reopened; /* was run without seeing all accesses; this time for its children's sake */
};

/** Everybody takes part; or one thread of each class and, with several of them, its counterpart. */
enum cvt_role { CVT_ALL, CVT_SOLO, CVT_TEAM };

/**
 * Who takes part in priority orders: at most a number of each class of symmetric threads. The rest come after everybody
 * else, in order of creation, and are never stopped.
 */
struct cvt_cast {
	uint32_t *threads; /* n of them: those who take part, then the rest; each ascending; owned */
	uint32_t n, n_top; /* the first n_top take part */
	bool enumerate;    /* all orders, all places of fragments; else random ones */
	uint64_t bases;    /* priority orders in the queue or run */
	enum cvt_role role;
	bool ahead; /* solo or team: the team leaves somebody out */
};

struct cvt {
	const struct vtb_space *space;
	struct cvt_item *items;
	size_t n_items, cap_items, limit;
	uint32_t free_items;
	struct vtb_heap queue;
	struct vtb_bounded_map keys; /* pruning: key -> fewest deviations it was met with */
	uint32_t max_c, max_v, max_l;
	uint32_t n; /* threads that priority orders rank */
	struct vtb_symmetry symmetry;
	struct vtb_bounded_map
	    learnt; /* classes of the runs that it has learnt from -> what was then known of variables and threads */
	uint32_t changes;       /* of it that the casts know */
	struct cvt_cast *casts; /* those of old belong to items that are still there */
	size_t n_casts, cap_casts;
	uint32_t team; /* index of the widest of now; if `solo`, the one before it has one thread of each class */
	bool solo;
	uint32_t based; /* levels of c whose priority orders are in the queue */
	bool started;
	uint64_t dropped, pruned, diverged, in_flight_key;
	uint32_t whole;        /* from this level of c on items were dropped for want of memory */
	uint32_t whole_orders; /* and from this one on, priority orders beyond the first two */
	uint32_t *idle;        /* items put by (cvt_idle.c) */
	size_t n_idle, cap_idle;
	uint64_t idle_grown;   /* matters_grown() when they were looked at */
	bool cut_l, cut_focus; /* the bound on l, the focus, have left something out */

	/* scratch, one run at a time */
	struct vtb_chances chances;
	struct vtb_influence influence;
	struct visits visits; /* of the run so far */
	bool looked;          /* `influence` speaks of the run that is being looked at */
	uint32_t kinds;       /* of chances that were possible */
	uint32_t *list;       /* ranks: thread or fragment | VTB_RANK_FRAGMENT_BIT, best first */
	size_t n_list, cap_list;
	uint32_t rest_at;     /* where those who take no part begin in it; they stay together */
	uint32_t n_fragments; /* in it */
	uint32_t *entry;      /* thread -> place in list of its present entry, or CVT_NONE */
	size_t n_entry, cap_entry;
	uint32_t *ranked; /* threads that have not ended, best first */
	size_t n_ranked, cap_ranked;
	uint32_t *done; /* operations by thread */
	size_t n_done, cap_done;
	uint32_t *chain; /* an item and its ancestors, the oldest first */
	size_t n_chain, cap_chain;
};

/* ---- cvt_items.c */
int64_t cvt_take_item(struct cvt *s);
/** An item that was run and has no child left is not needed any more. */
void cvt_free_item(struct cvt *s, uint32_t id);
void cvt_forget_past(struct cvt_item *item);
/** Something of level c is left out for want of memory. */
void cvt_drop(struct cvt *s, uint32_t c);
/** Fill s->chain with the item and its ancestors, the priority order first. */
int cvt_chain(struct cvt *s, uint32_t id);
/** Fill s->list with the ranks of the item's schedule (uses s->chain). */
int cvt_list(struct cvt *s, uint32_t id);
/** The item's schedule. */
int cvt_schedule(struct cvt *s, uint32_t id, struct vtb_schedule *ret);
/** Put the item in the queue, at its place in the order of search. */
int cvt_push(struct cvt *s, uint32_t id);
/** May the item be run without seeing all accesses (struct vtb_plan, past)? Then say so in its plan. */
void cvt_offer(const struct cvt *s, uint32_t id, struct vtb_plan *plan);
/** Keep the operations of the item's run, if that can be of use. 0 or -ENOMEM. */
int cvt_keep_past(struct cvt *s, uint32_t id, const struct vtb_exec *x);
/** The item was run without seeing all accesses: its children are looked for later. */
int cvt_reopen_later(struct cvt *s, uint32_t id);
/** Is `var` among those that the item or an ancestor is charged to? */
bool cvt_charged(const struct cvt *s, uint32_t id, uint32_t var);
/** The same, hand-overs included. */
bool cvt_counted(const struct cvt *s, uint32_t id, uint32_t var);
/** Loop-iteration number of a variable (docs/algorithms.md, "Variables and objects"), 0 if it is not of the heap. */
uint32_t cvt_loop(const struct cvt *s, uint32_t var);

/** When schedules with c deviations of a cast are searched: solo 0, team 0, solo 1, team 1, solo 2 ...; where even the
 * team leaves somebody out solo 0, solo 1, team 0, team 1, solo 2, team 2 ...: there are the fewer of solo's, the more
 * threads are alike. */
static inline uint32_t cvt_level(const struct cvt_cast *cast, uint32_t c)
{
	const bool team = cast->role == CVT_TEAM;

	if (cast->role == CVT_ALL)
		return c;
	return cast->ahead && c < 2 ? c + 2 * team : 2 * c + team;
}

/** c of the items of a level, whichever of the two casts they are of. */
static inline uint32_t cvt_level_c(const struct cvt_cast *cast, uint32_t level)
{
	if (cast->role == CVT_ALL)
		return level;
	return cast->ahead && level < 4 ? level % 2 : level / 2;
}

/** The cast of the item: of its own and of all its ancestors. */
static inline const struct cvt_cast *cvt_cast(const struct cvt *s, uint32_t id)
{
	return &s->casts[s->items[id].cast];
}

/* ---- cvt_idle.c */
/** Is it for the sake of a variable that matters to no assertion, and only assertions count? */
bool cvt_is_idle(const struct cvt *s, uint32_t id);
/** Keep it for later. 0 or -ENOMEM. */
int cvt_put_by(struct cvt *s, uint32_t id);
/** Into the queue with those that are not idle any more. 0 or -ENOMEM. O(items put by), if anything has changed. */
int cvt_take_back(struct cvt *s);

/* ---- cvt_cast.c */
/** Begin with no threads known. */
int cvt_first_cast(struct cvt *s);
/** Other casts, if the threads known or their classes are others than before: 1, else 0, or -ENOMEM. */
int cvt_recast(struct cvt *s);
/** Learn from a run who looks alike. 0 or -ENOMEM. */
int cvt_learn_symmetry(struct cvt *s, const struct vtb_exec *x);
void cvt_casts_fini(struct cvt *s);
/** Does the thread take no part? Threads that the cast does not know take part. */
bool cvt_is_rest(const struct cvt_cast *cast, uint32_t thread);
/** "up to symmetry of ..., assumed", or "" if everybody takes part. Returns buf. */
/** What bounds the places where a thread is preempted, with fewer than c preemptions; who told which variables are
 * shared. */
void cvt_say_places(const struct cvt *s, uint32_t c, struct vtb_bounded_text *t);
void cvt_say_source(const struct cvt *s, struct vtb_bounded_text *t);
const char *cvt_symmetry_words(const struct cvt *s, char *buf, size_t size);

/** Does the item bring a new fragment, and whose is it? */
static inline bool cvt_has_fragment(const struct cvt_item *item)
{
	return item->kind != VTB_DEV_WAITER && item->kind != VTB_DEV_CAS_FAIL;
}

static inline uint32_t cvt_owner(const struct cvt_item *item)
{
	return item->kind == VTB_DEV_DEMOTE ? item->after : item->target;
}

/* Fields of a queue key; see cvt_push(). */
#define CVT_KEY_L 60
#define CVT_KEY_BEYOND 59
#define CVT_KEY_C 54
#define CVT_KEY_V 50
#define CVT_KEY_DULL 49
#define CVT_KEY_FREE 48
#define CVT_KEY_CHANCE 45
#define CVT_KEY_STAGE 41
#define CVT_KEY_TURN 37
#define CVT_KEY_CLASS 34
#define CVT_KEY_ACCESSES 18
#define CVT_KEY_READS 17
#define CVT_KEY_C_BITS 5 /* a level: see cvt_level() */
#define CVT_KEY_FIELD(key, field, bits) ((uint32_t)((key) >> (field)) & ((1u << (bits)) - 1))
/** (l, beyond, c, v) of a queue key, and whether its items begin with a free demotion. */
#define CVT_KEY_LEVEL(key) ((key) >> CVT_KEY_FREE)

/* ---- cvt_worth.c */
/** Fill in what the item's stop before event `point` is worth, with event `before` just done by the same thread: dull,
 * late. 0 or -ENOMEM. */
int cvt_judge(struct cvt *s, const struct vtb_exec *x, uint32_t before, uint32_t point, struct cvt_item *item);
void cvt_worth_fini(struct cvt *s);

/* ---- cvt_branch.c */
int cvt_branch(struct cvt *s, uint32_t id, const struct vtb_exec *x);

#endif /* VTB_STRATEGY_CVT_H */
