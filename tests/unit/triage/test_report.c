/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "fake_program.h"
#include "vtb/columns.h"
#include "shrink.h"
#include "vtb/array.h"
#include "vtb/hunt_report.h"
#include "vtb/json.h"
#include "vtb/search.h"
#include "vtb/wire.h"

struct given {
	struct fake_runner fake;
	struct vtb_hunt_result result;
};

static char *text_of(const char *text)
{
	char *copy = strdup(text);

	assert_non_null(copy);
	return copy;
}

static void begin(struct given *g, const struct fake_program *program)
{
	*g = (struct given){ 0 };
	fake_runner_init(&g->fake, program);
	g->result.runner = &g->fake.base;
	g->result.facts = (struct vtb_hunt_facts){ .schedules = 12345,
		                                   .search_schedules = 12000,
		                                   .classes = 678,
		                                   .seconds = 4.2,
		                                   .tier = "tsan",
		                                   .carrier = "threads",
		                                   .engine = "forkserver",
		                                   .strategy = "portfolio",
		                                   .bound = { 0, 2, 2, 3 },
		                                   .done = { 0, 2, 2, 3 },
		                                   .zero_done = true,
		                                   .enumerated = true,
		                                   .complete = true,
		                                   .stopped = "bound",
		                                   .kinds = VTB_HUNT_KIND(VTB_DEV_SWITCH),
		                                   .threads = 3,
		                                   .points = 17,
		                                   .accesses = 6,
		                                   .operations = 11,
		                                   .canary = true };
}

static void find(struct given *g, const struct fake_program *program)
{
	struct vtb_exec found;
	struct vtb_shrunk s;

	begin(g, program);
	found = fake_find(&g->fake, 1);
	assert_int_equal(vtb_shrink(&g->fake.base, &found, NULL, &s, NULL), 0);
	vtb_exec_fini(&found);
	assert_int_equal(vtb_exec_name_ops(&s.exec, g->fake.base.tab, &s.schedule), 0);
	assert_int_equal(vtb_array_room(&g->result, findings), 0);
	s.tuple.t = 2;
	g->result.findings[g->result.n_findings++] = (struct vtb_finding){ .schedule = s.schedule,
		                                                           .exec = s.exec,
		                                                           .tuple = s.tuple,
		                                                           .minimal = true,
		                                                           .t_known = true,
		                                                           .schedule_number = 17,
		                                                           .confirmed = 3,
		                                                           .replays = 3,
		                                                           .failure_path = text_of("failure.json"),
		                                                           .svg_path = text_of("order.svg"),
		                                                           .dot_path = text_of("order.dot") };
	g->result.verdict = s.exec.outcome.verdict;
	g->result.replay_command = text_of("vtb-replay failure.json -- ./account");
}

static char *report(const struct given *g, unsigned width, bool colored, int verbose)
{
	const struct vtb_report_style style = { .width = width, .colored = colored, .verbose = verbose };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	vtb_hunt_report(&g->result, &style, to);
	assert_int_equal(fclose(to), 0);
	if (getenv("VTB_SHOW_REPORTS")) /* for the one who changes the words */
		fputs(text, stderr);
	return text;
}

static size_t widest(const char *text)
{
	size_t widest = 0;

	while (*text) {
		const size_t n = strcspn(text, "\n");
		char line[2000];

		assert_true(n < sizeof(line));
		memcpy(line, text, n);
		line[n] = 0;
		if (vtb_layout_width(line) > widest)
			widest = vtb_layout_width(line);
		text += n + (text[n] == '\n');
	}
	return widest;
}

static void a_verdict_block_says_what_how_and_where(void **state)
{
	struct given g;
	char *text;

	(void)state;
	find(&g, &fake_account);
	text = report(&g, 80, false, 0);
	assert_memory_equal(text, "BUG  check failed (aborted at fake.c:8)\n", 40);
	assert_non_null(strstr(text, "(1,1,2): 1 preemption, 1 variable, 2 threads\n"));
	assert_non_null(strstr(text, "atomicity violation: balance"));
	assert_non_null(strstr(text, "3 of 3 replays"));
	assert_non_null(strstr(text, "reads balance = 100"));
	assert_non_null(strstr(text, "writes balance = 150"));
	assert_non_null(strstr(text, "is stopped here"));
	assert_non_null(strstr(text, "fake.c:101"));
	assert_non_null(strstr(text, "line 101;"));
	assert_non_null(strstr(text, "vtb-replay failure.json -- ./account\n"));
	assert_non_null(strstr(text, "failure.json  order.svg  order.dot\n")
	                    ? text
	                    : strstr(text, "failure.json order.svg order.dot\n"));
	assert_null(strstr(text, "0x")); /* no bare address */
	assert_true(strchr(text, '\033') == NULL);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void no_line_is_wider_than_asked(void **state)
{
	static const struct fake_program *const programs[] = { &fake_account, &fake_lock_cycle, &fake_late_init,
		                                               &fake_lost_signal, &fake_two_windows };
	static const unsigned widths[] = { 60, 80, 120 };

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		struct given g;

		find(&g, programs[i]);
		for (size_t w = 0; w < 3; w++) {
			char *text = report(&g, widths[w], false, 1);

			assert_true(widest(text) <= widths[w]);
			free(text);
		}
		vtb_hunt_result_fini(&g.result);
	}
}

static void colour_adds_nothing_but_escapes(void **state)
{
	struct given g;
	char *plain, *colored, *out;

	(void)state;
	find(&g, &fake_lock_cycle);
	plain = report(&g, 100, false, 0);
	colored = report(&g, 100, true, 0);
	out = colored;
	for (const char *in = colored; *in; in++) {
		if (*in == '\033')
			in += strcspn(in, "m");
		else
			*out++ = *in;
	}
	*out = 0;
	assert_string_equal(plain, colored);
	free(plain);
	free(colored);
	vtb_hunt_result_fini(&g.result);
}

static void a_hunt_that_found_nothing_states_its_bound(void **state)
{
	struct given g;
	char *text;

	(void)state;
	begin(&g, &fake_account_locked);
	text = report(&g, 80, false, 0);
	assert_memory_equal(text, "NONE FOUND  within 2 preemptions\n", 33);
	assert_non_null(strstr(text, "Sequentially consistent"));
	assert_non_null(strstr(text, "thread switches"));
	assert_int_equal(vtb_hunt_exit_code(&g.result), 0);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void a_hunt_stopped_before_the_first_level_proves_nothing(void **state)
{
	struct given g;
	char *text;

	(void)state;
	begin(&g, &fake_account_locked);
	g.result.facts.zero_done = g.result.facts.complete = false;
	g.result.facts.stopped = "interrupt";
	text = report(&g, 80, false, 0);
	assert_memory_equal(text, "UNDECIDED", 9);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 3);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void a_claim_names_the_part_of_the_program_that_was_seen(void **state)
{
	struct given g;
	char *text;

	(void)state;
	begin(&g, &fake_account_locked);
	g.result.facts.arguments = text_of("every interleaving was executed.");
	text = report(&g, 200, false, 0);
	assert_non_null(strstr(text, "Complete for hooked accesses and synchronisation: every"));
	free(text);
	g.result.facts.watched = text_of("ptr (2 instructions, chosen by the code alone)");
	text = report(&g, 200, false, 0);
	assert_non_null(strstr(text, "of the watched variables and synchronisation only"));
	assert_non_null(strstr(text, "Complete for the watched variables and synchronisation: every"));
	free(text);
	free(g.result.facts.watched);
	g.result.facts.watched = NULL;
	g.result.facts.accesses = 0;
	text = report(&g, 200, false, 0);
	assert_non_null(strstr(text, "of synchronisation only"));
	assert_non_null(strstr(text, "Complete for synchronisation: every"));
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void suspects_of_a_find_are_not_acquitted(void **state)
{
	char key[] = "race", about[] = "other: read at a.c:1, write at b.c:2", none[] = "";
	struct vtb_suspicion s = { .kind = VTB_SUSPECT_RACE, .key = key, .text = about, .variable = none };
	struct given g;
	char *text;

	(void)state;
	find(&g, &fake_account);
	assert_int_equal(vtb_suspicions_add(&g.result.suspects, &s), 0);
	text = report(&g, 200, false, 0);
	assert_null(strstr(text, "no schedule that was tried fails"));
	assert_non_null(strstr(text, "not shown to be part of the failure above"));
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void warn(struct given *g, char *variable, char *lock)
{
	char none[] = "", text[] = "0.1 reads it without m";
	const struct vtb_suspicion s = { VTB_SUSPECT_UNLOCKED, none, text, variable, lock, .n_places = 0 };

	assert_int_equal(vtb_suspicions_add(&g->result.warnings, &s), 0);
}

/* A warning is in the first line and in the block, and changes no exit code. */
static void a_warning_is_told_first_and_is_no_failure(void **state)
{
	char balance[] = "balance", total[] = "total", lock[] = "m";
	struct given g;
	char *text;

	(void)state;
	begin(&g, &fake_account_locked);
	warn(&g, balance, lock);
	text = report(&g, 200, false, 0);
	assert_non_null(strstr(text, "; but balance is not locked by m everywhere\n"));
	assert_true(strstr(text, "0.1 reads it without m") < strstr(text, "search "));
	free(text);
	warn(&g, total, lock);
	text = report(&g, 200, false, 0);
	assert_non_null(strstr(text, "; but 2 variables are not locked everywhere\n"));
	free(text);
	assert_int_equal(vtb_hunt_exit_code(&g.result), 0);
	vtb_hunt_result_fini(&g.result);
}

static void json_has_the_promised_members(void **state)
{
	static const char *const members[] = { "verdict",       "signature", "tuple",     "schedules",
		                               "classes",       "blocked",   "seconds",   "schedules_per_second",
		                               "tier",          "carrier",   "engine",    "strategy",
		                               "seed",          "complete",  "statement", "failure",
		                               "replay_command" };
	struct given g;
	struct vtb_json *doc;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	find(&g, &fake_account);
	vtb_hunt_report_json(&g.result, to);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(vtb_json_parse("hunt", text, size, &doc, NULL), 0);
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		assert_true(vtb_json_has(vtb_json_root(doc), members[i]));
	assert_string_equal(vtb_json_get_string(doc, vtb_json_root(doc), "verdict"), "assertion");
	assert_int_equal(vtb_json_get_u64(doc, vtb_json_get_object(doc, vtb_json_root(doc), "tuple"), "c", 9), 1);
	assert_int_equal(vtb_json_get_u64(doc, vtb_json_get_object(doc, vtb_json_root(doc), "tuple"), "t", 9), 2);
	assert_int_equal(vtb_json_status(doc), 0);
	vtb_json_free(doc);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void the_tuple_of_a_program_that_always_fails_is_null(void **state)
{
	struct given g;
	char *text = NULL, *block;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	find(&g, &fake_always);
	g.result.verdict = VTB_V_REGARDLESS;
	g.result.findings[0].regardless = true;
	vtb_hunt_report_json(&g.result, to);
	assert_int_equal(fclose(to), 0);
	assert_non_null(strstr(text, "\"verdict\": \"regardless\""));
	assert_non_null(strstr(text, "\"tuple\": null"));
	block = report(&g, 80, false, 0);
	assert_non_null(strstr(block, "every schedule"));
	assert_int_equal(vtb_hunt_exit_code(&g.result), 1);
	free(block);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void the_programs_words_cannot_control_the_terminal(void **state)
{
	struct given g;
	char *text;

	(void)state;
	find(&g, &fake_account);
	g.result.findings[0].exec.outcome.message = "bad\033[2Jwords\r";
	text = report(&g, 80, false, 0);
	assert_true(strchr(text, '\033') == NULL);
	assert_true(strchr(text, '\r') == NULL);
	free(text);
	vtb_hunt_result_fini(&g.result);
}

static void the_progress_line_fits_its_width(void **state)
{
	const struct vtb_hunt_progress p = { .phase = VTB_HUNT_SEARCHING,
		                             .schedules = 1234567,
		                             .seconds = 12.5,
		                             .rate = 98765,
		                             .c = 2,
		                             .v = 1,
		                             .findings = 1 };
	char line[300];

	(void)state;
	assert_string_equal(vtb_hunt_progress_line(&p, 120, line, sizeof(line)),
	                    "searching c=2 v=1  1,234,567 schedules  98,765/s  12 s  found 1");
	for (unsigned width = 1; width < 80; width++)
		assert_true(strlen(vtb_hunt_progress_line(&p, width, line, sizeof(line))) <= width);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_block_says_what_how_and_where),
		cmocka_unit_test(no_line_is_wider_than_asked),
		cmocka_unit_test(colour_adds_nothing_but_escapes),
		cmocka_unit_test(a_hunt_that_found_nothing_states_its_bound),
		cmocka_unit_test(a_hunt_stopped_before_the_first_level_proves_nothing),
		cmocka_unit_test(a_claim_names_the_part_of_the_program_that_was_seen),
		cmocka_unit_test(suspects_of_a_find_are_not_acquitted),
		cmocka_unit_test(a_warning_is_told_first_and_is_no_failure),
		cmocka_unit_test(json_has_the_promised_members),
		cmocka_unit_test(the_tuple_of_a_program_that_always_fails_is_null),
		cmocka_unit_test(the_programs_words_cannot_control_the_terminal),
		cmocka_unit_test(the_progress_line_fits_its_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
