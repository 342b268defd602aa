/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The room base by itself: texts against libc, records to the sink of control mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t libc_length(const char *s)
{
	return strlen(s);
}

static int libc_compare(const char *a, const char *b, size_t most)
{
	return strncmp(a, b, most);
}

static char *libc_find(const char *s, int c)
{
	return strchr(s, c);
}

#include "rt.h"
#include "sys.h"
#include "plain_text.h"

static int sign(int n)
{
	return (n > 0) - (n < 0);
}

static void texts_are_what_they_are_to_libc(void **state)
{
	static const char *const texts[] = { "", "a", "ab", "abc", "abd", "\xff", "a\xff", "b" };
	const size_t n = sizeof(texts) / sizeof(*texts);

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(vtb_text_length(texts[i]), libc_length(texts[i]));
		for (int c = 0; c < 256; c++)
			assert_ptr_equal(vtb_text_find(texts[i], c), libc_find(texts[i], c));
		for (size_t j = 0; j < n; j++)
			for (size_t most = 0; most < 5; most++)
				assert_int_equal(sign(vtb_text_compare(texts[i], texts[j], most)),
				                 sign(libc_compare(texts[i], texts[j], most)));
	}
}

static void bytes_move_also_where_the_places_overlap(void **state)
{
	char up[] = "0123456789", down[] = "0123456789";

	(void)state;
	vtb_text_move(up + 2, up, 6);
	assert_string_equal(up, "0101234589");
	vtb_text_move(down, down + 2, 6);
	assert_string_equal(down, "2345676789");
}

static uint64_t words[8];
static struct vtb_rt_stream stream;
static int used, cut;
static uint32_t flags;

static struct vtb_rt_stream *the_stream(struct vtb_rt_thread *t)
{
	(void)t;
	return &stream;
}

static void is_used(void)
{
	used++;
}

static void is_cut(void)
{
	cut++;
}

static void is_uncontrolled(uint32_t flag)
{
	flags |= flag;
}

static void records_of_control_mode_go_to_the_sink_until_it_is_full(void **state)
{
	static const struct vtb_rt_sink sink = { the_stream, is_used, is_cut, is_uncontrolled };
	static struct vtb_rt_thread t;
	static struct vtb_wire_header block;
	const struct vtb_rec rec = {
		.kind = VTB_E_LOCK, .addr = 0x1000, .pc = 0x2000, .flags = VTB_REC_VALUE, .value = 7
	};

	(void)state;
	vtb_rt_sink = &sink;
	vtb_rt.mode = VTB_MODE_CONTROL;
	vtb_rt.block = &block;
	stream.next = words;
	stream.end = words + 8;
	assert_ptr_equal(vtb_rt_put(&t, &rec), words + 2);
	assert_int_equal(words[2], 7);
	assert_non_null(vtb_rt_put(&t, &rec));
	assert_int_equal(used, 2);
	assert_null(vtb_rt_put(&t, &rec)); /* three words, and two are left */
	assert_int_equal(used, 2);
	assert_int_equal(cut, 1);
	vtb_rt_uncontrolled(4);
	assert_int_equal(flags, 4);
	assert_int_equal(block.uncontrolled, 4);
	vtb_rt.mode = VTB_MODE_OFF;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_what_they_are_to_libc),
		cmocka_unit_test(bytes_move_also_where_the_places_overlap),
		cmocka_unit_test(records_of_control_mode_go_to_the_sink_until_it_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
