/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file repairs.h What a repair is before it is tried, and the parts of core_repair.h. */
#ifndef VTB_CORE_REPAIRS_H
#define VTB_CORE_REPAIRS_H

#include "vtb/core_class.h"
#include "vtb/core_repair.h"
#include "vtb/search.h"

#define REPAIR_ORDERS 24u /* of pieces that are tried */
#define REPAIR_PIECES 16u
#define REPAIR_FLIPS 16u

/** From its first to its last operation a thread must not be disturbed. */
struct repair_piece {
	struct vtb_core_op first, last;
	uint32_t lock;                /* that the thread holds at both in the failing run, or VTB_NONE */
	bool locked;                  /* and in between, too */
	bool shared;                  /* that lock is held only shared */
	struct vtb_core_op from;      /* the first, or where the thread takes the locks that it holds there */
	const struct vtb_exec *run;   /* in which they took place, borrowed */
	const struct vtb_exec *whole; /* the run in which `last` took place, if that is another one */
};

/** The second operation of an order must come before the first. */
struct repair_flip {
	struct vtb_core_op later, sooner;
	struct vtb_core_op from;    /* the later one, or where its thread takes the locks that it holds there, or
	                               begins to give back what it frees */
	bool end;                   /* what must come before is the end of the sooner one's thread */
	bool has_done;              /* what must come before is the last that the thread does with it: */
	struct vtb_core_op done;    /* in the run that passes */
	const struct vtb_exec *run; /* borrowed */
};

struct repair {
	const char *kind;                   /* as in vtb/core_repair.h */
	const struct vtb_core_class *class; /* of the first core */
	const struct vtb_core *core;        /* the first */
	struct repair_piece pieces[REPAIR_PIECES];
	size_t n_pieces;
	struct repair_flip flips[REPAIR_FLIPS];
	size_t n_flips;
	bool wakes_all;                 /* signals wake all who wait */
	const struct vtb_exec *passing; /* a run under it that passes, once it was tried; NULL: none is known */
	bool cut;                       /* there was no room for all of it */
};

#define REPAIR_IS_NONE 2

/** The `nth` proposal: 1, REPAIR_IS_NONE it does not close every core, 0 there are no more, -ENOMEM. */
int repair_propose(const struct vtb_cores *cores, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   size_t nth, struct repair *ret);

enum repair_extent {
	REPAIR_CIRCLE, /* the pieces of a view whose orders go round */
	REPAIR_ALL,    /* of any view */
	REPAIR_WHOLE,  /* of a circle, to the ends of their functions in the run that passes */
};
void repair_add_pieces(struct repair *r, const struct vtb_core_view *v, const struct vtb_core_repair_opts *opts,
                       enum repair_extent extent);
/** Only one of its ends is left of it. */
void repair_shrink_piece(struct repair_piece *p, bool to_last);
/** Where the operation's thread takes the locks that it holds there, or the operation: whoever must wait does so
 * before, else the other would wait for the lock. */
struct vtb_core_op repair_before_locks(const struct vtb_exec *x, const struct vtb_core_op *op);
/** Is it a free() or the end of a mutex and the like? */
bool repair_gives_back(unsigned kind);
/** Where the operation's thread begins to give back what it gives back together with that: with nothing but accesses in
 * between. */
struct vtb_core_op repair_before_frees(const struct vtb_exec *x, const struct vtb_core_op *op);
/** Are they one operation? */
bool repair_same_op(const struct vtb_core_op *a, const struct vtb_core_op *b);

/** Does it hold? 1, 0, or an error; *ret_schedules: so many runs were made under it and passed; *ret_passing: the first
 * of them that has its order, which the caller frees. */
int repair_try(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
               uint64_t *ret_schedules, struct vtb_exec *ret_passing, struct vtb_error *err);

/** Does a run under this part, which one core asks for, keep the whole by its lines and fail all the same? 1, 0, or an
 * error. */
int repair_is_in_vain(struct vtb_runner *runner, const struct repair *part, const struct repair *whole,
                      const struct vtb_core_repair_opts *opts, struct vtb_error *err);

/** The same by its lines alone: nothing is enforced, runs that keep it anyway are judged, whoever comes to its lines.
 */
int repair_try_lines(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
                     uint64_t *ret_schedules, struct vtb_exec *ret_passing, struct vtb_error *err);

/** Does nobody in this run do what the repair forbids, by its lines? */
bool repair_is_kept(const struct repair *repair, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                    const struct vtb_exec *run);

/** So many runs of those wanted for one trial, within the budget. */
uint64_t repair_share(const struct vtb_core_repair_opts *opts, uint64_t wanted);
/** Run a strategy within the bound of the find. */
int repair_search(struct vtb_runner *runner, const char *strategy, const struct vtb_core_repair_opts *how,
                  uint64_t budget, const struct vtb_search_calls *calls, struct vtb_error *err);

/** What the thread of the repair's first order leaves out in the failing run, which ends it there: the event of the run
 * that passes at which it reads what another has written for it, or VTB_EVENT_NONE. */
size_t repair_left_out(const struct repair *r);

/** So many steps and orders are told of it. */
size_t repair_told(const struct repair *r, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts);

/** "Subscription:", of the user's function that has all of the piece; "" if it is of no class. Returns buf. */
char *repair_class(const struct repair *r, size_t piece, const struct vtb_symtab *tab,
                   const struct vtb_core_repair_opts *opts, char *buf, size_t size);

/** In one sentence. Returns buf. */
char *repair_words(const struct repair *repair, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                   char *buf, size_t size);

#endif /* VTB_CORE_REPAIRS_H */
