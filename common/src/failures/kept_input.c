/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/kept_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"; /* RFC 4648 */

int vtb_kept_input_make(const void *bytes, uint64_t size, struct vtb_kept_input *ret)
{
	struct vtb_kept_input in = { .known = true, .size = size, .hash = vtb_hash(bytes, size) };

	if (size && size <= VTB_KEPT_INPUT_MAX) {
		in.bytes = malloc(size);
		if (!in.bytes)
			return -ENOMEM;
		memcpy(in.bytes, bytes, size);
	}
	*ret = in;
	return 0;
}

int vtb_kept_input_copy(const struct vtb_kept_input *from, struct vtb_kept_input *ret)
{
	struct vtb_kept_input in = *from;

	if (from->bytes) {
		in.bytes = malloc(from->size);
		if (!in.bytes)
			return -ENOMEM;
		memcpy(in.bytes, from->bytes, from->size);
	}
	*ret = in;
	return 0;
}

void vtb_kept_input_fini(struct vtb_kept_input *in)
{
	free(in->bytes);
	*in = (struct vtb_kept_input){ 0 };
}

/* ---- base64 */

/* NULL: no memory. */
static char *encode(const uint8_t *bytes, uint64_t size)
{
	char *text = malloc((size + 2) / 3 * 4 + 1), *to = text;

	for (uint64_t i = 0; text && i < size; i += 3) {
		const uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
		const uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
		                      (left > 2 ? (uint32_t)bytes[i + 2] : 0);

		for (uint32_t k = 0; k < 4; k++)
			*to++ = k <= left ? digits[word >> (18 - 6 * k) & 63] : '=';
	}
	if (text)
		*to = 0;
	return text;
}

/* The bytes of a text of exactly that many; NULL: it is something else, or no memory. */
static uint8_t *decode(const char *text, uint64_t size)
{
	uint8_t *bytes;
	uint32_t word = 0, n = 0;
	uint64_t done = 0;

	if (!size || size > VTB_KEPT_INPUT_MAX || strlen(text) != (size + 2) / 3 * 4 || !(bytes = malloc(size)))
		return NULL;
	for (; *text && done < size; text++) {
		const char *digit = strchr(digits, *text);

		if (!digit)
			break;
		word = word << 6 | (uint32_t)(digit - digits);
		n += 6;
		if (n >= 8) {
			n -= 8;
			bytes[done++] = (uint8_t)(word >> n);
		}
	}
	if (done == size)
		return bytes;
	free(bytes);
	return NULL;
}

/* ---- the file */

void vtb_kept_input_write(struct vtb_json_writer *w, const struct vtb_kept_input *in)
{
	char *text = in->bytes ? encode(in->bytes, in->size) : NULL;

	if (!in->known)
		return;
	vtb_json_object_row(w, "input");
	vtb_json_u64(w, "size", in->size);
	vtb_json_hex(w, "hash", in->hash);
	if (in->cut)
		vtb_json_bool(w, "cut", true);
	if (text)
		vtb_json_string(w, "bytes", text);
	vtb_json_end(w);
	free(text);
}

void vtb_kept_input_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_kept_input *ret)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, "input");
	const char *text = node ? vtb_json_opt_string(doc, node, "bytes", NULL) : NULL;

	if (!node)
		return;
	*ret = (struct vtb_kept_input){ .known = true,
		                        .cut = vtb_json_opt_bool(doc, node, "cut", false),
		                        .size = vtb_json_get_u64(doc, node, "size", UINT64_MAX),
		                        .hash = vtb_json_get_u64(doc, node, "hash", UINT64_MAX) };
	if (!text || vtb_json_status(doc) < 0)
		return;
	ret->bytes = decode(text, ret->size);
	if (!ret->bytes || vtb_hash(ret->bytes, ret->size) != ret->hash)
		vtb_json_fail(doc, node, "bytes", 0, -VTB_E_SCHEMA, "not the base64 of %llu bytes with that hash",
		              (unsigned long long)ret->size);
}
