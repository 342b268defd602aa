/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file_functions.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"

/* And how much there is of it. */
const uint8_t *file_code_from(const struct file_functions *f, uint64_t lo, uint64_t *ret_size)
{
	struct vtb_elf_section section;
	const uint8_t *code;
	size_t n;

	if (!vtb_elf_code_at(f->elf, lo, &section))
		return NULL;
	code = vtb_elf_bytes(f->elf, &section, &n);
	*ret_size = section.size - (lo - section.addr);
	return code && n == section.size ? code + (lo - section.addr) : NULL;
}

static const uint8_t *code_at(const struct file_functions *f, uint64_t lo, uint64_t size)
{
	uint64_t there;
	const uint8_t *code = file_code_from(f, lo, &there);

	return code && size <= there ? code : NULL;
}

/* Of the C library's start files: they run before the program and after it. */
static bool is_start_code(const char *name)
{
	static const char *const names[] = {
		"_start",
		"__do_global_dtors_aux",
		"frame_dummy",
		"register_tm_clones",
		"deregister_tm_clones",
		"_init",
		"_fini",
		"atexit",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

#define COLD ".cold"

static bool is_cold(const char *name)
{
	const char *cold = strstr(name, COLD);

	return cold && cold != name && (!cold[strlen(COLD)] || cold[strlen(COLD)] == '.');
}

/* The first function of that name, or where it would be. */
static size_t find_function(const struct file_functions *f, const char *name, size_t n)
{
	size_t low = 0, high = f->n_items;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(f->items[middle].name, name, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* f.cold belongs to f, if that is here. */
static bool is_piece(const struct file_functions *f, const struct vtb_elf_symbol *s)
{
	const size_t n = is_cold(s->name) ? (size_t)(strstr(s->name, COLD) - s->name) : 0;
	const size_t at = n ? find_function(f, s->name, n) : f->n_items;

	return at < f->n_items && !strncmp(f->items[at].name, s->name, n) && !f->items[at].name[n];
}

size_t file_functions_pieces(const struct file_functions *f, const struct vtb_elf_symbol *s,
                             struct blind_piece ret[FILE_PIECES])
{
	const size_t n = strlen(s->name);
	size_t n_pieces = 0;

	if (is_start_code(s->name) || is_piece(f, s))
		return 0;

	for (size_t i = find_function(f, s->name, n); i < f->n_items && n_pieces < FILE_PIECES; i++) {
		const struct vtb_elf_symbol *o = &f->items[i];
		const uint8_t *code;
		size_t at = n_pieces;

		if (strncmp(o->name, s->name, n))
			break;
		if (o->addr != s->addr && (strncmp(o->name + n, COLD, strlen(COLD)) || !is_cold(o->name)))
			continue;
		code = code_at(f, o->addr, o->size);
		if (!code)
			continue;
		for (; at && ret[at - 1].addr > o->addr; at--)
			ret[at] = ret[at - 1];
		ret[at] = (struct blind_piece){ code, o->size, o->addr };
		n_pieces++;
	}
	return n_pieces;
}

static int symbol_by_name(const void *a, const void *b)
{
	const struct vtb_elf_symbol *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int sort_starts(struct file_functions *f)
{
	f->starts = malloc((f->n_items + 1) * sizeof(*f->starts));
	if (!f->starts)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_items; i++)
		f->starts[i] = f->items[i].addr;
	if (f->n_items)
		qsort(f->starts, f->n_items, sizeof(*f->starts), by_number);
	return 0;
}

#define BESIDE 16u /* functions before it, and behind it */

bool file_functions_among_hooks(const struct file_functions *f, uint64_t addr, const struct vtb_call_sites *sites)
{
	const uint64_t *at = bsearch(&addr, f->starts, f->n_items, sizeof(*f->starts), by_number);
	const size_t i = at ? (size_t)(at - f->starts) : 0;
	const uint64_t lo = f->starts[i > BESIDE ? i - BESIDE : 0];
	const uint64_t hi = i + BESIDE + 1 < f->n_items ? f->starts[i + BESIDE + 1] : UINT64_MAX;
	size_t low = 0, high = sites->n_tells;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sites->tells[middle].addr < lo)
			low = middle + 1;
		else
			high = middle;
	}
	return at && low < sites->n_tells && sites->tells[low].addr < hi;
}

void file_functions_fini(struct file_functions *f)
{
	free(f->items);
	free(f->starts);
}

int file_functions_find(struct file_functions *f)
{
	struct vtb_elf_section section;
	struct vtb_elf_symbol symbol;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &section); i++)
		for (size_t k = 0; r >= 0 && section.type == SHT_SYMTAB && vtb_elf_symbol(f->elf, &section, k, &symbol);
		     k++) {
			if (symbol.type != STT_FUNC || !symbol.defined || !symbol.size)
				continue;
			r = vtb_array_room(f, items);
			if (r >= 0)
				f->items[f->n_items++] = symbol;
		}
	if (f->n_items)
		qsort(f->items, f->n_items, sizeof(*f->items), symbol_by_name);
	return r < 0 ? r : sort_starts(f);
}
