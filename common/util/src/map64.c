/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/map64.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CELLS 64u
#define CLEARED                                                                                                 \
	16u /* cells to an entry: a map with more is given back instead, so that emptying it costs no more than \
	       filling it did */

void vtb_map64_fini(struct vtb_map64 *map)
{
	free(map->cells);
	*map = (struct vtb_map64){ 0 };
}

void vtb_map64_clear(struct vtb_map64 *map)
{
	if (map->cells && map->mask >= FIRST_CELLS && map->mask / CLEARED > map->n)
		vtb_map64_fini(map);
	else if (map->cells && map->n)
		memset(map->cells, 0, (map->mask + 1) * sizeof(*map->cells));
	map->n = 0;
	map->has_zero = false;
}

/* The cell of a key that is not 0, or the free one where it belongs. There are cells. */
static struct vtb_map64_cell *find(const struct vtb_map64 *map, uint64_t key)
{
	size_t i = vtb_map64_place(key) & map->mask;

	while (map->cells[i].key && map->cells[i].key != key)
		i = (i + 1) & map->mask;
	return &map->cells[i];
}

static int grow(struct vtb_map64 *map)
{
	const size_t cells = map->cells ? 2 * (map->mask + 1) : FIRST_CELLS;
	struct vtb_map64 bigger = *map;

	bigger.cells = calloc(cells, sizeof(*bigger.cells));
	bigger.mask = cells - 1;
	if (!bigger.cells)
		return -ENOMEM;
	for (size_t i = 0; map->cells && i <= map->mask; i++)
		if (map->cells[i].key)
			*find(&bigger, map->cells[i].key) = map->cells[i];
	free(map->cells);
	*map = bigger;
	return 0;
}

static uint64_t *put_zero(struct vtb_map64 *map, uint64_t fresh)
{
	if (!map->has_zero) {
		map->has_zero = true;
		map->zero = fresh;
		map->n++;
	}
	return &map->zero;
}

uint64_t *vtb_map64_put(struct vtb_map64 *map, uint64_t key, uint64_t fresh)
{
	struct vtb_map64_cell *cell;

	if (!key)
		return put_zero(map, fresh);
	if ((!map->cells || 3 * (map->n + 1) > 2 * (map->mask + 1)) && grow(map) < 0)
		return NULL;
	cell = find(map, key);
	if (!cell->key) {
		*cell = (struct vtb_map64_cell){ key, fresh };
		map->n++;
	}
	return &cell->value;
}

int vtb_map64_set(struct vtb_map64 *map, uint64_t key, uint64_t value)
{
	uint64_t *at = vtb_map64_put(map, key, value);

	if (!at)
		return -ENOMEM;
	*at = value;
	return 0;
}
