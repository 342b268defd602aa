/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A virtual function is called of an object while another thread makes it or takes it apart: which class it is of
 * changes with each constructor and destructor (_vptr). */
#include <string.h>

#include "classes.h"

static bool is_class_of_object(const struct vtb_core_view *v, uint32_t var)
{
	return var < v->tab->n_variables && strstr(v->tab->variables[var].name, "_vptr.");
}

static bool fits(const struct vtb_core_view *v)
{
	for (size_t i = 0; i < v->core->n_literals; i++) {
		const struct vtb_order_literal *l = &v->core->literals[i];

		if (is_class_of_object(v, l->before.var) && l->before.var == l->after.var &&
		    core_writes(&l->before) != core_writes(&l->after))
			return true;
	}
	return false;
}

const struct vtb_core_class core_half_object = { .name = "half-object",
	                                         .text = "an object is used while it is made or destroyed",
	                                         .fits = fits };
