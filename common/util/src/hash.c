/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hash.h"

#include <string.h>
#define XXH_INLINE_ALL /* short keys, and many: without the call through the linkage table, and each use fitted to its \
                          arguments */
#include <xxhash.h>

uint64_t vtb_hash(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}

uint64_t vtb_hash_seed(const void *data, size_t size, uint64_t seed)
{
	return XXH3_64bits_withSeed(data, size, seed);
}

struct vtb_hash128 vtb_hash128(const void *data, size_t size, uint64_t seed)
{
	const XXH128_hash_t hash = XXH3_128bits_withSeed(data, size, seed);

	return (struct vtb_hash128){ .lo = hash.low64, .hi = hash.high64 };
}

uint64_t vtb_hash_text(const char *text)
{
	return text && text[0] ? XXH3_64bits(text, strlen(text)) : 0;
}

/* Never defined: a struct vtb_hasher is an XXH3_state_t. */
struct vtb_hasher *vtb_hasher_new(void)
{
	XXH3_state_t *state = XXH3_createState();

	if (state)
		XXH3_64bits_reset(state);
	return (struct vtb_hasher *)state;
}

void vtb_hasher_free(struct vtb_hasher *h)
{
	if (h)
		XXH3_freeState((XXH3_state_t *)h);
}

void vtb_hasher_add(struct vtb_hasher *h, const void *data, size_t size)
{
	XXH3_64bits_update((XXH3_state_t *)h, data, size);
}

uint64_t vtb_hasher_digest(const struct vtb_hasher *h)
{
	return XXH3_64bits_digest((const XXH3_state_t *)h);
}
