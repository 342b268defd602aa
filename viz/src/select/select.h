/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * select.h: of all that happened, what matters for the failure: the failing operation, the deviations, the conflicting
 * accesses around them, and the lock operations around those. Everything else is folded away.
 */
#ifndef VTB_VIZ_SELECT_H
#define VTB_VIZ_SELECT_H

#include "vtb/failure.h"
#include "vtb/trace.h"

#define SELECT_VARS_MAX 8u
#define SELECT_NO_EVENT SIZE_MAX

/* A deviation of the schedule, found in the trace. */
struct turn {
	size_t from;     /* the operation after which; SELECT_NO_EVENT: before the thread's first */
	size_t to;       /* the operation that came next, in the thread that took over; SELECT_NO_EVENT if none */
	size_t back;     /* the operation with which the thread that was left goes on; SELECT_NO_EVENT */
	uint32_t thread; /* that was left */
	uint32_t kind;   /* enum vtb_deviation_kind */
	uint32_t number; /* from 1, of those that cost; 0: free */
	uint32_t var;
};

struct order {
	size_t before, after; /* conflicting, of different threads */
};

struct selection {
	bool *keep; /* of each event */
	size_t n_kept;
	uint32_t vars[SELECT_VARS_MAX]; /* what it is about, most important first */
	size_t n_vars;
	struct turn *turns;
	size_t n_turns, cap_turns;
	struct order *orders;
	size_t n_orders, cap_orders;
	size_t *failing; /* events that show the failure: FAIL, or the waits of a deadlock */
	size_t n_failing, cap_failing;
};

struct select_limits {
	size_t accesses; /* at most so many accesses to the variables it is about */
	size_t orders;
};
#define SELECT_LIMITS ((struct select_limits){ .accesses = 40, .orders = 40 })

/* `schedule` may be NULL: a free run, where the variables are those that race or that several threads touch. */
/* `told`, if not NULL, says of each event whether it is kept; so are those that show the failure. */
int select_events(const struct vtb_trace *trace, const struct vtb_schedule *schedule, const bool *told,
                  struct select_limits limits, struct selection *ret);
/* The events that the verdict block tells of a failure; *ret is the caller's to free. -ENOMEM. */
int select_told(const struct vtb_failure *failure, bool **ret);
void selection_fini(struct selection *s);
/* Place of the variable in s->vars, or -1. */
int selection_var(const struct selection *s, uint32_t var);

#endif /* VTB_VIZ_SELECT_H */
