/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"
#include "vtb/kept_input.h"

/* As a file has it; to be freed. */
static char *written(const struct vtb_kept_input *in)
{
	struct vtb_json_writer w;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	vtb_json_begin(&w, to);
	vtb_json_object(&w, NULL);
	vtb_kept_input_write(&w, in);
	vtb_json_finish(&w);
	assert_int_equal(fclose(to), 0);
	return text;
}

/* The status of reading it. */
static int read_again(const char *text, struct vtb_kept_input *ret)
{
	struct vtb_error err = { 0 };
	struct vtb_json *doc;
	int r = vtb_json_parse("test", text, strlen(text), &doc, &err);

	*ret = (struct vtb_kept_input){ 0 };
	assert_int_equal(r, 0);
	vtb_kept_input_read(doc, vtb_json_root(doc), ret);
	r = vtb_json_status(doc);
	vtb_json_free(doc);
	return r;
}

static void inputs_of_every_length_and_byte_come_back(void **state)
{
	uint8_t bytes[300];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t n = 0; n <= sizeof(bytes); n++) {
		struct vtb_kept_input in, out;
		char *text;

		assert_int_equal(vtb_kept_input_make(bytes, n, &in), 0);
		in.cut = n & 1;
		text = written(&in);
		assert_true(read_again(text, &out) >= 0);
		assert_true(out.known && out.size == n && out.hash == vtb_hash(bytes, n) && out.cut == in.cut);
		assert_true(n ? !memcmp(out.bytes, bytes, n) : !out.bytes);
		vtb_kept_input_fini(&in);
		vtb_kept_input_fini(&out);
		free(text);
	}
}

static void bytes_of_one_text_are_those_of_rfc_4648(void **state)
{
	struct vtb_kept_input in;
	char *text;

	(void)state;
	assert_int_equal(vtb_kept_input_make("fooba", 5, &in), 0);
	text = written(&in);
	assert_non_null(strstr(text, "\"Zm9vYmE=\""));
	free(text);
	vtb_kept_input_fini(&in);
}

static void more_than_the_limit_is_known_by_its_fingerprint(void **state)
{
	char *bytes = calloc(1, VTB_KEPT_INPUT_MAX + 1);
	struct vtb_kept_input in, out;
	char *text;

	(void)state;
	assert_non_null(bytes);
	assert_int_equal(vtb_kept_input_make(bytes, VTB_KEPT_INPUT_MAX + 1, &in), 0);
	assert_null(in.bytes);
	text = written(&in);
	assert_true(read_again(text, &out) >= 0);
	assert_true(out.size == VTB_KEPT_INPUT_MAX + 1 && out.hash == in.hash && !out.bytes);
	free(text);
	free(bytes);
}

static void other_bytes_than_the_fingerprint_says_are_refused(void **state)
{
	static const char *const texts[] = {
		"{\"input\": {\"size\": 5, \"hash\": \"0x1\", \"bytes\": \"Zm9vYmE=\"}}",
		"{\"input\": {\"size\": 4, \"hash\": \"0x1\", \"bytes\": \"Zm9vYmE=\"}}",
		"{\"input\": {\"size\": 3, \"hash\": \"0x1\", \"bytes\": \"Zm\\u00e4\"}}",
		"{\"input\": {\"size\": 99999999999, \"hash\": \"0x1\", \"bytes\": \"Zm9vYmE=\"}}",
		"{\"input\": {\"hash\": \"0x1\"}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct vtb_kept_input out;

		assert_true(read_again(texts[i], &out) < 0);
		vtb_kept_input_fini(&out);
	}
}

static void no_input_is_no_member(void **state)
{
	struct vtb_kept_input in = { 0 }, out;
	char *text = written(&in);

	(void)state;
	assert_null(strstr(text, "input"));
	assert_true(read_again(text, &out) >= 0);
	assert_false(out.known);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_of_every_length_and_byte_come_back),
		cmocka_unit_test(bytes_of_one_text_are_those_of_rfc_4648),
		cmocka_unit_test(more_than_the_limit_is_known_by_its_fingerprint),
		cmocka_unit_test(other_bytes_than_the_fingerprint_says_are_refused),
		cmocka_unit_test(no_input_is_no_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
