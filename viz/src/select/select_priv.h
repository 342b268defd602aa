/* SPDX-License-Identifier: GPL-2.0-or-later */
/* select_priv.h: the steps of select.c. */
#ifndef VTB_VIZ_SELECT_PRIV_H
#define VTB_VIZ_SELECT_PRIV_H

#include "select.h"
#include "vtb/syncorder.h"

struct selecting {
	const struct vtb_trace *trace;
	const struct vtb_schedule *schedule; /* or NULL */
	const bool *told;                    /* NULL: chosen here */
	struct select_limits limits;
	struct selection *s;
	struct vtb_orderindex *forced; /* orders by creation and join; while orders are looked for */
};

static inline bool is_access(const struct vtb_event *e)
{
	return e->kind >= VTB_E_READ && e->kind < VTB_E_FENCE;
}

static inline bool is_visible(const struct vtb_event *e)
{
	return vtb_event_is(e, VTB_EV_VISIBLE);
}

int select_turns(struct selecting *c);   /* s->turns */
int select_failing(struct selecting *c); /* s->failing */
int select_vars(struct selecting *c);    /* s->vars; needs turns and failing */
int select_orders(struct selecting *c);  /* s->orders; needs keep */

/* The event that last took the lock and has not given it back before event `at`; SELECT_NO_EVENT. */
size_t select_holder(const struct vtb_trace *trace, uint32_t lock, size_t at);

/* Nearest visible event of the thread after (before) `at`, or SELECT_NO_EVENT. */
size_t select_next_of(const struct vtb_trace *trace, uint32_t thread, size_t at);
size_t select_previous_of(const struct vtb_trace *trace, uint32_t thread, size_t at);

/* select_told.c */
void select_keep_told(struct selecting *c);

#endif /* VTB_VIZ_SELECT_PRIV_H */
