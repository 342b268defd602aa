/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/vclock.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Store at least `len` slots (<= VTB_THREADS_MAX), the new ones 0. */
static int grow(struct vtb_vclock *vc, uint32_t len)
{
	uint64_t *count;

	if (len <= vc->len)
		return 0;
	count = realloc(vc->count, len * sizeof(*count));
	if (!count)
		return -ENOMEM;
	memset(count + vc->len, 0, (len - vc->len) * sizeof(*count));
	vc->count = count;
	vc->len = len;
	return 0;
}

void vtb_vclock_fini(struct vtb_vclock *vc)
{
	free(vc->count);
	*vc = (struct vtb_vclock){ 0 };
}

uint64_t vtb_vclock_get(const struct vtb_vclock *vc, uint32_t slot)
{
	return slot < vc->len ? vc->count[slot] : 0;
}

int vtb_vclock_tick(struct vtb_vclock *vc, uint32_t slot)
{
	int r;

	if (slot >= VTB_THREADS_MAX) /* a slot read from a corrupt trace */
		return -E2BIG;
	r = grow(vc, slot + 1);
	if (r < 0)
		return r;
	vc->count[slot]++;
	return 0;
}

int vtb_vclock_join(struct vtb_vclock *vc, const struct vtb_vclock *other)
{
	int r = grow(vc, other->len);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < other->len; i++)
		if (vc->count[i] < other->count[i])
			vc->count[i] = other->count[i];
	return 0;
}

enum vtb_order vtb_vclock_compare(const struct vtb_vclock *a, const struct vtb_vclock *b)
{
	const uint32_t len = a->len > b->len ? a->len : b->len;
	bool a_ahead = false, b_ahead = false;

	for (uint32_t i = 0; i < len; i++) {
		const uint64_t x = vtb_vclock_get(a, i), y = vtb_vclock_get(b, i);

		a_ahead |= x > y;
		b_ahead |= x < y;
	}
	if (a_ahead && b_ahead)
		return VTB_CONCURRENT;
	return a_ahead ? VTB_AFTER : b_ahead ? VTB_BEFORE : VTB_EQUAL;
}
