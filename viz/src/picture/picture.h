/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * picture.h: what is to be drawn or reported, free of any output format. One column a thread, rows of time downwards,
 * one operation a row; folds may share a row with a neighbour's operation.
 *
 *        thread 0.1              thread 0.2
 *   1    reads balance = 100
 *        ··· 3 operations        ··· 5 operations
 *   2                            writes balance := 150
 */
#ifndef VTB_VIZ_PICTURE_H
#define VTB_VIZ_PICTURE_H

#include "select.h"

enum cell_kind {
	CELL_OPERATION,
	CELL_LOCK,  /* synchronisation: drawn more quietly */
	CELL_FOLD,  /* operations left out */
	CELL_LOST,  /* operations not recorded */
	CELL_NEXT,  /* not done: what the thread was about to do at the end */
	CELL_WAITS, /* not done, and never will be */
	CELL_FAILS,
};

struct cell {
	enum cell_kind kind;
	uint32_t column, row;
	uint32_t step;   /* number of the operation in the picture, from 1; 0 for folds */
	uint32_t folded; /* CELL_FOLD: operations */
	int var;         /* place in picture.vars, or -1 */
	char *words;     /* "reads balance = 100"; all strings owned, "" if empty */
	char *source;    /* the source line */
	char *place;     /* "account.c:31 in deposit()" */
	char *note;      /* "spurious wake-up", "cannot get it: held by thread 0.2 since step 3" */
	uint32_t site;   /* or VTB_NONE */
	size_t event;    /* place in the trace, or SELECT_NO_EVENT */
	uint32_t index;  /* of a schedule that has not run: operations that the thread has then done */
	size_t after;    /* and what happens right behind the operation of this cell; else SELECT_NO_EVENT */
};

struct column {
	uint32_t thread;
	char *name;  /* "thread 0.1" */
	char *start; /* "deposit()" */
};

enum arrow_kind { ARROW_SWITCH, ARROW_ORDER };

struct arrow {
	enum arrow_kind kind;
	size_t from, to; /* cells; `from` SELECT_NO_EVENT: the head of `from_column` */
	uint32_t from_column;
	char *label; /* "switch 1"; "" */
};

struct picture_var {
	char *name, *told; /* in the table of names; as reports call it */
};

struct picture {
	char *title;    /* one sentence: what fails, and the tuple */
	char *message;  /* what the program said */
	char *subtitle; /* the command that ran, threads left out */
	bool failed;
	bool planned;       /* a schedule that has not run */
	bool partial_order; /* rows of different threads may have happened the other way round */
	struct column *columns;
	size_t n_columns, cap_columns;
	struct cell *cells; /* by row, then column */
	size_t n_cells, cap_cells;
	struct arrow *arrows;
	size_t n_arrows, cap_arrows;
	uint32_t n_rows;
	struct picture_var *vars; /* that it is about */
	size_t n_vars, cap_vars;
};

/* From a trace, or from a failure with its schedule (either may be given: `failure` includes the trace). */
int picture_of_trace(const struct vtb_trace *trace, const struct vtb_failure *failure, struct picture *ret);
/* From a schedule that has not run: its deviations and constraints. */
int picture_of_schedule(const struct vtb_schedules *schedules, size_t number, struct picture *ret);
void picture_fini(struct picture *p);

/* Building blocks of both. */
int picture_column(struct picture *p, const struct vtb_symtab *tab, uint32_t thread, uint32_t *ret);
struct cell *picture_cell(struct picture *p, enum cell_kind kind, uint32_t column,
                          uint32_t row); /* NULL: out of memory */
int picture_arrow(struct picture *p, struct arrow arrow, const char *label);
/* Put the rows of a schedule that has not run into an order that its arrows and each thread's own order allow. */
int picture_order(struct picture *p);

#endif /* VTB_VIZ_PICTURE_H */
