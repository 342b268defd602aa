/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file ingest_program.h  A program to ingest: the first fixture, its names, and one stream of records. */
#ifndef INGEST_PROGRAM_H
#define INGEST_PROGRAM_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "fixture_run.h"
#include "vtb/ingest.h"
#include "vtb/symbols.h"
#include "wire_build.h"

static const char *const fixtures[] = { FIXTURES };
#define N_FIXTURES (sizeof(fixtures) / sizeof(*fixtures))
#define BASE 0x555555550000u
#define HEAP 0x7f0000001000u

struct program {
	struct vtb_symtab tab;
	struct vtb_symbols *symbols;
	struct vtb_ingest *in;
	struct block_image block;
	struct stream s;
	struct vtb_wire_outcome outcome;
	struct vtb_exec x;
	struct vtb_error err;
};

static inline struct program *open_program(const char *path)
{
	struct program *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	assert_int_equal(vtb_symbols_new(&p->symbols), 0);
	assert_int_equal(vtb_ingest_new(&p->tab, p->symbols, &p->in), 0);
	block_init(&p->block, VTB_MODE_CONTROL);
	block_module(&p->block, path, BASE, 0x10000);
	assert_int_equal(vtb_ingest_modules(p->in, &p->block, sizeof(p->block), &p->err), 0);
	return p;
}

static inline void close_program(struct program *p)
{
	vtb_exec_fini(&p->x);
	vtb_ingest_free(p->in);
	vtb_symbols_free(p->symbols);
	vtb_symtab_fini(&p->tab);
	free(p);
}

static inline int run(struct program *p)
{
	int r;

	vtb_exec_fini(&p->x);
	p->x = (struct vtb_exec){ 0 };
	p->err = (struct vtb_error){ 0 };
	r = vtb_ingest_exec(p->in, p->s.words, p->s.n, &p->outcome, &p->x, &p->err);
	p->s.n = 0;
	return r;
}

static inline const char *name_of(const struct program *p, size_t event)
{
	assert_in_range(event, 0, p->x.n_events - 1);
	return vtb_variable_name(&p->tab, p->x.events[event].var);
}

/* Where the fixture keeps a global (file address), or a kind of line its first field. */
struct wanted {
	char kind;
	const char *name;
	uint64_t address;
};

static inline void match(const char *path, char **fields, size_t n, void *arg)
{
	struct wanted *w = arg;

	(void)path;
	if (fields[0][0] == w->kind && ((w->kind == 'g' && n > 3 && strcmp(fields[3], w->name) == 0) ||
	                                (w->kind == 'p' && strcmp(fields[2], w->name) == 0)))
		w->address = hex(fields[1]);
}

static inline uint64_t address_of(char kind, const char *name)
{
	struct wanted w = { kind, name, 0 };

	fixture_run(fixtures[0], match, &w);
	assert_int_not_equal(w.address, 0);
	return BASE + w.address;
}

#endif /* INGEST_PROGRAM_H */
