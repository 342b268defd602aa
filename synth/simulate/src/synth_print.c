/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "synth_priv.h"
#include "vtb/bounded_text.h"
#include "vtb/json.h"
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

static void print_row(const struct vtb_candidate *c, size_t number, bool steps, FILE *file)
{
	const struct vtb_tuple *t = &c->schedule.tuple;

	fprintf(file, "%4zu%c (%u,%u,%u,%u)  %s\n", number, c->guesses ? '?' : ' ', t->l, t->c, t->v, t->t,
	        c->why[0] ? c->why : c->where);
	if (steps && c->why[0])
		fprintf(file, "%19s%s\n", "", c->where);
}

void vtb_synth_print(const struct vtb_synth *s, size_t rows, bool steps, FILE *file)
{
	const size_t n = rows && rows < s->n_candidates ? rows : s->n_candidates;
	bool guesses = false;

	fprintf(file, "   #  (l,c,v,t)  what it changes%s\n", steps ? ", and where it departs" : "");
	for (size_t i = 0; i < n; i++) {
		print_row(&s->candidates[i], i + 1, steps, file);
		guesses |= s->candidates[i].guesses != 0;
	}
	if (guesses)
		fprintf(file, "   ?: departs after what another value may have changed; it may not come so far\n");
	if (n < s->n_candidates)
		fprintf(file, "      ... and %zu more\n", s->n_candidates - n);
	if (s->n_candidates < s->met)
		fprintf(file, "%" PRIu64 " candidates, the best %zu kept\n", s->met, s->n_candidates);
	else
		fprintf(file, "%zu candidates\n", s->n_candidates);
	fprintf(file, "%s", s->statement);
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
