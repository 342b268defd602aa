/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "fail_alloc.h"
#include "json_locate.h"
#include "sample.h"
#include "vtb/json.h"

/* ---- writing */

static char *text;
static size_t n_text;

static struct vtb_json_writer open_writer(void)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, open_memstream(&text, &n_text));
	return w;
}

static void written_is(struct vtb_json_writer *w, const char *expected)
{
	vtb_json_finish(w);
	fclose(w->file);
	assert_string_equal(text, expected);
	free(text);
}

static void objects_and_arrays_are_laid_out_for_people(void **state)
{
	struct vtb_json_writer w = open_writer();

	(void)state;
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "a", "b");
	vtb_json_array(&w, "list");
	vtb_json_object_row(&w, NULL);
	vtb_json_u64(&w, "x", 1);
	vtb_json_array(&w, "y"); /* on the row, too */
	vtb_json_bool(&w, NULL, true);
	vtb_json_null(&w, NULL);
	vtb_json_end(&w);
	vtb_json_end(&w);
	vtb_json_int(&w, NULL, -5);
	vtb_json_end(&w);
	vtb_json_array(&w, "none");
	vtb_json_end(&w);
	vtb_json_object(&w, "empty");
	written_is(&w, "{\n  \"a\": \"b\",\n  \"list\": [\n    {\"x\": 1, \"y\": [true, null]},\n    -5\n  ],\n  "
	               "\"none\": [],\n  \"empty\": {}\n}\n");
}

static void numbers_that_a_double_cannot_hold_are_strings(void **state)
{
	struct vtb_json_writer w = open_writer();

	(void)state;
	vtb_json_array_row(&w, NULL);
	vtb_json_u64(&w, NULL, (UINT64_C(1) << 53) - 1);
	vtb_json_u64(&w, NULL, UINT64_C(1) << 53);
	vtb_json_hex(&w, NULL, 0);
	vtb_json_int(&w, NULL, INT64_MIN);
	vtb_json_real(&w, NULL, 0.5);
	vtb_json_real(&w, NULL, (double)NAN);
	written_is(&w, "[9007199254740991, \"0x20000000000000\", \"0x0\", -9223372036854775808, 0.5, null]\n");
}

static void texts_are_escaped_and_made_utf8(void **state)
{
	struct vtb_json_writer w = open_writer();

	(void)state;
	vtb_json_array_row(&w, NULL);
	vtb_json_string(&w, NULL, "\"\\\n\x01\x7f/");
	vtb_json_string(&w, NULL, "ü€😀");
	vtb_json_string(&w, NULL, "\xff\xc0\x80\xed\xa0\x80\xe2\x82");
	vtb_json_string(&w, NULL, "\xc2\x9b\u202e\ufeff\U000e0001\U0010ffff");
	vtb_json_string(&w, NULL, NULL);
	written_is(&w, "[\"\\\"\\\\\\u000a\\u0001\\u007f/\", \"ü€😀\", "
	               "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\", "
	               "\"\\u009b\\u202e\\ufeff\\udb40\\udc01\\udbff\\udfff\", null]\n");
}

/* ---- reading */

static struct vtb_error err;

static struct vtb_json *parse(const char *json)
{
	struct vtb_json *doc = NULL;

	memset(&err, 0, sizeof(err));
	assert_int_equal(vtb_json_parse("x.json", json, strlen(json), &doc, &err), 0);
	return doc;
}

static void members_come_with_their_types(void **state)
{
	struct vtb_json *doc = parse("{\"s\": \"t\", \"n\": 7, \"h\": \"0xffffffffffffffff\", \"b\": true, \"o\": {}, "
	                             "\"a\": [1, \"0x10\", {\"k\": null}, \"z\"], \"z\": null}");
	const struct vtb_json_node *root = vtb_json_root(doc), *a;

	(void)state;
	assert_string_equal(vtb_json_get_string(doc, root, "s"), "t");
	assert_string_equal(vtb_json_opt_string(doc, root, "missing", "f"), "f");
	assert_string_equal(vtb_json_opt_string(doc, root, "z", "f"), "f");
	assert_null(vtb_json_opt_string(doc, root, "z", NULL));
	assert_int_equal(vtb_json_get_u64(doc, root, "n", 7), 7);
	assert_int_equal(vtb_json_get_u64(doc, root, "h", UINT64_MAX), UINT64_MAX);
	assert_int_equal(vtb_json_opt_u64(doc, root, "missing", 1, 99), 99);
	assert_true(vtb_json_opt_bool(doc, root, "b", false));
	assert_non_null(vtb_json_get_object(doc, root, "o"));
	assert_null(vtb_json_opt_object(doc, root, "z"));
	a = vtb_json_get_array(doc, root, "a", 4);
	assert_int_equal(vtb_json_count(a), 4);
	assert_int_equal(vtb_json_item_u64(doc, a, 1, 16), 16);
	assert_string_equal(vtb_json_item_string(doc, a, 3), "z");
	assert_non_null(vtb_json_item_object(doc, a, 2));
	assert_true(vtb_json_has(root, "n"));
	assert_false(vtb_json_has(root, "z"));
	assert_int_equal(vtb_json_count(NULL), 0);
	assert_int_equal(vtb_json_status(doc), 0);
	vtb_json_free(doc);
}

static void complaint_is(struct vtb_json *doc, int r, uint32_t line, uint32_t column, const char *expected)
{
	assert_int_equal(vtb_json_status(doc), r);
	assert_string_equal(err.text, expected);
	assert_string_equal(err.path, "x.json");
	assert_int_equal(err.line, line);
	assert_int_equal(err.column, column);
	vtb_json_free(doc);
}

static void complaints_name_the_line_and_the_member(void **state)
{
	static const char json[] =
	    "{\n \"a\": [\n  {\"k\": \"]}\\\"\"},\n  {\"e\": \"\", \"k\": -3}\n ],\n \"b\": \"x\"\n}";
	struct vtb_json *doc = parse(json);
	const struct vtb_json_node *a = vtb_json_get_array(doc, vtb_json_root(doc), "a", 9);

	(void)state;
	assert_int_equal(vtb_json_get_u64(doc, vtb_json_item_object(doc, a, 1), "k", 9), 0);
	complaint_is(doc, -VTB_E_SCHEMA, 4, 18, "a[1].k: found -3, expected a whole number from 0 to 9");

	doc = parse(json);
	vtb_json_get_object(doc, vtb_json_root(doc), "b");
	complaint_is(doc, -VTB_E_SCHEMA, 6, 7, "b: found a string, expected an object");

	doc = parse(json);
	vtb_json_get_string(doc, vtb_json_root(doc), "none");
	complaint_is(doc, -VTB_E_SCHEMA, 1, 1, "none: found nothing, expected a string");

	doc = parse(json);
	assert_null(vtb_json_get_array(doc, vtb_json_root(doc), "a", 1));
	complaint_is(doc, -VTB_E_LIMIT, 2, 7, "a: found 2 items, expected at most 1");

	doc = parse(json);
	a = vtb_json_get_array(doc, vtb_json_root(doc), "a", 9);
	vtb_json_fail(doc, vtb_json_item_object(doc, a, 1), NULL, 0, -VTB_E_SCHEMA, "odd");
	complaint_is(doc, -VTB_E_SCHEMA, 4, 3, "a[1]: odd");
}

static void the_first_complaint_stays_and_getters_go_on_quietly(void **state)
{
	struct vtb_json *doc = parse("{\"a\": 1.5, \"b\": \"0xg\"}");
	const struct vtb_json_node *root = vtb_json_root(doc);

	(void)state;
	assert_int_equal(vtb_json_get_u64(doc, root, "a", UINT64_MAX), 0);
	assert_int_equal(vtb_json_get_u64(doc, root, "b", UINT64_MAX), 0);
	assert_string_equal(vtb_json_get_string(doc, vtb_json_get_object(doc, root, "q"), "r"), "");
	complaint_is(doc, -VTB_E_SCHEMA, 1, 7, "a: found a fraction, expected a whole number from 0, or \"0x...\"");
}

static void rejects(const char *json, size_t size, const char *word)
{
	struct vtb_json *doc = NULL;

	memset(&err, 0, sizeof(err));
	assert_int_equal(vtb_json_parse("x.json", json, size, &doc, &err), -VTB_E_FORMAT);
	assert_null(doc);
	assert_true(err.line >= 1);
	if (!strstr(err.text, word))
		fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void what_is_not_json_is_rejected(void **state)
{
	char *deep = malloc(200000);

	(void)state;
	rejects("", 0, "expected JSON");
	rejects("{", 1, "expected JSON");
	rejects("{} x", 4, "end of file expected");
	rejects("{\"a\": 1, \"a\": 2}", 16, "duplicate");
	rejects("{\"a\0b\": 1}", 10, "NUL byte");
	rejects("{\n\"a\": 1\0}", 11, "NUL byte");
	assert_int_equal(err.line, 2);
	assert_int_equal(err.column, 7);
	rejects("[\"\\u0000\"]", 10, "NUL");
	rejects("[\"\xff\"]", 5, "unable to decode");
	rejects("[99999999999999999999]", 22, "too big");
	memset(deep, '[', 200000);
	rejects(deep, 200000, "depth");
	for (int i = 0; i < 200000; i += 5)
		memcpy(deep + i, "{\"a\":", 5);
	rejects(deep, 200000, "depth");
	free(deep);
}

static void a_place_is_found_in_odd_text_or_the_search_ends(void **state)
{
	static const char *const texts[] = { "{\"a\": 1\1, \"b\": 2}", "{\"a\": ]}", "[1,,\"", "{:", "[", "", "\"\\",
		                             "{\"b\" 1 2 3}",          "[[[[}]" };
	const struct vtb_json_step steps[] = { { .key = "b" }, { .index = 3 } };
	uint32_t line, column;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		for (size_t first = 0; first < 2; first++) {
			vtb_json_locate(texts[i], strlen(texts[i]), steps + first, 2 - first, &line, &column);
			assert_int_equal(line, 1);
			assert_true(column >= 1 && column <= strlen(texts[i]) + 1);
		}
	vtb_json_locate("[0\0]", 4, steps + 1, 1, &line, &column);
	assert_int_equal(line, 1);
}

static void files_are_bounded(void **state)
{
	struct vtb_json *doc = NULL;

	(void)state;
	put_file("big.json", "{\"format\": \"f\", \"version\": 3}");
	assert_int_equal(vtb_json_read(in_dir("big.json"), 10, &doc, &err), -VTB_E_LIMIT);
	assert_int_equal(vtb_json_read(in_dir("none.json"), 10, &doc, &err), -ENOENT);
	assert_int_equal(vtb_json_read(sample_dir, 10, &doc, &err), -EISDIR);
	assert_int_equal(vtb_json_read("/dev/zero", 1 << 20, &doc, &err), -VTB_E_FORMAT);
	assert_int_equal(vtb_json_read(in_dir("big.json"), 100, &doc, &err), 0);
	assert_string_equal(vtb_json_format(doc), "f");
	assert_int_equal(vtb_json_expect(doc, vtb_json_root(doc), "f", 3), 0);
	assert_int_equal(vtb_json_expect(doc, vtb_json_root(doc), "f", 4), -VTB_E_VERSION);
	vtb_json_free(doc);
}

static void reading_survives_every_failing_allocation_of_ours(void **state)
{
	struct vtb_json *doc = NULL;
	int r = -1;

	(void)state;
	put_file("m.json", "{}");
	for (int n = 1; r < 0; n++) {
		const char *path = in_dir("m.json");

		fail_in = n;
		r = vtb_json_read(path, 100, &doc, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	fail_in = 1; /* the place of a complaint needs memory; the complaint does not */
	vtb_json_get_string(doc, vtb_json_root(doc), "x");
	fail_in = 0;
	assert_int_equal(vtb_json_status(doc), -VTB_E_SCHEMA);
	vtb_json_free(doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_and_arrays_are_laid_out_for_people),
		cmocka_unit_test(numbers_that_a_double_cannot_hold_are_strings),
		cmocka_unit_test(texts_are_escaped_and_made_utf8),
		cmocka_unit_test(members_come_with_their_types),
		cmocka_unit_test(complaints_name_the_line_and_the_member),
		cmocka_unit_test(the_first_complaint_stays_and_getters_go_on_quietly),
		cmocka_unit_test(what_is_not_json_is_rejected),
		cmocka_unit_test(a_place_is_found_in_odd_text_or_the_search_ends),
		cmocka_unit_test(files_are_bounded),
		cmocka_unit_test(reading_survives_every_failing_allocation_of_ours),
	};

	return cmocka_run_group_tests_name("json", tests, make_dir, remove_dir);
}
