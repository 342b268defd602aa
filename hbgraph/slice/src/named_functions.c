/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "named_functions.h"

#include <stdio.h>
#include <string.h>

#include "image.h"
#include "vtb/name_list.h"
#include "vtb/slice.h"

/* By its name in the file, in C++ also as it is written, with its parameters or without. */
static bool is_item(const char *item, size_t length, const char *symbol, const char *demangled)
{
	char plain[1024];

	if (vtb_name_item_is(item, length, symbol) || vtb_name_item_is(item, length, demangled))
		return true;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(demangled, "("), demangled);
	if (vtb_name_item_is(item, length, plain))
		return true;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(symbol, "."), symbol); /* note.isra.0 */
	return *plain && vtb_name_item_is(item, length, plain);
}

static const char *demangled(struct vtb_symbols *symbols, const char *path, uint64_t addr, const char *symbol)
{
	const char *name;
	uint64_t begin, size;

	return symbols && vtb_symbols_elf(symbols, path, addr, &name, &begin, &size) && begin == addr ? name : symbol;
}

bool named_is(const char *list, struct vtb_symbols *symbols, const char *path, uint64_t addr, const char *symbol)
{
	const char *item;
	size_t length;

	while (list && (item = vtb_name_list_next(&list, &length)) != NULL)
		if (is_item(item, length, symbol, demangled(symbols, path, addr, symbol)))
			return true;
	return false;
}

static bool is_known(const struct image *im, struct vtb_symbols *symbols, const char *path, const char *item,
                     size_t length)
{
	for (size_t i = 0; i < im->n_symbols; i++) {
		const struct image_symbol *s = &im->symbols[i];

		if (s->function && is_item(item, length, s->name, demangled(symbols, path, s->addr, s->name)))
			return true;
	}
	for (size_t i = 0; i < im->n_imports; i++)
		if (im->imports[i] && vtb_name_item_is(item, length, im->imports[i]))
			return true;
	for (size_t i = 0; i < im->n_others; i++)
		if (vtb_name_item_is(item, length, im->others[i]))
			return true;
	return false;
}

bool vtb_slice_has_function(const char *path, const char *item, size_t length)
{
	struct image im = { .n_sections = 0 };
	struct vtb_symbols *symbols = NULL;
	bool known = false;

	if (vtb_symbols_new(&symbols) < 0)
		return false;
	if (image_open(&im, path, NULL) >= 0)
		known = is_known(&im, symbols, path, item, length);
	image_fini(&im);
	vtb_symbols_free(symbols);
	return known;
}
