/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file story.h
 * What a failing run is about: the few operations whose order makes it fail, the pattern they form, and what to do.
 *
 * Patterns:  the unserialisable ones of one variable are those of [AVIO06]: R-W-R, W-W-R, R-W-W, W-R-W, the middle one
 *            being another thread's. Orders that creation and join force in every schedule are no part of a pattern.
 * Cost:      O(events) for each candidate pair; only the last VTB_STORY_EVENTS events are looked at.
 * Ownership: a story is a value: it copies the events it tells.
 */
#ifndef VTB_STORY_H
#define VTB_STORY_H

#include "vtb/cause.h"
#include "vtb/exec.h"

#define VTB_STEPS_MAX 14u
#define VTB_STORY_EVENTS 20000u
#define VTB_CYCLE_MAX 8u

enum vtb_pattern {
	VTB_PATTERN_UNKNOWN,
	VTB_PATTERN_LOST_UPDATE, /* R-W-W on one variable */
	VTB_PATTERN_ATOMICITY,   /* another unserialisable pattern of one variable, or of two */
	VTB_PATTERN_STALE_WAKE,  /* a condition was not checked again after a wait */
	VTB_PATTERN_ORDER,       /* two operations came in the wrong order */
	VTB_PATTERN_USE_AFTER_FREE,
	VTB_PATTERN_DOUBLE_FREE,
	VTB_PATTERN_LOCK_CYCLE,
	VTB_PATTERN_LOST_WAKEUP,   /* signalled before anybody waited */
	VTB_PATTERN_TOO_FEW_WOKEN, /* signal where several wait */
	VTB_PATTERN_ABANDONED,     /* who holds the lock has ended */
	VTB_PATTERN_LOST_SIGNAL,   /* handled after the test and before the wait */
	VTB_PATTERN_STUCK,         /* everybody waits, for another reason */
	VTB_PATTERN_MISUSE,        /* of a synchronisation object: by whom, and who has it */
	VTB_PATTERNS,
};

enum vtb_step_role {
	VTB_STEP_CONTEXT,  /* not part of the pattern, but needed to follow it */
	VTB_STEP_FIRST,    /* the pattern's first operation */
	VTB_STEP_INTRUDES, /* the other thread's */
	VTB_STEP_SECOND,   /* the one that finds the world changed */
	VTB_STEP_FAILS,
	VTB_STEP_PENDING, /* an operation that was not done when the run ended */
};

struct vtb_step {
	struct vtb_event event;
	size_t at; /* index in the run; n_events for pending ones */
	enum vtb_step_role role;
	bool preempted; /* another thread ran next although this one could go on */
};

/** One thread of a lock cycle: it holds `held` (taken at `taken`) and waits for the next one's. */
struct vtb_cycle_edge {
	struct vtb_event taken;  /* the operation by which the next thread of the circle owns what is wanted here */
	struct vtb_event wanted; /* pending */
};

struct vtb_story {
	struct vtb_step steps[VTB_STEPS_MAX];
	size_t n_steps;
	enum vtb_pattern pattern;
	uint32_t var;                   /* what it is about, or VTB_NONE */
	size_t first, intruder, second; /* steps of the pattern; VTB_STEPS_MAX: there is none */
	struct vtb_cycle_edge cycle[VTB_CYCLE_MAX];
	size_t n_cycle;
	size_t folded; /* operations of the run that no cause needs and that are no step; 0: no cause is known */
};

/** Find the story of a failing run: the orders of its first cause, if `causes` (may be NULL) has one, else what seems
 * to be a pattern. Never fails: at worst it tells the last operations. Steps that were pending have the kind of the
 * operation. */
void vtb_story_find(const struct vtb_exec *exec, const struct vtb_symtab *tab, const struct vtb_causes *causes,
                    struct vtb_story *ret);

/** Turn an event PENDING of the run into the operation that it would have been; leave others. */
void vtb_story_operation(const struct vtb_exec *x, struct vtb_event *e);

/** Keep the steps, but no pattern: for failures that no order is to blame for. */
void vtb_story_blame_nothing(struct vtb_story *story);

/** As the kind of mistake that the cause has (vtb/core_class.h), where it is one of these. */
const char *vtb_pattern_name(enum vtb_pattern pattern); /* JSON name: "atomicity-violation" */
const char *vtb_pattern_text(enum vtb_pattern pattern); /* "atomicity violation" */

/** The verdict as the run shows it: of a thread that waits the runtime has only seen that some signal went by. */
enum vtb_verdict vtb_story_verdict(const struct vtb_exec *exec);

/** One sentence: what became of the threads, with names and places, for verdicts that the program's own words do not
 * explain: deadlocks of all kinds and misuse. "" for the others. */
char *vtb_story_sentence(const struct vtb_exec *exec, const struct vtb_symtab *tab, const struct vtb_story *story,
                         char *buf, size_t size);

/** One sentence: what to change. "" if there is nothing honest to say. `exec`: the story's run. */
char *vtb_story_suggest(const struct vtb_story *story, const struct vtb_exec *exec, const struct vtb_symtab *tab,
                        char *buf, size_t size);

#endif /* VTB_STORY_H */
