/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file cause.h
 * Why a program fails, in words: cores (docs/algorithms.md, "Cores") with names instead of ids, what kind of mistake
 * each is, and repairs that were tried. In failure.json and `vtb hunt --json` alike.
 *
 * Ownership: causes own all they hold; `class`, `lock` and the kinds are static strings or of the reader's, owned too.
 */
#ifndef VTB_CAUSE_H
#define VTB_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VTB_CAUSES_LIMIT 64u        /* cores in one file */
#define VTB_CAUSE_ORDERS_LIMIT 256u /* orders of one core, repairs of one core */

/** An operation of a core. Strings are owned; "" unknown. */
struct vtb_cause_op {
	char *thread; /* path, "0.1" */
	uint32_t op;  /* its number in its thread; 0: it had not taken place when the run failed */
	char *kind;   /* a kind of event, "read" */
	char *variable;
	char *function, *file;
	uint32_t line; /* 0 unknown */
};

struct vtb_cause_order {
	struct vtb_cause_op before, after;
	uint32_t merged; /* so many orders have these lines */
};

struct vtb_cause_repair {
	char *kind;         /* "one-step", "order", "join", "wake-all" */
	char *text;         /* what to change, one sentence */
	uint64_t schedules; /* tried with it: none fails */
};

struct vtb_cause {
	struct vtb_cause_order *orders;
	size_t n_orders, cap_orders;
	char *class;  /* "atomicity-violation": a row of synth/explain/src/classes */
	char *detail; /* what that is in this program, in words and with its lines; "" nothing more is to be said */
	char *lock;   /* "none", "one-side", "different", "shared", "common": what protects the data; "" no data */
	struct vtb_cause_op guard; /* the first operation that is under a lock, and as its variable that lock, which
	                              most of them are under; no kind, or an empty one: none is under any */
	bool exhausted;            /* every class of runs was made: none that passes has it */
	bool smallest;             /* fewer orders of its run would not do */
	uint64_t failing;          /* different runs that fail and have it */
	uint32_t variants;         /* cores of the same lines, this one included */
	struct vtb_cause_repair *repairs;
	size_t n_repairs, cap_repairs;
	uint32_t rejected; /* repairs that were tried and did not hold */
};

struct vtb_causes {
	struct vtb_cause *causes; /* that of the failing run first */
	size_t n_causes, cap_causes;
	uint64_t runs;             /* made to find them */
	uint64_t passing, failing; /* different ones that passed, that failed in this way */
	uint64_t orders;           /* that the failing run has, of operations that conflict */
	bool exhausted;            /* every class of runs was made: there are no others */
	bool chances_left_out;     /* but for what time or chance could have done in some of them */
	bool explained;            /* every failing run that was made has one of them */
};

void vtb_cause_fini(struct vtb_cause *c);
void vtb_causes_fini(struct vtb_causes *c);
/** Append a deep copy. 0 or -ENOMEM. */
int vtb_causes_add(struct vtb_causes *to, const struct vtb_cause *c);
/** All of it. On error *ret is empty. */
int vtb_causes_copy(const struct vtb_causes *from, struct vtb_causes *ret);

/** "0.1 reads x at a.c:14 before 0.2 writes it at a.c:16". Returns buf. */
char *vtb_cause_order_words(const struct vtb_cause_order *o, char *buf, size_t size);
/** "`m` at a.c:14"; "": there is none. Returns buf. */
char *vtb_cause_guard_words(const struct vtb_cause_op *guard, char *buf, size_t size);

struct vtb_json_writer;
/** As members `cores` and `explained`; nothing if no runs were made for them. */
void vtb_causes_write(struct vtb_json_writer *w, const struct vtb_causes *c);

#endif /* VTB_CAUSE_H */
