/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/report_causes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtb/core_class.h"
#include "vtb/words.h"

#define CAUSES_SHOWN 3u /* unless -v */
#define ORDERS_SHOWN 8u

struct teller {
	void (*tell)(void *page, const char *label, const char *text);
	void *page;
};

static void tell_order(const struct teller *t, const struct vtb_cause_order *o)
{
	char text[1200];

	t->tell(t->page, "", vtb_cause_order_words(o, text, sizeof(text)));
}

static const char *class_words(const struct vtb_cause *c)
{
	const struct vtb_core_class *class = vtb_core_class_named(c->class);

	return class ? class->text : c->class;
}

const char *vtb_report_orders(const struct vtb_cause *c)
{
	const bool one = c->n_orders == 1;

	if (c->detail && *c->detail) /* a sentence of its own */
		return one ? "This order makes it fail" : "These orders together make it fail, and each is needed";
	return one ? "this order makes it fail" : "these orders together make it fail, and each is needed";
}

/* How far "enough" goes. */
static void tell_head(const struct teller *t, const struct vtb_causes *all, const struct vtb_cause *c)
{
	const char *detail = c->detail ? c->detail : "";
	char text[2800], runs[40];

	vtb_words_count(c->exhausted ? all->passing + all->failing : all->runs, runs, sizeof(runs));
	snprintf(text, sizeof(text), "%s: %s%s%s (%s %s)", class_words(c), detail, *detail ? ". " : "",
	         vtb_report_orders(c),
	         !c->exhausted           ? "checked in as many runs as there was time for:"
	         : all->chances_left_out ? "checked in every class of runs, time and chance aside:"
	                                 : "checked in every class of runs:",
	         runs);
	t->tell(t->page, "cause", text);
}

/* Another way to the same failure: only what is not said of the first. */
static void tell_next(const struct teller *t, const struct vtb_cause *c, const struct vtb_cause *first)
{
	const bool same = !strcmp(c->class, first->class);
	const char *detail = !same && c->detail ? c->detail : "";
	char text[2800];

	snprintf(text, sizeof(text), "or%s%s%s%s%s:", same ? "" : " ", same ? "" : class_words(c), *detail ? ": " : "",
	         detail,
	         same               ? c->n_orders == 1 ? " this order" : " these orders"
	         : c->n_orders == 1 ? ", by this order"
	                            : ", by these orders");
	t->tell(t->page, "", text);
}

char *vtb_report_lock(const struct vtb_cause *c, char *buf, size_t size)
{
	static const struct {
		const char *lock, *text;
		bool one; /* it is the guard */
	} rows[] = {
		{ "one-side", "only one of the two sides holds a lock there", true },
		{ "different", "each of the two sides holds another lock there", false },
		{ "shared", "the lock that both sides hold there is held only shared", false },
	};
	char guard[400];

	buf[0] = 0;
	vtb_cause_guard_words(&c->guard, guard, sizeof(guard));
	for (size_t i = 0; c->lock && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(c->lock, rows[i].lock))
			snprintf(buf, size, "%s%s%s", rows[i].text, rows[i].one && *guard ? ": " : "",
			         rows[i].one ? guard : "");
	return buf;
}

/* Where nobody holds one, that goes without saying. */
static void tell_lock(const struct teller *t, const struct vtb_cause *c)
{
	char text[600];

	if (*vtb_report_lock(c, text, sizeof(text)))
		t->tell(t->page, "", text);
}

const struct vtb_cause_repair *vtb_report_repair(const struct vtb_causes *c)
{
	for (size_t i = 0; i < c->n_causes; i++)
		if (c->causes[i].n_repairs)
			return &c->causes[i].repairs[0];
	return NULL;
}

static void tell_repairs(const struct teller *t, const struct vtb_causes *c, bool verbose)
{
	const struct vtb_cause_repair *shown = vtb_report_repair(c);
	char text[1200], tried[40];
	uint32_t rejected = 0;

	for (size_t i = 0; i < c->n_causes; i++)
		rejected += c->causes[i].rejected;
	for (size_t i = 0; i < c->n_causes; i++)
		for (size_t k = 0; k < c->causes[i].n_repairs; k++) {
			const struct vtb_cause_repair *r = &c->causes[i].repairs[k];

			vtb_words_count(r->schedules, tried, sizeof(tried));
			snprintf(text, sizeof(text), "%s%s Tried in %s schedules: none fails.",
			         r == shown ? "" : "Or: ", r->text, tried);
			t->tell(t->page, r == shown ? "repair" : "", text);
		}
	if (!rejected || (!shown && !verbose))
		return;
	snprintf(text, sizeof(text), "(%u other%s tried and did not hold)", rejected,
	         rejected == 1 ? " was" : "s were");
	t->tell(t->page, "", text);
}

void vtb_report_causes(const struct vtb_causes *c, int verbose,
                       void (*tell)(void *page, const char *label, const char *text), void *page)
{
	const struct teller t = { .tell = tell, .page = page };
	const size_t shown = verbose || c->n_causes <= CAUSES_SHOWN ? c->n_causes : CAUSES_SHOWN;
	char text[200];

	for (size_t i = 0; i < shown; i++) {
		const struct vtb_cause *cause = &c->causes[i];

		if (i == 0)
			tell_head(&t, c, cause);
		else
			tell_next(&t, cause, &c->causes[0]);
		for (size_t k = 0; k < cause->n_orders && (verbose || k < ORDERS_SHOWN); k++)
			tell_order(&t, &cause->orders[k]);
		if (cause->n_orders > ORDERS_SHOWN && !verbose)
			tell(page, "", "... and more, shown by -v and --json");
		tell_lock(&t, cause);
	}
	if (shown < c->n_causes) {
		snprintf(text, sizeof(text), "... and %zu more cause%s, shown by -v and --json", c->n_causes - shown,
		         c->n_causes - shown == 1 ? "" : "s");
		tell(page, "", text);
	}
	tell_repairs(&t, c, verbose);
}
