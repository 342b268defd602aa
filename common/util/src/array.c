/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int vtb_array_reserve(void **items, size_t *cap, size_t want, size_t size)
{
	size_t room = *cap < 8 ? 8 : *cap;
	size_t bytes;
	void *grown;

	if (want <= *cap)
		return 0;
	while (room < want)
		room = room > SIZE_MAX / 2 ? want : room * 2;
	if (__builtin_mul_overflow(room, size, &bytes))
		return -ENOMEM;
	grown = realloc(*items, bytes);
	if (!grown)
		return -ENOMEM;
	*items = grown;
	*cap = room;
	return 0;
}

int vtb_array_copy(const void *items, size_t n, size_t size, void *ret)
{
	void *copy = n ? malloc(n * size) : NULL;

	if (n && !copy)
		return -ENOMEM;
	if (n)
		memcpy(copy, items, n * size);
	memcpy(ret, &copy, sizeof(copy));
	return 0;
}
