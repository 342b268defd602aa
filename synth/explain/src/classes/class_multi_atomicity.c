/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same about several variables that belong together. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	return v->circle && v->n_vars > 1;
}

const struct vtb_core_class core_multi_atomicity = { .name = "multi-variable-atomicity-violation",
	                                             .text = "atomicity violation of several variables",
	                                             .fits = fits };
