/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>

#include "fail_alloc.h"
#include "sample.h"

static void traces_are_equal(const struct vtb_trace *a, const struct vtb_trace *b)
{
	assert_string_equal(a->argv[1], b->argv[1]);
	assert_string_equal(a->cwd, b->cwd);
	assert_string_equal(a->backend, b->backend);
	assert_int_equal(a->order, b->order);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->n_events, b->n_events);
	assert_memory_equal(a->events, b->events, a->n_events * sizeof(*a->events));
	assert_int_equal(a->tab.n_threads, b->tab.n_threads);
	assert_string_equal(a->tab.threads[1].start, b->tab.threads[1].start);
	assert_int_equal(a->tab.threads[1].site, b->tab.threads[1].site);
	assert_int_equal(a->tab.modules[0].build_id_size, b->tab.modules[0].build_id_size);
	assert_memory_equal(a->tab.modules[0].build_id, b->tab.modules[0].build_id, 24);
	assert_int_equal(a->tab.sites[1].text_hash, b->tab.sites[1].text_hash);
	assert_string_equal(a->tab.sites[1].text, b->tab.sites[1].text);
	assert_int_equal(a->tab.sites[2].module, VTB_NONE);
	assert_int_equal(b->tab.sites[2].module, VTB_NONE);
	assert_int_equal(a->tab.objects[1].loop, b->tab.objects[1].loop);
	assert_memory_equal(a->tab.objects[1].stack, b->tab.objects[1].stack, sizeof(a->tab.objects[1].stack));
	assert_int_equal(a->tab.objects[1].thread, b->tab.objects[1].thread);
	assert_string_equal(a->tab.variables[1].name, b->tab.variables[1].name);
	assert_string_equal(a->outcome.message, b->outcome.message);
	assert_int_equal(a->outcome.output_hash, b->outcome.output_hash);
	assert_int_equal(a->outcome.flags, b->outcome.flags);
	assert_int_equal(a->outcome.site, b->outcome.site);
}

static void write_then_read(size_t n_more)
{
	struct vtb_trace a, b;
	struct vtb_error err = { 0 };

	sample_trace(&a, n_more);
	assert_int_equal(vtb_trace_write(&a, in_dir("t.json"), &err), 0);
	if (vtb_trace_read(in_dir("t.json"), &b, &err) < 0)
		fail_msg("%s:%u: %s", err.path, err.line, err.text);
	traces_are_equal(&a, &b);
	vtb_trace_fini(&a);
	vtb_trace_fini(&b);
}

static void a_short_trace_comes_back_as_it_was(void **state)
{
	(void)state;
	write_then_read(0);
	assert_int_equal(access(in_dir("t.events.zst"), F_OK), -1);
}

static void a_long_trace_comes_back_from_its_events_file(void **state)
{
	(void)state;
	for (size_t n = 4096 - 12; n < 4096 - 8; n++) /* around one block */
		write_then_read(n);
	write_then_read(100000);
	assert_int_equal(access(in_dir("t.events.zst"), F_OK), 0);
}

/* Whether it is short or long, what a controlled run knows besides is not in its file, and it can be read. */
static void what_only_controlled_runs_know_is_not_written(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 5000; n += 5000) {
		struct vtb_trace a, b;
		struct vtb_error err = { 0 };

		sample_trace(&a, n);
		for (size_t i = 0; i < a.n_events; i++)
			a.events[i].flags |= i % 2 ? VTB_EVF_WEAK : VTB_EVF_TRY;
		assert_int_equal(vtb_trace_write(&a, in_dir("controlled.json"), &err), 0);
		if (vtb_trace_read(in_dir("controlled.json"), &b, &err) < 0)
			fail_msg("%s:%u: %s", err.path, err.line, err.text);
		for (size_t i = 0; i < a.n_events; i++)
			a.events[i].flags &= (uint8_t) ~(VTB_EVF_WEAK | VTB_EVF_TRY);
		traces_are_equal(&a, &b);
		vtb_trace_fini(&a);
		vtb_trace_fini(&b);
	}
}

static void an_empty_trace_is_a_trace(void **state)
{
	struct vtb_trace a, b;

	(void)state;
	vtb_trace_init(&a);
	assert_int_equal(vtb_trace_write(&a, in_dir("empty.json"), NULL), 0);
	assert_int_equal(vtb_trace_read(in_dir("empty.json"), &b, NULL), 0);
	assert_int_equal(b.n_events, 0);
	assert_int_equal(b.outcome.thread, VTB_NONE);
	vtb_trace_fini(&a);
	vtb_trace_fini(&b);
}

static void the_same_trace_gives_the_same_bytes(void **state)
{
	struct vtb_trace t;
	size_t n, m;
	char *a, *b;

	(void)state;
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("one.json"), NULL), 0);
	a = get_file("one.events.zst", &n);
	assert_int_equal(vtb_trace_write(&t, in_dir("one.json"), NULL), 0);
	b = get_file("one.events.zst", &m);
	assert_int_equal(n, m);
	assert_memory_equal(a, b, n);
	free(a);
	free(b);
	vtb_trace_fini(&t);
}

/* A trace whose events file has been spoiled must be refused, with its name in the error. */
/* ---- in pieces */

struct taken {
	struct vtb_event *events;
	size_t n, calls;
	int stop_at; /* call; 0: none */
};

static int take(const struct vtb_event *events, size_t n, void *data)
{
	struct taken *t = data;

	if (t->stop_at && ++t->calls == (size_t)t->stop_at)
		return -ECANCELED;
	t->events = realloc(t->events, (t->n + n) * sizeof(*events));
	assert_non_null(t->events);
	memcpy(t->events + t->n, events, n * sizeof(*events));
	t->n += n;
	return 0;
}

static void write_in_pieces(const struct vtb_trace *trace, const char *path, size_t piece)
{
	struct vtb_trace_writer *w;

	assert_int_equal(vtb_trace_writer_new(path, &w, NULL), 0);
	for (size_t at = 0, n; at < trace->n_events; at += n) {
		n = piece < trace->n_events - at ? piece : trace->n_events - at;
		assert_int_equal(vtb_trace_writer_add(w, trace->events + at, n, NULL), 0);
	}
	assert_int_equal(vtb_trace_writer_end(w, trace, NULL), 0);
	vtb_trace_writer_free(w);
}

static void pieces_give_what_the_whole_gives(void **state)
{
	static const size_t sizes[] = {
		0, 1, 1980, 1990, 1991, 4084, 4085, 4086, 8180, 20000
	}; /* around what stands in the text, and blocks */

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (size_t piece = 1; piece < 30000; piece = piece * 5 + 2) {
			struct vtb_trace a, b;

			sample_trace(&a, sizes[i]);
			write_in_pieces(&a, in_dir("p.json"), piece);
			assert_int_equal(vtb_trace_read(in_dir("p.json"), &b, NULL), 0);
			traces_are_equal(&a, &b);
			vtb_trace_fini(&a);
			vtb_trace_fini(&b);
		}
}

static void a_scan_shows_the_events_in_their_order_and_holds_none(void **state)
{
	static const size_t sizes[] = { 0, 1500, 5000, 20000 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct taken taken = { 0 };
		struct vtb_trace a, b;

		sample_trace(&a, sizes[i]);
		assert_int_equal(vtb_trace_write(&a, in_dir("s.json"), NULL), 0);
		assert_int_equal(vtb_trace_scan(in_dir("s.json"), &b, take, &taken, NULL), 0);
		assert_int_equal(taken.n, a.n_events);
		assert_memory_equal(taken.events, a.events, a.n_events * sizeof(*a.events));
		assert_null(b.events);
		assert_int_equal(b.n_events, a.n_events);
		assert_int_equal(b.tab.n_sites, a.tab.n_sites);
		free(taken.events);
		vtb_trace_fini(&a);
		vtb_trace_fini(&b);
	}
}

static void whoever_takes_can_stop(void **state)
{
	struct taken taken = { .stop_at = 2 };
	struct vtb_trace a, b;

	(void)state;
	sample_trace(&a, 20000);
	assert_int_equal(vtb_trace_write(&a, in_dir("s.json"), NULL), 0);
	assert_int_equal(vtb_trace_scan(in_dir("s.json"), &b, take, &taken, NULL), -ECANCELED);
	assert_int_equal(taken.n, 4096);
	free(taken.events);
	vtb_trace_fini(&a);
	vtb_trace_fini(&b);
}

static void refuses_events(int expected, const char *word)
{
	struct vtb_trace t = { .lost = 4711 };
	struct vtb_error err = { 0 };

	assert_int_equal(vtb_trace_read(in_dir("bad.json"), &t, &err), expected);
	assert_int_equal(t.lost, 4711);
	assert_non_null(strstr(err.path, "bad.events.zst"));
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void a_spoiled_events_file_is_refused(void **state)
{
	struct vtb_trace t;
	size_t n;
	char *bytes;

	(void)state;
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	bytes = get_file("bad.events.zst", &n);

	put_bytes("bad.events.zst", bytes, 20);
	refuses_events(-VTB_E_FORMAT, "magic");
	put_bytes("bad.events.zst", bytes, n / 2);
	refuses_events(-VTB_E_FORMAT, "truncated");
	put_bytes("bad.events.zst", bytes, n - 1);
	refuses_events(-VTB_E_FORMAT, "");
	bytes[n / 2] ^= 0x55;
	put_bytes("bad.events.zst", bytes, n);
	refuses_events(-VTB_E_FORMAT, "");
	bytes[n / 2] ^= 0x55;
	bytes[8] = 9;
	put_bytes("bad.events.zst", bytes, n);
	refuses_events(-VTB_E_VERSION, "version 9");
	bytes[8] = 1;
	bytes[24] ^= 1;
	put_bytes("bad.events.zst", bytes, n);
	refuses_events(-VTB_E_FORMAT, "names");
	bytes[24] ^= 1;
	put_bytes("bad.events.zst", "x", 0);
	refuses_events(-VTB_E_FORMAT, "magic");
	unlink(in_dir("bad.events.zst"));
	refuses_events(-ENOENT, "opened");
	put_bytes("bad.events.zst", bytes, n);
	vtb_trace_fini(&t);
	assert_int_equal(vtb_trace_read(in_dir("bad.json"), &t, NULL), 0);
	assert_int_equal(t.cap_events, t.n_events); /* 40 bytes an event, no more */
	free(bytes);
	vtb_trace_fini(&t);
}

static void an_events_file_with_more_behind_it_is_refused(void **state)
{
	struct vtb_trace t;
	size_t n;
	char *bytes;

	(void)state;
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	bytes = get_file("bad.events.zst", &n);
	put_bytes("bad.events.zst", bytes, n + 1); /* and the NUL behind the text */
	refuses_events(-VTB_E_FORMAT, "more or less");
	free(bytes);
	vtb_trace_fini(&t);
}

static void an_events_file_of_another_trace_is_refused(void **state)
{
	struct vtb_trace t;
	char command[300];

	(void)state;
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	t.events[3000].addr++;
	assert_int_equal(vtb_trace_write(&t, in_dir("other.json"), NULL), 0);
	snprintf(command, sizeof(command), "cp %s %s", in_dir("other.events.zst"), in_dir("bad.events.zst"));
	assert_int_equal(system(command), 0);
	refuses_events(-VTB_E_FORMAT, "another trace");
	vtb_trace_fini(&t);
}

static void an_event_that_names_nothing_is_refused(void **state)
{
	struct vtb_trace t;

	(void)state;
	sample_trace(&t, 5000);
	t.events[4000].var = 3;
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	refuses_events(-VTB_E_SCHEMA, "event 4000: its variable is not listed");
	t.events[4000].var = 0;
	t.events[4001].kind = 255;
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	refuses_events(-VTB_E_SCHEMA, "event 4001: its kind is not known");
	t.events[4001].kind = VTB_E_READ;
	t.events[4002].thread = 3;
	assert_int_equal(vtb_trace_write(&t, in_dir("bad.json"), NULL), 0);
	refuses_events(-VTB_E_SCHEMA, "event 4002: its thread is not listed");
	vtb_trace_fini(&t);
}

static void a_failed_write_leaves_the_old_file_and_no_other(void **state)
{
	struct vtb_trace t;
	struct vtb_error err = { 0 };

	(void)state;
	sample_trace(&t, 0);
	assert_int_equal(vtb_trace_write(&t, in_dir("no/such/dir.json"), &err), -ENOENT);
	assert_non_null(strstr(err.path, "no/such/dir.json"));
	assert_int_equal(vtb_trace_write(&t, "/dev/full", &err), -ENOSPC);
	vtb_trace_fini(&t);
}

/* Whatever allocation fails, the reader says so and frees what it has. */
static void reading_survives_every_failing_allocation(void **state)
{
	struct vtb_trace t, copy;
	int r = -1, n = 0;

	(void)state;
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("mem.json"), NULL), 0);
	while (r < 0) {
		const char *path = in_dir("mem.json");

		fail_in = ++n;
		r = vtb_trace_read(path, &copy, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_true(n > 10);
	vtb_trace_fini(&copy);
	vtb_trace_fini(&t);
}

static void writing_survives_every_failing_allocation(void **state)
{
	struct vtb_trace t;
	int r = -1, n = 0;

	(void)state;
	sample_trace(&t, 5000);
	while (r < 0) {
		const char *path = in_dir("memw.json");

		fail_in = ++n;
		r = vtb_trace_write(&t, path, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
		if (r < 0)
			assert_int_equal(access(in_dir("memw.json"), F_OK), -1);
	}
	assert_true(n > 1);
	vtb_trace_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_trace_comes_back_as_it_was),
		cmocka_unit_test(a_long_trace_comes_back_from_its_events_file),
		cmocka_unit_test(what_only_controlled_runs_know_is_not_written),
		cmocka_unit_test(an_empty_trace_is_a_trace),
		cmocka_unit_test(the_same_trace_gives_the_same_bytes),
		cmocka_unit_test(pieces_give_what_the_whole_gives),
		cmocka_unit_test(a_scan_shows_the_events_in_their_order_and_holds_none),
		cmocka_unit_test(whoever_takes_can_stop),
		cmocka_unit_test(a_spoiled_events_file_is_refused),
		cmocka_unit_test(an_events_file_with_more_behind_it_is_refused),
		cmocka_unit_test(an_events_file_of_another_trace_is_refused),
		cmocka_unit_test(an_event_that_names_nothing_is_refused),
		cmocka_unit_test(a_failed_write_leaves_the_old_file_and_no_other),
		cmocka_unit_test(reading_survives_every_failing_allocation),
		cmocka_unit_test(writing_survives_every_failing_allocation),
	};

	return cmocka_run_group_tests_name("trace files", tests, make_dir, remove_dir);
}
