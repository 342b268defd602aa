/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files made to break a reader: every one is refused with a reason, nothing crashes, nothing large is allocated. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/resource.h>

#include "sample.h"

#define HEAD "{\"format\": \"vtb-trace\", \"version\": 1, \"program\": {\"argv\": []}, \"order\": \"total\", "

static void refuses(const char *json, int expected, const char *word)
{
	struct vtb_trace t = { .lost = 4711 };
	struct vtb_error err = { 0 };

	put_file("h.json", json);
	assert_int_equal(vtb_trace_read(in_dir("h.json"), &t, &err), expected);
	assert_int_equal(err.code, expected);
	assert_int_equal(t.lost, 4711);
	if (!strstr(err.text, word))
		fail_msg("%s\n\"%s\" does not say \"%s\"", json, err.text, word);
	assert_non_null(strstr(err.path, "h.json"));
	assert_true(err.line >= 1);
}

static void claims_of_huge_counts_are_refused_before_they_size_anything(void **state)
{
	(void)state;
	refuses(HEAD "\"events\": {\"file\": \"e\", \"count\": 1000000000000, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA,
	        "events.count: found 1000000000000");
	refuses(HEAD "\"events\": {\"file\": \"e\", \"count\": -1, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA, "found -1");
	refuses(HEAD "\"events\": {\"file\": \"e\", \"count\": 1e9, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA,
	        "found a fraction");
}

/* The header of an events file may claim 4 billion events: room is made only as they arrive. */
static void an_events_file_that_claims_a_billion_events_is_cheap_to_refuse(void **state)
{
	static const unsigned char header[] = {
		'v',  't',  'b',  'e',  'v',
		'n',  's',  0,    1,    0,
		0,    0,    40,   0,    0,
		0,    0,    0,    0,    0,
		0,    0,    0,    0,    /* count: */ 0,
		0xca, 0x9a, 0x3b, 0,    0,
		0,    0,    0,    0x10, 0,
		0,    0,    0,    0,    0,
	};
	struct rusage before, after;
	struct vtb_trace t;
	struct vtb_error err = { 0 };

	(void)state;
	put_bytes("e", header, sizeof(header));
	put_file("h.json", HEAD "\"events\": {\"file\": \"e\", \"count\": 1000000000, \"xxh3\": \"0x0\"}}");
	assert_int_equal(vtb_trace_read(in_dir("h.json"), &t, &err), -VTB_E_LIMIT);
	assert_non_null(strstr(err.text, "--max-events"));
	vtb_events_max_set(VTB_EVENTS_LIMIT);
	getrusage(RUSAGE_SELF, &before);
	assert_int_equal(vtb_trace_read(in_dir("h.json"), &t, &err), -VTB_E_FORMAT);
	getrusage(RUSAGE_SELF, &after);
	assert_non_null(strstr(err.text, "truncated after 0 events"));
	assert_true(after.ru_maxrss - before.ru_maxrss < 65536); /* KiB */
}

static void names_of_events_files_stay_in_the_directory(void **state)
{
	(void)state;
	refuses(HEAD "\"events\": {\"file\": \"../../etc/passwd\", \"count\": 1, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA,
	        "plain name");
	refuses(HEAD "\"events\": {\"file\": \"/dev/zero\", \"count\": 1, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA,
	        "plain name");
	refuses(HEAD "\"events\": {\"file\": \"..\", \"count\": 1, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA, "plain name");
	refuses(HEAD "\"events\": {\"file\": \"\", \"count\": 1, \"xxh3\": \"0x0\"}}", -VTB_E_SCHEMA, "plain name");
}

static void threads_cannot_be_their_own_ancestors(void **state)
{
	(void)state;
	refuses(HEAD "\"threads\": [{\"path\": \"0.1\"}, {\"path\": \"0\"}], \"events\": []}", -VTB_E_SCHEMA,
	        "before its creator");
	refuses(HEAD "\"threads\": [{\"path\": \"0\"}, {\"path\": \"0\"}], \"events\": []}", -VTB_E_SCHEMA,
	        "listed twice");
	refuses(HEAD "\"threads\": [{\"path\": \"-1\"}], \"events\": []}", -VTB_E_SCHEMA, "creation path");
	refuses(HEAD "\"threads\": [{\"path\": \"0\", \"site\": 0}], \"events\": []}", -VTB_E_SCHEMA, "only 0 sites");
}

static void references_lead_somewhere(void **state)
{
	(void)state;
	refuses(HEAD "\"variables\": [{\"name\": \"x\", \"object\": 0}], \"events\": []}", -VTB_E_SCHEMA,
	        "only 0 objects");
	refuses(HEAD "\"variables\": [{\"name\": \"x\", \"object\": -1}], \"events\": []}", -VTB_E_SCHEMA, "found -1");
	refuses(HEAD "\"objects\": [{\"kind\": \"heap\", \"stack\": [1]}], \"events\": []}", -VTB_E_SCHEMA,
	        "objects[0].stack[0]");
	refuses(HEAD "\"objects\": [{\"kind\": \"heap\", \"stack\": [1,2,3,4,5,6,7,8,9]}], \"events\": []}",
	        -VTB_E_LIMIT, "at most 8");
	refuses(HEAD "\"objects\": [{\"kind\": \"heap\", \"thread\": \"0\"}], \"events\": []}", -VTB_E_SCHEMA,
	        "listed in \"threads\"");
	refuses(HEAD "\"objects\": [{\"kind\": \"pile\"}], \"events\": []}", -VTB_E_SCHEMA, "\"pile\"");
	refuses(HEAD "\"sites\": [{\"module\": 0}], \"events\": []}", -VTB_E_SCHEMA, "only 0 modules");
	refuses(HEAD "\"modules\": [{\"path\": \"a\", \"build_id\": \"abc\"}], \"events\": []}", -VTB_E_SCHEMA,
	        "hex digits");
	refuses(HEAD "\"modules\": [{\"path\": \"a\", \"build_id\": \"zz\"}], \"events\": []}", -VTB_E_SCHEMA,
	        "hex digits");
	refuses(HEAD "\"outcome\": {\"verdict\": \"fine\"}, \"events\": []}", -VTB_E_SCHEMA, "verdict");
	refuses(HEAD "\"outcome\": {\"verdict\": \"none\", \"flags\": [\"odd\"]}, \"events\": []}", -VTB_E_SCHEMA,
	        "outcome.flags[0]");
}

#define EVENT(members) HEAD "\"threads\": [{\"path\": \"0\"}], \"events\": [{" members "}]}"

static void events_are_checked_one_by_one(void **state)
{
	(void)state;
	refuses(EVENT(""), -VTB_E_SCHEMA, "events[0]");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"jump\""), -VTB_E_SCHEMA, "\"jump\"");
	refuses(EVENT("\"thread\": \"0.5\", \"kind\": \"read\""), -VTB_E_SCHEMA, "\"0.5\"");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"var\": 0"), -VTB_E_SCHEMA, "only 0 variables");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"addr_in_object\": 4"), -VTB_E_SCHEMA,
	        "names no variable");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"addr\": \"somewhere\""), -VTB_E_SCHEMA,
	        "\"somewhere\"");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"size\": 4294967296"), -VTB_E_SCHEMA, "events[0].size");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"order\": \"wild\""), -VTB_E_SCHEMA, "\"wild\"");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"read\", \"deviation\": \"odd\""), -VTB_E_SCHEMA, "\"odd\"");
	refuses(EVENT("\"thread\": \"0\", \"kind\": \"fail\", \"verdict\": \"odd\""), -VTB_E_SCHEMA, "no verdict");
	refuses(EVENT("\"thread\": 0, \"kind\": \"read\""), -VTB_E_SCHEMA, "expected a string");
	refuses(HEAD "\"events\": [5]}", -VTB_E_SCHEMA, "expected an object");
	refuses(HEAD "\"events\": 5}", -VTB_E_SCHEMA, "expected an array");
	refuses(HEAD "\"order\": \"total\"}", -VTB_E_FORMAT, "duplicate");
	refuses("{\"format\": \"vtb-trace\", \"version\": 1, \"order\": \"total\"}", -VTB_E_SCHEMA, "program");
	refuses("{\"format\": \"vtb-trace\", \"version\": 0}", -VTB_E_VERSION, "version");
	refuses("{\"format\": \"vtb-failure\"}", -VTB_E_SCHEMA, "trace");
}

/* Every cut of a good file is refused, and so is every change of one byte, or it still gives a trace; neither crashes.
 */
static void cuts_and_flips_never_crash(void **state)
{
	struct vtb_trace t;
	size_t n;
	char *json;

	(void)state;
	sample_trace(&t, 3);
	assert_int_equal(vtb_trace_write(&t, in_dir("good.json"), NULL), 0);
	vtb_trace_fini(&t);
	json = get_file("good.json", &n);
	for (size_t i = 0; i < n - 2; i += 7) {
		put_bytes("h.json", json, i);
		assert_true(vtb_trace_read(in_dir("h.json"), &t, NULL) < 0);
	}
	for (size_t i = 0; i < n; i += 3) {
		json[i] ^= 0x11;
		put_bytes("h.json", json, n);
		if (vtb_trace_read(in_dir("h.json"), &t, NULL) >= 0)
			vtb_trace_fini(&t);
		json[i] ^= 0x11;
	}
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_of_huge_counts_are_refused_before_they_size_anything),
		cmocka_unit_test(an_events_file_that_claims_a_billion_events_is_cheap_to_refuse),
		cmocka_unit_test(names_of_events_files_stay_in_the_directory),
		cmocka_unit_test(threads_cannot_be_their_own_ancestors),
		cmocka_unit_test(references_lead_somewhere),
		cmocka_unit_test(events_are_checked_one_by_one),
		cmocka_unit_test(cuts_and_flips_never_crash),
	};

	return cmocka_run_group_tests_name("hostile files", tests, make_dir, remove_dir);
}
