/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/slice_why.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/symbols.h"

#define STEPS 256

/* One question. */
struct asked {
	struct vtb_slice *slice;
	struct vtb_symbols *symbols;
	const char *path, *place;
	FILE *out;
};

static const struct {
	uint32_t kind;
	const char *words;
} kinds[] = { { VTB_SLICE_FAILS, "failures" },
	      { VTB_SLICE_FAULTS, "faults" },
	      { VTB_SLICE_LOCKS, "locks" },
	      { VTB_SLICE_OUTPUT, "output" },
	      { VTB_SLICE_NAMED, "functions to be checked" } };

#define N_KINDS (sizeof(kinds) / sizeof(*kinds))

static const char *base_of(const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? slash + 1 : file;
}

/* ---- which accesses are meant */

static bool is_line(const struct asked *a, uint64_t addr)
{
	const char *colon = strrchr(a->place, ':');
	struct vtb_place at;
	char *end;
	unsigned long line;

	if (!colon || colon == a->place)
		return false;
	line = strtoul(colon + 1, &end, 10);
	if (*end || end == colon + 1)
		return false;
	vtb_symbols_place(a->symbols, a->path, addr - 1, &at);
	return at.line == line && strlen(base_of(at.file)) == (size_t)(colon - base_of(a->place)) &&
	       !strncmp(base_of(at.file), base_of(a->place), (size_t)(colon - base_of(a->place)));
}

static bool is_in_function(const struct asked *a, uint64_t addr)
{
	const char *plus = strrchr(a->place, '+'), *name;
	const size_t n = plus ? (size_t)(plus - a->place) : strlen(a->place);
	uint64_t begin, size;

	if (!vtb_symbols_elf(a->symbols, a->path, addr - 1, &name, &begin, &size) || strlen(name) != n ||
	    strncmp(name, a->place, n) != 0)
		return false;
	return !plus || addr - begin == strtoull(plus + 1, NULL, 0);
}

static bool is_meant(const struct asked *a, uint64_t addr)
{
	char *end;
	const uint64_t number = strtoull(a->place, &end, 0);

	if (end != a->place && !*end)
		return number == addr;
	return is_line(a, addr) || is_in_function(a, addr);
}

/* ---- words */

static void print_kinds(FILE *out, uint32_t set)
{
	const char *sep = "";

	for (size_t k = 0; k < N_KINDS; k++)
		if (set & kinds[k].kind) {
			fprintf(out, "%s%s", sep, kinds[k].words);
			sep = ", ";
		}
}

static void print_place(const struct asked *a, uint64_t addr)
{
	struct vtb_place at;
	const char *name;
	uint64_t begin, size;

	vtb_symbols_place(a->symbols, a->path, addr, &at);
	if (at.line)
		fprintf(a->out, "%s:%" PRIu32, base_of(at.file), at.line);
	else if (vtb_symbols_elf(a->symbols, a->path, addr, &name, &begin, &size))
		fprintf(a->out, "%s+0x%" PRIx64, name, addr - begin);
	else
		fprintf(a->out, "0x%" PRIx64, addr);
}

static const char *words_of(const struct vtb_slice_step *step)
{
	static const char *const words[] = { [VTB_SLICE_IS] = "",
		                             [VTB_SLICE_VALUE] = "gives a value to",
		                             [VTB_SLICE_MEMORY] = "writes what is read at",
		                             [VTB_SLICE_DECIDES] = "decides whether there is",
		                             [VTB_SLICE_CALLS] = "calls the function of" };

	return step->relation == VTB_SLICE_IS ? step->what : words[step->relation];
}

/* Steps on one line of the program are one, as long as they only hand on a value. */
static bool is_same_line(const struct asked *a, const struct vtb_slice_step *x, const struct vtb_slice_step *y)
{
	struct vtb_place p, q;

	if (x->relation != VTB_SLICE_VALUE)
		return false;
	vtb_symbols_place(a->symbols, a->path, x->addr, &p);
	vtb_symbols_place(a->symbols, a->path, y->addr, &q);
	return p.line && p.line == q.line && !strcmp(p.file, q.file);
}

static void print_steps(const struct asked *a, uint64_t addr, uint32_t kind)
{
	struct vtb_slice_step steps[STEPS];
	const size_t n = vtb_slice_path(a->slice, addr, kind, steps, STEPS);

	for (size_t i = 0; i < n && i < STEPS; i++) {
		struct vtb_place at;

		if (i + 1 < n && i + 1 < STEPS && is_same_line(a, &steps[i], &steps[i + 1]))
			continue;
		vtb_symbols_place(a->symbols, a->path, steps[i].addr, &at);
		fputs("    ", a->out);
		print_place(a, steps[i].addr);
		fprintf(a->out, "  %s\n        %s\n", vtb_symbols_source(a->symbols, a->path, at.file, at.line),
		        words_of(&steps[i]));
	}
	if (n > STEPS)
		fprintf(a->out, "    and %zu more steps\n", n - STEPS);
}

static void print_access(const struct asked *a, uint64_t addr, uint32_t set)
{
	print_place(a, addr - 1);
	fprintf(a->out, " (0x%" PRIx64 "): ", addr);
	if (!(set & VTB_SLICE_ALL)) {
		fputs("cannot influence any failure\n", a->out);
		return;
	}
	fputs("can influence ", a->out);
	print_kinds(a->out, set);
	fputs(set & VTB_SLICE_ALONE ? "; its order cannot: no other thread's access can be in conflict with it\n"
	                            : "\n",
	      a->out);
	for (size_t k = 0; k < N_KINDS && !vtb_slice_doubt(a->slice); k++)
		if (set & kinds[k].kind) {
			fprintf(a->out, "  %s:\n", kinds[k].words);
			print_steps(a, addr, kinds[k].kind);
		}
}

/* By their order: where another thread's access can be in conflict. */
static void print_shared_counts(const struct asked *a, size_t all)
{
	fprintf(a->out, "%s: by their order:", a->path);
	for (size_t k = 0; k < N_KINDS; k++)
		fprintf(a->out, "%s %s %zu", k ? "," : "", kinds[k].words,
		        vtb_slice_count_shared(a->slice, kinds[k].kind));
	fprintf(a->out, " of %zu accesses\n", all);
}

static void print_counts(const struct asked *a)
{
	size_t all, some;

	fprintf(a->out, "%s:", a->path);
	if (vtb_slice_doubt(a->slice)) {
		fprintf(a->out, " every access counts as able to influence every failure: %s\n",
		        vtb_slice_doubt(a->slice));
		return;
	}
	for (size_t k = 0; k < N_KINDS; k++) {
		vtb_slice_count(a->slice, kinds[k].kind, &all, &some);
		fprintf(a->out, "%s %s %zu", k ? "," : "", kinds[k].words, some);
	}
	fprintf(a->out, " of %zu accesses\n", all);
	print_shared_counts(a, all);
}

int64_t vtb_slice_why(const char *path, const char *place, const struct vtb_slice_opts *opts, FILE *out,
                      struct vtb_error *err)
{
	struct asked a = { .path = path, .place = place, .out = out };
	int64_t found = 0;
	uint64_t addr;
	uint32_t set;
	int r = vtb_slice_open(path, opts, &a.slice, err);

	if (r < 0)
		return r;
	r = vtb_symbols_new(&a.symbols);
	for (size_t i = 0; r >= 0 && vtb_slice_access(a.slice, i, &addr, &set); i++)
		if (is_meant(&a, addr)) {
			print_access(&a, addr, set);
			found++;
		}
	if (r >= 0)
		print_counts(&a);
	vtb_symbols_free(a.symbols);
	vtb_slice_free(a.slice);
	return r < 0 ? r : found;
}
