/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a function and a line in it to its instructions: the way back of a name that survives a rebuild. */
#include "symbols_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/disasm.h"

#define ROW_BYTES_MAX 4096u

struct search {
	struct sym_module *m;
	const char *function; /* name of the functions that count */
	uint32_t line;        /* in the function */
	uint64_t *addrs;
	size_t n, max;
	uint32_t last_unit,
	    last_line; /* done already: an abstract function and its copy of its own stand at one line */
};

/* Up to the parameter list; operator() keeps its brackets. */
static size_t bare_length(const char *name)
{
	const char *from = strstr(name, "operator()") ? strstr(name, "operator()") + strlen("operator()") : name;
	const char *bracket = strchr(from, '(');

	while (bracket && strncmp(bracket, "(anonymous namespace)", 21) == 0)
		bracket = strchr(bracket + 1, '(');
	return bracket ? (size_t)(bracket - name) : strlen(name);
}

static bool same_bare_name(const char *x, const char *y)
{
	const size_t a = bare_length(x), b = bare_length(y);

	return a == b && strncmp(x, y, a) == 0;
}

static void add_instructions(struct search *q, uint64_t lo, uint64_t hi)
{
	struct vtb_symbols *s = q->m->owner;
	uint8_t code[ROW_BYTES_MAX];
	struct vtb_instruction insn;
	size_t n, at = 0;

	if (hi - lo > sizeof(code))
		hi = lo + sizeof(code);
	n = vtb_symbols_bytes(s, q->m->path, lo, code, (size_t)(hi - lo));
	if (!s->disasm && vtb_disasm_new(&s->disasm) < 0)
		return;
	while (at < n && vtb_disasm_one(s->disasm, code + at, n - at, lo + at, &insn) > 0) {
		if (q->n < q->max)
			q->addrs[q->n] = lo + at;
		q->n++;
		at += insn.length;
	}
}

/* Rows of one unit at one line; a row counts if the innermost function at its address is the one asked for. */
static void search_rows(struct search *q, struct sym_unit *u, uint32_t wanted)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(&u->die, &lines, &n) != 0)
		return;
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *row = dwarf_onesrcline(lines, i), *next = dwarf_onesrcline(lines, i + 1);
		Dwarf_Addr lo, hi;
		struct vtb_place place;
		bool end = false;
		int line;

		if (dwarf_lineno(row, &line) != 0 || (uint32_t)line != wanted ||
		    dwarf_lineendsequence(row, &end) != 0 || end)
			continue;
		if (dwarf_lineaddr(row, &lo) != 0 || dwarf_lineaddr(next, &hi) != 0 || lo >= hi)
			continue;
		vtb_symbols_place(q->m->owner, q->m->path, lo + q->m->bias, &place);
		if (place.line == wanted && strcmp(place.function, q->function) == 0)
			add_instructions(q, lo + q->m->bias, hi + q->m->bias);
	}
}

static int compare_subprograms(const void *x, const void *y)
{
	const struct sym_subprogram *a = x, *b = y;
	const int r = strcmp(a->name, b->name);

	if (r != 0 || a->unit != b->unit)
		return r != 0 ? r : a->unit < b->unit ? -1 : 1;
	return ((uintptr_t)a->die.addr > (uintptr_t)b->die.addr) - ((uintptr_t)a->die.addr < (uintptr_t)b->die.addr);
}

static int index_functions(struct sym_module *m)
{
	const int r = sym_index_names(m);

	if (r < 0 || m->has_functions)
		return r;
	m->has_functions = true;
	for (size_t i = 0; i < m->n_subprograms; i++)
		m->subprograms[i].name = sym_function_name(m, &m->subprograms[i].die);
	if (m->n_subprograms)
		qsort(m->subprograms, m->n_subprograms, sizeof(*m->subprograms), compare_subprograms);
	return 0;
}

static void search_subprogram(struct search *q, struct sym_subprogram *f)
{
	Dwarf_Die origin;
	int line = 0;

	sym_origin(&f->die, &origin);
	if (dwarf_decl_line(&f->die, &line) != 0 && dwarf_decl_line(&origin, &line) != 0)
		return;
	if (line <= 0 || (f->unit == q->last_unit && (uint32_t)line == q->last_line))
		return;
	q->function = f->name;
	q->last_unit = f->unit;
	q->last_line = (uint32_t)line;
	search_rows(q, &q->m->units[f->unit], (uint32_t)line + q->line);
}

/* Functions with exactly that name, by bisection. */
static bool search_exact(struct search *q, const char *function)
{
	size_t lo = 0, hi = q->m->n_subprograms;
	bool known = false;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (strcmp(q->m->subprograms[mid].name, function) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < q->m->n_subprograms && strcmp(q->m->subprograms[lo].name, function) == 0; lo++) {
		known = true;
		search_subprogram(q, &q->m->subprograms[lo]);
	}
	return known;
}

static bool search_bare(struct search *q, const char *function)
{
	bool known = false;

	for (size_t i = 0; i < q->m->n_subprograms; i++) {
		if (!same_bare_name(q->m->subprograms[i].name, function))
			continue;
		known = true;
		search_subprogram(q, &q->m->subprograms[i]);
	}
	return known;
}

static int compare_addrs(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

/* Drop repeats among the sorted addresses that were stored; two functions of one name may share code. */
static size_t sort_addrs(uint64_t *addrs, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(addrs, n, sizeof(*addrs), compare_addrs);
	for (size_t i = 0; i < n; i++)
		if (!kept || addrs[kept - 1] != addrs[i])
			addrs[kept++] = addrs[i];
	return kept;
}

int64_t vtb_symbols_lines(struct vtb_symbols *s, const char *path, const char *function, uint32_t line_in_function,
                          uint64_t *addrs, size_t max)
{
	struct search q = {
		.m = sym_module(s, path), .line = line_in_function, .addrs = addrs, .max = max, .last_unit = UINT32_MAX
	};

	if (!q.m || !*function || index_functions(q.m) < 0)
		return -ENOENT;
	if (!search_exact(&q, function) && !search_bare(&q, function))
		return -ENOENT;
	return q.n > max ? (sort_addrs(addrs, max), (int64_t)q.n) : (int64_t)sort_addrs(addrs, q.n);
}
