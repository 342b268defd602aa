/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What mazurkiewicz.c works on: clocks as rows of counters, and who has touched what. */
#ifndef VTB_HBGRAPH_CLOCK_ROWS_H
#define VTB_HBGRAPH_CLOCK_ROWS_H

#include <string.h>

#include "shadow.h"
#include "vtb/mazurkiewicz.h"

struct cell {
	uint32_t writer, writer_count; /* last write; count 0: none yet */
	uint32_t reader, reader_count; /* the only reader since, or VTB_NONE: several; count 0: none */
};

__extension__ typedef unsigned __int128 sum128;

/* Cells of byte ranges and of objects live in two tables of the same shape. */
struct cells {
	struct cell *cells;
	size_t n_cells, cap_cells;
	uint32_t *rows; /* 2 * stride counters a cell */
	size_t n_rows, cap_rows;
};

/* The cell of a variable's object; of another run: it has none yet. */
struct known_var {
	uint32_t run, cell;
};
#define VARS_MAX (1u << 16) /* ids are small and dense; larger ones are looked up */

struct vtb_mazurkiewicz {
	const struct vtb_symtab *tab;
	sum128 sum;
	uint32_t stride;    /* counters a row, a power of two */
	uint32_t n_threads; /* threads seen in this execution: counters in use */
	uint32_t *threads;  /* stride rows */
	uint32_t *scratch;  /* one row and a head, for the hash */
	struct shadow shadow;
	struct known_var *vars; /* by id, as far as they go; see object_cell() */
	size_t n_vars, cap_vars;
	struct vtb_map64 by_var; /* ids from VARS_MAX on */
	uint32_t run;
	struct cells ranges, objects;
};

/* Rows are a multiple of four counters long, and 0 behind those in use: four at a time, without asking how many are
 * left. */
typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));

static inline void join(uint32_t *row, const uint32_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4) {
		const four a = *(const four *)(row + i), b = *(const four *)(other + i), less = (four)(a < b);

		*(four *)(row + i) = (b & less) | (a & ~less);
	}
}

static inline void copy_row(uint32_t *to, const uint32_t *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 4)
		*(four *)(to + i) = *(const four *)(from + i);
}

/* Of several readers it is not kept who the last ones were: does the row know all of what they knew? */
static inline bool knows(const uint32_t *row, const uint32_t *other, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i] < other[i])
			return false;
	return true;
}

#endif /* VTB_HBGRAPH_CLOCK_ROWS_H */
