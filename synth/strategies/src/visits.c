/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "visits.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "vtb/trace.h"

void visits_fini(struct visits *v)
{
	free(v->vars);
	vtb_map64_fini(&v->others);
	*v = (struct visits){ 0 };
}

void visits_begin(struct visits *v)
{
	v->run++;
	vtb_map64_clear(&v->others);
}

static uint64_t key(uint32_t site, uint32_t var)
{
	return (uint64_t)site << 32 | var;
}

int visits_add_other(struct visits *v, uint32_t site, uint32_t var)
{
	uint64_t *n;

	if (var != VTB_NONE && (var >= v->n_vars || v->vars[var].run != v->run)) {
		if (vtb_array_extend(v, vars, (size_t)var + 1, (struct visits_var){ 0 }) < 0)
			return -ENOMEM;
		v->vars[var] = (struct visits_var){ .run = v->run, .site = site, .n = 1 };
		return 0;
	}
	n = vtb_map64_put(&v->others, key(site, var), 0);
	if (!n)
		return -ENOMEM;
	++*n;
	return 0;
}

void visits_take(struct visits *v, uint32_t site, uint32_t var)
{
	struct visits_var *x = visits_first(v, site, var);
	uint64_t *n = x ? NULL : vtb_map64_at(&v->others, key(site, var));

	if (x && x->n)
		x->n--;
	else if (n && *n)
		--*n;
}

uint64_t visits_of(const struct visits *v, uint32_t site, uint32_t var)
{
	const struct visits_var *x = visits_first(v, site, var);
	const uint64_t *n = x ? NULL : vtb_map64_at(&v->others, key(site, var));

	return x ? x->n : n ? *n : 0;
}
