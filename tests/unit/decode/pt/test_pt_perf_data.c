/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.data files put together here, in file and pipe format, whole, truncated and damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_build.h"
#include "perf_data.h"
#include "vtb/pt_session.h"

static void the_file_format_is_read(void **state)
{
	struct file f = { .size = 0 };
	struct vtb_perf_data d = { 0 };
	struct vtb_error err;

	(void)state;
	make_file(&f);
	assert_int_equal(vtb_perf_read_bytes(f.bytes, f.size, &d, &err), 0);
	check(&d);
	assert_false(d.pipe);
	vtb_perf_fini(&d);
}

static void the_pipe_format_is_read(void **state)
{
	struct file f = { .size = 0 };
	struct vtb_perf_data d = { 0 };
	struct vtb_error err;

	(void)state;
	make_pipe(&f);
	assert_int_equal(vtb_perf_read_bytes(f.bytes, f.size, &d, &err), 0);
	check(&d);
	assert_true(d.pipe);
	vtb_perf_fini(&d);
}

static void a_truncated_file_is_refused_at_a_place_inside_it(void **state)
{
	struct file f = { .size = 0 };

	(void)state;
	make_pipe(&f);
	for (size_t n = 0; n < f.size; n++) {
		uint8_t *part = malloc(n ? n : 1); /* so that reading past the end is noticed */
		struct vtb_perf_data d = { 0 };
		struct vtb_error err = { 0 };

		memcpy(part, f.bytes, n);
		if (vtb_perf_read_bytes(part, n, &d, &err) < 0)
			assert_true(err.offset <= n && err.text[0]);
		vtb_perf_fini(&d);
		free(part);
	}
}

static void every_damaged_byte_is_survived(void **state)
{
	struct file whole = { .size = 0 };

	(void)state;
	make_file(&whole);
	for (size_t i = 0; i < whole.size; i++) {
		uint8_t *copy = malloc(whole.size);
		struct vtb_perf_data d = { 0 };
		struct vtb_error err;

		memcpy(copy, whole.bytes, whole.size);
		copy[i] ^= 0xff;
		vtb_perf_read_bytes(copy, whole.size, &d, &err);
		vtb_perf_fini(&d);
		free(copy);
	}
}

static void other_files_are_refused(void **state)
{
	struct vtb_perf_data d = { 0 };
	struct vtb_error err;
	uint64_t header[2];

	(void)state;
	assert_int_equal(vtb_perf_read_bytes("\x7f"
	                                     "ELF\2\1\1\0\0\0\0\0\0\0\0\0",
	                                     16, &d, &err),
	                 -VTB_E_FORMAT);
	assert_int_equal(vtb_perf_read_bytes("2ELIFREP\0\0\0\0\0\0\0\0", 16, &d, &err), -VTB_E_UNSUPPORTED);
	memcpy(header, "PERFILE2", 8);
	header[1] = 64;
	assert_int_equal(vtb_perf_read_bytes(header, 16, &d, &err), -VTB_E_VERSION);
	assert_int_equal(vtb_perf_read("/no/such/file", &d, &err), -ENOENT);
	assert_string_equal(err.path, "/no/such/file");
	assert_int_equal(vtb_perf_read("/", &d, &err), -ENOENT); /* a directory without a header */
	assert_string_equal(err.path, "//data");
	vtb_perf_fini(&d);
}

static void a_file_without_a_trace_says_so(void **state)
{
	struct file f = { .size = 0 };
	struct vtb_pt_session_opts opts = { 0 };
	struct vtb_pt_session s;
	struct vtb_error err;
	char path[] = "/tmp/vtb-perf-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	put(&f, "PERFILE2", 8);
	put64(&f, 16);
	assert_int_equal(write(fd, f.bytes, f.size), f.size);
	close(fd);
	assert_int_equal(vtb_pt_session_perf(path, &opts, &s, &err), -ENODATA);
	assert_non_null(strstr(err.text, "intel_pt"));
	unlink(path);
}

static void times_convert_to_the_time_stamp_counter(void **state)
{
	const struct vtb_perf_clock clock = { .shift = 31, .mult = 1076264588, .zero = 18433473881008870804ull };
	const uint64_t ns = clock.zero + (uint64_t)((unsigned __int128)40450075477820383ull * clock.mult >> 31);

	(void)state; /* a switch of the LLDB capture: to within one tick's rounding */
	assert_true(vtb_perf_tsc(&clock, ns) <= 40450075477820383ull &&
	            vtb_perf_tsc(&clock, ns) + 2 >= 40450075477820383ull);
	assert_int_equal(vtb_perf_tsc(&(struct vtb_perf_clock){ 0 }, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_format_is_read),
		cmocka_unit_test(the_pipe_format_is_read),
		cmocka_unit_test(a_truncated_file_is_refused_at_a_place_inside_it),
		cmocka_unit_test(every_damaged_byte_is_survived),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_file_without_a_trace_says_so),
		cmocka_unit_test(times_convert_to_the_time_stamp_counter),
	};

	return cmocka_run_group_tests_name("perf_data", tests, NULL, NULL);
}
