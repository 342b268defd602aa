/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file failure.h
 * A proven failure: the schedule that makes the program fail, the run in which it did, and what is known about both.
 * File format: docs/format/failure.md. vtb_schedules_read() and vtb_trace_read() take such a file, too.
 *
 * Ownership: a failure owns all it holds; sites of the stacks are ids in trace.tab.
 */
#ifndef VTB_FAILURE_H
#define VTB_FAILURE_H

#include "vtb/cause.h"
#include "vtb/excerpt.h"
#include "vtb/kept_input.h"
#include "vtb/said.h"
#include "vtb/schedule.h"
#include "vtb/suspicion.h"
#include "vtb/trace.h"

#define VTB_FAILURE_VERSION 1
#define VTB_STACK_LIMIT 256u /* frames of a stack in a file */
#define VTB_FILES_LIMIT 256u
#define VTB_PASSING_EVENTS_MAX 10000u /* a longer run that passes is left out of the file */

/** A call stack, innermost first. */
struct vtb_stack {
	uint32_t thread; /* VTB_NONE unknown */
	uint32_t *sites; /* owned */
	size_t n_sites, cap_sites;
};

/** What became of a heap block that was used wrongly. The last is what failed: an access, or a second free. */
enum vtb_heap_part { VTB_HEAP_ALLOCATED, VTB_HEAP_FREED, VTB_HEAP_USED, VTB_HEAP_PARTS };

/** The options under which it was found: needed to replay it. Words as on the command line; owned, NULL unknown. */
struct vtb_tool_options {
	char *tier, *engine, *carrier, *strategy;
	uint64_t seed;
	uint32_t follow; /* --follow-children: the number of the fork() whose child was controlled; 0: none */
	bool real_time;  /* --real-time: clocks and sleeps were the system's */
	/* What was a failure, by --fail-if and --expect-output (the file's whole path). Owned, NULL: not given. */
	char *fail_if, *expect_output;
};

/** How it was found and proved, by a hunt; {0}: nothing is known. `test` is owned by whoever holds the struct. */
struct vtb_found {
	bool known;
	uint64_t schedules, classes, diverged; /* of the hunt, by the time when this was written */
	uint64_t msec;                         /* that it took */
	uint32_t replays;                      /* made to confirm it; 0: there was no time */
	bool minimal;                          /* every schedule with a lower (c, v) was run, or there is none */
	bool predicted;                        /* from a run that passed; a schedule made for it then showed it */
	bool mixed;                            /* files that runs write were not kept apart */
	bool unsettled;                        /* runs may have differed by files: nothing is proved */
	char *test;                            /* the test that failed, by the output of a test program; NULL none */
};

struct vtb_failure {
	struct vtb_schedules schedule; /* one schedule, the shrunk one, and the program with its arguments */
	struct vtb_trace trace;        /* the failing run under it, with values; trace.outcome is the failure */
	enum vtb_verdict verdict;      /* of the hunt: trace.outcome.verdict, or regardless */
	char *signature;               /* stable name of the failure; owned, may be NULL */
	struct vtb_tuple tuple;        /* of the shrunk schedule */
	bool tuple_known;              /* false: fails in every schedule, or not shrunk; in the file: null */
	uint32_t confirmed;            /* times replayed with this signature */
	struct vtb_stack left,
	    entered; /* the last switch: of the thread it left and of the one it went on in; may be empty */
	struct vtb_stack
	    heap[VTB_HEAP_PARTS]; /* verdict memory: who made the block, gave it back, used it then; may be empty */
	struct vtb_said said;     /* what that run printed */
	char *replay_command;     /* for a shell; owned, may be NULL */
	char **variants;          /* other failures with the same cause, a sentence each; likewise */
	char **files;             /* written beside it (order.svg, ...), NULL-terminated; owned, may be NULL */
	char *statement;          /* what was searched and what was not; owned, may be NULL */
	struct vtb_tool_options options;
	struct vtb_suspicions suspicions; /* met by the hunt, no part of this failure */
	struct vtb_suspicions warnings;   /* accesses without the lock that is held elsewhere, also of this failure */
	struct vtb_trace
	    passing; /* a run that goes like this one as long as it can, and passes; no events: none known */
	struct vtb_excerpts sources; /* the code around the operations of both runs, as far as it was at hand */
	struct vtb_kept_input input; /* that was piped in */
	struct vtb_causes causes;    /* why it fails; runs 0: not looked for */
	struct vtb_found found;      /* how; by a hunt only */
};

void vtb_failure_init(struct vtb_failure *f);
void vtb_failure_fini(struct vtb_failure *f);
/** Append a frame (outer than the ones before). 0 or -ENOMEM. */
int vtb_stack_add(struct vtb_stack *stack, uint32_t site);

/** "allocated", "freed", "used": members of `heap` in the file, and words of reports. */
const char *vtb_heap_part_name(enum vtb_heap_part part);
/** Any of the three stacks is known. */
bool vtb_failure_has_heap(const struct vtb_failure *f);
/** A frame in words, "function at file.c:12", the function as people say it (vtb/short_name.h). Returns buf. */
char *vtb_stack_frame(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size);

/** On error *ret is untouched. */
int vtb_failure_read(const char *path, struct vtb_failure *ret, struct vtb_error *err);
int vtb_failure_write(const struct vtb_failure *f, const char *path, struct vtb_error *err);

#endif /* VTB_FAILURE_H */
