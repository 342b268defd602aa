/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file synth.h
 * Offline synthesis: from one recorded trace to schedules worth trying on the program, best first.
 *
 * Candidates are the distinct classes that the search meets on the simulated trace, sorted by (l, c, v), then those
 * that reorder conflicting accesses before others, then by t, then by how much they reorder. If the recording failed,
 * its own order comes first, and right after it the orders consistent with its log. Candidates that deviate only while
 * the recording tells what threads do come before those that count on guesses, of which there are no more than a
 * quarter of the others (at least VTB_SYNTH_GUESSES). t is an estimate: the threads whose accesses change places. What
 * a candidate does is known when it is replayed.
 *
 * Ownership: the result owns everything but the names, which are the trace's.
 */
#ifndef VTB_SYNTH_H
#define VTB_SYNTH_H

#include <stdio.h>

#include "vtb/search.h"
#include "vtb/trace.h"

struct vtb_synth_opts {
	double spent_seconds;          /* of search.seconds, by reading the trace */
	struct vtb_search_opts search; /* budget: schedules to simulate, 0: VTB_SYNTH_BUDGET; strategy NULL: cvt */
	size_t top;                    /* candidates to keep; 0: VTB_SYNTH_TOP */
};
#define VTB_SYNTH_BUDGET 100000u
#define VTB_SYNTH_EVENTS                                                                                               \
	200000000ull /* the default budget simulates no more events than this; traces of more than a thousandth of it: \
	                see man page */
#define VTB_SYNTH_TOP 1000u
#define VTB_SYNTH_GUESSES 8u

struct vtb_candidate {
	struct vtb_schedule schedule; /* operations named; tuple filled in; note: `where` */
	char *where;                  /* its deviations in words; owned */
	char *why;                    /* what it changes in words, "" if nothing is known; owned */
	bool observed;                /* the recorded order itself */
	bool consistent;              /* keeps the order of the recorded log */
	uint32_t guesses;             /* of its deviations, those after what nobody can foresee (foresight.h) */
	bool deadlock;                /* the simulation ends in a circle of lock owners */
	uint64_t score;               /* higher first among equals */
	uint64_t number;              /* in which order it was met */
};

struct vtb_synth {
	struct vtb_candidate *candidates; /* best first */
	size_t n_candidates, cap_candidates;
	uint64_t met; /* candidates before only `top` were kept */
	struct vtb_search_stats stats;
	struct vtb_claim claim;
	int end;                   /* enum vtb_search_end */
	const char *strategy;      /* what was used; static */
	bool reads_from, symmetry; /* likewise (vtb/search.h) */
	double deadline;           /* monotonic seconds; 0: none */
	char statement[1024];
};

void vtb_synth_opts_init(struct vtb_synth_opts *opts);
/** 0; -VTB_E_UNSUPPORTED: the trace has no operations; -EINVAL: bad options; -ENOMEM. The trace's table may grow. */
int vtb_synth_run(struct vtb_trace *trace, const struct vtb_synth_opts *opts, struct vtb_synth *ret,
                  struct vtb_error *err);
void vtb_synth_fini(struct vtb_synth *s);

/** Write the candidates as schedules.json; those for which there is no time any more are dropped, which the statement
 * says then. */
int vtb_synth_write(struct vtb_synth *s, const struct vtb_trace *trace, const char *path, struct vtb_error *err);
struct vtb_synth_style {
	size_t rows;  /* at most so many; 0: all */
	size_t width; /* of a line, in columns; 0: as long as it is */
	bool steps;   /* a row for each candidate, and where it departs; else one for all that change the same */
};
/** A table for people; or everything as one JSON object. O(candidates * rows). */
void vtb_synth_print(const struct vtb_synth *s, struct vtb_synth_style style, FILE *file);
void vtb_synth_print_json(const struct vtb_synth *s, FILE *file);

/** Print why the accesses at `place` matter (vtb/slice_why.h) in the program `input`, or in that of the trace `input`;
 * `check_functions` (vtb/name_list.h; NULL: none) matter like failures. -EINVAL: no access lies there, or there is no
 * function of such a name. */
int vtb_synth_why(const char *input, const char *place, const char *check_functions, FILE *out, struct vtb_error *err);

#endif /* VTB_SYNTH_H */
