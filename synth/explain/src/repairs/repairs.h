/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file repairs.h What a repair is before it is tried, and the parts of core_repair.h. */
#ifndef VTB_CORE_REPAIRS_H
#define VTB_CORE_REPAIRS_H

#include "vtb/core_class.h"
#include "vtb/core_repair.h"

#define REPAIR_ORDERS 24u /* of pieces that are tried */
#define REPAIR_PIECES 16u
#define REPAIR_FLIPS 16u

/** From its first to its last operation a thread must not be disturbed. */
struct repair_piece {
	struct vtb_core_op first, last;
	uint32_t lock;              /* that the thread holds at both in the failing run, or VTB_NONE */
	bool locked;                /* and in between, too */
	bool shared;                /* that lock is held only shared */
	struct vtb_core_op from;    /* the first, or where the thread takes the locks that it holds there */
	const struct vtb_exec *run; /* in which they took place, borrowed */
};

/** The second operation of an order must come before the first. */
struct repair_flip {
	struct vtb_core_op later, sooner;
	struct vtb_core_op from;    /* the later one, or where its thread takes the locks that it holds there */
	const struct vtb_exec *run; /* borrowed */
};

struct repair {
	const struct vtb_core_class *class; /* of the first core */
	const struct vtb_core *core;        /* the first */
	struct repair_piece pieces[REPAIR_PIECES];
	size_t n_pieces;
	struct repair_flip flips[REPAIR_FLIPS];
	size_t n_flips;
	bool cut; /* there was no room for all of it */
};

/** The `nth` proposal: 1, 0 there are no more, -ENOMEM. */
int repair_propose(const struct vtb_cores *cores, const struct vtb_symtab *tab, size_t nth, struct repair *ret);

/** Does it hold? 1, 0, or an error; *ret_schedules: so many runs were made under it and passed. */
int repair_try(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
               uint64_t *ret_schedules, struct vtb_error *err);

/** In one sentence. Returns buf. */
char *repair_words(const struct repair *repair, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   char *buf, size_t size);

#endif /* VTB_CORE_REPAIRS_H */
