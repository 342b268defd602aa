/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file schedule.h
 * Schedules (docs/algorithms.md, "Schedules"): who goes first, where to depart from that, and what must come before
 * what. File format: docs/format/schedules.md.
 *
 * Shape:     ids are those of one symbol table. An operation is the `index`-th visible operation of a thread (counted
 * in that thread from 1; 0: the point before its first). Its *name* (struct vtb_opname) survives a rebuild: it is what
 * files hold, and is resolved against a program again when they are used. Ownership: a schedule owns its arrays.
 */
#ifndef VTB_SCHEDULE_H
#define VTB_SCHEDULE_H

#include "vtb/error.h"
#include "vtb/events.h"
#include "vtb/json.h"
#include "vtb/symtab.h"

struct vtb_stop;

#define VTB_SCHEDULES_VERSION 1
#define VTB_SCHEDULES_LIMIT (1u << 20)  /* schedules in one file */
#define VTB_DEVIATIONS_LIMIT (1u << 20) /* deviations, constraints or ranks of one schedule */

enum vtb_policy { /* the same numbers as enum vtb_wire_policy */
	          VTB_SCHEDULE_RUN_TO_BLOCK,
	          VTB_SCHEDULE_PRIORITY,
	          VTB_SCHEDULE_RANDOM,
	          VTB_SCHEDULE_POS,  /* vtb/walk.h */
	          VTB_SCHEDULE_SURW, /* vtb/walk.h; only while searching: files hold the run that it led to */
};

/** Name of an operation, equal in every build of the program: all that is needed to find it again. Strings belong to
 *  the table of names of whoever holds it. */
struct vtb_opname {
	uint32_t kind; /* enum vtb_event_kind */
	const char *function;
	uint32_t line_in_function; /* line - function_line; 0 at the function's first line */
	uint64_t text_hash;        /* hash of the line's text, as a check; 0 unknown */
	const char *file;          /* for people */
	uint32_t line;             /* for people */
	const char *variable;
	uint32_t occurrence; /* the n-th in its thread (from 1) with this kind, function, line and variable */
	uint32_t site;       /* site id in the same build; VTB_NONE */
};

/** In vtb_op.index: find the operation by its site (name.site, kind, occurrence), not by its index. */
#define VTB_OP_BY_SITE VTB_NONE

struct vtb_op {
	uint32_t thread;        /* thread id */
	uint32_t index;         /* visible operations that thread has then done; 0: before its first */
	struct vtb_opname name; /* kind 0: nameless, only the index counts */
	bool this_site;         /* by site: of this one alone, not of its line; no part of files */
};

struct vtb_deviation {
	struct vtb_op after; /* at the point after this operation */
	enum vtb_deviation_kind kind;
	uint32_t target; /* SWITCH, SPURIOUS, TIMEOUT: thread id; WAITER: place in the queue; else 0 */
	uint32_t var;    /* object it is charged to, or VTB_NONE */
	uint32_t cost;   /* 1, or 0 for a free switch */
};

struct vtb_constraint {
	struct vtb_op before, after;
	bool lapses; /* void once the thread of `before` has ended; no part of files */
};

/** What a candidate changes: these operations on `var` come in another order than when they were recorded. */
struct vtb_reorder {
	struct vtb_op first, second;
	uint32_t var;  /* or VTB_NONE */
	int essential; /* 1: an essential statement depends on it; 0: none does; -1: not known */
};
#define VTB_REORDERS_MAX 64u

#define VTB_RANK_FRAGMENT_BIT 0x80000000u

struct vtb_tuple {
	uint32_t l, c, v, t;
};

/** Policy surw: how many interesting operations are expected of a thread. */
struct vtb_weight {
	uint32_t thread, operations;
};

struct vtb_schedule {
	enum vtb_policy policy;
	uint64_t seed;   /* policies random, pos, surw */
	uint32_t *ranks; /* best first: thread id, or fragment number | VTB_RANK_FRAGMENT_BIT; threads not named
	                    come after, in creation order */
	size_t n_ranks, cap_ranks;
	struct vtb_deviation *deviations; /* in the order in which they are to happen */
	size_t n_deviations, cap_deviations;
	struct vtb_constraint *constraints;
	size_t n_constraints, cap_constraints;
	struct vtb_weight *weights; /* policy surw */
	size_t n_weights, cap_weights;
	uint32_t *interesting; /* policy surw: sites */
	size_t n_interesting, cap_interesting;
	struct vtb_reorder *reorders; /* for people, at most VTB_REORDERS_MAX: the first in its run */
	size_t n_reorders, cap_reorders;
	struct vtb_tuple tuple; /* predicted; t 0 unknown */
	bool wakes_all;         /* a signal wakes all who wait for the condition or futex; no part of files */
	bool brief;  /* of a run that passes, its class will do if it is known (struct vtb_exec); no part of files */
	bool sparse; /* a run of it that does much need not tell accesses to what only one thread touches (vtb/runner.h,
	                owned); no part of files */
	char *note;  /* one line for people: why this candidate; owned, may be NULL */
};

void vtb_schedule_fini(struct vtb_schedule *s);
/** A deep copy; on error *ret is empty. 0 or -ENOMEM. */
int vtb_schedule_copy(const struct vtb_schedule *s, struct vtb_schedule *ret);
/** Append; 0 or -ENOMEM. */
int vtb_schedule_deviate(struct vtb_schedule *s, uint32_t thread, uint32_t index, enum vtb_deviation_kind kind,
                         uint32_t target, uint32_t var, uint32_t cost);
int vtb_schedule_constrain(struct vtb_schedule *s, struct vtb_op before, struct vtb_op after);
/** Likewise, but only as long as the thread of `before` has not ended. */
int vtb_schedule_constrain_while(struct vtb_schedule *s, struct vtb_op before, struct vtb_op after);
/** c and v of the deviations' costs and objects. */
struct vtb_tuple vtb_schedule_tuple(const struct vtb_schedule *s);

/** A schedules.json: which program, and schedules for it, best first. Also the `schedule` member of failure.json. */
struct vtb_schedules {
	char **argv;           /* NULL-terminated, owned */
	char *cwd;             /* owned */
	struct vtb_symtab tab; /* names used by the schedules */
	struct vtb_schedule *schedules;
	size_t n_schedules, cap_schedules;
};
void vtb_schedules_fini(struct vtb_schedules *s);
/** Append a copy of `s`, whose ids and strings are those of `tab`; the set gets the names that it needs and no others.
 *  Sites and variables are copied once a call: to add many schedules use vtb_schedules_add_from() with one
 *  struct vtb_names { .to = &set->tab, .from = tab }. 0, -ENOMEM, -VTB_E_LIMIT. */
int vtb_schedules_add(struct vtb_schedules *set, const struct vtb_schedule *s, const struct vtb_symtab *tab);
int vtb_schedules_add_from(struct vtb_schedules *set, const struct vtb_schedule *s, struct vtb_names *names);
/** Read a schedules.json, or the schedule of a failure.json. On error *ret is untouched. */
int vtb_schedules_read(const char *path, struct vtb_schedules *ret, struct vtb_error *err);
int vtb_schedules_write(const struct vtb_schedules *s, const char *path, struct vtb_error *err);
/** The same object as a member of one that is being written or read (vtb/json.h). */
void vtb_schedules_write_member(struct vtb_json_writer *w, const char *key, const struct vtb_schedules *s);
int vtb_schedules_read_member(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                              struct vtb_schedules *ret);
/** The same, but only the first until `stop` is due, and at least one; *ret: how many. */
int vtb_schedules_write_until(const struct vtb_schedules *s, const char *path, struct vtb_stop *stop, size_t *ret,
                              struct vtb_error *err);

#endif /* VTB_SCHEDULE_H */
