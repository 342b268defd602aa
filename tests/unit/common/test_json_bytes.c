/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"
#include "vtb/json.h"

static char *text;
static size_t n_text;

static struct vtb_json_writer open_writer(void)
{
	struct vtb_json_writer w;

	vtb_json_begin(&w, open_memstream(&text, &n_text));
	vtb_json_object_row(&w, NULL);
	return w;
}

static void close_writer(struct vtb_json_writer *w)
{
	vtb_json_finish(w);
	fclose(w->file);
}

static struct vtb_json *parse(const char *json)
{
	struct vtb_json *doc;

	assert_int_equal(vtb_json_parse("test", json, strlen(json), &doc, NULL), 0);
	return doc;
}

/* What was written comes back, byte for byte. */
static void comes_back(const char *value)
{
	struct vtb_json_writer w = open_writer();
	struct vtb_json *doc;
	char *got;

	vtb_json_bytes(&w, "cwd", value);
	close_writer(&w);
	doc = parse(text);
	got = vtb_json_read_bytes(doc, vtb_json_root(doc), "cwd", true);
	assert_string_equal(got, value);
	free(got);
	vtb_json_free(doc);
	free(text);
}

static void paths_come_back_byte_for_byte(void **state)
{
	char every[256];

	(void)state;
	for (int i = 1; i < 256; i++)
		every[i - 1] = (char)i;
	every[255] = 0;
	comes_back(every);
	comes_back("");
	comes_back("\xff");
	comes_back("%ff");
	comes_back("%\xc3");
	comes_back("\xc3\xa9t\xe9/%41");
}

static void only_what_is_no_text_needs_a_second_member(void **state)
{
	struct vtb_json_writer w = open_writer();
	char *const plain[] = { (char *)"a%b", (char *)"\xc3\xa9", NULL }, *const odd[] = { (char *)"50%",
		                                                                            (char *)"\xe9", NULL };

	(void)state;
	vtb_json_bytes(&w, "a", "50%");
	vtb_json_words(&w, "b", plain);
	vtb_json_words(&w, "c", odd);
	vtb_json_words(&w, "d", NULL);
	close_writer(&w);
	assert_string_equal(text, "{\"a\": \"50%\", \"b\": [\"a%b\", \"\xc3\xa9\"], \"c\": [\"50%\", \"\\ufffd\"], "
	                          "\"c_bytes\": [\"50%25\", \"%e9\"], \"d\": []}\n");
	free(text);
}

static void words_come_back(void **state)
{
	struct vtb_json *doc = parse("{\"a\": [\"x\", \"?\"], \"a_bytes\": [\"%41%fF\", \"y\"], \"b\": [\"%41\"]}");
	char **a = vtb_json_read_words(doc, vtb_json_root(doc), "a", 2, true),
	     **b = vtb_json_read_words(doc, vtb_json_root(doc), "b", 2, true),
	     **none = vtb_json_read_words(doc, vtb_json_root(doc), "c", 2, false);

	(void)state;
	assert_string_equal(a[0], "A\xff");
	assert_string_equal(a[1], "y");
	assert_null(a[2]);
	assert_string_equal(b[0], "%41");
	assert_null(none[0]);
	assert_null(vtb_json_read_bytes(doc, vtb_json_root(doc), "d", false));
	assert_int_equal(vtb_json_status(doc), 0);
	assert_null(vtb_json_read_bytes(doc, vtb_json_root(doc), "d", true));
	assert_true(vtb_json_status(doc) < 0);
	vtb_argv_free(a);
	vtb_argv_free(b);
	vtb_argv_free(none);
	vtb_json_free(doc);
}

static void other_escapes_are_refused(void **state)
{
	static const char *const values[] = { "%", "%4", "%4g", "% 1", "%00", "a%" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		char json[80];
		struct vtb_json *doc;

		snprintf(json, sizeof(json),
		         "{\"a\": [\"x\"], \"a_bytes\": [\"%s\"], \"b\": \"x\", \"b_bytes\": \"%s\"}", values[i],
		         values[i]);
		doc = parse(json);
		assert_null(i % 2 ? (void *)vtb_json_read_bytes(doc, vtb_json_root(doc), "b", true)
		                  : (void *)vtb_json_read_words(doc, vtb_json_root(doc), "a", 9, true));
		assert_int_equal(vtb_json_status(doc), -VTB_E_SCHEMA);
		vtb_json_free(doc);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_come_back_byte_for_byte),
		cmocka_unit_test(only_what_is_no_text_needs_a_second_member),
		cmocka_unit_test(words_come_back),
		cmocka_unit_test(other_escapes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
