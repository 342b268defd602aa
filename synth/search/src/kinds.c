/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kinds.h"

#include <errno.h>

#include "vtb/map64.h"

/* Operations of one site are of one family but for birth, death and locks of one object: those are told apart. */
static uint64_t kind_of(const struct vtb_coverage_var *v)
{
	return v->places * 31 + v->family;
}

int vtb_kinds_turns(struct vtb_coverage *c)
{
	struct vtb_map64 kinds = { 0 }; /* kind -> variables of it so far */
	int r = 0;

	for (size_t i = 0; r >= 0 && i < c->n_vars; i++) {
		uint64_t *n = c->vars[i].shared ? vtb_map64_put(&kinds, kind_of(&c->vars[i]), 0) : NULL;

		if (n)
			c->vars[i].turn = (uint32_t)(*n)++;
		else if (c->vars[i].shared)
			r = -ENOMEM;
	}
	vtb_map64_fini(&kinds);
	return r;
}
