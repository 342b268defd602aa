/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The written word about our formats: examples in docs/format, fixtures, and the schemas' lists of words.
 * With an argument: write one file of each format and every example into that directory, for the schema validator. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <glob.h>

#include "sample.h"
#include "vtb/json.h"

/* Formats that no reader of this library takes; tests/schema checks their examples. */
static bool only_written(const char *format)
{
	static const char *const formats[] = { "vtb-recording", "vtb-baseline", "vtb-hunt", "vtb-hb",
		                               "vtb-doctor",    "vtb-triage",   "vtb-item" };

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(format, formats[i]))
			return true;
	return false;
}

static void read_as_its_format(const char *path)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc = NULL;
	struct vtb_schedules s;
	struct vtb_failure f;
	struct vtb_trace t;
	char format[32];
	int r = vtb_json_read(path, 1 << 20, &doc, &err);

	if (r >= 0) {
		snprintf(format, sizeof(format), "%s", vtb_json_format(doc));
		vtb_json_free(doc);
		if (!strcmp(format, "vtb-trace"))
			(r = vtb_trace_read(path, &t, &err)) < 0 ? (void)0 : vtb_trace_fini(&t);
		else if (!strcmp(format, "vtb-schedules"))
			(r = vtb_schedules_read(path, &s, &err)) < 0 ? (void)0 : vtb_schedules_fini(&s);
		else if (!strcmp(format, "vtb-failure"))
			(r = vtb_failure_read(path, &f, &err)) < 0 ? (void)0 : vtb_failure_fini(&f);
		else if (!only_written(format))
			fail_msg("%s: unknown format \"%s\"", path, format);
	}
	if (r < 0)
		fail_msg("%s:%u: %s", err.path, err.line, err.text);
}

/* Write each ```json block of a page to DIR/doc-N.json, from N = first; returns the next number. */
static int extract(const char *page, int first)
{
	char line[4096], name[32];
	FILE *in = fopen(page, "r"), *out = NULL;

	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		if (!out && !strcmp(line, "```json\n")) {
			snprintf(name, sizeof(name), "doc-%d.json", first++);
			out = fopen(in_dir(name), "w");
			assert_non_null(out);
		} else if (out && !strcmp(line, "```\n")) {
			fclose(out);
			out = NULL;
		} else if (out) {
			fputs(line, out);
		}
	}
	assert_null(out);
	fclose(in);
	return first;
}

static int extract_all(void)
{
	glob_t pages;
	int n = 0;

	assert_int_equal(glob(VTB_SOURCE_DIR "/docs/format/*.md", 0, NULL, &pages), 0);
	for (size_t i = 0; i < pages.gl_pathc; i++)
		n = extract(pages.gl_pathv[i], n);
	globfree(&pages);
	return n;
}

static void every_example_in_the_documentation_can_be_read(void **state)
{
	const int n = extract_all();
	char name[32];

	(void)state;
	assert_true(n >= 4);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "doc-%d.json", i);
		read_as_its_format(in_dir(name));
	}
}

static void every_fixture_can_be_read(void **state)
{
	glob_t files;

	(void)state;
	assert_int_equal(glob(VTB_SOURCE_DIR "/data/traces/*.json", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++)
		read_as_its_format(files.gl_pathv[i]);
	globfree(&files);
}

static void a_trace_may_know_its_order_addresses_and_events_in_part(void **state)
{
	struct vtb_trace t;
	unsigned symbolic = 0, unknown = 0, lost = 0;

	(void)state;
	assert_int_equal(vtb_trace_read(VTB_SOURCE_DIR "/data/traces/partial.json", &t, NULL), 0);
	assert_int_equal(t.order, VTB_ORDER_SYNC);
	for (size_t i = 0; i < t.n_events; i++) {
		symbolic += (t.events[i].flags & VTB_EVF_ADDR_SYMBOLIC) != 0;
		unknown += (t.events[i].flags & VTB_EVF_ADDR_UNKNOWN) != 0;
		lost += t.events[i].kind == VTB_E_LOST;
	}
	assert_int_equal(symbolic, 2);
	assert_int_equal(unknown, 1);
	assert_int_equal(lost, 2);
	assert_int_equal(t.lost, 140);
	assert_int_equal(vtb_trace_write(&t, in_dir("again.json"), NULL), 0);
	read_as_its_format(in_dir("again.json"));
	vtb_trace_fini(&t);
}

/* Both lists have the same words: each word of the schema is known, and there are as many. */
static void same_words(struct vtb_json *doc, const char *key, size_t expected, int (*by_name)(const char *name))
{
	const struct vtb_json_node *defs = vtb_json_get_object(doc, vtb_json_root(doc), "$defs");
	const struct vtb_json_node *words = vtb_json_get_array(doc, vtb_json_get_object(doc, defs, key), "enum", 1000);

	assert_int_equal(vtb_json_count(words), expected);
	for (size_t i = 0; i < expected; i++)
		if (by_name(vtb_json_item_string(doc, words, i)) < 0)
			fail_msg("\"%s\" is in the schema only", vtb_json_item_string(doc, words, i));
}

static void the_schema_knows_every_kind_of_event_and_every_verdict(void **state)
{
	struct vtb_json *doc = NULL;
	size_t n = 0;

	(void)state;
	for (unsigned kind = 0; kind < VTB_EVENT_KINDS; kind++)
		n += vtb_event_info(kind) != NULL;
	assert_int_equal(vtb_json_read(VTB_SOURCE_DIR "/data/schema/names.schema.json", 1 << 20, &doc, NULL), 0);
	same_words(doc, "kind", n, vtb_event_kind_by_name);
	same_words(doc, "verdict", VTB_VERDICTS, vtb_verdict_by_name);
	vtb_json_free(doc);
}

/* As many words for the flags of an outcome as wire.h has flags: none is dropped on the way through a file. */
static void every_flag_of_an_outcome_survives_a_file(void **state)
{
	FILE *header = fopen(VTB_SOURCE_DIR "/common/include/vtb/wire.h", "r");
	struct vtb_trace t, copy;
	char line[4096];
	unsigned n = 0;

	(void)state;
	assert_non_null(header);
	while (fgets(line, sizeof(line), header))
		n += line[0] == '\t' && !strncmp(line + 1, "VTB_OUT_", 8);
	fclose(header);
	assert_true(n >= 5);
	sample_trace(&t, 0);
	t.outcome.flags = (1u << n) - 1;
	assert_int_equal(vtb_trace_write(&t, in_dir("flags.json"), NULL), 0);
	assert_int_equal(vtb_trace_read(in_dir("flags.json"), &copy, NULL), 0);
	assert_int_equal(copy.outcome.flags, t.outcome.flags);
	vtb_trace_fini(&t);
	vtb_trace_fini(&copy);
}

static int write_samples(const char *dir)
{
	struct vtb_schedules s;
	struct vtb_failure f;
	struct vtb_trace t;

	snprintf(sample_dir, sizeof(sample_dir), "%s", dir);
	sample_trace(&t, 0);
	assert_int_equal(vtb_trace_write(&t, in_dir("trace.json"), NULL), 0);
	vtb_trace_fini(&t);
	sample_trace(&t, 5000);
	assert_int_equal(vtb_trace_write(&t, in_dir("long.json"), NULL), 0);
	vtb_trace_fini(&t);
	sample_schedules(&s);
	assert_int_equal(vtb_schedules_write(&s, in_dir("schedules.json"), NULL), 0);
	vtb_schedules_fini(&s);
	sample_failure(&f);
	assert_int_equal(vtb_failure_write(&f, in_dir("failure.json"), NULL), 0);
	vtb_failure_fini(&f);
	return extract_all() > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_example_in_the_documentation_can_be_read),
		cmocka_unit_test(every_fixture_can_be_read),
		cmocka_unit_test(a_trace_may_know_its_order_addresses_and_events_in_part),
		cmocka_unit_test(every_flag_of_an_outcome_survives_a_file),
		cmocka_unit_test(the_schema_knows_every_kind_of_event_and_every_verdict),
	};

	if (argc > 1)
		return write_samples(argv[1]);
	return cmocka_run_group_tests_name("formats", tests, make_dir, remove_dir);
}
