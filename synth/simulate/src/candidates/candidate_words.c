/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_name(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info ? info->name : "?";
}

static void print_place(FILE *out, const struct vtb_event *e, const struct vtb_symtab *tab)
{
	char place[256];

	if (e->site < tab->n_sites)
		fprintf(out, "%s", vtb_site_place(tab, e->site, place, sizeof(place)));
	else
		fprintf(out, "?");
}

static void print_op(FILE *out, const struct vtb_event *e, const struct vtb_symtab *tab)
{
	fprintf(out, "%s", kind_name(e));
	if (e->var < tab->n_variables)
		fprintf(out, " of %s", vtb_variable_name(tab, e->var));
	if (e->site < tab->n_sites) {
		fprintf(out, " at ");
		print_place(out, e, tab);
	}
}

/* The event of the `index`-th operation of a thread, NULL if it did not take place. */
static const struct vtb_event *find_op(const struct vtb_exec *x, const struct vtb_op *op)
{
	uint32_t done = 0;

	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].thread == op->thread && x->events[i].kind != VTB_E_LOST && ++done == op->index)
			return &x->events[i];
	return NULL;
}

static void print_deviation(FILE *out, const struct vtb_deviation *d, const struct vtb_exec *x,
                            const struct vtb_symtab *tab)
{
	const struct vtb_event *e = find_op(x, &d->after);

	fprintf(out, "%s %s after ", d->cost ? "preempt" : "leave", vtb_thread_path(tab, d->after.thread));
	if (e)
		print_op(out, e, tab);
	else
		fprintf(out, "operation %u", d->after.index);
	if (d->kind == VTB_DEV_SWITCH)
		fprintf(out, " for %s", vtb_thread_path(tab, d->target));
}

static void print_ranks(FILE *out, const struct vtb_schedule *s, const struct vtb_symtab *tab)
{
	const char *between = "order ";

	for (size_t i = 0; i < s->n_ranks; i++) {
		if (s->ranks[i] & VTB_RANK_FRAGMENT_BIT)
			continue;
		fprintf(out, "%s%s", between, vtb_thread_path(tab, s->ranks[i]));
		between = " > ";
	}
}

char *vtb_words_where(const struct vtb_schedule *s, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool any = false;

	if (!out)
		return NULL;
	for (size_t i = 0; i < s->n_deviations; i++) {
		fprintf(out, "%s", any ? "; " : "");
		print_deviation(out, &s->deviations[i], x, tab);
		any = true;
	}
	if (s->n_constraints) {
		fprintf(out, "%sthe recorded order of %zu pairs of operations", any ? "; " : "", s->n_constraints);
		any = true;
	}
	if (s->n_ranks) {
		fprintf(out, "%s", any ? "; " : "");
		print_ranks(out, s, tab);
	} else if (!any) {
		fprintf(out, "every thread until it waits, in order of creation");
	}
	return fclose(out) == 0 ? text : NULL;
}

static void print_by(FILE *out, const struct vtb_event *e, const struct vtb_symtab *tab, bool name)
{
	fprintf(out, "%s", kind_name(e));
	if (name)
		fprintf(out, " of %s", vtb_variable_name(tab, e->var));
	fprintf(out, " by %s (", vtb_thread_path(tab, e->thread));
	print_place(out, e, tab);
	fprintf(out, ")");
}

char *vtb_words_why(const struct vtb_reordering *reordering, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (reordering->intrusions) {
		const struct vtb_event *a = &x->events[reordering->first], *c = &x->events[reordering->last];

		print_by(out, &x->events[reordering->middle], tab, true);
		fprintf(out, " comes between %s and %s by %s (", kind_name(a), kind_name(c),
		        vtb_thread_path(tab, a->thread));
		print_place(out, a, tab);
		fprintf(out, ", ");
		print_place(out, c, tab);
		fprintf(out, ")");
	} else if (reordering->flips) {
		print_by(out, &x->events[reordering->first], tab, true);
		fprintf(out, " comes before ");
		print_by(out, &x->events[reordering->middle], tab, false);
	}
	if (reordering->intrusions + reordering->flips > 1)
		fprintf(out, ", and %u more", reordering->intrusions + reordering->flips - 1);
	return fclose(out) == 0 ? text : NULL;
}
