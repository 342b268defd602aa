/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/map64.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CELLS 64u

void vtb_map64_fini(struct vtb_map64 *map)
{
	free(map->cells);
	*map = (struct vtb_map64){ 0 };
}

void vtb_map64_clear(struct vtb_map64 *map)
{
	if (map->cells && map->n)
		memset(map->cells, 0, (map->mask + 1) * sizeof(*map->cells));
	map->n = 0;
}

/* Store without a check for room. */
static void store(struct vtb_map64 *map, uint64_t key, uint64_t stored)
{
	size_t i = vtb_map64_place(key) & map->mask;

	while (map->cells[i].value && map->cells[i].key != key)
		i = (i + 1) & map->mask;
	if (!map->cells[i].value)
		map->n++;
	map->cells[i] = (struct vtb_map64_cell){ key, stored };
}

static int grow(struct vtb_map64 *map)
{
	const size_t cells = map->cells ? 2 * (map->mask + 1) : FIRST_CELLS;
	struct vtb_map64 bigger = { .cells = calloc(cells, sizeof(*bigger.cells)), .mask = cells - 1 };

	if (!bigger.cells)
		return -ENOMEM;
	for (size_t i = 0; map->cells && i <= map->mask; i++)
		if (map->cells[i].value)
			store(&bigger, map->cells[i].key, map->cells[i].value);
	free(map->cells);
	*map = bigger;
	return 0;
}

int vtb_map64_set(struct vtb_map64 *map, uint64_t key, uint64_t value)
{
	if (!map->cells || 3 * (map->n + 1) > 2 * (map->mask + 1)) {
		const int r = grow(map);

		if (r < 0)
			return r;
	}
	store(map, key, value + 1);
	return 0;
}
