/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kept_bytes.h"

void kept_put_bytes(struct kept_out *out, const void *bytes, size_t n)
{
	void *items = out->bytes;

	if (out->n_bytes + n > out->cap_bytes && vtb_array_reserve(&items, &out->cap_bytes, out->n_bytes + n, 1) < 0) {
		out->failed = true;
		return;
	}
	out->bytes = items;
	if (n)
		memcpy(out->bytes + out->n_bytes, bytes, n);
	out->n_bytes += n;
}

void kept_put_text(struct kept_out *out, const char *text)
{
	const size_t n = text ? strlen(text) : 0;

	kept_put(out, n);
	kept_put_bytes(out, text, n);
	kept_put_bytes(out, "", 1);
}

const uint8_t *kept_get_bytes(struct kept_in *in, size_t n)
{
	const uint8_t *at = in->at;

	if (in->bad || n > (size_t)(in->end - in->at)) {
		in->bad = true;
		return NULL;
	}
	in->at += n;
	return at;
}

const char *kept_get_text(struct kept_in *in)
{
	const uint64_t n = kept_get_to(in, (uint64_t)(in->end - in->at));
	const char *text = (const char *)kept_get_bytes(in, (size_t)n + 1);

	in->bad |= text && strnlen(text, (size_t)n + 1) != n;
	return in->bad ? "" : text;
}
