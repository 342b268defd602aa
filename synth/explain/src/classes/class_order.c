/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations came in the wrong order. */
#include "classes.h"

static bool fits(const struct vtb_core_view *v)
{
	(void)v;
	return true;
}

const struct vtb_core_class core_order = { .name = "order-violation", .text = "order violation", .fits = fits };
