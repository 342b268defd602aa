/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "html_causes.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "vtb/cause.h"
#include "vtb/core_class.h"
#include "vtb/report_causes.h"
#include "vtb/told.h"

/* page.js knows the orders by their places in the page. */
static void put_order(FILE *f, const struct vtb_cause_order *o)
{
	char order[1200];

	fputs("<li class=\"order\">", f);
	text_print_xml(f, vtb_cause_order_words(o, order, sizeof(order)));
	fputs("</li>", f);
}

static void put_repairs(FILE *f, const struct vtb_causes *all)
{
	const char *head = "Repair";

	for (size_t i = 0; i < all->n_causes; i++)
		for (size_t k = 0; k < all->causes[i].n_repairs; k++) {
			const struct vtb_cause_repair *r = &all->causes[i].repairs[k];

			fprintf(f, "<p><b>%s:</b> ", head);
			text_print_xml(f, r->text);
			fprintf(f, " Tried in %llu schedules: none fails.</p>\n", (unsigned long long)r->schedules);
			head = "Or";
		}
}

static void put_head(FILE *f, const struct vtb_causes *all, const struct vtb_cause *c)
{
	const struct vtb_core_class *class = vtb_core_class_named(c->class);
	const bool first = c == all->causes, same = !first && !strcmp(c->class, all->causes->class);

	fputs(first ? "<p>" : "<p>or ", f);
	if (!same) {
		fputs("<b>", f);
		text_print_xml(f, class ? class->text : c->class);
		fputs("</b>", f);
		if (c->detail && *c->detail) {
			fputs(": ", f);
			text_print_xml(f, c->detail);
		}
		fputs(!first ? ", by " : c->detail && *c->detail ? ". " : ": ", f);
	}
	if (first)
		fprintf(f, "%s (%s %llu)", vtb_report_orders(c),
		        !c->exhausted           ? "checked in as many runs as there was time for:"
		        : all->chances_left_out ? "checked in every class of runs, time and chance aside:"
		                                : "checked in every class of runs:",
		        (unsigned long long)(c->exhausted ? all->passing + all->failing : all->runs));
	else
		fputs(c->n_orders == 1 ? "this order:" : "these orders:", f);
	fputs("</p>\n<ul>\n", f);
}

static void put_cause(FILE *f, const struct vtb_causes *all, const struct vtb_cause *c)
{
	char lock[600];

	put_head(f, all, c);
	for (size_t i = 0; i < c->n_orders; i++)
		put_order(f, &c->orders[i]);
	fputs("</ul>\n", f);
	if (!*vtb_report_lock(c, lock, sizeof(lock)))
		return;
	fputs("<p>", f);
	text_print_xml(f, lock);
	fputs("</p>\n", f);
}

static void put_named(FILE *f, const char *name, const char *text)
{
	if (!*text)
		return;
	fprintf(f, "<p><b>%s:</b> ", name);
	text_print_xml(f, text);
	fputs("</p>\n", f);
}

void html_put_causes(FILE *f, const struct vtb_failure *failure)
{
	const struct vtb_causes *all = &failure->causes;
	char looks[800], advice[2048];

	vtb_told_why(failure, looks, sizeof(looks), advice, sizeof(advice));
	if (!all->n_causes && !*looks && !*advice)
		return;
	fprintf(f, "<div class=\"causes\"><h2>Cause%s</h2>\n", all->n_causes <= 1 ? "" : "s");
	if (*looks) {
		fputs("<p>", f);
		text_print_xml(f, looks);
		fputs("</p>\n", f);
	}
	for (size_t i = 0; i < all->n_causes; i++)
		put_cause(f, all, &all->causes[i]);
	put_repairs(f, all);
	put_named(f, "Advice", advice);
	for (size_t i = 0; failure->variants && failure->variants[i]; i++)
		put_named(f, "The same cause also shows as", failure->variants[i]);
	fputs("</div>\n", f);
}

/* An operation that had not taken place is what its thread was about to do. */
static bool is_pending(const struct vtb_event *e, const struct vtb_cause_op *op)
{
	const struct vtb_event_info *info = e->kind == VTB_E_PENDING ? vtb_event_info(e->aux) : NULL;

	return info && !strcmp(info->name, op->kind);
}

size_t html_cause_event(const struct vtb_failure *failure, const struct vtb_cause_op *op)
{
	const struct vtb_trace *trace = &failure->trace;
	uint32_t n = 0;

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (e->thread >= trace->tab.n_threads || !op->thread || !op->kind ||
		    strcmp(vtb_thread_path(&trace->tab, e->thread), op->thread) != 0)
			continue;
		if (op->op ? vtb_event_is_operation(e) && ++n == op->op : is_pending(e, op))
			return i;
	}
	return SIZE_MAX;
}

bool *html_cause_events(const struct vtb_failure *failure)
{
	/* the run that the page shows is that of the first cause; the others are of other runs */
	const struct vtb_cause *c = failure->causes.n_causes ? &failure->causes.causes[0] : NULL;
	bool *found = calloc(failure->trace.n_events + 1, sizeof(*found));

	for (size_t i = 0; found && c && i < c->n_orders; i++) {
		const size_t before = html_cause_event(failure, &c->orders[i].before),
		             after = html_cause_event(failure, &c->orders[i].after);

		if (before != SIZE_MAX)
			found[before] = true;
		if (after != SIZE_MAX)
			found[after] = true;
	}
	return found;
}
