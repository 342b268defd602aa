/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "exit_regions.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 1000000u

struct region {
	const char *name; /* "ops:" is followed by a number */
	bool (*ends)(struct vtb_exit_blocks *b, size_t k, uint32_t done, uint32_t number);
};

static bool after_operations(struct vtb_exit_blocks *b, size_t k, uint32_t done, uint32_t number)
{
	(void)b;
	(void)k;
	return done >= number;
}

static uint32_t module_of(const struct vtb_exit_blocks *b, size_t k)
{
	const struct vtb_symtab *tab = b->space->tab;
	const uint32_t site = b->run.x->events[k].site;

	return site < tab->n_sites ? tab->sites[site].module : VTB_NONE;
}

/* The thread's next operation is elsewhere. */
static bool leaves_module(struct vtb_exit_blocks *b, size_t k, uint32_t done, uint32_t number)
{
	const uint32_t next = vtb_exit_blocks_next(b, k + 1, b->run.x->events[k].thread);

	(void)done;
	(void)number;
	return next != VTB_NONE && module_of(b, next) != module_of(b, k);
}

static const struct region regions[] = { { "ops:", after_operations }, { "module", leaves_module } };

/* The row that the first of `text` names, *ret_length bytes of it; NULL: none. */
static const struct region *read_one(const char *text, size_t *ret_length, uint32_t *ret_number)
{
	*ret_length = strcspn(text, ",");
	for (size_t i = 0; i < sizeof(regions) / sizeof(*regions); i++) {
		const size_t n = strlen(regions[i].name);
		const bool numbered = regions[i].name[n - 1] == ':';
		const size_t digits = strspn(text + (n < *ret_length ? n : *ret_length), "0123456789");
		unsigned long number;

		if (*ret_length < n || strncmp(text, regions[i].name, n) || n + digits != *ret_length ||
		    numbered != (digits > 0))
			continue;
		number = numbered ? strtoul(text + n, NULL, 10) : 1;
		*ret_number = (uint32_t)number;
		return number >= 1 && number <= NUMBER_MAX ? &regions[i] : NULL;
	}
	return NULL;
}

bool vtb_exit_regions_valid(const char *text, const char **ret_bad)
{
	size_t length;
	uint32_t number;

	for (*ret_bad = text;; *ret_bad += length + 1) {
		if (!read_one(*ret_bad, &length, &number))
			return false;
		if (!(*ret_bad)[length])
			return true;
	}
}

bool vtb_exit_regions_end(const char *text, struct vtb_exit_blocks *b, size_t k, uint32_t done)
{
	size_t length;
	uint32_t number;

	for (; text && *text; text += length + (text[length] == ',')) {
		const struct region *r = read_one(text, &length, &number);

		if (r && r->ends(b, k, done, number))
			return true;
	}
	return false;
}
