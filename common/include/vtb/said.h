/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file said.h
 * What a run has printed, to standard output and standard error, in the order in which it was written.
 *
 * Shape:     its last bytes as text: from the beginning of a line if it was cut, '?' for a NUL. Not made plain: who
 *            shows it does that.
 * Ownership: owns the text. {0}: nothing is known.
 */
#ifndef VTB_SAID_H
#define VTB_SAID_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/json.h"

#define VTB_SAID_USUAL 4096u      /* bytes that are kept */
#define VTB_SAID_WHOLE (1u << 20) /* and if all are asked for */

/** The end of what went to one of the two, or to both. */
struct vtb_stream {
	char *text;    /* NULL: not known; "" it printed nothing */
	uint64_t size; /* bytes that the run printed in all */
};

struct vtb_said {
	char *text; /* as of a stream: both */
	uint64_t size;
	struct vtb_stream out, err; /* each by itself; not known if the two could not be told apart */
	char *diff; /* from what it should have printed (vtb/line_diff.h); NULL: the same, or nobody said what */
};

void vtb_said_fini(struct vtb_said *said);

/** Take the last `n` bytes at `bytes` (freed here) of a run that printed `size`. 0 or -ENOMEM. */
int vtb_said_take(struct vtb_said *said, char *bytes, size_t n, uint64_t size);

/** A copy of the last `n` bytes of `size` that went to a stream. 0 or -ENOMEM: *ret is as it was. */
int vtb_stream_take(struct vtb_stream *ret, const char *bytes, size_t n, uint64_t size);
/** Does the text lack what was printed before it? */
bool vtb_stream_is_cut(const struct vtb_stream *stream);

/** What is to be shown of what it said, one after the other: the two by themselves if both are known and said
 * something, else all as one. Titles are "Output", "Standard output" and "Standard error". Returns how many, 0 to 2. */
struct vtb_said_part {
	const char *title;
	struct vtb_stream stream; /* borrowed */
};
size_t vtb_said_parts(const struct vtb_said *said, struct vtb_said_part ret[2]);

/** The last line that is not empty: where it begins, and its length in *ret. NULL: there is none. */
const char *vtb_said_last_line(const struct vtb_said *said, size_t *ret);

/** Does the text lack what was printed before it? */
bool vtb_said_is_cut(const struct vtb_said *said);

/** As a member `key` of an object, left out if nothing is known. */
void vtb_said_write(struct vtb_json_writer *w, const char *key, const struct vtb_said *said);
void vtb_said_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, struct vtb_said *ret);

#endif /* VTB_SAID_H */
