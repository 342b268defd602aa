/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file strategy.h
 * How to search: one const row and one file each (synth/strategies/src/strategy_rows.h lists them). A strategy sees
 * executions and proposes schedules; it never runs anything itself.
 *
 * Rhythm:    next(), all schedules of that batch are executed, feedback() once for each in order, next() ...; who plans
 *            ahead (can) is asked for a second batch before the first is fed back: next(), next(), feedback() of the
 *            first, next(), feedback() of the second, next() ...
 * Claims:    claim() is asked only when everything that was proposed has been fed back, so that what is under way need
 * not be thought of, but by who plans ahead. Ownership: schedules returned by next() belong to the caller; executions
 * are borrowed for the call of feedback().
 */
#ifndef VTB_STRATEGY_H
#define VTB_STRATEGY_H

#include "vtb/past.h"
#include "vtb/search.h"

struct vtb_state_set; /* vtb/state_set.h */
struct vtb_coverage;  /* vtb/coverage.h: threads and variables seen so far */

/** What strategies may know; kept by the search. */
struct vtb_space {
	const struct vtb_search_opts *opts;
	const struct vtb_symtab *tab;
	uint64_t
	    classes; /* different ones among complete runs, whoever proposed them; 0: not all could be remembered */
	struct vtb_stop *stop;               /* when the search is to end; NULL: it says so otherwise */
	const struct vtb_coverage *coverage; /* includes the run being fed back */
	const uint64_t
	    *prefix;     /* of the run being fed back: fingerprint of the class of its first i + 1 events, by i */
	bool ahead;      /* more is asked for while other runs are under way (VTB_STRATEGY_AHEAD) */
	bool wants_past; /* runs may be made without some accesses: plans should say what they were made from (struct
	                    vtb_plan, past) */
	uint32_t
	    stay; /* and so much is saved that one should keep to the same variables for so many schedules; 0: no */
	struct vtb_state_set *states; /* with opts->match_states, else NULL: what the strategy goes on from; it asks */
	bool vast; /* a run is so long that nobody has had one told whole: who needs that had better wait */
	bool made; /* the run being fed back had been made before: it was not made again and cost nothing */
	uint32_t below_c, below_v; /* only schedules with (c, v) lexicographically below these are of interest */
	bool clocks; /* in some run threads read a clock in an order that no operation decides: no class stands for the
	                others */
	bool clocks_shared; /* in some run two threads read one */
	bool cut; /* a run was stopped because it took too long: nothing is known of what begins like it. All that does
	             has at least this (c, v): */
	struct vtb_tuple cut_at; /* the lowest of them */
};

/** Who has seen no new class in so many runs in a row, three quarters of all, has seen nothing new for long. */
#define VTB_QUIET_LEAST 1000u
static inline bool vtb_is_quiet(uint64_t quiet, uint64_t runs)
{
	return quiet >= VTB_QUIET_LEAST && quiet / 3 >= runs / 4;
}

#define VTB_PLAN_VARS 16u

struct vtb_plan {
	struct vtb_schedule schedule;
	uint64_t ticket; /* the strategy's own mark, handed back with the run */
	bool loose;      /* deviations are guesses: one that finds no place is no divergence */
	bool apart;      /* made all the same if a run that was made before went so: it may be told otherwise */
	struct vtb_past
	    *past; /* the strategy learns nothing from accesses to other variables than `vars`, at which all deviations
	              are: the run may be made without them (struct vtb_exec, partial). The run that the schedule was
	              made from; the strategy's, until feedback. NULL: all must be seen */
	uint32_t vars[VTB_PLAN_VARS];
	uint32_t n_vars;
};

/** What only some strategies do. */
enum vtb_strategy_can {
	VTB_STRATEGY_STATES = 1,     /* goes on from each state once (match_states), as it runs every order otherwise */
	VTB_STRATEGY_READS_FROM = 2, /* takes runs in which everybody reads the same for one class (reads_from) */
	VTB_STRATEGY_FOCUS = 4, /* deviates only where the focus is, unless its claim says otherwise (focus_free) */
	VTB_STRATEGY_PREDICATE = 32, /* leaves out orders of what cannot matter to a failure (predicate) */
	VTB_STRATEGY_ALL = 128,      /* with those left out may show that nothing is left: worth doing unasked */
	VTB_STRATEGY_AHEAD = 1024,   /* may be asked for more while what it has proposed last is under way; 0 then: not
	                                before that was fed back */
	VTB_STRATEGY_PAST = 512,     /* its plans may say what they were made from (struct vtb_plan, past) */
	VTB_STRATEGY_WALKS = 256,    /* each seed is a search of its own: several may go on side by side */
	VTB_STRATEGY_REGIONS = 64,   /* goes by regions of code, which may end early (region) */
	VTB_STRATEGY_BRIEF = 16,    /* proposes brief schedules (vtb/schedule.h), and as many at a time as are wanted */
	VTB_STRATEGY_STRETCHES = 8, /* begins with two opposite orders and one preemption, so that a long trace may be
	                               searched by stretches */
};

struct vtb_strategy {
	const char *name;
	const char *help; /* one line */
	uint32_t can;     /* enum vtb_strategy_can */
	int (*begin)(const struct vtb_space *space, void **ret_state);
	/** Up to `max` schedules into plans[] (empty on entry). Returns how many; 0: nothing left within the bounds. */
	int64_t (*next)(void *state, struct vtb_plan *plans, size_t max);
	/** Of a run whose schedule was brief and whose class is not new nothing is told if it passed: x->brief, no
	 * events. */
	int (*feedback)(void *state, uint64_t ticket, const struct vtb_exec *x, bool new_class);
	void (*claim)(const void *state, struct vtb_claim *ret);
	void (*end)(void *state);
};

#endif /* VTB_STRATEGY_H */
