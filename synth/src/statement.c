/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a search can honestly say about what it has run. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "chances.h"
#include "search_priv.h"

struct text {
	char *buf;
	size_t size, used;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->used += (size_t)n;
}

static void add_bound(struct text *t, const struct vtb_search_opts *o)
{
	if (o->c == VTB_UNBOUNDED)
		add(t, "any number of preemptions");
	else
		add(t, "c = %u preemptions at v = %u variables", o->c, o->v < o->c ? o->v : o->c);
}

static void add_trouble(struct text *t, const struct vtb_search_stats *s)
{
	if (s->diverged)
		add(t, "%" PRIu64 " schedules were not followed by the program; the first: %s.\n", s->diverged, s->diverged_at);
	if (s->stopped)
		add(t, "%" PRIu64 " runs were stopped because they took too long; nothing is known about their rest.\n", s->stopped);
	if (s->infeasible)
		add(t, "%" PRIu64 " schedules were infeasible.\n", s->infeasible);
}

static void add_focus(struct text *t, const struct vtb_search_opts *o)
{
	if (o->focus_var)
		add(t, "Deviations only after operations on %s.\n", o->focus_var);
	if (o->focus_function)
		add(t, "Deviations only in %s().\n", o->focus_function);
}

static void add_kinds(struct text *t, const struct vtb_claim *claim)
{
	char words[160];

	add(t, "Deviations explored: thread switches%s%s.", claim->explored ? ", " : "", vtb_chances_words(claim->explored, words, sizeof(words)));
	if (claim->unexplored)
		add(t, " Possible, but not explored: %s.", vtb_chances_words(claim->unexplored, words, sizeof(words)));
}

const char *vtb_search_statement(const struct vtb_search *search, char *buf, size_t size)
{
	const struct vtb_search_stats *s = &search->stats;
	struct text t = { buf, size, 0 };
	struct vtb_claim claim;

	if (size)
		buf[0] = '\0';
	vtb_search_claim(search, &claim);
	add(&t, "%" PRIu64 " schedules of %" PRIu64 " classes were executed by the strategy %s within the bound of ", s->schedules, s->classes, search->strategy->name);
	add_bound(&t, &search->opts);
	add(&t, ".\n");
	if (claim.text[0])
		add(&t, "%s: %s.\n", claim.complete ? "Complete" : claim.exhausted ? "Done" : "Ended early", claim.text);
	if (claim.dropped)
		add(&t, "%" PRIu64 " schedules were left out for want of memory.\n", claim.dropped);
	add_focus(&t, &search->opts);
	add_trouble(&t, s);
	add_kinds(&t, &claim);
	add(&t, " Sequentially consistent interleavings only.\n");
	return buf;
}
