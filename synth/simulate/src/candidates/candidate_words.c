/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "candidate_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/short_name.h"

static const char *kind_name(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info ? info->name : "?";
}

/* The user's line; of code without lines the function; "?" if nothing is known. Returns buf. */
static const char *place_of(const struct vtb_event *e, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const uint32_t site = vtb_site_of_user(tab, e->site);
	const struct vtb_site *s = site < tab->n_sites ? &tab->sites[site] : NULL;

	if (s && !s->line && s->function[0])
		return vtb_short_function(s->function, buf, size);
	return vtb_site_place(tab, site, buf, size);
}

#define OBJECTS_MANY 2000u /* among which the block around a lock is not looked for, candidate by candidate */

static void print_variable(FILE *out, uint32_t var, const struct vtb_symtab *tab)
{
	char name[256];

	fprintf(out, " of %s",
	        tab->n_objects < OBJECTS_MANY ? vtb_told_alone(tab, var, name, sizeof(name))
	                                      : vtb_short_variable(vtb_variable_name(tab, var), name, sizeof(name)));
}

static void print_op(FILE *out, const struct vtb_event *e, const struct vtb_symtab *tab)
{
	char place[256];

	fprintf(out, "%s", kind_name(e));
	if (e->var < tab->n_variables)
		print_variable(out, e->var, tab);
	if (e->site < tab->n_sites) {
		fprintf(out, " at %s", place_of(e, tab, place, sizeof(place)));
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
	char place[256];

	fprintf(out, "%s", kind_name(e));
	if (name)
		print_variable(out, e->var, tab);
	fprintf(out, " by %s (%s)", vtb_thread_path(tab, e->thread), place_of(e, tab, place, sizeof(place)));
}

/* "read and write by 0.1 (pool.c:12, pool.c:14)", "two reads by 0.1 (pool.c:12)" */
static void print_pair(FILE *out, const struct vtb_event *a, const struct vtb_event *b, const struct vtb_symtab *tab)
{
	char first[256], last[256];

	if (a->kind == b->kind)
		fprintf(out, "two %ss", kind_name(a));
	else
		fprintf(out, "%s and %s", kind_name(a), kind_name(b));
	place_of(a, tab, first, sizeof(first));
	place_of(b, tab, last, sizeof(last));
	fprintf(out, " by %s (%s", vtb_thread_path(tab, a->thread), first);
	if (strcmp(first, last) != 0)
		fprintf(out, ", %s", last);
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
		fprintf(out, " comes between ");
		print_pair(out, a, c, tab);
	} else if (reordering->flips) {
		print_by(out, &x->events[reordering->first], tab, true);
		fprintf(out, " comes before ");
		print_by(out, &x->events[reordering->middle], tab, false);
	}
	if (reordering->intrusions + reordering->flips > 1)
		fprintf(out, VTB_WHY_MORE "%u more", reordering->intrusions + reordering->flips - 1);
	return fclose(out) == 0 ? text : NULL;
}
