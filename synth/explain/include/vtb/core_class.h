/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file core_class.h
 * What kind of mistake a core shows: a table of rules, a row and a file each (src/classes), of which the first that
 * fits is taken. They look at the core's orders and at its failing run, and at nothing else.
 *
 * Errors: -ENOMEM.
 */
#ifndef VTB_CORE_CLASS_H
#define VTB_CORE_CLASS_H

#include "vtb/cores.h"

/** A place in the failing run, or VTB_EVENT_NONE, and the piece of its thread that it belongs to. */
struct vtb_core_end {
	size_t at;
	uint32_t piece;
};

/** A core beside its run. A *piece* is what a thread does at the core's operations before it comes to the first of them
 * again: one round of a loop, one call. */
struct vtb_core_view {
	const struct vtb_core *core;
	const struct vtb_symtab *tab;
	struct vtb_core_end *before, *after; /* of each literal; owned */
	uint32_t n_pieces;
	bool circle;     /* the literals order pieces in a circle: no order of whole pieces has them */
	uint32_t n_vars; /* distinct variables of the literals that are about data */
	/* The user's line of an operation, where a library does it for that; set by the caller, NULL: nobody knows. */
	uint32_t (*place)(const struct vtb_core_op *op, const struct vtb_exec *run, const void *places);
	const void *places;
	const struct vtb_exec *passing; /* a whole run that passes; set by the caller, NULL: none is at hand */
};

struct vtb_core_class {
	const char *name; /* JSON name: "order-violation" */
	const char *text; /* "order violation" */
	bool (*fits)(const struct vtb_core_view *v);
	/* What it is in this program, in words and with its lines; leaves buf as it is if it cannot say. NULL: the
	 * orders say it all. */
	void (*tell)(const struct vtb_core_view *v, char *buf, size_t size);
};

/** Threads of a pool that all wait for each other's work: indexes of the failing run, and of the passing one. */
struct vtb_core_starved {
	uint32_t thread; /* one of them, */
	size_t put,
	    wait; /* where it hands on work and goes to wait for it; wait: its number of events if it is about to, */
	size_t pending; /* ... by this operation */
	size_t threads; /* so many of them */
	size_t wake;    /* where the passing run ends such a wait */
};

/** Is that so? O(events * threads). */
bool vtb_core_starved(const struct vtb_core_view *v, struct vtb_core_starved *ret);

int vtb_core_view_of(const struct vtb_core *core, const struct vtb_symtab *tab, struct vtb_core_view *ret);
void vtb_core_view_fini(struct vtb_core_view *v);

/** What it is in this program, in words and with its lines: what its class `tells`, else a remark that fits any class.
 * "": the orders say it all. Returns buf. */
char *vtb_core_tell(const struct vtb_core_view *v, const struct vtb_core_class *class, char *buf, size_t size);

/** What it is where that leaves open and no repair is known. Returns buf. */
char *vtb_core_tell_unrepaired(const struct vtb_core_view *v, char *buf, size_t size);

/** Never NULL: the last row fits everything. */
const struct vtb_core_class *vtb_core_classify(const struct vtb_core_view *v);
/** The row of this name, or NULL. */
const struct vtb_core_class *vtb_core_class_named(const char *name);
/** Which locks protect the data: "none", "one-side", "different", "shared", "common"; "" if it is about none. */
const char *vtb_core_lock(const struct vtb_core_view *v);
/** Of the locks that threads hold at those of the core's orders of data that are protected least the one that most of
 * their operations are under, one held not only shared if there is any, and the first of these in its run; VTB_NONE:
 * there is none. */
uint32_t vtb_core_guard(const struct vtb_core_view *v, struct vtb_core_op *ret);
/** Where the thread of event `at` has taken this lock, or VTB_EVENT_NONE. */
size_t vtb_core_taken(const struct vtb_exec *x, size_t at, uint32_t lock);

#endif /* VTB_CORE_CLASS_H */
