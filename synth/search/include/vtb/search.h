/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file search.h
 * The search for a failing schedule: a strategy proposes schedules, a runner executes them, every outcome is fed back.
 *
 * Order:     schedules are charged (c, v) on the executed run (docs/algorithms.md, "The tuple (c, v, t)"); strategies
 *            that work in levels (dfs, cvt) go from the lowest to the highest; cvt with `symmetry` takes c = 1 with one
 *            thread of each class of more than t before c = 0 with several.
 * Ownership: the search borrows the runner, the options' strings and the callbacks' data; vtb_search_free() frees the
 * rest. Errors:    those of the runner, -ENOMEM, -EINVAL (no such priority, variable, function). Determinism: same
 * program, options and seed: same schedules in the same order (unless `seconds` ends it).
 */
#ifndef VTB_SEARCH_H
#define VTB_SEARCH_H

#include "vtb/hash.h"
#include "vtb/runner.h"

#define VTB_SEARCH_C_MAX 255u
#define VTB_UNBOUNDED UINT32_MAX

/** Selective instrumentation: are plain accesses to variables at which a schedule does not deviate left out of its run?
 */
enum vtb_search_selective {
	VTB_SELECTIVE_AUTO /* where it pays */,
	VTB_SELECTIVE_OFF,
	VTB_SELECTIVE_ON /* wherever it is possible */
};

/** Which runs are one class for dpor: by default those of one order; with predicate dependence, if that is asked for,
 * those of equal reads. */
enum vtb_search_equivalence { VTB_EQUIVALENCE_DEFAULT, VTB_EQUIVALENCE_ORDER, VTB_EQUIVALENCE_READS };

struct vtb_strategy; /* vtb/strategy.h */

struct vtb_search_opts {
	const char *strategy;       /* for vtb_strategies_begin(); NULL: portfolio */
	const char *priority;       /* bestfirst: names joined by commas; NULL: the strategy's default */
	uint32_t c, v, t, l;        /* bounds: deviations, variables, threads, loop iteration; VTB_UNBOUNDED */
	const char *focus_var;      /* deviate only after operations on this variable or its parts; NULL: anywhere */
	const char *focus_function; /* deviate only in this function; NULL: anywhere */
	uint64_t budget;            /* schedules; 0: no limit */
	double seconds;             /* wall clock; 0: no limit */
	double each; /* what a run is known to take, for the first batch of a slow program; 0: not known */
	uint64_t seed;
	double epsilon;                    /* [CVT13], lemma 4.1: accepted probability of a missed order; 0: 0.01 */
	bool no_hand_over;                 /* walks go on though they see nothing new for long */
	const struct vtb_strategy *relief; /* goes on for a strategy that sees nothing new for long; NULL: nobody.
	                                      vtb_strategies_begin() fills it in */
	bool exhaust;                      /* prune nothing by class, go on where one would stop */
	bool rw;                           /* exitblock: leave out orders that reads and writes tell to be equal */
	bool tell_owned; /* accesses to what only one thread touches are told and have schedule points in every run */
	struct vtb_stem *stem; /* runs are made without it (struct vtb_runner); borrowed. NULL: as the runner makes
	                          them. Not with match_states */
	enum vtb_search_selective selective; /* cvt, pctvb, pcttb; never with `exhaust` */
	bool symmetry; /* cvt: threads that have looked alike in every run so far stand for each other (symmetry.h) */
	bool dynamic;  /* cvt: the first v preemptions of a schedule choose the variables, others sit at those; else
	                  sets of variables are taken in turn, the most promising first */
	const char *trusted;        /* exitblock: functions in which no block ends, joined by commas; NULL: none */
	const char *region;         /* exitblock: where blocks end besides, "ops:N", "module"; NULL: nowhere */
	bool prune, no_prune;       /* predicate dependence: asked for, and not wanted; whoever begins the search makes
	                               `predicate` */
	bool on_trace;              /* the runs are of a recorded trace: any strategy goes with `prune` */
	bool only_assertions;       /* likewise, and neither crashes nor deadlocks are failures */
	const char *check_function; /* likewise: calls of these matter like failures; NULL: none */
	struct vtb_predicate *predicate; /* dpor: orders of what it hides are not explored; it learns from the runs;
	                                    NULL: all are. One that sleeps is woken when that pays. Borrowed */
	bool reads_from; /* dpor: runs in which every operation reads from the same writes are one class */
	enum vtb_search_equivalence
	    equivalence;   /* the same as an option; of a search that has begun never the default */
	bool match_states; /* dfs, exitblock without rw: what follows a state is run once (the runner must tell states).
	                      With `c` or `v` bounded the bound that is left is part of the state; else which run comes
	                      to a state first is chance, and lowest (c, v) are not known. Half of `memory` is for
	                      states */
	bool sure_steps;   /* dfs with match_states, without a bound: where nobody else can meet a thread's next
	                      operation,   nobody else is tried */
	bool tell_all;     /* have runs told in full that might be told by their class: slower */
	uint64_t memory;   /* bytes for what has not been run yet; 0: VTB_SEARCH_MEMORY */
	const char *disk;  /* dfs, bestfirst: a directory for what of it does not fit in `memory`; NULL: it is left out,
	                      and counted. Borrowed */
	uint64_t disk_bytes; /* of each of them there; 0: half of what is free */
};

/** Is predicate dependence asked for, by whichever option? */
static inline bool vtb_search_prunes(const struct vtb_search_opts *o)
{
	return o->prune || o->only_assertions || o->check_function;
}
/** Which runs are one class for a strategy with these capabilities (enum vtb_strategy_can): never the default. */
enum vtb_search_equivalence vtb_search_equivalence(const struct vtb_search_opts *opts, uint32_t can);
/** Not asked for, and not unwanted either. */
static inline bool vtb_search_may_prune(const struct vtb_search_opts *o)
{
	return !vtb_search_prunes(o) && !o->no_prune && !o->exhaust && !o->match_states;
}
#define VTB_SEARCH_MEMORY (512ull << 20)

/** The defaults: c = 2, v = 2, t = 2, l = 0, symmetry. */
void vtb_search_opts_init(struct vtb_search_opts *opts);

/** What has been proved, or made likely, about the schedules within the bound: by levels that were completed, whatever
 * else was begun. */
struct vtb_claim {
	bool exhausted;  /* the strategy has nothing left to propose */
	bool complete;   /* every enabled choice within (c, v) was executed, nothing left out */
	bool unbounded;  /* complete, and no schedule was left out by a bound: every interleaving was executed */
	uint32_t c, v;   /* enumerating strategies: every schedule with a lower (c, v) was executed, in this order;
	                    c = 0, v = 0 if nothing is complete yet */
	bool enumerates; /* c and v mean something */
	bool least; /* the least that the strategy can complete is complete: all schedules without preemptions (cvt: as
	               far as orders_c goes); every class or order of blocks; of walks, which promise no more, one.
	               Without it nothing is shown */
	uint32_t orders_c; /* with fewer preemptions than this, all priority orders were tried that the bound on threads
	                      asks for
	                      ([CVT13], lemma 4.1): not every free choice, but what `text` says; 0 none */
	uint32_t orders_v; /* and at no more than so many variables */
	uint32_t explored; /* kinds of deviations other than switches that were tried wherever they were possible: bit 1
	                      << kind */
	uint32_t unexplored; /* kinds that were possible in some run, and not tried everywhere */
	uint32_t
	    symmetric;       /* threads that take no part in orders because others stand for them: what `text` says of
	                        orders, and orders_c,  hold up to that assumption; `complete`, c and v never rest on it */
	bool contradicted;   /* it would be complete, but classes were seen that it has left out: nothing is shown */
	bool pruned;         /* `complete` speaks of orders that can matter to a failure (predicate) */
	bool by_states;      /* `complete` speaks of states, not of runs: no lowest (c, v) follows from it */
	uint32_t focus_free; /* foci of the options that bound nothing here, deviations may lie outside: enum
	                        vtb_focus_kind */
	uint64_t dropped;    /* schedules left out for want of memory */
	uint64_t on_disk;    /* dfs, bestfirst: bytes of the execution tree in a file */
	uint64_t kept; /* dfs, bestfirst: nodes of the execution tree: schedules to be run, and what they lead from */
	uint64_t blocked;   /* runs given up before their end because they could show nothing new */
	double probability; /* random strategies: chance per schedule of what `text` says; lemma: chance to have missed;
	                       0 none */
	char text[1024];    /* one sentence for people; "" none */
};

enum vtb_focus_kind { VTB_FOCUS_VAR = 1, VTB_FOCUS_FUNCTION = 2 };

struct vtb_search_stats {
	uint64_t schedules; /* executed; a schedule that leads to a run already made is not */
	uint64_t late;      /* executed besides, but past the end of the time, and no failure: they count nowhere */
	uint64_t classes;   /* distinct Mazurkiewicz classes among the complete runs */
	uint64_t classes_not_kept; /* counted as new whenever they were met: there was no room to remember them */
	double merged;             /* at most this probable that two classes were taken for one */
	uint64_t blocked;          /* given up before their end because they could show nothing new */
	uint64_t states;           /* match_states: different ones that the search has gone on from */
	uint64_t states_met;       /* likewise: times it has not gone on, since it had from the same state before */
	uint64_t
	    states_not_kept; /* likewise: taken for new whenever they were met, there was no room to remember them */
	uint64_t states_unknown; /* likewise: points at which the runner told no state; the search went on from there */
	double states_merged;    /* at most this probable that two states were taken for one */
	uint64_t failing;        /* runs whose verdict is a failure */
	uint64_t diverged;       /* did not follow the schedule */
	uint64_t infeasible;     /* constraints could not be met */
	uint64_t stopped;        /* took too long */
	uint64_t unread;         /* nobody knows what they did (vtb_outcome_is_unread()): nothing is claimed any more */
	uint64_t assumed; /* a thread was held back as spinning though its state did not repeat: nothing is claimed any
	                     more */
	uint64_t clocks;  /* runs in which two threads read a clock, and no operation decides who was first */
	uint64_t
	    mixed; /* runs that the runner took for one class with others, and were not: there may be more classes */
	uint64_t partial; /* runs in which accesses at some sites were not looked at: they count in `schedules`, not in
	                     `classes` */
	uint64_t redone;  /* such runs that had to be made again with all sites on; only those count */
	const char *selective_off; /* why selective instrumentation was given up; NULL: it was not */
	uint64_t events;           /* visible operations executed */
	uint64_t printed;          /* passing runs whose output is known, */
	uint64_t outputs;          /* and how many different ones these were */
	bool outputs_more;         /* so many that the rest was not told apart */
	double seconds;
	struct vtb_tuple lowest;    /* of the failing runs: lowest (c, v); only if failing > 0 */
	bool lower_levels_complete; /* no schedule with a lower (c, v) than `lowest` was left out: it is the lowest
	                               there is */
	uint32_t level_c, level_v;  /* being searched */
	char assumed_at[200];       /* the first such thread and its place: "thread 0.1 at a.c:12" */
	char clocks_of[80];         /* which threads, in the first such run: "0.0 and 0.1" */
	char diverged_at[128];      /* the first diverged run: "deviation after operation 12 of thread 0.1" */
};

enum vtb_search_reply {
	VTB_SEARCH_GO_ON,
	VTB_SEARCH_STOP,
	VTB_SEARCH_ONLY_LOWER /* look only for lower (c, v) than this */
};

struct vtb_search;
struct vtb_search_calls {
	/** A failing run: its schedule, what happened, its (c, v). Borrowed for the call. NULL: stop at the first.
	 *  After VTB_SEARCH_STOP it is not called again; the rest of the batch is still counted. */
	enum vtb_search_reply (*failing)(struct vtb_search *search, const struct vtb_schedule *schedule,
	                                 const struct vtb_exec *x, struct vtb_tuple tuple, void *data);
	/** Every run, before feedback; `class_id` is its fingerprint, `new_class`: not met before. Of x->brief no more
	 * is known than that it passed. Others of its batch may be under way: it must not use the runner. May be NULL.
	 */
	void (*executed)(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x,
	                 uint64_t class_id, bool new_class, void *data);
	/** After every batch; true stops the search. May be NULL. */
	bool (*progress)(struct vtb_search *search, void *data);
	void *data;
	bool known_will_do;  /* of a run with the signature of one that `failing` had already and has replied GO_ON to
	                        only how it ended and its class must be known: x->owned, if its (c, v), of which v is at
	                        least what is said, is not the lowest so far */
	bool little_will_do; /* `failing` can do with x->owned where runs are long, and is told most of those runs so:
	                        (c, v) as above */
};

enum vtb_search_end {
	VTB_SEARCH_EXHAUSTED, /* nothing left to propose */
	VTB_SEARCH_FOUND,     /* the callback said stop */
	VTB_SEARCH_BUDGET,
	VTB_SEARCH_TIME,
	VTB_SEARCH_CALLER, /* progress said stop */
};

/** A search by this strategy (static), with options that it can do; vtb_strategies_begin() of vtb/strategies.h finds it
 * by its name. */
int vtb_search_begin(struct vtb_runner *runner, const struct vtb_strategy *strategy, const struct vtb_search_opts *opts,
                     struct vtb_search **ret, struct vtb_error *err);
void vtb_search_free(struct vtb_search *search);
/** The runner's program has made this run by this schedule (borrowed for the call): if the search comes to a schedule
 * that leads to it by choices alone (made_runs.h), it is taken for what it was and not made again. One of which only
 * what threads share was told says that whole ones take long. Before vtb_search_run(). 0 or -ENOMEM. */
int vtb_search_made(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x);
/** For `failing` of the calls: go on, whatever fails. */
enum vtb_search_reply vtb_search_go_on(struct vtb_search *search, const struct vtb_schedule *schedule,
                                       const struct vtb_exec *x, struct vtb_tuple tuple, void *data);
/** Search until something ends it; may be called again to go on. Returns enum vtb_search_end or an error. */
int vtb_search_run(struct vtb_search *search, const struct vtb_search_calls *calls, struct vtb_error *err);

const struct vtb_search_stats *vtb_search_stats(const struct vtb_search *search);
const struct vtb_search_opts *vtb_search_opts(const struct vtb_search *search);
/** As of the last batch that was fed back as a whole: what was proposed after it, and perhaps not run, is no part of
 * it. */
void vtb_search_claim(const struct vtb_search *search, struct vtb_claim *ret);
/** A short name of a class, 64 bits of its fingerprint: for callers, and for keys of what is to be tried. What is
 * counted goes by all 128. */
uint64_t vtb_class_id(struct vtb_hash128 h);
/** What the search can say about what it has run: sentences, each on its own line. Returns buf. */
const char *vtb_search_statement(const struct vtb_search *search, char *buf, size_t size);

/** Has any run had what the focus names (true without one)? Else no deviation was tried, if it bounds them. O(names).
 */
bool vtb_search_focus_met(const struct vtb_search *search);

/** With match_states: one line on what was matched, and how sure it is. Returns buf. */
const char *vtb_search_states_words(const struct vtb_search_stats *stats, char *buf, size_t size);

#endif /* VTB_SEARCH_H */
