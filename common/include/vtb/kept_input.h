/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file kept_input.h
 * Standard input that came from a pipe or a file, as failure.json keeps it: a replay needs neither.
 * Ownership: `bytes` is its own. {0} is "none", and all calls take it.
 */
#ifndef VTB_KEPT_INPUT_H
#define VTB_KEPT_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/json.h"

#define VTB_KEPT_INPUT_MAX (1u << 20) /* longer ones are known by size and fingerprint */

struct vtb_kept_input {
	bool known;     /* there was one */
	bool cut;       /* it had not ended when it was taken for the whole: nothing had come for a while */
	bool other;     /* of a replay, not kept: standard input is a file that holds something else now */
	uint64_t size;  /* bytes */
	uint64_t hash;  /* vtb_hash() of them */
	uint8_t *bytes; /* NULL: none, or more than VTB_KEPT_INPUT_MAX */
};

/** What `size` bytes are as kept input. 0 or -ENOMEM. */
int vtb_kept_input_make(const void *bytes, uint64_t size, struct vtb_kept_input *ret);
int vtb_kept_input_copy(const struct vtb_kept_input *from, struct vtb_kept_input *ret);
void vtb_kept_input_fini(struct vtb_kept_input *in);

/** Member `input` of an object; nothing if it is not known. Without memory for their text the bytes are left out. */
void vtb_kept_input_write(struct vtb_json_writer *w, const struct vtb_kept_input *in);
/** The same, read; the object may be without it. Errors stay in `doc`: bytes that are not of that size and fingerprint
 * are one. */
void vtb_kept_input_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_kept_input *ret);

#endif /* VTB_KEPT_INPUT_H */
