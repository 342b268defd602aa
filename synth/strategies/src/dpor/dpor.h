/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of dpor share: strategy_dpor.c (which runs next), dpor_parts.c (subtrees side by side), dpor_read.c
 * (taking a run; room for it: dpor_room.c), dpor_relation.c (which operations depend on each other), dpor_held.c
 * (threads that spin), dpor_order.c (what a run's operations depend on, and which pairs can be turned round),
 * dpor_tree.c (what is to be tried), dpor_begin.c (what of that may begin).
 *
 *      state 0 --op 0--> state 1 --op 1--> ...      levels[i]: state i, the operation chosen there, and the tree of
 *                                                   sequences that are still to be tried there
 */
#ifndef VTB_SYNTH_DPOR_H
#define VTB_SYNTH_DPOR_H

#include "dpor_compose.h"
#include "dpor_told.h"
#include "vtb/chances.h"
#include "vtb/strategy.h"

#define DPOR_NONE UINT32_MAX

struct dpor_op {
	struct vtb_event event;
	bool world;    /* depends on everything: the run failed or ended with it, or it was never seen */
	bool doomed;   /* with the operation that follows, the run failed */
	uint32_t span; /* operations of its thread from this one to its next one that is shown (dpor_shown.c); 0: 1 */
};

/* One operation of a sequence to be tried (a wakeup tree: first child, next sibling; siblings in order of exploration).
 */
struct dpor_node {
	struct dpor_op op;    /* as it came out elsewhere; the last of a sequence may come out differently here */
	uint32_t child, next; /* DPOR_NONE: none */
	bool cautious; /* first of a doubtful sequence: it is not known whether its last operation can take place */
};

/* A thread that sleeps: what it would do was tried at state `from`. */
struct dpor_sleeper {
	struct dpor_op op;
	uint32_t from;
	uint32_t woken; /* at states from here on it is awake; DPOR_NONE: it still sleeps */
};

struct dpor_level {
	struct dpor_op op; /* chosen */
	uint32_t index;    /* operations that its thread has done, this one included */
	uint32_t before;   /* level of that thread's operation before + 1; 0 none */
	uint32_t tree;     /* to be tried here instead: first node, or DPOR_NONE */
	uint32_t
	    doubts; /* sequences that are to be tried if they can: their first nodes, without branches; or DPOR_NONE */
	uint32_t taken;    /* operations that parts below have tried here: nodes, or DPOR_NONE */
	uint32_t parts;    /* that began here and have not ended (dpor_parts.c) */
	struct dpor *open; /* the part whose run, which has not been taken, does something else here; or NULL */
	uint32_t races;    /* that this operation is the first of: newest in dpor.races, or DPOR_NONE */
	uint64_t hash;   /* of this operation and those that it depends on; with all earlier ones of its thread added */
	uint64_t beside; /* of the operations that did not depend on it when its races were looked at */
	uint32_t asked;  /* with `full`: threads that were looked at */
	bool seen;       /* `op` was executed here, and what may follow it was looked at */
};

/* Something that operations touch: an object, or a byte range. Its history: who touched it, the latest first. */
struct dpor_cell {
	uint64_t addr; /* range; 0: an object */
	uint32_t size, var;
	uint32_t head;   /* in dpor.touches, or DPOR_NONE */
	uint64_t met_by; /* the relation that met it last */
};

struct dpor_touch {
	uint32_t level, cell;
	uint32_t below;     /* the one before on the same cell, or DPOR_NONE */
	uint32_t other;     /* the one before that is more than a look, or DPOR_NONE */
	uint32_t foreign;   /* the one before of another thread, or DPOR_NONE */
	uint32_t state;     /* of the object, after it (dpor_objects.c) */
	bool writes, looks; /* looks: a plain or atomic read, which no other look depends on */
	bool some_write;    /* this one writes, or one between it and the foreign one */
};

#define DPOR_WORLD_VAR (VTB_NONE - 1) /* no variable has these ids */
#define DPOR_IO_VAR (VTB_NONE - 2)

/* Cells in whose history an operation leaves itself. */
struct dpor_own {
	uint32_t cells[4];
	unsigned n;
	unsigned parts; /* bit k: cells[k] is an object of which it touches a part only */
};

/* Keys to lists of cells: objects, and 8-byte granules of memory. */
struct dpor_slot {
	uint64_t key;   /* 0 free */
	uint32_t first; /* in dpor.links */
};

struct dpor_link {
	uint32_t cell, next;
};

/* Operation `level` of the run, or the pending operation number `level` - n_levels, might have come before that of
 * level `first`. */
struct dpor_race {
	uint32_t first, second;
	uint32_t next; /* one before with the same first */
	bool known;    /* it can take place there; else it is not known whether it can */
};

/* The levels of one thread's operations, in order. */
struct dpor_line {
	uint32_t *ops;
	size_t n_ops, cap_ops;
};

#define DPOR_AGAIN_MAX 64u /* times that a plan is tried again because it drifts */

/* An operation of a run that is not hidden. */
struct dpor_shown {
	uint32_t event, span;
	bool whole; /* nobody else went on between it and the hidden ones that follow */
	bool left;  /* the run ended with its thread at a hidden one */
};

#define DPOR_ROUND 32u         /* schedules under way: enough to have some of them ahead, few enough to stay cached */
#define DPOR_PARTS 96u         /* and parts that wait for others */
#define DPOR_PART_LEVELS 4096u /* a longer run is of one part: then it is not worth while, and memory counts */

/* Of all parts of a search. */
struct dpor_all {
	/* dpor_tree.c */
	struct dpor_node *nodes;
	size_t n_nodes, cap_nodes;
	size_t used_nodes, max_nodes; /* beyond that no sequence is kept: see `full` */
	uint32_t free_nodes;
	bool full; /* memory was full: from then on everybody is tried everywhere */
	/* dpor_shown.c */
	struct vtb_exec first; /* the first run, to begin again with */
	bool began;
	struct dpor_told told;
	uint64_t grown;  /* vtb_predicate_grown() when it was looked at */
	uint64_t afresh; /* times all began again, as more was shown than before */
	/* strategy_dpor.c, dpor_parts.c */
	struct dpor *parts[DPOR_PARTS]; /* the first is the whole */
	uint32_t n_parts, n_ready;
	uint64_t era;                  /* times all began again: runs of an earlier one are not looked at */
	struct vtb_composer *composer; /* reads-from equivalence; or NULL */
	uint64_t in_a_row;             /* runs put together since the last that was made */
	bool started, exhausted;
	/* what the claim is made of */
	struct vtb_chances chances;
	uint64_t blocked, diverged, runs;
	uint64_t classes;  /* complete runs */
	uint64_t vain;     /* runs for a doubtful sequence that could not be */
	bool cut_off;      /* some run ended while threads were still at work */
	bool arrived;      /* in some run somebody had to wait for one who had arrived: that is no operation */
	bool timed;        /* time passed in some run */
	bool spun;         /* a thread was held back in some run */
	bool spun_open;    /* and whether it was may depend on more than what it did and read: plans are guesses */
	uint32_t possible; /* kinds of deviations that could have happened, and are not explored: bit 1 << kind */
	bool reads;        /* something was read from a stream: who writes to one may have to wait for that */
	uint64_t cut;      /* runs that were stopped: nothing is known about their rest */
};

/* What a part is at. */
enum dpor_part_state {
	DPOR_ENDED, /* or never began */
	DPOR_WAITS, /* for parts below it */
	DPOR_READY, /* its next run is planned */
	DPOR_ASKED, /* and was asked for */
	DPOR_TAKEN, /* and was taken: the next one is to be planned */
};

/* One part of a search: the run that it made last, and what is left to be tried on its way. */
struct dpor {
	const struct vtb_space *space;
	struct dpor_all *all;
	struct dpor *above; /* the part of which this is a subtree; NULL: it is the whole */
	uint32_t base;      /* levels below this are those of `above` */
	enum dpor_part_state state;
	bool fresh; /* its first run was not taken yet */
	struct dpor_level *levels;
	size_t n_levels, cap_levels;
	uint32_t stride;         /* words of a row of enabled threads */
	uint64_t *enabled;       /* by level, `stride` words each */
	uint32_t width;          /* counters of a clock */
	uint32_t *clocks;        /* by level: operations of each thread that it depends on */
	size_t room;             /* levels that both have room for */
	uint32_t *pending_clock; /* scratch, one clock */
	uint32_t *last;          /* by thread: level of its last operation + 1 */
	uint32_t *first_new;     /* likewise of its first one that is new in the run; 0: none is */
	struct dpor_line *lines; /* by thread; as far as its last operation's index */
	uint32_t *live;          /* by thread: its sleeper while it sleeps, or DPOR_NONE */
	/* dpor_order.c */
	struct dpor_cell *cells;
	size_t n_cells, cap_cells;
	struct dpor_touch *touches;
	size_t n_touches, cap_touches;
	struct dpor_slot *slots;
	size_t n_slots, used_slots;
	struct dpor_link *links;
	size_t n_links, cap_links;
	uint32_t *wide; /* cells of ranges too long to be listed by granule */
	size_t n_wide, cap_wide;
	uint32_t world;     /* the cell of what depends on everything, + 1; 0: there is none */
	uint64_t relations; /* operations related so far */
	uint32_t *met;      /* scratch: cells that an operation touches; levels that it may be turned round with */
	size_t n_met, cap_met;
	uint32_t *candidates;
	size_t n_candidates, cap_candidates;
	struct dpor_race *races; /* in order of `second` */
	size_t n_races, cap_races;
	bool symbolic; /* some address is known by its object only */
	/* dpor_tree.c */
	struct dpor_sleeper *sleepers; /* in order of `from` */
	size_t n_sleepers, cap_sleepers;
	uint32_t *sequence; /* scratch: levels, and the race's second operation last */
	size_t n_sequence, cap_sequence;
	uint32_t *copy; /* scratch: the sequence as it was */
	size_t n_copy, cap_copy;
	uint32_t carried; /* doubtful sequences on their way to the next level */
	/* dpor_shown.c */
	struct dpor_shown *shown; /* of the run that is being taken */
	size_t n_shown, cap_shown;
	uint32_t lead;  /* operations of the first thread before the first one that is shown */
	bool alone;     /* one run by itself, of which everything is shown */
	uint32_t again; /* times that the sequence was tried with other spans; the next run follows it once more */
	/* dpor_read.c: races of the run that was taken last, to be turned round when no run is under way */
	bool to_turn;
	size_t turn_from, turn_first;
	size_t gone_through;       /* operations, since it was looked at whether the search is to end */
	struct vtb_event *pending; /* operations that were not done when it ended */
	size_t n_pending, cap_pending;
	uint32_t gone_from; /* the thread whose pending operation is looked at is in no process that is controlled from
	                       this level on, or DPOR_NONE */
	/* dpor_together.c, strategy_dpor.c */
	uint32_t *ranks; /* scratch: threads, those who sleep last */
	size_t n_ranks, cap_ranks;
	uint32_t *order; /* scratch: threads, one for each operation */
	size_t n_order, cap_order;
	uint32_t path; /* the rest of the sequence that the next run follows, or DPOR_NONE */
	bool doubtful; /* that sequence is in doubt */
	bool held;     /* a thread was held back in the run that is being taken */
};

static inline const uint32_t *dpor_clock(const struct dpor *d, size_t level)
{
	return d->clocks + level * d->width;
}

/* Does the operation of level i come before that of level `after` - 1, or is it the same (0: none)? */
static inline bool dpor_ordered(const struct dpor *d, size_t i, uint32_t after)
{
	const struct dpor_level *l = &d->levels[i];

	return after && dpor_clock(d, after - 1)[l->op.event.thread] >= l->index;
}

static inline bool dpor_enabled(const struct dpor *d, size_t level, uint32_t thread)
{
	return thread / 64 < d->stride && (d->enabled[level * d->stride + thread / 64] >> thread % 64 & 1);
}

/** Does the order of the two operations, of different threads, matter? */
/** Does it depend on every other operation? */
bool vtb_dpor_is_global(const struct dpor_op *op);
bool vtb_dpor_dependent(const struct dpor_op *a, const struct dpor_op *b);
/** A call that locks or unlocks a file. */
static inline bool vtb_dpor_locks_file(const struct vtb_event *e)
{
	return e->flags & VTB_EVF_TRY && vtb_event_info(e->kind)->family == VTB_FAMILY_RWLOCK;
}
/** It sends a signal to which no thread is open: somebody may take it later, and nothing else comes of it. */
static inline bool vtb_dpor_only_pends(const struct vtb_event *e)
{
	return e->kind == VTB_E_SIGNAL_SEND && e->flags & VTB_EVF_TRY;
}
/** Likewise, apart from what depends on everything. */
bool vtb_dpor_touch(const struct vtb_event *a, const struct vtb_event *b);
/** False only if the later `b` cannot take place in any state in which `a` can. */
bool vtb_dpor_coenabled(const struct vtb_event *a, const struct vtb_event *b);

/** Does `b`, which depends on `a`, do before `a` what it did after it, as far as others can tell? `pending`: it was not
 * done. */
bool vtb_dpor_outcome_sure(const struct dpor_op *a, const struct dpor_op *b, bool pending);

enum dpor_feasible { DPOR_CANNOT, DPOR_MAY, DPOR_CAN };
/** Could `b`, whose thread's operation before is level `before` - 1, take place in place of level i's operation, after
 * all that goes on beside that? Histories end with what is before `b`. `pending`: it was not done when the run ended.
 * O(touches of its object since level i). */
enum dpor_feasible vtb_dpor_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before,
                                     bool pending);
/** The same for an operation that does not block, whose thread may be held back before it as one that spins. */
enum dpor_feasible vtb_dpor_held_feasible(const struct dpor *d, size_t i, const struct vtb_event *b, uint32_t before);
/** The level of the operation that let `b` take place after its thread was held back; or DPOR_NONE. It was done at
 * level `end`. O(levels since the thread's operation before). */
uint32_t vtb_dpor_let_go_by(const struct dpor *d, const struct vtb_event *b, uint32_t before, size_t end);
/** What has become of an object by an operation on it. 0: as it was at first. */
uint32_t vtb_dpor_object_after(uint32_t state, const struct vtb_event *e, uint32_t object);
/** Fill `own`, and d->met with these and all cells that overlap. 0 or -ENOMEM. */
int vtb_dpor_find_cells(struct dpor *d, const struct dpor_op *op, struct dpor_own *own);
/** The newest touch of an object, or DPOR_NONE. */
uint32_t vtb_dpor_newest(const struct dpor *d, uint32_t object);

/** The level just filled in: fill its clock, remember what it touches, note the races that it ends. */
int vtb_dpor_order(struct dpor *d, size_t level);
/** The same for an operation that was not done when the run ended; number `k` of them. Nothing is remembered but races.
 */
int vtb_dpor_order_pending(struct dpor *d, const struct dpor_op *op, size_t k);
/** The run x has been taken: find the races of what was not done when it ended. 0 or -ENOMEM. O(n_levels ·
 * n_pending). */
int vtb_dpor_find_pending_races(struct dpor *d, const struct vtb_exec *x);
/** Forget what levels from `level` on have touched, and the races that they end. */
void vtb_dpor_forget(struct dpor *d, size_t level);
/** Levels of the run from `from` on are new: before vtb_dpor_other_beside(). O(threads · log levels). */
void vtb_dpor_find_new(struct dpor *d, size_t from);
/** Has the run other operations beside level i (after it, and not dependent on it), which is not new, than when that
 * was asked last, and more than fewer of them? O(threads); if there are new ones, O(threads · log levels). */
bool vtb_dpor_other_beside(struct dpor *d, size_t i);
void vtb_dpor_order_fini(struct dpor *d);

/** Plan to turn the race round, unless what is planned or was tried at its first level includes that. `pending`: its
 * second operation was not done. */
int vtb_dpor_turn_round(struct dpor *d, const struct dpor_race *race, const struct dpor_op *second, bool pending);
/** The operation of level i was done: doubtful sequences that could begin with it go on behind it. */
void vtb_dpor_pass_doubts(struct dpor *d, size_t i);
/** What a part that began at the level has tried there: it is not tried there again. 0 or -ENOMEM. */
int vtb_dpor_note_taken(struct dpor *d, uint32_t level, const struct dpor_op *op);
/** Does the operation wake whoever was begun at the level and is not done with (dpor_parts.c)? The part whose first run
 * is being taken does not count. */
bool vtb_dpor_wakes_all(const struct dpor *d, uint32_t level, const struct dpor_op *op);
/** The operation, as it came out there, and what was to follow it are to be tried at the level another time. Takes
 * `path`. 0 or -ENOMEM. */
int vtb_dpor_put_back(struct dpor *d, uint32_t level, const struct dpor_op *op, uint32_t path);
/** Take the first of what is left at the level and may begin: from its tree, or else what is in doubt. DPOR_NONE:
 * nothing is. */
uint32_t vtb_dpor_take_next(struct dpor *d, uint32_t level, bool *ret_doubtful);
/** Plan to try `thread` at a level; nothing is known about its operation. */
int vtb_dpor_plan_thread(struct dpor *d, size_t level, uint32_t thread);
/** A new node without a child or sibling; or -ENOMEM. */
int64_t vtb_dpor_take_node(struct dpor *d, const struct dpor_op *op);
/** The node becomes the last of the list. */
void vtb_dpor_attach(struct dpor *d, uint32_t *list, uint32_t node);
void vtb_dpor_free_node(struct dpor *d, uint32_t node);
/** A node, its later siblings, and all below them: given up. */
void vtb_dpor_drop_tree(struct dpor *d, uint32_t node);

/** Take a run that follows the first `kept` levels and then d->path; the last of those levels is new. Its races are
 * left for vtb_dpor_turn_races(). The part is DPOR_TAKEN then. 0 or an error. */
int vtb_dpor_read_run(struct dpor *d, size_t kept, const struct vtb_exec *x);
/** Plan to turn the races of the run that was taken last round. Runs of other parts may be under way. 0 or an error. */
int vtb_dpor_turn_races(struct dpor *d);
/** Have room for a run, or for what `like` has room for. 0 or -ENOMEM. */
int vtb_dpor_room_for_run(struct dpor *d, const struct vtb_exec *x);
int vtb_dpor_make_room(struct dpor *d, const struct dpor *like);

/** A run that went on until nobody could: nothing that others would still have done is missing. */
bool vtb_dpor_nobody_could_go_on(const struct vtb_outcome *o);
/** What of the run is shown: fill d->shown. 1: more than before, all that was explored is to be forgotten. Or an error.
 */
int vtb_dpor_show(struct dpor *d, const struct vtb_exec *x);
enum dpor_followed { DPOR_FOLLOWED, DPOR_IN_VAIN, DPOR_DIVERGED, DPOR_DRIFTED };
/** Did the run do again what was done before, the first `kept` levels, and follow the sequence d->path from there? In
 * vain: but for its last operation, of which that was not known. Drifted: but for hidden operations, of which a thread
 * did others than before: the spans of the sequence are as they were now. */
enum dpor_followed vtb_dpor_followed(struct dpor *d, const struct vtb_exec *x, size_t kept);
/** Are there operations that are not shown? */
bool vtb_dpor_hides(const struct dpor *d);
/** What hides operations now; NULL: nothing does, but for whoever makes runs (struct vtb_exec, told). */
struct vtb_predicate *vtb_dpor_predicate(const struct dpor *d);
/** Is what is hidden where it belongs? */
bool vtb_dpor_is_whole(const struct dpor *d);
/** From now on nothing is hidden. */
void vtb_dpor_hide_nothing(struct dpor *d);
/** Forget all that was explored: there is one part, which is returned. */
struct dpor *vtb_dpor_begin_afresh(struct dpor_all *all);
/** Forget what the part has explored. */
void vtb_dpor_clear(struct dpor *d);

/** The run of the part that was asked for is there. */
void vtb_dpor_close(struct dpor *d);
/** Plan the next run of every part, and begin as many as there is something to do for, up to a round. 0 or an error. */
int vtb_dpor_begin_round(struct dpor_all *all);
/** Fill d->pending_clock: who sleeps at the level. Does anybody? */
bool vtb_dpor_find_asleep(struct dpor *d, uint32_t level);
/** Put the run together that would be proposed, and take it. 1: done; 0: it has to be made; or an error. */
int vtb_dpor_put_together(struct dpor *d);

/** What the search can say of itself (vtb/strategy.h). */
void vtb_dpor_claim(const void *state, struct vtb_claim *ret);

/* ---- what partial-order reduction makes of one run, for others (prio.h) */
enum dpor_wish { DPOR_NO_WISH, DPOR_CAUTIOUS_WISH, DPOR_WISH };
int vtb_dpor_new(const struct vtb_space *space, struct dpor **ret);
/** One more part, which has nothing to do. 0 or -ENOMEM. */
int vtb_dpor_new_part(struct dpor_all *all, struct dpor **ret);
void vtb_dpor_free(struct dpor *d);
/** Take a run by itself, forgetting what was before. 0 or -ENOMEM. */
int vtb_dpor_read(struct dpor *d, const struct vtb_exec *x);
/** Would `thread` be tried at the state before that operation of the run? CAUTIOUS: only because it is not known
 * whether it helps. */
enum dpor_wish vtb_dpor_wish(const struct dpor *d, size_t level, uint32_t thread);

#endif /* VTB_SYNTH_DPOR_H */
