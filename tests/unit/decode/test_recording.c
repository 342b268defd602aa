/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "vtb/decode.h"
#include "vtb/ingest.h"
#include "wire_build.h"

#define BASE 0x555555550000u

/* A recording of two threads over a program that is not there: names are poor, the order is what counts. */
struct recording {
	char dir[64];
	struct block_image block;
	struct stream s[3];
	struct vtb_trace trace;
	struct vtb_error err;
};

static struct recording *setup(void)
{
	struct recording *r = calloc(1, sizeof(*r));

	strcpy(r->dir, "/tmp/vtb-test-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	block_init(&r->block, VTB_MODE_RECORD);
	block_module(&r->block, "/nonexistent/prog", BASE, 0x10000);
	block_thread(&r->block, VTB_NO_PATH, 0);
	block_thread(&r->block, 0, 0);
	return r;
}

/*   thread 0   r [create 1] r r [lock 4]      [unlock 6] w
 *   thread 1                [begin 2] w [unlock 3]  w w [lock 7]  r      */
static void fill(struct recording *r)
{
	struct stream *a = &r->s[0], *b = &r->s[1];

	PUT(a, READ, 0x100, BASE, .size_log2 = 2);
	PUT_CREATE(a, 1, 0, BASE + 8, .stamp = 1);
	PUT(a, READ, 0x104, BASE, .size_log2 = 2);
	PUT(a, READ, 0x108, BASE, .size_log2 = 2);
	PUT(a, LOCK, 0x200, BASE, .stamp = 4);
	PUT(a, UNLOCK, 0x200, BASE, .stamp = 6);
	PUT(a, WRITE, 0x10c, BASE, .size_log2 = 2);
	PUT(b, THREAD_BEGIN, 1, BASE, .stamp = 2);
	PUT(b, WRITE, 0x110, BASE, .size_log2 = 2);
	PUT(b, UNLOCK, 0x200, BASE, .stamp = 3);
	PUT(b, WRITE, 0x114, BASE, .size_log2 = 2);
	PUT(b, WRITE, 0x118, BASE, .size_log2 = 2);
	PUT(b, LOCK, 0x200, BASE, .stamp = 7);
	PUT(b, READ, 0x11c, BASE, .size_log2 = 2);
}

static void write_all(struct recording *r)
{
	write_bytes(r->dir, "process.vtb", &r->block, sizeof(r->block));
	for (uint32_t i = 0; i < 2; i++)
		write_stream(r->dir, i, &r->s[i]);
}

static int ingest(struct recording *r)
{
	int result;

	vtb_trace_fini(&r->trace);
	vtb_trace_init(&r->trace);
	r->err = (struct vtb_error){ 0 };
	result = vtb_ingest_recording(r->dir, &r->trace, &r->err);
	if (result < 0) {
		assert_true(r->err.text[0]);
		assert_true(r->err.path[0]);
	}
	return result;
}

static void teardown(struct recording *r)
{
	DIR *dir = opendir(r->dir);
	struct dirent *d;

	while ((d = readdir(dir)))
		unlinkat(dirfd(dir), d->d_name, 0);
	closedir(dir);
	rmdir(r->dir);
	vtb_trace_fini(&r->trace);
	free(r);
}

static void threads_are_merged_by_their_stamps(void **state)
{
	static const uint64_t want[] = { 0x100, 0,     0,     0x110, 0x200, 0x104, 0x108,
		                         0x200, 0x200, 0x114, 0x118, 0x200, 0x10c, 0x11c };
	static const uint16_t threads[] = { 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1 };
	struct recording *r = setup();

	(void)state;
	fill(r);
	write_all(r);
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.order, VTB_ORDER_SYNC);
	assert_int_equal(r->trace.n_events, sizeof(want) / sizeof(*want));
	for (size_t i = 0; i < r->trace.n_events; i++) {
		assert_int_equal(r->trace.events[i].addr, want[i]);
		assert_int_equal(r->trace.events[i].thread, threads[i]);
	}
	assert_string_equal(r->trace.tab.threads[1].path, "0.0");
	assert_string_equal(r->trace.backend, "rt");
	assert_int_equal(r->trace.lost, 0);
	teardown(r);
}

static void a_recording_without_events_is_an_empty_trace(void **state)
{
	struct recording *r = setup();

	(void)state;
	r->block.header.threads.used = 0;
	write_bytes(r->dir, "process.vtb", &r->block, sizeof(r->block));
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.n_events, 0);
	teardown(r);
}

/* Killed between entering a thread and making its file, it had done nothing; one that had ended did leave events. */
static void a_missing_event_file_is_a_loss_if_its_thread_had_ended(void **state)
{
	struct recording *r = setup();

	(void)state;
	fill(r);
	write_bytes(r->dir, "process.vtb", &r->block, sizeof(r->block));
	write_stream(r->dir, 0, &r->s[0]);
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.n_events, 8);
	assert_int_equal(r->trace.events[7].kind, VTB_E_LOST);
	assert_int_equal(r->trace.events[7].thread, 1);
	assert_false(r->trace.events[7].flags & VTB_EVF_VALUE);
	r->block.threads[1].state = 1;
	write_bytes(r->dir, "process.vtb", &r->block, sizeof(r->block));
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.n_events, 7);
	teardown(r);
}

static void losses_are_kept_and_counted(void **state)
{
	struct recording *r = setup();

	(void)state;
	fill(r);
	PUT(&r->s[0], LOST, 0, 0, .value = 5, .flags = VTB_REC_VALUE);
	r->block.threads[0].lost = 5;
	r->block.threads[1].lost = 12;
	write_all(r);
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.lost, 17);
	assert_int_equal(r->trace.n_events, 16); /* one of its own, one for the thread without a record of it */
	assert_int_equal(r->trace.events[15].kind, VTB_E_LOST);
	assert_int_equal(r->trace.events[15].value, 12);
	teardown(r);
}

static void the_description_tells_how_the_run_ended(void **state)
{
	static const char meta[] =
	    "{\"format\": \"vtb-recording\", \"version\": 1, \"status\": \"ended\", \"backend\": \"step\", \"argv\": "
	    "[\"./prog\", \"x y\"], \"cwd\": \"/tmp\", \"exit_status\": 139, \"signal\": 11}\n";
	static const char *const bad[] = { "",
		                           "{",
		                           "[]",
		                           "{\"format\": \"vtb-trace\", \"version\": 1}",
		                           "{\"format\": \"vtb-recording\", \"version\": 99}",
		                           "{\"format\": \"vtb-recording\", \"version\": 1, \"argv\": [1]}",
		                           "{\"format\": \"vtb-recording\", \"version\": 1, \"exit_status\": -1}" };
	struct recording *r = setup();

	(void)state;
	fill(r);
	write_all(r);
	write_bytes(r->dir, "meta.json", meta, sizeof(meta) - 1);
	assert_int_equal(ingest(r), 0);
	assert_string_equal(r->trace.argv[1], "x y");
	assert_null(r->trace.argv[2]);
	assert_string_equal(r->trace.cwd, "/tmp");
	assert_string_equal(r->trace.backend, "step");
	assert_int_equal(r->trace.outcome.verdict, VTB_V_SIGNAL);
	assert_string_equal(r->trace.outcome.signature, "signal:SIGSEGV");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		write_bytes(r->dir, "meta.json", bad[i], strlen(bad[i]));
		assert_true(ingest(r) <= -VTB_E_FORMAT);
	}
	teardown(r);
}

static void hostile_thread_tables_are_refused(void **state)
{
	struct recording *r = setup();

	(void)state;
	fill(r);
	write_all(r);
#define REFUSED(change, code)                                                    \
	do {                                                                     \
		const struct block_image good = r->block;                        \
		change;                                                          \
		write_bytes(r->dir, "process.vtb", &r->block, sizeof(r->block)); \
		assert_int_equal(ingest(r), -(code));                            \
		r->block = good;                                                 \
	} while (0)
	REFUSED(r->block.threads[1].parent = 1, VTB_E_FORMAT);
	REFUSED(r->block.threads[1].parent = VTB_NO_PATH, VTB_E_FORMAT);
	REFUSED(r->block.threads[0].parent = 0, VTB_E_FORMAT);
	REFUSED(r->block.header.threads.used = 1000000000, VTB_E_LIMIT);
	REFUSED(r->block.header.mode = VTB_MODE_CONTROL, VTB_E_FORMAT);
	teardown(r);
}

/* Thread `slot`'s file as a killed process leaves it: `stored` bytes behind, the others in front. */
static void write_with_tail(const struct recording *r, uint32_t slot, uint64_t stored)
{
	const struct stream *s = &r->s[slot];
	const uint32_t room = (uint32_t)s->n * 8 + 64;
	struct vtb_stream_header h = {
		.magic = VTB_STREAM_MAGIC,
		.version = VTB_STREAM_VERSION,
		.header_size = sizeof(h) + room,
		.slot = slot,
		.used = s->n * 8,
		.stored = { { stored, stored } },
		.tail = sizeof(h),
		.tail_size = room,
	};
	char *image = calloc(1, h.header_size + stored), name[64];

	memcpy(image, &h, sizeof(h));
	memcpy(image + h.tail, (const char *)s->words + stored, s->n * 8 - stored);
	memcpy(image + h.header_size, s->words, stored);
	snprintf(name, sizeof(name), "thread-%u.vtbe", slot);
	write_bytes(r->dir, name, image, h.header_size + stored);
	free(image);
}

static void a_tail_that_was_not_stored_is_read_behind_the_others(void **state)
{
	struct recording *r = setup();
	struct vtb_event *expected;
	size_t n;

	(void)state;
	fill(r);
	write_all(r);
	assert_int_equal(ingest(r), 0);
	n = r->trace.n_events;
	assert_true(n > 4);
	expected = malloc(n * sizeof(*expected));
	memcpy(expected, r->trace.events, n * sizeof(*expected));
	for (uint64_t stored = 0; stored <= r->s[1].n * 8; stored += 8) {
		write_with_tail(r, 1, stored);
		assert_int_equal(ingest(r), 0);
		assert_int_equal(r->trace.n_events, n);
		assert_memory_equal(r->trace.events, expected, n * sizeof(*expected));
	}
	free(expected);
	teardown(r);
}

/* Killed between the file's making and its magic, which comes last. */
static void event_files_not_begun_hold_no_event(void **state)
{
	struct recording *r = setup();
	const struct vtb_stream_header begun = { .version = VTB_STREAM_VERSION,
		                                 .header_size = sizeof(begun),
		                                 .slot = 1 };
	char image[4096] = { 0 };
	size_t n;

	(void)state;
	fill(r);
	write_all(r);
	write_bytes(r->dir, "thread-1.vtbe", image, 0);
	assert_int_equal(ingest(r), 0);
	n = r->trace.n_events;
	write_bytes(r->dir, "thread-1.vtbe", image, sizeof(image));
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.n_events, n);
	memcpy(image, &begun, sizeof(begun));
	write_bytes(r->dir, "thread-1.vtbe", image, sizeof(image));
	assert_int_equal(ingest(r), 0);
	assert_int_equal(r->trace.n_events, n);
	teardown(r);
}

static void event_files_that_lie_are_refused(void **state)
{
	struct recording *r = setup();
	char image[4096];
	struct vtb_stream_header *h = (void *)image;
	const size_t size = sizeof(*h) + 32;

	(void)state;
	fill(r);
	write_all(r);
#define STREAM_REFUSED(change, bytes, code)                                                                            \
	do {                                                                                                           \
		memset(image, 0, sizeof(image));                                                                       \
		*h = (struct vtb_stream_header){                                                                       \
			.magic = VTB_STREAM_MAGIC, .version = VTB_STREAM_VERSION, .header_size = sizeof(*h), .slot = 1 \
		};                                                                                                     \
		change;                                                                                                \
		write_bytes(r->dir, "thread-1.vtbe", image, bytes);                                                    \
		assert_int_equal(ingest(r), -(code));                                                                  \
		assert_non_null(strstr(r->err.path, "thread-1.vtbe"));                                                 \
	} while (0)
	STREAM_REFUSED(h->magic[0] = 0, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->version = 7, size, VTB_E_VERSION);
	STREAM_REFUSED(h->header_size = 4, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->header_size = 1u << 30, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->slot = 0, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->used = 40, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->used = 12, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->used = UINT64_MAX - 7, size, VTB_E_FORMAT);
	STREAM_REFUSED(h->used = 16, size, VTB_E_FORMAT); /* kind 0 */
	STREAM_REFUSED(, 10, VTB_E_FORMAT);
	STREAM_REFUSED((h->header_size += 8, h->tail = sizeof(*h), h->tail_size = 16), size,
	               VTB_E_FORMAT); /* reaches into the records */
	STREAM_REFUSED((h->header_size += 8, h->tail = sizeof(*h), h->tail_size = 8, h->used = 16), size, VTB_E_FORMAT);
	STREAM_REFUSED((h->header_size += 8, h->tail = sizeof(*h), h->tail_size = 8, h->stored[0].records = 8), size,
	               VTB_E_FORMAT);
	STREAM_REFUSED((h->header_size += 8, h->tail = sizeof(*h), h->tail_size = 8,
	                h->stored[0].bytes = h->stored[0].records = h->used = 1ull << 40),
	               size, VTB_E_FORMAT);
	teardown(r);
}

/* Every byte of the block and the streams, turned into something else: a trace or an error, never harm. */
static void damage_anywhere_does_no_harm(void **state)
{
	struct recording *r = setup();
	const size_t interesting = offsetof(struct block_image, strings) + 64;
	unsigned good = 0, bad = 0;

	(void)state;
	fill(r);
	write_all(r);
	for (size_t i = 0; i < interesting; i += i < 512 ? 1 : 7) {
		struct block_image damaged = r->block;

		((uint8_t *)&damaged)[i] ^= (uint8_t)(1 + i * 37 % 255);
		write_bytes(r->dir, "process.vtb", &damaged, sizeof(damaged));
		*(ingest(r) < 0 ? &bad : &good) += 1;
	}
	write_all(r);
	for (size_t i = 0; i < r->s[1].n * 8; i++) {
		struct stream damaged = r->s[1];

		((uint8_t *)damaged.words)[i] ^= (uint8_t)(1 + i * 37 % 255);
		write_stream(r->dir, 1, &damaged);
		*(ingest(r) < 0 ? &bad : &good) += 1;
	}
	assert_true(good > 20 && bad > 20);
	teardown(r);
}

static void truncation_anywhere_is_noticed(void **state)
{
	struct recording *r = setup();

	(void)state;
	fill(r);
	write_all(r);
	for (size_t size = 0; size < sizeof(r->block); size += 97) {
		write_bytes(r->dir, "process.vtb", &r->block, size);
		assert_int_equal(ingest(r), -VTB_E_FORMAT);
	}
	teardown(r);
}

static void what_is_no_recording_is_refused_by_name(void **state)
{
	static const char *const paths[] = { "/nonexistent", "/dev/null", "/etc/passwd", "/proc" };
	struct vtb_trace trace;
	struct vtb_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		vtb_trace_init(&trace);
		err = (struct vtb_error){ 0 };
		assert_true(vtb_decode_read(paths[i], &trace, &err) < 0);
		assert_non_null(strstr(err.path, paths[i]));
		assert_true(err.text[0]);
		vtb_trace_fini(&trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_merged_by_their_stamps),
		cmocka_unit_test(a_recording_without_events_is_an_empty_trace),
		cmocka_unit_test(a_missing_event_file_is_a_loss_if_its_thread_had_ended),
		cmocka_unit_test(losses_are_kept_and_counted),
		cmocka_unit_test(the_description_tells_how_the_run_ended),
		cmocka_unit_test(hostile_thread_tables_are_refused),
		cmocka_unit_test(a_tail_that_was_not_stored_is_read_behind_the_others),
		cmocka_unit_test(event_files_not_begun_hold_no_event),
		cmocka_unit_test(event_files_that_lie_are_refused),
		cmocka_unit_test(damage_anywhere_does_no_harm),
		cmocka_unit_test(truncation_anywhere_is_noticed),
		cmocka_unit_test(what_is_no_recording_is_refused_by_name),
	};

	return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
