/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fail_alloc.h"
#include "vtb/array.h"
#include "vtb/hash.h"

static void fingerprints_are_those_of_xxh3(void **state)
{
	(void)state;
	assert_int_equal(vtb_hash("", 0), 0x2d06800538d394c2); /* the vector in its specification */
	assert_int_equal(vtb_hash_seed("", 0, 0), vtb_hash("", 0));
	assert_int_not_equal(vtb_hash_seed("abc", 3, 1), vtb_hash("abc", 3));
}

static void an_empty_text_has_the_fingerprint_of_the_unknown(void **state)
{
	(void)state;
	assert_int_equal(vtb_hash_text(""), 0);
	assert_int_equal(vtb_hash_text(NULL), 0);
	assert_int_equal(vtb_hash_text("abc"), vtb_hash("abc", 3));
}

static void a_stream_has_the_fingerprint_of_its_pieces_put_together(void **state)
{
	struct vtb_hasher *h = vtb_hasher_new();
	char data[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7919 >> 3);
	assert_int_equal(vtb_hasher_digest(h), vtb_hash("", 0));
	for (size_t at = 0, n = 1; at < sizeof(data);
	     at += n, n = n * 2 < sizeof(data) - at ? n * 2 : sizeof(data) - at)
		vtb_hasher_add(h, data + at, n < sizeof(data) - at ? n : sizeof(data) - at);
	assert_int_equal(vtb_hasher_digest(h), vtb_hash(data, sizeof(data)));
	vtb_hasher_free(h);
	vtb_hasher_free(NULL);
}

struct list {
	int *items;
	size_t n_items, cap_items;
};

static void an_array_grows_and_keeps_what_it_holds(void **state)
{
	struct list list = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(vtb_array_room(&list, items), 0);
		list.items[list.n_items++] = i;
	}
	for (int i = 0; i < 1000; i++)
		assert_int_equal(list.items[i], i);
	assert_true(list.cap_items < 2048);
	free(list.items);
}

static void an_array_that_cannot_grow_is_unchanged(void **state)
{
	struct list list = { 0 };
	int *before;
	void *items;

	(void)state;
	for (int i = 0; i < 8; i++) {
		assert_int_equal(vtb_array_room(&list, items), 0);
		list.items[list.n_items++] = i;
	}
	before = list.items;
	fail_in = 1;
	assert_int_equal(vtb_array_room(&list, items), -ENOMEM);
	fail_in = 0;
	assert_ptr_equal(list.items, before);
	assert_int_equal(list.cap_items, 8);
	items = list.items;
	assert_int_equal(vtb_array_reserve(&items, &list.cap_items, SIZE_MAX, 16), -ENOMEM); /* the product overflows */
	assert_int_equal(vtb_array_reserve(&items, &list.cap_items, SIZE_MAX / 2 + 2, 2), -ENOMEM);
	assert_ptr_equal(items, before);
	free(list.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fingerprints_are_those_of_xxh3),
		cmocka_unit_test(an_empty_text_has_the_fingerprint_of_the_unknown),
		cmocka_unit_test(a_stream_has_the_fingerprint_of_its_pieces_put_together),
		cmocka_unit_test(an_array_grows_and_keeps_what_it_holds),
		cmocka_unit_test(an_array_that_cannot_grow_is_unchanged),
	};

	return cmocka_run_group_tests_name("hash and array", tests, NULL, NULL);
}
