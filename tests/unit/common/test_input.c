/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "sample.h"
#include "vtb/input.h"

static void a_file_is_mapped_whole(void **state)
{
	struct vtb_input in;

	(void)state;
	put_file("a", "content");
	assert_int_equal(vtb_input_map(in_dir("a"), &in, NULL), 0);
	assert_int_equal(in.size, 7);
	assert_memory_equal(in.data, "content", 7);
	vtb_input_unmap(&in);
	vtb_input_unmap(&in);
	put_file("a", "");
	assert_int_equal(vtb_input_map(in_dir("a"), &in, NULL), 0);
	assert_null(in.data);
	vtb_input_unmap(&in);
}

/* Each at once: whoever waits for the pipe's other end is killed by the alarm. */
static void what_is_no_file_is_refused_by_its_kind(void **state)
{
	const struct sockaddr_un at = { AF_UNIX, "a-socket" };
	struct vtb_error err;
	struct vtb_input in;
	const int s = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	alarm(10);
	assert_int_equal(mkfifo(in_dir("pipe"), 0600), 0);
	assert_int_equal(vtb_input_map(in_dir("pipe"), &in, &err), -VTB_E_FORMAT);
	assert_non_null(strstr(err.text, "a pipe"));
	assert_int_equal(vtb_input_map("/dev/zero", &in, &err), -VTB_E_FORMAT);
	assert_non_null(strstr(err.text, "a device"));
	assert_int_equal(vtb_input_map(sample_dir, &in, &err), -EISDIR);
	assert_non_null(strstr(err.text, "a directory"));
	assert_int_equal(chdir(sample_dir), 0);
	assert_int_equal(bind(s, (const void *)&at, sizeof(at)), 0);
	assert_int_equal(vtb_input_map("a-socket", &in, &err), -ENXIO);
	assert_int_equal(vtb_input_map(in_dir("none"), &in, &err), -ENOENT);
	alarm(0);
	close(s);
	unlink("a-socket");
	unlink("pipe");
}

static void a_sparse_giant_is_refused(void **state)
{
	struct vtb_error err;
	struct vtb_input in;
	uint64_t size;

	(void)state;
	put_file("giant", "x");
	assert_int_equal(truncate(in_dir("giant"), (off_t)VTB_INPUT_BYTES_MAX + 1), 0);
	assert_int_equal(vtb_input_map(in_dir("giant"), &in, &err), -VTB_E_LIMIT);
	put_file("giant", "xyz");
	assert_int_equal(vtb_input_open(in_dir("giant"), 2, &size, &err), -VTB_E_LIMIT);
	assert_null(vtb_input_stream(in_dir("none")));
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_mapped_whole),
		cmocka_unit_test(what_is_no_file_is_refused_by_its_kind),
		cmocka_unit_test(a_sparse_giant_is_refused),
	};

	return cmocka_run_group_tests_name("input", tests, make_dir, remove_dir);
}
