/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file records.h
 * Records of an event stream (vtb/wire.h) with all accesses in the long form.
 *
 *     runtime ── short records, runs ──► stream ── vtb_records_expand() ──► whoever reads records
 *
 * Shape:     words; short records (VTB_REC_SHORT) and runs (VTB_REC_RUN) stand for accesses and become records of two
 * words, or three with a value. All other words stay as they are, also what is wrong with them: who reads the records
 * says so. Errors:    -VTB_E_FORMAT for a site or run that cannot be, -VTB_E_LIMIT for more than VTB_RECORDS_WORDS_MAX
 * words; *ret_bad says where.
 */
#ifndef VTB_RECORDS_H
#define VTB_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/wire.h"

#define VTB_RECORDS_WORDS_MAX (1ull << 30)

/** What short records refer to; borrowed. */
struct vtb_record_sites {
	const struct vtb_wire_site *sites;
	size_t n_sites;
	uint64_t bias; /* header.sites_bias */
	bool values;   /* control mode: a word with the value follows each short record */
};

/** Words that `n` words become: `n` if nothing in them is short. O(n). */
int vtb_records_size(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, size_t *ret_words,
                     size_t *ret_bad);

/** Write them to `to`, which has room for as many as vtb_records_size() says of just these words. O(words written). */
void vtb_records_expand(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, uint64_t *to);

/** Both at once of words with values, which may change meanwhile: each is read once. `to` has room for n + n / 2 + 1.
 * -VTB_E_FORMAT: as above, and what stands in `to` means nothing. O(n). */
int vtb_records_copy(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, uint64_t *to,
                     size_t *ret_words);

/** Bytes of records in the tail of an event file; `tail` are its h->tail_size bytes, 8-byte aligned. UINT64_MAX: the
 * header makes no sense. */
uint64_t vtb_records_in_tail(const struct vtb_stream_header *h, const uint64_t *tail);

#endif /* VTB_RECORDS_H */
