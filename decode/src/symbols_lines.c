/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a function and a line in it to its instructions: the way back of a name that survives a rebuild. */
#include "symbols_private.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/disasm.h"

#define ROW_BYTES_MAX 4096u

struct search {
	struct sym_module *m;
	const char *function;
	bool loose;        /* compare names without parameters */
	uint32_t line;     /* in the function */
	uint64_t *addrs;
	size_t n, max;
	bool known;        /* there is such a function */
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

static bool same_name(const struct search *q, const char *name)
{
	const size_t a = bare_length(name), b = bare_length(q->function);

	if (!q->loose)
		return strcmp(name, q->function) == 0;
	return a == b && strncmp(name, q->function, a) == 0;
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

/* Rows of one unit: a row counts if the innermost function at its address is the one asked for. */
static void search_rows(struct search *q, struct sym_unit *u)
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

		if (dwarf_lineendsequence(row, &end) != 0 || end || dwarf_lineno(row, &line) != 0 || line <= 0)
			continue;
		if (dwarf_lineaddr(row, &lo) != 0 || dwarf_lineaddr(next, &hi) != 0 || lo >= hi)
			continue;
		vtb_symbols_place(q->m->owner, q->m->path, lo + q->m->bias, &place);
		if (place.line != (uint32_t)line || !same_name(q, place.function))
			continue;
		q->known = true;
		if (place.line - place.function_line == q->line)
			add_instructions(q, lo + q->m->bias, hi + q->m->bias);
	}
}

static int compare_addrs(const void *x, const void *y)
{
	const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return (a > b) - (a < b);
}

int64_t vtb_symbols_lines(struct vtb_symbols *s, const char *path, const char *function, uint32_t line_in_function, uint64_t *addrs, size_t max)
{
	struct search q = { .m = sym_module(s, path), .function = function, .line = line_in_function, .addrs = addrs, .max = max };

	if (!q.m || sym_index_units(q.m) < 0)
		return -ENOENT;
	for (unsigned pass = 0; pass < 2 && !q.known; pass++) {
		q.loose = pass == 1;
		for (size_t i = 0; i < q.m->n_units; i++)
			search_rows(&q, &q.m->units[i]);
	}
	if (!q.known)
		return -ENOENT;
	if (q.n)
		qsort(addrs, q.n < max ? q.n : max, sizeof(*addrs), compare_addrs);
	return (int64_t)q.n;
}
