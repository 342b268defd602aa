/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vtb/block.h"

static const struct vtb_block_layout small = {
	.modules = 4, .threads = 8, .strings = 256, .slots = 2, .breaks = 3, .arena = 64 << 10
};

/* A block with one module, two threads and a slot in use. */
static void make_used(struct vtb_block *b)
{
	struct vtb_wire_module *m;
	struct vtb_wire_thread *t;
	struct vtb_wire_slot *s;

	assert_int_equal(vtb_block_create(NULL, &small, b, NULL), 0);
	m = vtb_block_at(b, b->areas.modules.offset, sizeof(*m));
	t = vtb_block_at(b, b->areas.threads.offset, 2 * sizeof(*t));
	s = vtb_block_at(b, b->areas.slots.offset, sizeof(*s));
	strcpy((char *)b->header + b->areas.strings.offset + 1, "/bin/prog");
	b->header->strings.used = 11;
	m[0] = (struct vtb_wire_module){ .path = 1, .lo = 4096, .hi = 8192, .build_id_size = 20 };
	b->header->modules.used = 1;
	t[0].parent = VTB_NO_PATH;
	t[1].parent = 0;
	b->header->threads.used = 2;
	s[0] = (struct vtb_wire_slot){ .state = VTB_SLOT_DONE,
		                       .schedule_offset = b->areas.arena.offset,
		                       .events_offset = b->areas.arena.offset + 4096,
		                       .events_size = 8192,
		                       .events_used = 16 };
}

static void a_new_block_is_well_formed_and_empty(void **state)
{
	struct vtb_block b;
	uint32_t n = 1;

	(void)state;
	assert_int_equal(vtb_block_create(NULL, &small, &b, NULL), 0);
	assert_int_equal(vtb_block_check(b.header, b.size, "x", NULL), 0);
	assert_non_null(vtb_block_modules(&b, &n));
	assert_int_equal(n, 0);
	assert_int_equal(b.areas.arena.offset % 4096, 0);
	assert_string_equal(vtb_block_string(&b, 0), "");
	vtb_block_close(&b);
	assert_null(b.header);
	vtb_block_close(&b); /* closing twice does no harm */
}

static void a_layout_beyond_the_limits_is_refused(void **state)
{
	const struct vtb_block_layout many_threads = { .threads = VTB_WIRE_THREADS_MAX + 1 },
	                              huge = { .arena = VTB_BLOCK_SIZE_MAX };
	struct vtb_wire_header h = { 0 };
	struct vtb_block b = VTB_BLOCK_EMPTY;

	(void)state;
	assert_int_equal(vtb_block_lay_out(&many_threads, &h), -VTB_E_LIMIT);
	assert_int_equal(vtb_block_lay_out(&huge, &h), -VTB_E_LIMIT);
	assert_int_equal(vtb_block_create(NULL, &huge, &b, NULL), -VTB_E_LIMIT);
	assert_null(b.header);
}

static void a_used_block_passes_and_gives_its_strings(void **state)
{
	struct vtb_block b;
	uint32_t n;

	(void)state;
	make_used(&b);
	assert_int_equal(vtb_block_check(b.header, b.size, "x", NULL), 0);
	assert_string_equal(vtb_block_string(&b, vtb_block_modules(&b, &n)[0].path), "/bin/prog");
	assert_int_equal(n, 1);
	assert_string_equal(vtb_block_string(&b, 4000000000u), "");
	vtb_block_close(&b);
}

static void an_unterminated_string_reads_as_empty(void **state)
{
	struct vtb_block b;

	(void)state;
	make_used(&b);
	memset((char *)b.header + b.areas.strings.offset, 'x', b.areas.strings.size);
	assert_string_equal(vtb_block_string(&b, 3), "");
	vtb_block_close(&b);
}

static void a_count_that_the_program_inflated_is_cut_to_the_room(void **state)
{
	struct vtb_block b;
	uint32_t n;

	(void)state;
	make_used(&b);
	b.header->modules.used = UINT64_MAX;
	b.header->modules.offset = UINT64_MAX - 7; /* our own copy of the layout counts */
	assert_ptr_equal(vtb_block_modules(&b, &n), (char *)b.header + b.areas.modules.offset);
	assert_int_equal(n, small.modules);
	vtb_block_close(&b);
}

/* Damage of one kind each; every one must be refused, with a message. */
typedef void damage(struct vtb_block *b);
static void no_magic(struct vtb_block *b)
{
	b->header->magic[0] = 'X';
}
static void other_version(struct vtb_block *b)
{
	b->header->version++;
}
static void short_header(struct vtb_block *b)
{
	b->header->header_size = 16;
}
static void long_header(struct vtb_block *b)
{
	b->header->header_size = UINT32_MAX;
}
static void unknown_feature(struct vtb_block *b)
{
	b->header->features = 4;
}
static void larger_than_file(struct vtb_block *b)
{
	b->header->block_size = b->size + 1;
}
static void endless_trouble(struct vtb_block *b)
{
	memset(b->header->trouble, 'x', sizeof(b->header->trouble));
}
static void area_in_header(struct vtb_block *b)
{
	b->header->modules.offset = 8;
}
static void area_outside(struct vtb_block *b)
{
	b->header->threads.offset = b->size;
}
static void area_wraps(struct vtb_block *b)
{
	b->header->strings.offset = UINT64_MAX - 7;
	b->header->strings.size = 16;
}
static void area_odd(struct vtb_block *b)
{
	b->header->slots.offset++;
}
static void area_too_long(struct vtb_block *b)
{
	b->header->arena.size = UINT64_MAX;
}
static void areas_overlap(struct vtb_block *b)
{
	b->header->threads.offset = b->header->modules.offset;
}
static void more_used_than_room(struct vtb_block *b)
{
	b->header->modules.used = 5;
}
static void billion_threads(struct vtb_block *b)
{
	b->header->threads.used = 1000000000;
}
static void endless_string(struct vtb_block *b)
{
	((char *)b->header)[b->areas.strings.offset + 10] = 'x';
}
static void path_outside(struct vtb_block *b)
{
	((struct vtb_wire_module *)((char *)b->header + b->areas.modules.offset))->path = 200;
}
static void long_build_id(struct vtb_block *b)
{
	((struct vtb_wire_module *)((char *)b->header + b->areas.modules.offset))->build_id_size = 25;
}
static void module_backwards(struct vtb_block *b)
{
	((struct vtb_wire_module *)((char *)b->header + b->areas.modules.offset))->hi = 1;
}
static void own_parent(struct vtb_block *b)
{
	((struct vtb_wire_thread *)((char *)b->header + b->areas.threads.offset))[1].parent = 1;
}
static void slot_before_arena(struct vtb_block *b)
{
	((struct vtb_wire_slot *)((char *)b->header + b->areas.slots.offset))->schedule_offset = 0;
}
static void slot_schedule_at_end(struct vtb_block *b)
{
	((struct vtb_wire_slot *)((char *)b->header + b->areas.slots.offset))->schedule_offset = b->size - 8;
}
static void slot_events_too_long(struct vtb_block *b)
{
	((struct vtb_wire_slot *)((char *)b->header + b->areas.slots.offset))->events_size = UINT64_MAX - 4096;
}
static void slot_events_overused(struct vtb_block *b)
{
	((struct vtb_wire_slot *)((char *)b->header + b->areas.slots.offset))->events_used = 8193;
}

static void every_kind_of_damage_is_refused_with_a_reason(void **state)
{
	static damage *const damages[] = {
		no_magic,          other_version,        short_header,         long_header,          unknown_feature,
		larger_than_file,  endless_trouble,      area_in_header,       area_outside,         area_wraps,
		area_odd,          area_too_long,        areas_overlap,        more_used_than_room,  billion_threads,
		endless_string,    path_outside,         long_build_id,        module_backwards,     own_parent,
		slot_before_arena, slot_schedule_at_end, slot_events_too_long, slot_events_overused,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct vtb_error err = { 0 };
		struct vtb_block b;

		make_used(&b);
		damages[i](&b);
		if (vtb_block_check(b.header, b.size, "damaged", &err) >= 0)
			fail_msg("damage %zu was not noticed", i);
		assert_true(err.text[0]);
		vtb_block_close(&b);
	}
}

static void a_file_cut_at_any_length_is_refused_or_well_formed(void **state)
{
	char path[] = "/tmp/vtb-test-block-XXXXXX";
	struct vtb_block b, back;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	make_used(&b);
	for (size_t size = 0; size < b.size; size += size < 1024 ? 13 : 4097) {
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, b.header, size, 0), (ssize_t)size);
		assert_true(vtb_block_open(path, &back, NULL) < 0);
	}
	assert_int_equal(pwrite(fd, b.header, b.size, 0), (ssize_t)b.size);
	assert_int_equal(vtb_block_open(path, &back, NULL), 0);
	assert_int_equal(back.header->threads.used, 2);
	vtb_block_close(&back);
	vtb_block_close(&b);
	close(fd);
	unlink(path);
}

static void the_compact_form_holds_the_same_and_is_small(void **state)
{
	char dir[] = "/tmp/vtb-test-block-XXXXXX", path[64];
	struct vtb_block b, back;
	struct stat st;
	uint32_t n;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/process.vtb", dir);
	make_used(&b);
	b.header->pid = 42;
	assert_int_equal(vtb_block_write_compact(&b, path, NULL), 0);
	assert_int_equal(vtb_block_write_compact(&b, path, NULL), -EEXIST); /* never over something */
	vtb_block_close(&b);
	assert_int_equal(vtb_block_open(path, &back, NULL), 0);
	assert_int_equal(back.header->pid, 42);
	assert_string_equal(vtb_block_string(&back, vtb_block_modules(&back, &n)[0].path), "/bin/prog");
	assert_int_equal(vtb_block_threads(&back, &n)[1].parent, 0);
	assert_int_equal(n, 2);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_size < 8192);
	vtb_block_close(&back);
	unlink(path);
	rmdir(dir);
}

static void opening_what_is_no_file_is_an_error(void **state)
{
	struct vtb_block b = VTB_BLOCK_EMPTY;

	(void)state;
	assert_int_equal(vtb_block_open("/nonexistent/process.vtb", &b, NULL), -ENOENT);
	assert_int_equal(vtb_block_open("/tmp", &b, NULL), -VTB_E_FORMAT);
	assert_int_equal(vtb_block_open("/dev/zero", &b, NULL), -VTB_E_FORMAT);
	assert_null(b.header);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_block_is_well_formed_and_empty),
		cmocka_unit_test(a_layout_beyond_the_limits_is_refused),
		cmocka_unit_test(a_used_block_passes_and_gives_its_strings),
		cmocka_unit_test(an_unterminated_string_reads_as_empty),
		cmocka_unit_test(a_count_that_the_program_inflated_is_cut_to_the_room),
		cmocka_unit_test(every_kind_of_damage_is_refused_with_a_reason),
		cmocka_unit_test(a_file_cut_at_any_length_is_refused_or_well_formed),
		cmocka_unit_test(the_compact_form_holds_the_same_and_is_small),
		cmocka_unit_test(opening_what_is_no_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
