/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hash.h"

#include <string.h>
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
