/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hb.h
 * The command vtb-hb as a function: what a trace says about orders, shared variables, races and locks, as tables, as
 * one JSON object (docs/format/hb.md) or as a graph in DOT.
 *
 * Same trace, same bytes. Complexity: that of the analyses asked for; --dot is quadratic in the nodes shown, which are
 * bounded by VTB_HB_DOT_MAX.
 */
#ifndef VTB_HB_H
#define VTB_HB_H

#include <stdbool.h>
#include <stdio.h>

#include "vtb/discipline.h"
#include "vtb/lockorder.h"
#include "vtb/profile.h"
#include "vtb/races.h"

#define VTB_HB_VERSION 1
#define VTB_HB_DOT_MAX 2000u /* operations in a graph; more are refused, as nobody could look at them */

enum {
	VTB_HB_PROFILE = 1 << 0,
	VTB_HB_RACES = 1 << 1,
	VTB_HB_LOCKS = 1 << 2,
	VTB_HB_ALL = VTB_HB_PROFILE | VTB_HB_RACES | VTB_HB_LOCKS,
};

struct vtb_hb {
	const struct vtb_trace *trace; /* borrowed */
	unsigned sections;             /* VTB_HB_*: which of these are filled in */
	struct vtb_profile profile;
	struct vtb_races races;
	struct vtb_discipline discipline; /* with the races */
	struct vtb_lockorder locks;
};

int vtb_hb_of(const struct vtb_trace *trace, unsigned sections, struct vtb_hb *ret);
/** Read the trace and do the same. For the profile alone events are not held, and *trace has none (trace->n_events
 * counts them). *trace must be vtb_trace_init()ed, and is to be vtb_trace_fini()shed in any case. */
int vtb_hb_read(const char *path, unsigned sections, struct vtb_trace *trace, struct vtb_hb *ret,
                struct vtb_error *err);
void vtb_hb_fini(struct vtb_hb *hb);

struct vtb_hb_style {
	bool color;
	size_t rows;  /* at most so many rows a table; 0: all */
	size_t width; /* of a line, in columns; 0: as long as it is */
};
void vtb_hb_print(const struct vtb_hb *hb, struct vtb_hb_style style, FILE *f);
void vtb_hb_json(const struct vtb_hb *hb, FILE *f);
/** The order graph: operations of synchronisation and the accesses that race, with program order and sync order,
 *  transitively reduced. -VTB_E_LIMIT if they are more than VTB_HB_DOT_MAX. */
int vtb_hb_dot(const struct vtb_trace *trace, FILE *f, struct vtb_error *err);

#endif /* VTB_HB_H */
