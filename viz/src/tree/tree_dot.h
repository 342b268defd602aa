/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_dot.h: a tree of runs as Graphviz text. */
#ifndef VTB_VIZ_TREE_DOT_H
#define VTB_VIZ_TREE_DOT_H

#include <stdio.h>

#include "run_tree.h"

struct tree_caption {
	const char *title;   /* one line */
	const char *cut;     /* why it is not whole, in red; NULL: it is */
	const char *claim;   /* what the strategy has shown; "" nothing */
	const char *remarks; /* one line */
};

/* An edge is what one thread does without a branch; a node tells who could go on, in parentheses who did in no run. */
void tree_dot_write(const struct run_tree *t, const struct vtb_symtab *tab, const struct tree_caption *caption,
                    FILE *f);

#endif /* VTB_VIZ_TREE_DOT_H */
