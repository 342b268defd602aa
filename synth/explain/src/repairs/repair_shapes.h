/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file repair_shapes.h What the shapes of repairs are made from, and have in common. */
#ifndef VTB_REPAIR_SHAPES_H
#define VTB_REPAIR_SHAPES_H

#include "repairs.h"

struct proposal {
	const struct vtb_cores *cores;
	const struct vtb_symtab *tab;
	const struct vtb_core_repair_opts *opts;
	struct repair *ret;
};

static inline bool repair_is_class(const struct repair *r, const struct vtb_core_class *class)
{
	return r->class == class;
}

/** What the variable is a part of, or VTB_NONE. */
static inline uint32_t repair_object_of(const struct vtb_symtab *tab, uint32_t var)
{
	return var < tab->n_variables ? tab->variables[var].object : VTB_NONE;
}

/** The order is to be turned round; `end`: by the end of the thread that comes later in it. */
void repair_add_flip(struct repair *r, const struct vtb_exec *x, const struct vtb_order_literal *l, bool end);
/** The order in which something is freed before it is used; n_literals: there is none. */
size_t repair_freeing(const struct vtb_core *core);

/** @name repair_join.c
 * How many proposals there are of a shape for the first core, and to make one of them for a core: 1; 0: the core cannot
 * be closed so; -ENOMEM.
 * @{
 */
/** Of a core that has such an order: a container has moved, or let go of, what it holds, and lives on: there is nobody
 * to wait for. */
bool repair_container_frees(const struct proposal *p, const struct vtb_core_view *v);
/** Before it is freed, or before anything that is freed with it. */
size_t repair_count_join(const struct proposal *p, const struct vtb_core_view *v);
size_t repair_count_late_join(const struct proposal *p, const struct vtb_core_view *v);
int repair_make_join(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth);
/** The thread has done with it. */
size_t repair_count_done(const struct proposal *p, const struct vtb_core_view *v);
int repair_make_done(const struct proposal *p, const struct vtb_core_view *v, size_t core, size_t nth);
/** @} */

#endif /* VTB_REPAIR_SHAPES_H */
