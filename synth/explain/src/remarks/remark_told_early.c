/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread waits until there is nothing left to do, and another takes what is left away before it has done it:
 *
 *     0.0                                  0
 *     takes the last task from queue ────► waits until queue is empty
 *                                          looks at the results
 *     writes a result                      which is late
 */
#include "remarks.h"

#include <stdio.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "vtb/short_name.h"

static const struct vtb_site *shown(const struct vtb_core_view *v, const struct vtb_exec *x,
                                    const struct vtb_core_op *op)
{
	const uint32_t site = remark_site(v, op, x);

	return site < v->tab->n_sites ? &v->tab->sites[site] : NULL;
}

/* The wait stands at the line of the test, or below it. */
static bool waits_at(const struct vtb_core_view *v, const struct vtb_exec *x, uint32_t thread,
                     const struct vtb_site *test)
{
	for (size_t i = 0; x && i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];
		const struct vtb_site *at;
		struct vtb_core_op op;

		if (e->thread != thread || (e->kind != VTB_E_COND_WAIT && e->kind != VTB_E_FUTEX_WAIT))
			continue;
		op = core_op_at(x, i);
		at = shown(v, x, &op);
		if (at && !strcmp(at->file, test->file) && (at->line == test->line || at->line == test->line + 1))
			return true;
	}
	return false;
}

/* Is it the test of a wait? */
static bool is_waited_for(const struct vtb_core_view *v, const struct vtb_core_op *op)
{
	const struct vtb_site *at = shown(v, &v->core->exec, op);

	return at && at->line &&
	       (strstr(at->via, "condition_variable::wait") || strstr(at->via, "condition_variable_any::wait") ||
	        waits_at(v, &v->core->exec, op->thread, at) || waits_at(v, v->passing, op->thread, at));
}

/* `go`: what lets the other thread go on; `late`: what that looks at before it is done. */
static bool is_early(const struct vtb_core_view *v, size_t go, size_t late)
{
	const struct vtb_order_literal *g = &v->core->literals[go], *l = &v->core->literals[late];

	return core_writes(&g->before) && core_reads(&g->after) && core_is_access(l->after.kind) &&
	       core_writes(&l->after) && core_reads(&l->before) && g->before.thread == l->after.thread &&
	       g->after.thread == l->before.thread && g->after.var != l->after.var &&
	       v->before[go].at < v->after[go].at && v->after[go].at <= v->before[late].at &&
	       (v->after[late].at == VTB_EVENT_NONE || v->after[late].at > v->before[late].at) &&
	       is_waited_for(v, &g->after);
}

static void say(const struct vtb_core_view *v, size_t go, size_t late, char *buf, size_t size)
{
	const struct vtb_order_literal *g = &v->core->literals[go], *l = &v->core->literals[late];
	const struct vtb_exec *x = &v->core->exec;
	char object[300], does[300], waits[300], looks[300], comes[300];

	snprintf(
	    buf, size,
	    "%s lets %s go on too early: it changes %s at %s, which %s waits for at %s, and comes to %s only then, "
	    "what "
	    "%s looks at next, at %s. What is waited for must be told last: let it count work that is under way, too",
	    vtb_thread_path(v->tab, g->before.thread), vtb_thread_path(v->tab, g->after.thread),
	    vtb_told_variable(v->tab, g->after.var, object, sizeof(object)),
	    vtb_site_place(v->tab, remark_site(v, &g->before, x), does, sizeof(does)),
	    vtb_thread_path(v->tab, g->after.thread),
	    vtb_site_place(v->tab, remark_site(v, &g->after, x), waits, sizeof(waits)),
	    vtb_site_place(v->tab, remark_site(v, &l->after, x), comes, sizeof(comes)),
	    vtb_thread_path(v->tab, g->after.thread),
	    vtb_site_place(v->tab, remark_site(v, &l->before, x), looks, sizeof(looks)));
}

void remark_told_early(const struct vtb_core_view *v, char *buf, size_t size)
{
	for (size_t go = 0; go < v->core->n_literals; go++)
		for (size_t late = 0; late < v->core->n_literals; late++)
			if (go != late && is_early(v, go, late)) {
				say(v, go, late, buf, size);
				return;
			}
}
