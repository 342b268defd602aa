/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/records.h"

#include <string.h>

#include "vtb/error.h"

#define RECENT (2 * VTB_REC_RUN_PERIOD_MAX) /* short words that a run may go on from; a power of two */

struct expander {
	const struct vtb_record_sites *sites;
	uint64_t recent[RECENT];
	uint64_t n_recent; /* short records since one of another kind */
};

static bool is_short(uint64_t word)
{
	return word & VTB_REC_SHORT;
}

static bool is_run(uint64_t word)
{
	return !is_short(word) && (word >> 8 & 255) == VTB_REC_RUN;
}

/* Words of the record at `word`, of which n are there. What runs past the end is left to who reads it. */
static size_t length(const struct vtb_record_sites *sites, uint64_t word, size_t n)
{
	const size_t words = is_short(word) ? 1u + sites->values : 2u + (word >> 4 & 15);

	return words < n ? words : n;
}

static size_t long_words(const struct vtb_record_sites *sites)
{
	return 2u + sites->values;
}

static bool has_site(const struct vtb_record_sites *sites, uint64_t word)
{
	const uint64_t i = word & (VTB_REC_SHORT_SITES - 1);

	return i < sites->n_sites && (sites->sites[i].access & ~8u) <= 4;
}

int vtb_records_size(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, size_t *ret_words,
                     size_t *ret_bad)
{
	uint64_t sum = 0, n_recent = 0;
	size_t at = 0;

	for (size_t used; at < n && sum <= VTB_RECORDS_WORDS_MAX; at += used) {
		used = length(sites, words[at], n - at);
		if (is_short(words[at])) {
			if (!has_site(sites, words[at]) || used != 1u + sites->values)
				break;
			sum += long_words(sites);
			n_recent++;
		} else if (is_run(words[at])) {
			const uint64_t count = words[at] >> 16;

			if (used != 2 || !count || !words[at + 1] || words[at + 1] > VTB_REC_RUN_PERIOD_MAX ||
			    n_recent < 2 * words[at + 1] || sites->values)
				break;
			sum += count > VTB_RECORDS_WORDS_MAX ? count : count * long_words(sites);
			n_recent += count;
		} else {
			sum += used;
			n_recent = 0;
		}
	}
	*ret_words = (size_t)sum;
	*ret_bad = at;
	if (sum > VTB_RECORDS_WORDS_MAX)
		return -VTB_E_LIMIT;
	return at < n ? -VTB_E_FORMAT : 0;
}

static uint64_t *put(struct expander *e, uint64_t word, uint64_t *to)
{
	const struct vtb_wire_site *s = &e->sites->sites[word & (VTB_REC_SHORT_SITES - 1)];
	const bool values = e->sites->values;

	*to++ =
	    vtb_rec_word0(word >> 16, s->access >> 3 ? VTB_E_WRITE : VTB_E_READ, values, values ? VTB_REC_VALUE : 0);
	*to++ = vtb_rec_word1(e->sites->bias + s->addr + s->length, 0, s->access & 7u, 0);
	e->recent[e->n_recent++ % RECENT] = word;
	return to;
}

static uint64_t *run(struct expander *e, uint64_t count, uint64_t period, uint64_t *to)
{
	while (count--)
		to = put(
		    e, 2 * e->recent[(e->n_recent - period) % RECENT] - e->recent[(e->n_recent - 2 * period) % RECENT],
		    to);
	return to;
}

void vtb_records_expand(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, uint64_t *to)
{
	struct expander e = { .sites = sites };
	size_t used;

	for (size_t at = 0; at < n; at += used) {
		used = length(sites, words[at], n - at);
		if (is_short(words[at])) {
			to = put(&e, words[at], to);
			if (sites->values)
				*to++ = words[at + 1];
		} else if (is_run(words[at])) {
			to = run(&e, words[at] >> 16, words[at + 1], to);
		} else {
			memcpy(to, words + at, used * sizeof(*to));
			to += used;
			e.n_recent = 0;
		}
	}
}

/* A short record and its value, in the long form. */
static void put_valued(const struct vtb_record_sites *sites, uint64_t word, uint64_t value, uint64_t *to)
{
	const struct vtb_wire_site *s = &sites->sites[word & (VTB_REC_SHORT_SITES - 1)];

	to[0] = vtb_rec_word0(word >> 16, s->access >> 3 ? VTB_E_WRITE : VTB_E_READ, true, VTB_REC_VALUE);
	to[1] = vtb_rec_word1(sites->bias + s->addr + s->length, 0, s->access & 7u, 0);
	to[2] = value;
}

/* Most have two or three words. */
static void copy_rest(uint64_t *to, const uint64_t *record, size_t used)
{
	if (used > 3) {
		memcpy(to + 1, record + 1, (used - 1) * sizeof(*to));
		return;
	}
	if (used > 1)
		to[1] = record[1];
	if (used > 2)
		to[2] = record[2];
}

int vtb_records_copy(const uint64_t *words, size_t n, const struct vtb_record_sites *sites, uint64_t *to,
                     size_t *ret_words)
{
	uint64_t *const from = to;
	size_t used;

	for (size_t at = 0; at < n; at += used) {
		const uint64_t word = *(const volatile uint64_t *)(words + at);

		used = length(sites, word, n - at);
		if (is_run(word) || (is_short(word) && (!has_site(sites, word) || used != 2)))
			return -VTB_E_FORMAT;
		if (is_short(word)) {
			put_valued(sites, word, words[at + 1], to);
			to += 3;
		} else {
			to[0] = word;
			copy_rest(to, words + at, used);
			to += used;
		}
	}
	*ret_words = (size_t)(to - from);
	return 0;
}

uint64_t vtb_records_in_tail(const struct vtb_stream_header *h, const uint64_t *tail)
{
	const uint64_t stored = h->which <= 1 ? h->stored[h->which].records : UINT64_MAX;
	uint64_t bytes = h->used - stored;

	if (h->used < stored || bytes > h->tail_size || bytes % 8)
		return UINT64_MAX;
	while (h->more && bytes + 8 <= h->tail_size && is_short(tail[bytes / 8]))
		bytes += 8;
	return bytes;
}
