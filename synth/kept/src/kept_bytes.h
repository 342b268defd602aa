/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kept_bytes.h
 * Numbers and texts to bytes and back, as docs/format/state.md has them. Numbers are little-endian base 128: seven bits
 * a byte, the top bit says that more follow.
 *
 * Errors: what cannot be put (no memory) or is not there to be got sets a mark, which is looked at once at the end;
 * what is got after that is 0 and "".
 */
#ifndef VTB_KEPT_BYTES_H
#define VTB_KEPT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vtb/array.h"

struct kept_out {
	uint8_t *bytes;
	size_t n_bytes, cap_bytes;
	bool failed;
};

struct kept_in {
	const uint8_t *at, *end;
	bool bad;
};

void kept_put_bytes(struct kept_out *out, const void *bytes, size_t n);
void kept_put_text(struct kept_out *out, const char *text); /* NULL is "" */
/* Inside the bytes, up to their end; "" is no NULL. */
const char *kept_get_text(struct kept_in *in);
/* The next n bytes, or NULL. */
const uint8_t *kept_get_bytes(struct kept_in *in, size_t n);

static inline void kept_put(struct kept_out *out, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	for (; value > 0x7f; value >>= 7)
		bytes[n++] = (uint8_t)(value | 0x80);
	bytes[n++] = (uint8_t)value;
	if (out->n_bytes + n <= out->cap_bytes) {
		memcpy(out->bytes + out->n_bytes, bytes, n);
		out->n_bytes += n;
	} else {
		kept_put_bytes(out, bytes, n);
	}
}

static inline uint64_t kept_get(struct kept_in *in)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		const uint8_t byte = *in->at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	in->bad = true;
	return 0;
}

/* At most `max`. */
static inline uint64_t kept_get_to(struct kept_in *in, uint64_t max)
{
	const uint64_t value = kept_get(in);

	in->bad |= value > max;
	return value > max ? 0 : value;
}

/* Ids: VTB_NONE is 0. */
static inline void kept_put_id(struct kept_out *out, uint32_t id)
{
	kept_put(out, (uint32_t)(id + 1));
}

#endif /* VTB_KEPT_BYTES_H */
