/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file record_stream.h
 * The records of one thread of a recording: its file thread-N.vtbe (docs/format/recording.md), checked, accesses in the
 * short form written out, and cut into segments that each end in a stamped record.
 */
#ifndef VTB_DECODE_RECORD_STREAM_H
#define VTB_DECODE_RECORD_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"
#include "vtb/input.h"
#include "wire_view.h"

#define RECORD_STREAM_END UINT64_MAX /* key of a segment that no stamp ends: the last */

struct record_stream {
	const char *dir; /* of the recording; borrowed */
	struct vtb_input file;
	const uint64_t *words;
	size_t n_words, at, end; /* [at, end): the segment whose turn is next */
	uint64_t offset;         /* of words[0] in the file */
	uint64_t key;            /* stamp that ends the segment */
	uint64_t lost;           /* counted in LOST records, by the caller */
	uint32_t slot, thread;   /* set by the caller, before the stream is opened */
};

/** Open the file of `s->slot` in `dir`. A thread that was killed before it made its file has no records: no error.
 * 0 or an error, which names the file and the place. */
int record_stream_open(struct record_stream *s, const char *dir, const struct wire_view *view, struct vtb_error *err);
/** Go on to the next segment, at == end if there is none. O(its records). 0, or -VTB_E_FORMAT at the first record that
 * is none, or whose kind is not valid. */
int record_stream_next(struct record_stream *s, const bool valid_kind[256], struct vtb_error *err);
/** An error at word `word`, with the file and the place in it. Returns r. */
int record_stream_error(const struct record_stream *s, size_t word, int r, const char *text, struct vtb_error *err);
/** One that was never opened may be closed. */
void record_stream_close(struct record_stream *s);

#endif /* VTB_DECODE_RECORD_STREAM_H */
