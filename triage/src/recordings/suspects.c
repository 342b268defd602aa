/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suspects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/classify.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/map64.h"
#include "vtb/words.h"

struct order {
	char *variable, *earlier, *later;
	uint64_t key;
	uint64_t before, after; /* keys of the operations */
	uint32_t failing, passing;
	uint32_t last_run; /* the run that counted it last */
};

struct vtb_suspects {
	struct order *orders;
	size_t n_orders, cap_orders;
	struct vtb_map64 by_key; /* -> index in orders */
	struct vtb_map64 passed; /* keys of operations that passing runs have */
	uint32_t runs;
};

int vtb_suspects_new(struct vtb_suspects **ret)
{
	*ret = calloc(1, sizeof(**ret));
	return *ret ? 0 : -ENOMEM;
}

void vtb_suspects_free(struct vtb_suspects *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n_orders; i++) {
		free(s->orders[i].variable);
		free(s->orders[i].earlier);
		free(s->orders[i].later);
	}
	free(s->orders);
	vtb_map64_fini(&s->by_key);
	vtb_map64_fini(&s->passed);
	free(s);
}

/* "0.1 reads at account.c:12": for people; without values, as they differ from run to run. */
static char *describe(const struct vtb_event *e, const struct vtb_symtab *tab)
{
	char thread[80], place[200], *text = NULL;

	vtb_words_thread(tab, e->thread, thread, sizeof(thread));
	vtb_words_place(tab, e->site, place, sizeof(place));
	return asprintf(&text, "%s %s at %s", thread, vtb_words_verb(e, false), *place ? place : "?") < 0 ? NULL : text;
}

static uint64_t hash_text(uint64_t seed, const char *text)
{
	const uint64_t parts[] = { seed, vtb_hash(text, strlen(text)) };

	return vtb_hash(parts, sizeof(parts));
}

static uint64_t name_of(const struct vtb_event *e, const struct vtb_symtab *tab, uint64_t seed)
{
	const struct vtb_site *site = e->site < tab->n_sites ? &tab->sites[e->site] : NULL;
	const uint64_t parts[] = { seed, e->kind, site ? site->line - site->function_line : 0 };
	uint64_t key = vtb_hash(parts, sizeof(parts));

	key = hash_text(key, vtb_thread_path(tab, e->thread));
	return hash_text(key, site && site->function ? site->function : "");
}

/* Name of an operation and of what it is done to: the same in every run. */
static uint64_t key_of(const struct vtb_event *e, const struct vtb_symtab *tab)
{
	return name_of(e, tab, hash_text(0, vtb_variable_name(tab, e->var)));
}

static int add_order(struct vtb_suspects *s, const struct vtb_event *a, const struct vtb_event *b,
                     const struct vtb_symtab *tab)
{
	char variable[160];
	struct order o = { .before = key_of(a, tab), .after = key_of(b, tab) };

	if (vtb_array_room(s, orders) < 0)
		return -ENOMEM;
	o.variable = strdup(vtb_words_variable(tab, b->var, variable, sizeof(variable)));
	o.earlier = describe(a, tab);
	o.later = describe(b, tab);
	s->orders[s->n_orders++] = o;
	return o.variable && o.earlier && o.later ? 0 : -ENOMEM;
}

static uint64_t key_of_pair(const struct vtb_event *a, const struct vtb_event *b, const struct vtb_symtab *tab)
{
	return name_of(b, tab, name_of(a, tab, hash_text(0, vtb_variable_name(tab, b->var))));
}

static int count(struct vtb_suspects *s, const struct vtb_event *a, const struct vtb_event *b,
                 const struct vtb_symtab *tab, bool failing)
{
	const uint64_t key = key_of_pair(a, b, tab);
	const uint64_t *at = vtb_map64_put(&s->by_key, key, s->n_orders);
	struct order *o;
	int r;

	if (!at)
		return -ENOMEM;
	if (*at == s->n_orders) {
		r = add_order(s, a, b, tab);
		if (r < 0)
			return r;
		s->orders[*at].key = key;
	}
	o = &s->orders[*at];
	if (o->last_run == s->runs)
		return 0;
	o->last_run = s->runs;
	o->failing += failing;
	o->passing += !failing;
	return 0;
}

/* For each pair of neighbouring conflicting operations: of each variable the access before, of any thread, and the last
 * write, as reads in between do not conflict. */
static int each_pair(const struct vtb_trace *trace, int (*visit)(void *data, size_t a, size_t b), void *data)
{
	const size_t n = trace->tab.n_variables;
	size_t *last = calloc(n + 1, sizeof(*last)), *last_write = calloc(n + 1, sizeof(*last_write));
	int r = last && last_write ? 0 : -ENOMEM;

	for (size_t i = 0; i < trace->n_events && r >= 0; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (e->var >= n || !vtb_classify_is_data(e))
			continue;
		if (last[e->var] && vtb_event_conflict(&trace->events[last[e->var] - 1], e))
			r = visit(data, last[e->var] - 1, i);
		if (r == 0 && last_write[e->var] && last_write[e->var] != last[e->var] &&
		    vtb_event_conflict(&trace->events[last_write[e->var] - 1], e))
			r = visit(data, last_write[e->var] - 1, i);
		last[e->var] = i + 1;
		if (vtb_classify_writes(e))
			last_write[e->var] = i + 1;
	}
	free(last);
	free(last_write);
	return r;
}

struct counting {
	struct vtb_suspects *suspects;
	const struct vtb_trace *trace;
	bool failing;
};

static int count_pair(void *data, size_t a, size_t b)
{
	const struct counting *c = data;

	return count(c->suspects, &c->trace->events[a], &c->trace->events[b], &c->trace->tab, c->failing);
}

static int note_passed(struct vtb_suspects *s, const struct vtb_trace *trace)
{
	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];

		if (e->var < trace->tab.n_variables && vtb_classify_is_data(e) &&
		    !vtb_map64_put(&s->passed, key_of(e, &trace->tab), 1))
			return -ENOMEM;
	}
	return 0;
}

int vtb_suspects_add(struct vtb_suspects *s, const struct vtb_trace *trace, bool failing)
{
	struct counting c = { s, trace, failing };
	const int r = failing ? 0 : note_passed(s, trace);

	s->runs++;
	return r < 0 ? r : each_pair(trace, count_pair, &c);
}

struct looking {
	const struct vtb_trace *trace;
	const struct vtb_suspect *suspects;
	size_t n;
	struct vtb_suspect_pair *ret;
};

static int look_at_pair(void *data, size_t a, size_t b)
{
	const struct looking *l = data;
	const uint64_t key = key_of_pair(&l->trace->events[a], &l->trace->events[b], &l->trace->tab);

	for (size_t i = 0; i < l->n; i++)
		if (l->suspects[i].key == key && !l->ret[i].found)
			l->ret[i] = (struct vtb_suspect_pair){ true, a, b };
	return 0;
}

int vtb_suspects_in(const struct vtb_trace *trace, const struct vtb_suspect *suspects, size_t n,
                    struct vtb_suspect_pair *ret)
{
	struct looking l = { trace, suspects, n, ret };

	memset(ret, 0, n * sizeof(*ret));
	return each_pair(trace, look_at_pair, &l);
}

bool vtb_suspects_same(const struct vtb_suspects *s, uint32_t failing)
{
	for (size_t i = 0; i < s->n_orders; i++)
		if (s->orders[i].failing == failing && !s->orders[i].passing &&
		    vtb_map64_at(&s->passed, s->orders[i].before) && vtb_map64_at(&s->passed, s->orders[i].after))
			return false;
	return true;
}

/* Share of failing runs minus share of passing ones, in thousandths. */
static int difference(const struct order *o, uint32_t failing, uint32_t passing)
{
	return (failing ? (int)(1000u * o->failing / failing) : 0) -
	       (passing ? (int)(1000u * o->passing / passing) : 0);
}

static const struct order *next_best(const struct vtb_suspects *s, uint32_t failing, uint32_t passing,
                                     const bool *taken)
{
	const struct order *best = NULL;

	for (size_t i = 0; i < s->n_orders; i++)
		if (!taken[i] &&
		    difference(&s->orders[i], failing, passing) > (best ? difference(best, failing, passing) : 0))
			best = &s->orders[i];
	return best;
}

int vtb_suspects_rank(const struct vtb_suspects *s, uint32_t failing, uint32_t passing, struct vtb_suspect *ret,
                      size_t max, size_t *ret_n)
{
	bool *taken = calloc(s->n_orders + 1, sizeof(*taken));
	size_t n = 0;
	int r = taken ? 0 : -ENOMEM;

	while (r == 0 && n < max && passing) {
		const struct order *o = next_best(s, failing, passing, taken);

		if (!o)
			break;
		taken[o - s->orders] = true;
		ret[n] = (struct vtb_suspect){ .variable = strdup(o->variable),
			                       .earlier = strdup(o->earlier),
			                       .later = strdup(o->later),
			                       .key = o->key,
			                       .failing = o->failing,
			                       .passing = o->passing };
		r = ret[n].variable && ret[n].earlier && ret[n].later ? 0 : -ENOMEM;
		n++;
	}
	free(taken);
	*ret_n = n;
	return r;
}
