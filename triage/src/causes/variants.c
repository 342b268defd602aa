/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "variants.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report_parts.h"

static bool same_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The same line does the same to the same variable; in which thread is another matter. */
static bool same_op(const struct vtb_cause_op *a, const struct vtb_cause_op *b)
{
	return a->line == b->line && same_text(a->file, b->file) && same_text(a->kind, b->kind) &&
	       same_text(a->variable, b->variable);
}

static bool has_order(const struct vtb_cause *c, const struct vtb_cause_order *o)
{
	for (size_t i = 0; i < c->n_orders; i++)
		if (same_op(&c->orders[i].before, &o->before) && same_op(&c->orders[i].after, &o->after))
			return true;
	return false;
}

static bool within(const struct vtb_cause *a, const struct vtb_cause *b)
{
	for (size_t i = 0; i < a->n_orders; i++)
		if (!has_order(b, &a->orders[i]))
			return false;
	return true;
}

static bool same_cause(const struct vtb_finding *a, const struct vtb_finding *b)
{
	const struct vtb_cause *c = a->causes.n_causes ? &a->causes.causes[0] : NULL,
	                       *d = b->causes.n_causes ? &b->causes.causes[0] : NULL;

	return c && d && c->n_orders && same_text(c->class, d->class) && within(c, d) && within(d, c);
}

static size_t count(char *const *strings)
{
	size_t n = 0;

	while (strings && strings[n])
		n++;
	return n;
}

/* "deadlock: ... (failure-2.json)" */
static int tell(struct vtb_hunt *hunt, struct vtb_finding *first, const struct vtb_finding *variant)
{
	const size_t n = count(first->variants), nth = (size_t)(variant - hunt->result->findings) + 1;
	char **more = reallocarray(first->variants, n + 2, sizeof(*more));
	char text[700], file[40] = "";

	if (!more)
		return -ENOMEM;
	first->variants = more;
	more[n] = more[n + 1] = NULL;
	vtb_report_failure(vtb_finding_run(variant), hunt->runner->tab, variant->regardless, text, sizeof(text));
	if (!hunt->opts->no_files)
		snprintf(file, sizeof(file), " (failure-%zu.json)", nth);
	return asprintf(&more[n], "%s%s", text, file) < 0 ? -ENOMEM : 0;
}

int vtb_hunt_variants(struct vtb_hunt *hunt)
{
	struct vtb_finding *findings = hunt->result->findings;
	int r = 0;

	for (size_t i = 1; i < hunt->result->n_findings && r >= 0; i++)
		for (size_t k = 0; k < i && r >= 0 && !findings[i].variant_of; k++) {
			if (findings[k].variant_of || !same_cause(&findings[k], &findings[i]))
				continue;
			findings[i].variant_of = k + 1;
			r = tell(hunt, &findings[k], &findings[i]);
		}
	return r;
}
