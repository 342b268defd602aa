/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations of a story, a row each, in the order in which they took place. */
#ifndef VTB_ORDER_TABLE_H
#define VTB_ORDER_TABLE_H

#include <stdio.h>

#include "vtb/story.h"

struct vtb_order_style {
	const struct vtb_symtab *tab;
	FILE *to;
	unsigned width; /* columns */
	bool colored;
};

/** Between two empty lines; nothing if there are no operations. */
void vtb_order_table(const struct vtb_order_style *style, const struct vtb_story *story);

#endif /* VTB_ORDER_TABLE_H */
