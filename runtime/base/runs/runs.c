/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs: the accesses of a loop, each site of it going on by the stride that it had last, are written as their number.
 *
 *     a[0] b[0] a[8] b[8] | a[16] b[16] a[24] ...        ──►   a[0] b[0] a[8] b[8] { RUN: count, period 2 }
 *      site's last place  └── the one before that
 *
 * The period is the distance to the word's site's last place, kept in a table by the low bits of its number. A word is
 * the address above the site, so that w[i] - w[i-p] == w[i-p] - w[i-2p] compares both at once.
 */
#include <string.h>

#include "rt.h"
#include "strides.h"

#define COUNT_MIN 3u /* a run takes two words */
#define LOOK_AT 128u
#define WORTH_IT (2 + COUNT_MIN) /* short records that a run may be among */

struct finder {
	const uint64_t *words;
	uint64_t from, n; /* accesses in the short form stand in [from, n) without anything in between; maybe further */
	uint64_t all;     /* words */
	uint64_t *last;   /* by the low bits of the site: where it was last, plus 1 */
};

static bool goes_on(const uint64_t *w, uint64_t i, uint64_t period)
{
	return w[i] - w[i - period] == w[i - period] - w[i - 2 * period];
}

/* The period that ends before word i, 0 if there is none. */
static uint64_t period_at(const struct finder *f, uint64_t i)
{
	const uint64_t place = f->last[f->words[i] % VTB_RT_RUNS_PLACES], period = i + 1 - place;

	return place && period <= VTB_REC_RUN_PERIOD_MAX && i - f->from >= 2 * period && goes_on(f->words, i, period)
	           ? period
	           : 0;
}

/* Have the last two rounds of this period the same sites, bit for bit? Then what goes on so is in the short form, too.
 */
static bool same_sites(const uint64_t *w, uint64_t i, uint64_t period)
{
	uint64_t k = i - period;

	while (k < i && (uint16_t)w[k] == (uint16_t)w[k - period])
		k++;
	return k == i;
}

/* Words from i on that go on so. */
static uint64_t length(struct finder *f, uint64_t i, uint64_t period)
{
	const uint64_t n = same_sites(f->words, i, period) ? f->all : f->n;
	uint64_t k = vtb_strides_end(f->words, i, n, period);

	while (k < n && goes_on(f->words, k, period))
		k++;
	f->n = k > f->n ? k : f->n;
	return k - i;
}

/* Copies the record at word i, or the run that begins there; returns its words. */
static uint64_t one(struct finder *f, uint64_t i, uint64_t **out)
{
	const uint64_t period = period_at(f, i), count = period ? length(f, i, period) : 1, end = i + count;

	if (count >= COUNT_MIN) {
		*(*out)++ = count << 16 | VTB_REC_RUN << 8;
		*(*out)++ = period;
	} else {
		for (uint64_t k = i; k < end; k++)
			*(*out)++ = f->words[k];
	}
	for (uint64_t k = period && count > period ? end - period : i; k < end; k++)
		f->last[f->words[k] % VTB_RT_RUNS_PLACES] = k + 1;
	return count;
}

/* Where the short records that begin at word i end, or `most` of them. */
static uint64_t end_of_short(const struct finder *f, uint64_t i, uint64_t most)
{
	const uint64_t n = i + most < f->all ? i + most : f->all;

	while (i < n && f->words[i] & VTB_REC_SHORT)
		i++;
	return i;
}

static uint64_t copy(const struct finder *f, uint64_t i, uint64_t end, uint64_t **out)
{
	while (i < end)
		*(*out)++ = f->words[i++];
	return i;
}

/* The next record, or as many as stand for themselves; returns where the one after begins. */
static uint64_t next(struct finder *f, uint64_t i, uint64_t **out)
{
	const uint64_t end = i + 2 + (f->words[i] >> 4 & 15);

	if (i < f->n)
		return i + one(f, i, out);
	if (!(f->words[i] & VTB_REC_SHORT))
		return copy(f, i, end < f->all ? end : f->all, out);
	f->from = i == f->n ? f->from : i;
	f->n = end_of_short(f, i, LOOK_AT);
	return f->n - i < WORTH_IT ? copy(f, i, f->n, out) : i + one(f, i, out);
}

/* Where looking gains little (a sort, a table), many words are taken as they are: up to a record that is known to begin
 * there, or among short ones, where each word begins one. */
static uint64_t pass_by(const struct finder *f, uint64_t i, const uint64_t *marks, uint64_t **out)
{
	const uint64_t chunk = i / VTB_RT_RUNS_CHUNK + 1;
	uint64_t mark = chunk * VTB_RT_RUNS_CHUNK < f->all ? marks[chunk] : 0;

	if (mark <= i || mark >= f->all)
		mark = end_of_short(f, i, VTB_RT_RUNS_CHUNK);
	memcpy(*out, f->words + i, (mark - i) * sizeof(**out));
	*out += mark - i;
	return mark;
}

uint64_t vtb_rt_find_runs(const uint64_t *words, uint64_t n, uint64_t *to, struct vtb_rt_runs_room *room)
{
	struct finder f = { .words = words, .all = n, .last = room->places };
	uint64_t *out = to;

	memset(room->places, 0, sizeof(room->places));
	for (uint64_t i = 0; i < n;) {
		const uint64_t from = i, *const written = out;

		while (i < n && i - from < LOOK_AT)
			i = next(&f, i, &out);
		if ((uint64_t)(out - written) * 4 >= (i - from) * 3)
			i = pass_by(&f, i, room->marks, &out);
	}
	return (uint64_t)(out - to);
}
