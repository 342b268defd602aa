/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file hash.h
 * Fingerprints: XXH3 with 64 bits, the same on every machine and in every version. The only user of xxHash is hash.c.
 * Source: https://xxhash.com (format frozen since 0.8.0).
 */
#ifndef VTB_HASH_H
#define VTB_HASH_H

#include <stddef.h>
#include <stdint.h>

/** Fingerprint of `size` bytes. O(size). */
uint64_t vtb_hash(const void *data, size_t size);
/** The same with a seed: chains the fingerprint of what came before. */
uint64_t vtb_hash_seed(const void *data, size_t size, uint64_t seed);
/** 128 bits, for sets so large that 64 bits would meet by chance (n members: odds n^2 / 2^129). */
struct vtb_hash128 {
	uint64_t lo, hi;
};
struct vtb_hash128 vtb_hash128(const void *data, size_t size, uint64_t seed);
/** Fingerprint of a text without its NUL; 0 for "" and NULL: "unknown" in the files. */
uint64_t vtb_hash_text(const char *text);

/** The fingerprint of a stream: equal to vtb_hash() of its pieces put together. */
struct vtb_hasher;
struct vtb_hasher *vtb_hasher_new(void); /* NULL on -ENOMEM */
void vtb_hasher_free(struct vtb_hasher *h);
void vtb_hasher_add(struct vtb_hasher *h, const void *data, size_t size);
uint64_t vtb_hasher_digest(const struct vtb_hasher *h);

#endif /* VTB_HASH_H */
