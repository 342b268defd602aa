/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs in event files: what the runtime finds (runtime/base/runs/runs.c) against what readers make of it
 * (vtb/records.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "vtb/error.h"
#include "vtb/records.h"

#include "../../../runtime/base/runs/runs.c"

#undef memcpy
#undef memset

#define SITES 1200u
#define WORDS 20000u

static struct vtb_wire_site site[SITES];
static uint64_t random_state;

static uint64_t draw(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % n;
}

static struct vtb_record_sites sites(bool values)
{
	for (uint32_t i = 0; i < SITES; i++)
		site[i] = (struct vtb_wire_site){ .addr = 0x1000 + 16 * i,
			                          .length = 5,
			                          .access = (uint16_t)VTB_SITE_HOOK(i % 2, i % 5) };
	return (struct vtb_record_sites){ .sites = site, .n_sites = SITES, .bias = 0x555555550000, .values = values };
}

static uint64_t brief(uint64_t addr, uint32_t number)
{
	return addr << 16 | VTB_REC_SHORT | number;
}

static uint64_t *expanded(const uint64_t *words, size_t n, const struct vtb_record_sites *s, size_t *ret_n)
{
	size_t bad;
	uint64_t *to;

	assert_int_equal(vtb_records_size(words, n, s, ret_n, &bad), 0);
	to = malloc(*ret_n * 8 + 1);
	assert_non_null(to);
	vtb_records_expand(words, n, s, to);
	return to;
}

/* Some record of the long form in each chunk, as the runtime knows them. */
static void mark(struct vtb_rt_runs_room *room, const uint64_t *words, size_t n)
{
	memset(room, 0, sizeof(*room));
	for (size_t i = 0; i < n;) {
		if (words[i] & VTB_REC_SHORT) {
			i++;
			continue;
		}
		if (draw(2))
			room->marks[i / VTB_RT_RUNS_CHUNK] = i;
		i += 2 + (words[i] >> 4 & 15);
	}
}

/* Returns the words that were written for these. */
static size_t round_trip(const uint64_t *words, size_t n)
{
	static uint64_t file[WORDS];
	static struct vtb_rt_runs_room room;
	const struct vtb_record_sites s = sites(false);
	size_t written, a, b;
	uint64_t *original, *again;

	mark(&room, words, n);
	written = vtb_rt_find_runs(words, n, file, &room);
	original = expanded(words, n, &s, &a);
	again = expanded(file, written, &s, &b);

	assert_true(written <= n);
	assert_int_equal(a, b);
	assert_memory_equal(original, again, a * 8);
	free(original);
	free(again);
	return written;
}

static void a_short_record_is_an_access_of_its_site(void **state)
{
	const struct vtb_record_sites s = sites(false), with_values = sites(true);
	const uint64_t words[] = { brief(0x7000, 3), brief(0x7008, 4) }, control[] = { brief(0x7000, 3), 99 };
	size_t n;
	uint64_t *to = expanded(words, 2, &s, &n);

	(void)state;
	assert_int_equal(n, 4);
	assert_int_equal(to[0], vtb_rec_word0(0x7000, VTB_E_WRITE, 0, 0));
	assert_int_equal(to[1], vtb_rec_word1(0x555555550000 + 0x1000 + 48 + 5, 0, 3, 0));
	assert_int_equal(to[2], vtb_rec_word0(0x7008, VTB_E_READ, 0, 0));
	assert_int_equal(to[3], vtb_rec_word1(0x555555550000 + 0x1000 + 64 + 5, 0, 4, 0));
	free(to);
	to = expanded(control, 2, &with_values, &n);
	assert_int_equal(n, 3);
	assert_int_equal(to[0], vtb_rec_word0(0x7000, VTB_E_WRITE, 1, VTB_REC_VALUE));
	assert_int_equal(to[2], 99);
	free(to);
}

/* Short records and long ones of up to 17 words; now and then one that cannot be, or that is cut off. */
static size_t some_words(uint64_t *to)
{
	const size_t most = 20 + draw(60);
	size_t n = 0;

	while (n < most) {
		const uint64_t extra = draw(4) ? draw(3) : draw(16);

		if (draw(2)) {
			to[n++] = brief(0x7000 + draw(99), (uint32_t)(draw(400) ? draw(SITES) : SITES));
			to[n++] = draw(1000);
			continue;
		}
		to[n++] = vtb_rec_word0(draw(1u << 20), draw(500) ? VTB_E_LOCK : VTB_REC_RUN, (unsigned)extra, 0);
		for (uint64_t i = 0; i <= extra; i++)
			to[n++] = draw(1000);
	}
	return draw(30) ? n : n - 1;
}

static void at_once_it_comes_to_the_same(void **state)
{
	const struct vtb_record_sites s = sites(true);
	uint64_t words[120], to[181];
	size_t good = 0;

	(void)state;
	for (uint32_t round = 0; round < 4000; round++) {
		const size_t n = some_words(words);
		size_t size, bad, copied;
		const int r = vtb_records_size(words, n, &s, &size, &bad);

		assert_int_equal(vtb_records_copy(words, n, &s, to, &copied), r);
		if (r == 0) {
			uint64_t *expected = expanded(words, n, &s, &size);

			assert_int_equal(copied, size);
			assert_memory_equal(to, expected, size * sizeof(*to));
			free(expected);
			good++;
		}
	}
	assert_in_range(good, 1000, 3900);
}

static void a_loop_becomes_a_number(void **state)
{
	static uint64_t words[3 * 1000];

	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		words[3 * i] = brief(0x10000 + 8 * i, 1);
		words[3 * i + 1] = brief(0x90000 - 16 * i, 2);
		words[3 * i + 2] = brief(0x5000, 3);
	}
	assert_int_equal(round_trip(words, 3000), 6 + 2);
}

static void what_is_in_between_ends_a_run(void **state)
{
	uint64_t words[64];
	size_t n = 0;

	(void)state;
	for (uint64_t i = 0; i < 40; i++) {
		if (i == 20) {
			words[n++] = vtb_rec_word0(0x4000, VTB_E_LOCK, 1, VTB_REC_STAMP);
			words[n++] = vtb_rec_word1(0x1234, 0, 0, 0);
			words[n++] = brief(0, 1); /* a stamp that looks like a short record */
		}
		words[n++] = brief(0x10000 + 8 * i, 1);
	}
	assert_int_equal(round_trip(words, n), 2 + 2 + 3 + 2 + 2);
}

/* Three sites whose numbers go down by a stride, as the addresses do; what would be next is a record of the long form.
 */
static void a_run_is_of_the_same_sites(void **state)
{
	const uint64_t stride = (8ull << 16) - 2 * VTB_RT_RUNS_PLACES;
	uint64_t words[9] = { brief(0x5000, 1), brief(0x9000, 2) };

	(void)state;
	for (uint64_t i = 0; i < 7; i++)
		words[2 + i] = brief(0x10000, 4 * VTB_RT_RUNS_PLACES + 0x20) + i * stride;
	assert_true(words[4] & VTB_REC_SHORT);
	assert_false(words[5] & VTB_REC_SHORT);
	assert_int_equal(words[5] >> 4 & 15, 2); /* more words that it has */
	assert_int_equal(round_trip(words, 9), 9);
}

/* Loops, nested and cut off, accesses without order, long records; any distance between them. */
static void every_mixture_comes_back_as_it_was(void **state)
{
	static uint64_t words[WORDS];

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t n = 0;

		random_state = (uint64_t)round;
		while (n + 400 < WORDS && n < draw(WORDS)) {
			const uint64_t period = 1 + draw(round % 3 ? 5 : 90), times = draw(40),
			               first = draw(SITES - 100);
			uint64_t base[90], stride[90];

			for (uint64_t k = 0; k < period; k++) {
				base[k] = draw(1ull << 40);
				stride[k] = draw(4) ? 8 * draw(10) : -8 * draw(1000);
			}
			for (uint64_t i = 0; i < times && n + 100 < WORDS; i++)
				for (uint64_t k = 0; k < period && n + 100 < WORDS; k++)
					words[n++] =
					    brief((base[k] + i * stride[k]) & 0xffffffffffff, (uint32_t)(first + k));
			for (uint64_t i = draw(20); i; i--)
				words[n++] = brief(draw(1ull << 47), (uint32_t)draw(SITES));
			if (draw(2)) {
				words[n++] = vtb_rec_word0(draw(1 << 20), VTB_E_UNLOCK, 2, VTB_REC_STAMP | VTB_REC_ARG);
				for (int i = 0; i < 3; i++)
					words[n++] = draw(1ull << 40) << 8 | draw(2) << 15;
			}
		}
		round_trip(words, n);
	}
}

static void what_cannot_be_is_refused(void **state)
{
	const struct vtb_record_sites s = sites(false), values = sites(true);
	const uint64_t a = brief(0x1000, 1), b = brief(0x1008, 1);
	size_t n, bad;

	(void)state;
#define REFUSED(code, at, sites_of, ...)                                                                      \
	do {                                                                                                  \
		const uint64_t words[] = { __VA_ARGS__ };                                                     \
		assert_int_equal(vtb_records_size(words, sizeof(words) / 8, &(sites_of), &n, &bad), -(code)); \
		assert_int_equal(bad, at);                                                                    \
	} while (0)
#define RUN(count) ((uint64_t)(count) << 16 | VTB_REC_RUN << 8)
	REFUSED(VTB_E_FORMAT, 0, s, brief(0, SITES));
	REFUSED(VTB_E_FORMAT, 0, s, RUN(3), 1);
	REFUSED(VTB_E_FORMAT, 1, s, a, RUN(3), 1);
	REFUSED(VTB_E_FORMAT, 2, s, a, b, RUN(3), 0);
	REFUSED(VTB_E_FORMAT, 2, s, a, b, RUN(0), 1);
	REFUSED(VTB_E_FORMAT, 2, s, a, b, RUN(3), 2);
	REFUSED(VTB_E_FORMAT, 2, s, a, b, RUN(3), VTB_REC_RUN_PERIOD_MAX + 1);
	REFUSED(VTB_E_FORMAT, 2, s, a, b, RUN(3));
	REFUSED(VTB_E_FORMAT, 4, s, a, b, vtb_rec_word0(0, VTB_E_LOCK, 0, 0), 0, RUN(3), 1);
	REFUSED(VTB_E_LIMIT, 4, s, a, b, RUN(VTB_RECORDS_WORDS_MAX), 1);
	REFUSED(VTB_E_LIMIT, 4, s, a, b, RUN(UINT64_MAX >> 16), 1);
	REFUSED(VTB_E_FORMAT, 0, values, a); /* without its value */
	REFUSED(VTB_E_FORMAT, 4, values, a, 1, b, 1, RUN(3), 1);
	site[1].access = UINT16_MAX; /* an update, no plain access */
	REFUSED(VTB_E_FORMAT, 0, s, a);
}

static void a_tail_ends_where_its_short_records_end(void **state)
{
	uint64_t tail[8] = { vtb_rec_word0(1, VTB_E_LOCK, 0, 0), 0, brief(1, 1), brief(2, 1), 0, brief(3, 1) };
	struct vtb_stream_header h = { .used = 100 * 8 + 16,
		                       .tail = 4096,
		                       .tail_size = sizeof(tail),
		                       .which = 1,
		                       .stored = { { 0, 0 }, { 40, 800 } } };

	(void)state;
	assert_int_equal(vtb_records_in_tail(&h, tail), 16);
	h.more = 1;
	assert_int_equal(vtb_records_in_tail(&h, tail), 32);
	for (size_t i = 2; i < 8; i++)
		tail[i] = brief(i, 1);
	assert_int_equal(vtb_records_in_tail(&h, tail), 64);
	h.used = 100 * 8 + 72;
	assert_true(vtb_records_in_tail(&h, tail) == UINT64_MAX);
	h.used = 99 * 8;
	assert_true(vtb_records_in_tail(&h, tail) == UINT64_MAX);
	h.used = 100 * 8 + 4;
	assert_true(vtb_records_in_tail(&h, tail) == UINT64_MAX);
	h.which = 2;
	assert_true(vtb_records_in_tail(&h, tail) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_record_is_an_access_of_its_site),
		cmocka_unit_test(a_loop_becomes_a_number),
		cmocka_unit_test(what_is_in_between_ends_a_run),
		cmocka_unit_test(a_run_is_of_the_same_sites),
		cmocka_unit_test(every_mixture_comes_back_as_it_was),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(at_once_it_comes_to_the_same),
		cmocka_unit_test(a_tail_ends_where_its_short_records_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
