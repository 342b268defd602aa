/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "candidate_words.h"
#include "synth_priv.h"
#include "vtb/bounded_text.h"
#include "vtb/columns.h"
#include "vtb/hash.h"
#include "vtb/json.h"
#include "vtb/map64.h"
#include "vtb/stop.h"
#include "vtb/synth.h"

/* Some tenths of a second are always over when a search ends that was given all the time there was. */
#define GRACE 0.5

/* The best come first. */
static void drop_unwritten(struct vtb_synth *s, size_t written)
{
	struct vtb_bounded_text t = { s->statement, sizeof(s->statement), strlen(s->statement) };

	if (written < s->n_candidates)
		vtb_bounded_text_add(&t, "Only the first %zu of %zu schedules were written: the time was over.\n",
		                     written, s->n_candidates);
	synth_keep_first(s, written);
}

int vtb_synth_write(struct vtb_synth *s, const struct vtb_trace *trace, const char *path, struct vtb_error *err)
{
	struct vtb_schedules set = { 0 };
	struct vtb_names names = { .to = &set.tab, .from = &trace->tab };
	struct vtb_stop stop = { .deadline = s->deadline > 0 ? s->deadline + GRACE : 0 };
	size_t written;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < s->n_candidates; i++)
		r = vtb_schedules_add_from(&set, &s->candidates[i].schedule, &names);
	set.argv = trace->argv; /* borrowed while it is written */
	set.cwd = trace->cwd;
	if (r < 0)
		vtb_error_set(err, r, path, 0, "cannot put the schedules together: %s", vtb_strerror(r));
	else
		r = vtb_schedules_write_until(&set, path, &stop, &written, err);
	if (r >= 0)
		drop_unwritten(s, written);
	set.argv = NULL;
	set.cwd = NULL;
	vtb_names_fini(&names);
	vtb_schedules_fini(&set);
	return r;
}

/* ---- the table */

#define TEXT_COLUMN 17 /* where what a candidate changes begins: behind its number and tuple */
#define ALIKE_SHOWN 5  /* numbers of candidates that a row stands for, besides the first */

struct printing {
	const struct vtb_synth *s;
	FILE *file;
	size_t width; /* of a line; 0: as long as it is */
	bool steps;
};

static const char *text_of(const struct vtb_candidate *c)
{
	return c->why[0] ? c->why : c->where;
}

/* The text from column `column` on; further lines of it stand below its beginning. */
static void print_text(const struct printing *p, const char *text, size_t column)
{
	if (p->width)
		vtb_layout_wrap(p->file, text, column, column, p->width);
	else
		fprintf(p->file, "%s\n", text);
}

/* How much of the text says the first thing that changes: ", and 3 more" is left out. */
static size_t first_change(const char *text)
{
	const char *more = strstr(text, VTB_WHY_MORE);

	return more ? (size_t)(more - text) : strlen(text);
}

/* Does one row say both, but for how much else they change? */
static bool is_alike(const struct vtb_candidate *a, const struct vtb_candidate *b)
{
	const struct vtb_tuple *s = &a->schedule.tuple, *t = &b->schedule.tuple;
	const size_t n = first_change(text_of(a));

	return s->l == t->l && s->c == t->c && s->v == t->v && s->t == t->t && !a->guesses == !b->guesses &&
	       n == first_change(text_of(b)) && memcmp(text_of(a), text_of(b), n) == 0;
}

static uint64_t key_of(const struct vtb_candidate *c)
{
	const uint64_t tuple = vtb_hash(&c->schedule.tuple, sizeof(c->schedule.tuple));

	return vtb_hash_seed(text_of(c), first_change(text_of(c)), tuple ^ !c->guesses);
}

/* Is candidate i the first that says what it says? `said`: those before it, by key. Where memory is short each is. */
static bool is_first(const struct vtb_synth *s, size_t i, struct vtb_map64 *said)
{
	const uint64_t *first = vtb_map64_put(said, key_of(&s->candidates[i]), i);

	return !first || *first == i || !is_alike(&s->candidates[*first], &s->candidates[i]);
}

/* "also 6, 8, 10 and 3 more": of which the row at `first` says the same. */
static void print_alike(const struct printing *p, size_t first)
{
	char text[ALIKE_SHOWN * 24 + 48];
	struct vtb_bounded_text t = { text, sizeof(text), 0 };
	size_t n = 0;

	for (size_t i = first + 1; i < p->s->n_candidates; i++) {
		if (!is_alike(&p->s->candidates[first], &p->s->candidates[i]))
			continue;
		if (n++ < ALIKE_SHOWN)
			vtb_bounded_text_add(&t, "%s%zu", n == 1 ? "also " : ", ", i + 1);
	}
	if (n > ALIKE_SHOWN)
		vtb_bounded_text_add(&t, " and %zu more", n - ALIKE_SHOWN);
	if (n)
		fprintf(p->file, "%*s%s\n", TEXT_COLUMN + 2, "", text);
}

static void print_row(const struct printing *p, size_t i)
{
	const struct vtb_candidate *c = &p->s->candidates[i];
	const struct vtb_tuple *t = &c->schedule.tuple;

	fprintf(p->file, "%4zu%c (%u,%u,%u,%u)  ", i + 1, c->guesses ? '?' : ' ', t->l, t->c, t->v, t->t);
	print_text(p, text_of(c), TEXT_COLUMN);
	if (!p->steps) {
		print_alike(p, i);
	} else if (c->why[0]) {
		fprintf(p->file, "%*s", TEXT_COLUMN, "");
		print_text(p, c->where, TEXT_COLUMN);
	}
}

static void print_statement(const struct printing *p)
{
	const char *at = p->s->statement;

	while (*at) {
		char line[sizeof(p->s->statement)];
		const size_t n = strcspn(at, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)n, at);
		print_text(p, line, 0);
		at += n + (at[n] == '\n');
	}
}

void vtb_synth_print(const struct vtb_synth *s, struct vtb_synth_style style, FILE *file)
{
	const struct printing p = { .s = s, .file = file, .width = style.width, .steps = style.steps };
	struct vtb_map64 said = { 0 };
	size_t shown = 0, left = 0;
	bool guesses = false;

	fprintf(file, "   #  (l,c,v,t)  what it changes%s\n", p.steps ? ", and where it departs" : "");
	for (size_t i = 0; i < s->n_candidates; i++) {
		if (!p.steps && !is_first(s, i, &said))
			continue;
		if (style.rows && shown == style.rows) {
			left++;
			continue;
		}
		print_row(&p, i);
		guesses |= s->candidates[i].guesses != 0;
		shown++;
	}
	vtb_map64_fini(&said);
	if (guesses)
		print_text(&p, "   ?: departs after what another value may have changed; it may not come so far", 0);
	if (left)
		fprintf(file, "      ... and %zu more that change something else (--verbose)\n", left);
	if (s->n_candidates < s->met)
		fprintf(file, "%" PRIu64 " candidates, the best %zu kept\n", s->met, s->n_candidates);
	else
		fprintf(file, "%zu candidate%s\n", s->n_candidates, s->n_candidates == 1 ? "" : "s");
	print_statement(&p);
}

static void write_candidate(struct vtb_json_writer *w, const struct vtb_candidate *c)
{
	vtb_json_object(w, NULL);
	vtb_json_object_row(w, "tuple");
	vtb_json_u64(w, "l", c->schedule.tuple.l);
	vtb_json_u64(w, "c", c->schedule.tuple.c);
	vtb_json_u64(w, "v", c->schedule.tuple.v);
	vtb_json_u64(w, "t", c->schedule.tuple.t);
	vtb_json_end(w);
	vtb_json_string(w, "where", c->where);
	vtb_json_string(w, "why", c->why);
	vtb_json_bool(w, "observed", c->observed);
	vtb_json_u64(w, "guesses", c->guesses);
	vtb_json_bool(w, "deadlock", c->deadlock);
	vtb_json_end(w);
}

void vtb_synth_print_json(const struct vtb_synth *s, FILE *file)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, file);
	vtb_json_object(&w, NULL);
	vtb_json_u64(&w, "schedules", s->stats.schedules);
	vtb_json_u64(&w, "classes", s->stats.classes);
	vtb_json_u64(&w, "blocked", s->stats.blocked);
	vtb_json_string(&w, "strategy", s->strategy);
	vtb_json_string(&w, "equivalence", s->reads_from ? "reads-from" : "order");
	vtb_json_bool(&w, "symmetry", s->symmetry);
	vtb_json_u64(&w, "symmetric", s->claim.symmetric);
	vtb_json_bool(&w, "complete", s->claim.complete);
	vtb_json_string(&w, "statement", s->statement);
	vtb_json_u64(&w, "met", s->met);
	vtb_json_array(&w, "candidates");
	for (size_t i = 0; i < s->n_candidates; i++)
		write_candidate(&w, &s->candidates[i]);
	vtb_json_finish(&w);
}
