/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who writes where, and of which of that vtb is told. */
#include <errno.h>
#include <string.h>

#include "closure.h"
#include "vtb/array.h"

static int add_writer(struct closure *c, uint32_t insn, const struct place *at)
{
	if (vtb_array_extend(c, first_writer, at->region + 1u, NONE) < 0 || vtb_array_room(c, writers) < 0)
		return -ENOMEM;
	c->writers[c->n_writers] = (struct writer){ insn, c->first_writer[at->region], *at };
	c->first_writer[at->region] = (uint32_t)c->n_writers++;
	return 0;
}

static int add_anywhere(struct closure *c, uint32_t insn)
{
	if (vtb_array_room(c, anywhere) < 0)
		return -ENOMEM;
	c->anywhere[c->n_anywhere++] = insn;
	c->dark_outside |= told_nobody(c, insn, TOLD_WRITES);
	return 0;
}

static bool is_wild(struct closure *c, uint32_t i)
{
	uint64_t known;

	return vtb_map64_get(&c->s->is_wild, i, &known);
}

/* Hooks and atomic operations leave it alone. */
static bool sets_errno(struct closure *c, uint32_t i)
{
	const struct summary *x = c->s->p->insns[i].external;

	return x ? !(x->does & DOES_HOOK) && !(x->does & DOES_ACCESS && x->size) && x->ret != 'e' : is_wild(c, i);
}

/* States outside of memory that a call reads and changes. */
int writers_states(struct closure *c, uint32_t i, struct place *ret)
{
	const struct summary *x = c->s->p->insns[i].external;
	static const struct {
		uint32_t does;
		enum region_kind kind;
	} rows[] = { { DOES_STATE, REGION_FILES },
		     { DOES_RANDOM, REGION_RANDOM },
		     { DOES_TIME, REGION_CLOCK },
		     { DOES_UNWIND, REGION_THROWN } };
	int n = 0;

	for (size_t k = 0; x && k < sizeof(rows) / sizeof(*rows); k++)
		if (x->does & (rows[k].does | DOES_ANYTHING))
			ret[n++] =
			    (struct place){ .region = regions_index(&c->s->regions, REGION(rows[k].kind, 0)), .hi = 1 };
	return n;
}

/* What it changes besides the memory of its arguments. */
static int changes_of(struct closure *c, uint32_t i, struct place *ret)
{
	int n = writers_states(c, i, ret);

	if (sets_errno(c, i))
		ret[n++] = (struct place){ .region = regions_index(&c->s->regions, REGION(REGION_ERRNO, 0)), .hi = 4 };
	return n;
}

/* Is it memory's own function that writes, or a call of which only its object or its result is meant? */
static bool is_harmless(const struct closure *c, uint32_t i, const struct touch *t)
{
	const struct summary *x = c->s->p->insns[i].external;

	return t->sure || (x && x->does & (DOES_CREATE | DOES_JOIN | DOES_LOCK));
}

/* Memory that is written where vtb is not told of it. */
static int darken(struct closure *c, uint32_t i, const struct touch *t, uint32_t region)
{
	if (!told_nobody(c, i, TOLD_WRITES) || is_harmless(c, i, t))
		return 0;
	if (vtb_array_extend(c, dark, region + 1u, 0) < 0)
		return -ENOMEM;
	c->dark[region] = 1;
	return 0;
}

int writers_note(struct closure *c, uint32_t i)
{
	struct touch t[TOUCHES];
	struct place places[PLACES];
	int n = solve_touches(c->s, i, t), r = n < 0 ? add_anywhere(c, i) : 0;

	for (int k = 0; r >= 0 && k < n; k++) {
		const int found = t[k].writes ? regions_places(&c->s->regions, t[k].address, t[k].size, places) : 0;

		if (found < 0)
			r = add_anywhere(c, i);
		for (int j = 0; r >= 0 && j < found; j++) {
			if (regions_fixed(&c->s->regions, places[j].region))
				continue;
			r = add_writer(c, i, &places[j]);
			if (r >= 0)
				r = darken(c, i, &t[k], places[j].region);
		}
	}
	n = changes_of(c, i, places);
	for (int k = 0; r >= 0 && k < n; k++)
		r = add_writer(c, i, &places[k]);
	return r;
}
