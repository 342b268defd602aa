/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulated memory against an array of bytes that each know whether they are known. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "recover_memory.h"

#define BASE 0x10000ull
#define BYTES (256u << 10)
#define INITIAL_AT 1003u /* where data.bin has contents, at no word's beginning */
#define INITIAL_BYTES (150u << 10)
#define STEPS 20000u

struct model {
	struct vtb_pt_recording rec;
	struct vtb_pt_map map;
	struct vtb_pt_chunk data;
	struct recover_order order;
	struct recover_memory memory;
	uint8_t value[BYTES], known[BYTES];
	uint32_t seed;
};

static uint32_t draw(struct model *m, uint32_t below)
{
	m->seed = m->seed * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)m->seed * below >> 32);
}

static int set_up(void **state)
{
	struct model *m = calloc(1, sizeof(*m));
	uint8_t *initial = malloc(INITIAL_BYTES);

	assert_non_null(m);
	assert_non_null(initial);
	m->seed = 1;
	for (size_t i = 0; i < INITIAL_BYTES; i++)
		initial[i] = (uint8_t)draw(m, 256);
	m->map = (struct vtb_pt_map){ .lo = BASE, .hi = BASE + BYTES, .perms = "rw-p" };
	m->data = (struct vtb_pt_chunk){ .addr = BASE + INITIAL_AT, .size = INITIAL_BYTES, .data = initial };
	m->rec = (struct vtb_pt_recording){ .maps = &m->map, .n_maps = 1, .data = &m->data, .n_data = 1 };
	assert_int_equal(vtb_pt_image_new(&m->rec.session.image), 0);
	m->order = (struct recover_order){ .n_slots = 2, .total = true };
	assert_int_equal(recover_memory_init(&m->memory, &m->rec, &m->order), 0);
	*state = m;
	return 0;
}

static int tear_down(void **state)
{
	struct model *m = *state;

	recover_memory_fini(&m->memory);
	vtb_pt_image_free(m->rec.session.image);
	free((void *)(uintptr_t)m->data.data);
	free(m);
	return 0;
}

/* Only whole words of data.bin count: the ends may hold anything. */
static void begin_model(struct model *m)
{
	const size_t lo = (INITIAL_AT + 3) & ~3u, hi = (INITIAL_AT + INITIAL_BYTES) & ~3u;

	memset(m->known, 0, sizeof(m->known));
	memcpy(m->value + lo, m->data.data + (lo - INITIAL_AT), hi - lo);
	memset(m->known + lo, 1, hi - lo);
}

static void check(struct model *m, size_t at, unsigned n)
{
	uint8_t bytes[32];
	const uint32_t known =
	    recover_memory_read(&m->memory, (struct recover_stamp){ draw(m, 2), 0 }, BASE + at, n, bytes);

	for (unsigned i = 0; i < n; i++) {
		assert_int_equal(known >> i & 1, m->known[at + i]);
		if (m->known[at + i])
			assert_int_equal(bytes[i], m->value[at + i]);
	}
}

static void write_some(struct model *m, size_t at, unsigned n)
{
	const uint32_t known = draw(m, 4) ? UINT32_MAX : draw(m, UINT32_MAX);
	uint8_t bytes[32];

	for (unsigned i = 0; i < n; i++) {
		bytes[i] = (uint8_t)draw(m, 256);
		m->value[at + i] = bytes[i];
		m->known[at + i] = known >> i & 1;
	}
	recover_memory_write(&m->memory, (struct recover_stamp){ draw(m, 2), 0 }, BASE + at, n, bytes, known);
}

/* Short ranges, and those that are so long that only what is known of them is looked through. */
static void change_range(struct model *m, size_t at)
{
	const size_t most = BYTES - at, size = draw(m, 2) && most > 70000
	                                           ? 66000 + draw(m, 4000)
	                                           : draw(m, most < 5000 ? (uint32_t)most : 5000);
	const struct recover_stamp by = { draw(m, 2), 0 };

	if (draw(m, 2)) {
		recover_memory_forget(&m->memory, by, BASE + at, size);
		memset(m->known + at, 0, size);
		return;
	}
	recover_memory_fill(&m->memory, by, BASE + at, size, 0xa5);
	memset(m->value + at, 0xa5, size);
	memset(m->known + at, 1, size);
}

static void run_model(struct model *m)
{
	begin_model(m);
	for (unsigned step = 0; step < STEPS; step++) {
		const size_t at = draw(m, BYTES - 32);
		const unsigned n = 1 + draw(m, 32), what = draw(m, 100);

		if (what < 60)
			check(m, at, n);
		else if (what < 98)
			write_some(m, at, n);
		else
			change_range(m, at);
	}
	for (size_t at = 0; at < BYTES; at += 32)
		check(m, at, 32);
}

static void what_is_known_is_right_and_nothing_else_is_known(void **state)
{
	run_model(*state);
}

static void another_pass_begins_as_the_first(void **state)
{
	struct model *m = *state;

	run_model(m);
	recover_memory_reset(&m->memory);
	run_model(m);
}

static void what_is_forgotten_does_not_come_back_from_the_beginning(void **state)
{
	struct model *m = *state;

	begin_model(m);
	recover_memory_forget(&m->memory, (struct recover_stamp){ 0, 0 }, BASE + 2001, 100000);
	memset(m->known + 2001, 0, 100000);
	for (size_t at = 0; at < BYTES; at += 32)
		check(m, at, 32);
	recover_memory_forget_all(&m->memory);
	memset(m->known, 0, sizeof(m->known));
	for (size_t at = 0; at < BYTES; at += 32)
		check(m, at, 32);
}

static void what_no_log_entry_orders_is_not_known(void **state)
{
	struct model *m = *state;
	uint32_t first[] = { 0 }, second[] = { 1 }, *entries[] = { first, second }, n[] = { 1, 1 };
	const uint8_t one[4] = { 1 };
	uint8_t got[4];

	m->order = (struct recover_order){ entries, n, 2, false };
	recover_memory_write(&m->memory, (struct recover_stamp){ 0, 0 }, BASE, 4, one, 15);
	recover_memory_write(&m->memory, (struct recover_stamp){ 0, 0 }, BASE + 4, 4, one, 15);
	assert_int_equal(recover_memory_read(&m->memory, (struct recover_stamp){ 1, 1 }, BASE, 4, got),
	                 15); /* entry 0 lies between */
	assert_int_equal(m->memory.racy.n, 0);
	assert_int_equal(recover_memory_read(&m->memory, (struct recover_stamp){ 1, 0 }, BASE + 4, 4, got), 0);
	assert_int_equal(m->memory.racy.n, 1);
	recover_memory_reset(&m->memory); /* known to be racy from now on, whoever writes */
	recover_memory_write(&m->memory, (struct recover_stamp){ 0, 0 }, BASE + 4, 4, one, 15);
	assert_int_equal(recover_memory_read(&m->memory, (struct recover_stamp){ 0, 0 }, BASE + 4, 4, got), 0);
}

/* A damaged stack pointer: the word at the very end of the address space lies in no chunk, and what is forgotten may
 * wrap round it. */
static void the_end_of_the_address_space_is_not_known(void **state)
{
	struct model *m = *state;
	uint8_t got[8];

	begin_model(m);
	assert_int_equal(recover_memory_read(&m->memory, (struct recover_stamp){ 0, 0 }, UINT64_MAX - 2, 8, got), 0);
	recover_memory_forget(&m->memory, (struct recover_stamp){ 0, 0 }, UINT64_MAX - 3, BASE + BYTES + 100);
	memset(m->known, 0, sizeof(m->known));
	for (size_t at = 0; at < BYTES; at += 32)
		check(m, at, 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_known_is_right_and_nothing_else_is_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_pass_begins_as_the_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_forgotten_does_not_come_back_from_the_beginning, set_up,
		                                tear_down),
		cmocka_unit_test_setup_teardown(what_no_log_entry_orders_is_not_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_end_of_the_address_space_is_not_known, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("recover_memory", tests, NULL, NULL);
}
