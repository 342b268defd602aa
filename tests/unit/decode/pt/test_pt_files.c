/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which builds a perf.data names, and that code is taken from no other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf_build.h"
#include "perf_records.h"
#include "pt_files.h"
#include "vtb/elf_file.h"

#define SIZE_IS_TOLD (1u << 15)

static void put_build(struct file *f, uint16_t misc, const uint8_t *id, uint8_t id_size, const char *path)
{
	uint8_t room[24] = { 0 };

	memcpy(room, id, id_size);
	room[20] = misc & SIZE_IS_TOLD ? id_size : 0;
	begin_record(f, 67, misc);
	put32(f, 10);
	put(f, room, sizeof(room));
	put(f, path, strlen(path) + 1);
	end_record(f);
}

static void builds_are_read_from_the_list_and_from_mappings(void **state)
{
	static const uint8_t id[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	uint8_t mapping[64] = { 0 };
	struct vtb_perf_data data = { 0 };
	struct file f = { .size = 0 };

	(void)state;
	put_build(&f, 0, id, 20, "/bin/long");
	put_build(&f, SIZE_IS_TOLD, id, 8, "/bin/brief");
	put_build(&f, SIZE_IS_TOLD, id, 0, "/bin/none");
	assert_int_equal(vtb_perf_build_section(&data, f.bytes, f.size), 0);
	assert_int_equal(data.n_builds, 2);
	assert_int_equal(vtb_perf_build_of(&data, "/bin/long")->id_size, 20);
	assert_int_equal(vtb_perf_build_of(&data, "/bin/brief")->id_size, 8);
	assert_memory_equal(vtb_perf_build_of(&data, "/bin/brief")->id, id, 8);
	assert_null(vtb_perf_build_of(&data, "/bin/none"));
	mapping[32] = 20;
	memcpy(mapping + 36, id, 20);
	assert_int_equal(vtb_perf_build_mapped(&data, 0, mapping, "/bin/other"), 0);
	assert_null(vtb_perf_build_of(&data, "/bin/other"));
	assert_int_equal(vtb_perf_build_mapped(&data, 1 << 14, mapping, "/bin/other"), 0);
	assert_memory_equal(vtb_perf_build_of(&data, "/bin/other")->id, id, 20);
	vtb_perf_fini(&data);
}

/* A list that breaks off anywhere gives what was whole. */
static void a_broken_list_is_read_as_far_as_it_goes(void **state)
{
	static const uint8_t id[20] = { 9 };
	struct file f = { .size = 0 };

	(void)state;
	put_build(&f, 0, id, 20, "/bin/first");
	put_build(&f, 0, id, 20, "/bin/second");
	for (size_t n = 0; n <= f.size; n++) {
		struct vtb_perf_data data = { 0 };

		assert_int_equal(vtb_perf_build_section(&data, f.bytes, n), 0);
		assert_int_equal(data.n_builds, n == f.size ? 2 : n >= f.record ? 1 : 0);
		vtb_perf_fini(&data);
	}
}

static size_t own_id(const char *path, uint8_t *ret)
{
	struct vtb_elf *elf;
	size_t n;

	assert_int_equal(vtb_elf_open(path, &elf, NULL), 0);
	n = vtb_elf_build_id(elf, ret, VTB_PERF_ID_SIZE);
	vtb_elf_close(elf);
	return n;
}

static void code_is_taken_from_the_recorded_build_only(void **state)
{
	char own[PATH_MAX] = "", dir[PATH_MAX], buf[PT_PATH_SIZE];
	uint8_t id[VTB_PERF_ID_SIZE] = { 0 };
	struct vtb_perf_build build = { .path = own, .id = id };
	const char *name;

	(void)state;
	assert_true(readlink("/proc/self/exe", own, sizeof(own) - 1) > 0);
	build.id_size = (uint32_t)own_id(own, id);
	if (!build.id_size) { /* this toolchain gives none */
		build.id_size = VTB_PERF_ID_SIZE;
		assert_null(pt_files_find(own, &build, NULL, buf));
		return;
	}
	assert_string_equal(pt_files_find(own, NULL, NULL, buf), own);
	assert_string_equal(pt_files_find(own, &build, NULL, buf), own);
	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(own, '/') - own), own);
	name = strrchr(own, '/');
	snprintf(buf, sizeof(buf), "/nowhere%s", name);
	assert_null(pt_files_find("/nowhere/program", &build, dir, buf));
	assert_string_equal(pt_files_find(own, &build, "/", buf) ? own : "", own); /* by its whole path */
	id[0] ^= 1;
	assert_null(pt_files_find(own, &build, dir, buf));
	assert_null(pt_files_find("/etc/passwd", NULL, NULL, buf)); /* no program */
}

static void what_is_not_at_hand_is_remembered_if_it_is_a_file(void **state)
{
	static const uint8_t id[20] = { 7 };
	const struct vtb_perf_build build = { .path = "/bin/gone", .id = id, .id_size = 20 };
	struct vtb_pt_session session = { 0 };

	(void)state;
	assert_int_equal(pt_files_miss(&session, &(struct vtb_perf_mmap){ .path = "//anon" }, NULL), 0);
	assert_int_equal(pt_files_miss(&session, &(struct vtb_perf_mmap){ .path = "/memfd:jit (deleted)" }, NULL), 0);
	assert_int_equal(session.n_absents, 0);
	assert_int_equal(pt_files_miss(&session,
	                               &(struct vtb_perf_mmap){
	                                   .path = "/bin/gone", .addr = 0x3000, .size = 0x1000, .offset = 0x1000 },
	                               &build),
	                 0);
	assert_int_equal(session.n_absents, 1);
	assert_string_equal(session.absents[0].path, "/bin/gone");
	assert_int_equal(session.absents[0].lo, 0x2000);
	assert_int_equal(session.absents[0].hi, 0x4000);
	assert_memory_equal(session.absents[0].id, id, 20);
	pt_files_fini(&session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_are_read_from_the_list_and_from_mappings),
		cmocka_unit_test(a_broken_list_is_read_as_far_as_it_goes),
		cmocka_unit_test(code_is_taken_from_the_recorded_build_only),
		cmocka_unit_test(what_is_not_at_hand_is_remembered_if_it_is_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
