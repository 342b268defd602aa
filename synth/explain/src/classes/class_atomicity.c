/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No order of whole pieces of the threads has these orders: something that was to be one step was not. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	return v->circle;
}

const struct vtb_core_class core_atomicity = { .name = "atomicity-violation",
	                                       .text = "atomicity violation",
	                                       .fits = fits };
