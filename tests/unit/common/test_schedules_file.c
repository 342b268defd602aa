/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "fail_alloc.h"
#include "sample.h"

static void schedules_come_back_as_they_were(void **state)
{
	struct vtb_schedules a, b;
	struct vtb_error err = { 0 };
	const struct vtb_schedule *s;

	(void)state;
	sample_schedules(&a);
	assert_int_equal(vtb_schedules_write(&a, in_dir("s.json"), &err), 0);
	if (vtb_schedules_read(in_dir("s.json"), &b, &err) < 0)
		fail_msg("%s:%u: %s", err.path, err.line, err.text);
	assert_string_equal(b.argv[0], "./account");
	assert_null(b.argv[2]);
	assert_string_equal(b.cwd, "/home/me");
	assert_int_equal(b.n_schedules, 2);
	s = &b.schedules[0];
	assert_int_equal(s->policy, VTB_SCHEDULE_PRIORITY);
	assert_int_equal(s->seed, UINT64_MAX);
	assert_string_equal(s->note, "observed order");
	assert_memory_equal(&s->tuple, &a.schedules[0].tuple, sizeof(s->tuple));
	assert_int_equal(s->n_ranks, 2);
	assert_string_equal(vtb_thread_path(&b.tab, s->ranks[0]), "0.1");
	assert_int_equal(s->ranks[1], 7 | VTB_RANK_FRAGMENT_BIT);
	assert_int_equal(s->n_deviations, 4);
	assert_string_equal(vtb_thread_path(&b.tab, s->deviations[0].after.thread), "0.0");
	assert_int_equal(s->deviations[0].after.index, 2);
	assert_int_equal(s->deviations[0].after.name.kind, VTB_E_READ);
	assert_string_equal(s->deviations[0].after.name.function, "deposit");
	assert_string_equal(s->deviations[0].after.name.variable, "balance");
	assert_int_equal(s->deviations[0].after.name.text_hash, UINT64_MAX);
	assert_int_equal(s->deviations[0].after.name.occurrence, 1);
	assert_int_equal(b.tab.sites[s->deviations[0].after.name.site].offset, 0x1190);
	assert_string_equal(b.tab.modules[b.tab.sites[s->deviations[0].after.name.site].module].path, "/bin/account");
	assert_string_equal(vtb_variable_name(&b.tab, s->deviations[0].var), "balance");
	assert_string_equal(vtb_thread_path(&b.tab, s->deviations[0].target), "0.1");
	assert_int_equal(s->deviations[1].kind, VTB_DEV_WAITER);
	assert_int_equal(s->deviations[1].target, 3);
	assert_int_equal(s->deviations[3].cost, 0);
	assert_int_equal(s->n_constraints, 1);
	assert_int_equal(s->constraints[0].after.name.kind, 0);
	assert_int_equal(s->n_reorders, 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(vtb_thread_path(&b.tab, s->reorders[i].first.thread), "0.0");
		assert_string_equal(s->reorders[i].first.name.function, "deposit");
		assert_int_equal(s->reorders[i].second.index, 0);
		assert_string_equal(vtb_variable_name(&b.tab, s->reorders[i].var), "balance");
		assert_int_equal(s->reorders[i].essential, i - 1);
	}
	vtb_schedules_fini(&a);
	vtb_schedules_fini(&b);
}

static void only_names_that_are_needed_are_written(void **state)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedules set = { 0 };
	struct vtb_schedule s = { 0 };

	(void)state;
	sample_names(&tab);
	assert_int_equal(vtb_schedule_deviate(&s, 2, 1, VTB_DEV_SWITCH, 0, 2, 1), 0);
	assert_int_equal(vtb_schedules_add(&set, &s, &tab), 0);
	assert_int_equal(set.tab.n_variables, 1);
	assert_int_equal(set.tab.n_sites, 0);
	assert_int_equal(set.tab.n_threads, 2); /* 0.1 and its creator */
	assert_string_equal(vtb_thread_path(&set.tab, set.schedules[0].deviations[0].after.thread), "0.1");
	assert_string_equal(vtb_thread_path(&set.tab, set.schedules[0].deviations[0].target), "0");
	vtb_schedule_fini(&s);
	vtb_schedules_fini(&set);
	vtb_symtab_fini(&tab);
}

static void refuses(const char *text, int expected, uint32_t line, const char *word)
{
	struct vtb_schedules s = { .n_schedules = 4711 };
	struct vtb_error err = { 0 };

	put_file("bad.json", text);
	assert_int_equal(vtb_schedules_read(in_dir("bad.json"), &s, &err), expected);
	assert_int_equal(s.n_schedules, 4711);
	if (!strstr(err.text, word) || err.line != line)
		fail_msg("line %u: \"%s\" is not line %u with \"%s\"", err.line, err.text, line, word);
}

#define HEAD                                                                                                           \
	"{\"format\": \"vtb-schedules\", \"version\": 1, \"program\": {\"argv\": [\"a\"]},\n\"threads\": [{\"path\": " \
	"\"0\"}],\n\"schedules\": ["

static void bad_schedules_are_refused_with_their_line(void **state)
{
	(void)state;
	refuses("{}", -VTB_E_FORMAT, 1, "expected \"vtb-schedules\"");
	refuses("[]", -VTB_E_FORMAT, 1, "found an array");
	refuses("{\"format\": \"vtb-trace\"}", -VTB_E_FORMAT, 1, "found \"vtb-trace\"");
	refuses("{\"format\": \"vtb-schedules\",\n\"version\": 2}", -VTB_E_VERSION, 2, "version 1");
	refuses(HEAD "\n5]}", -VTB_E_SCHEMA, 4, "schedules[0]: found a number, expected an object");
	refuses(HEAD "{\"policy\": \"fair\"}]}", -VTB_E_SCHEMA, 3, "\"fair\"");
	refuses(HEAD "{\"policy\": \"priority\",\n\"ranks\": [\"0\",\n\"0.7\"]}]}", -VTB_E_SCHEMA, 5,
	        "ranks[1]: found \"0.7\"");
	refuses(HEAD "{\"policy\": \"priority\", \"ranks\": [\"#-1\"]}]}", -VTB_E_SCHEMA, 3, "fragment");
	refuses(HEAD "{\"policy\": \"random\", \"seed\": -1}]}", -VTB_E_SCHEMA, 3, "found -1");
	refuses(HEAD
	        "{\"policy\": \"random\", \"deviations\": [{\"after\": {\"thread\": \"0\", \"index\": 4294967296}}]}]}",
	        -VTB_E_SCHEMA, 3, "from 0 to 4294967295");
	refuses(HEAD "{\"policy\": \"random\", \"deviations\": [{\"after\": {\"thread\": \"0\", \"index\": 1, "
	             "\"kind\": \"x\"}}]}]}",
	        -VTB_E_SCHEMA, 3, "no kind of event");
	refuses(HEAD "{\"policy\": \"random\", \"deviations\": [{\"after\": {\"thread\": \"0\", \"index\": 1}, "
	             "\"kind\": \"switch\", \"target\": \"1\"}]}]}",
	        -VTB_E_SCHEMA, 3, "target");
	refuses(HEAD "{\"policy\": \"random\", \"note\": \"a\\u0000b\"}]}", -VTB_E_FORMAT, 3, "NUL");
}

static void reading_survives_every_failing_allocation(void **state)
{
	struct vtb_schedules s, copy;
	int r = -1, n = 0;

	(void)state;
	sample_schedules(&s);
	assert_int_equal(vtb_schedules_write(&s, in_dir("mem.json"), NULL), 0);
	while (r < 0) {
		const char *path = in_dir("mem.json");

		fail_in = ++n;
		r = vtb_schedules_read(path, &copy, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_true(n > 10);
	vtb_schedules_fini(&copy);
	vtb_schedules_fini(&s);
}

static void adding_survives_every_failing_allocation(void **state)
{
	struct vtb_symtab tab = { 0 };
	struct vtb_schedules set = { 0 };
	struct vtb_schedule s;
	int r = -1, n = 0;

	(void)state;
	sample_names(&tab);
	sample_schedule(&s);
	while (r < 0) {
		fail_in = ++n;
		r = vtb_schedules_add(&set, &s, &tab);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
		assert_int_equal(set.n_schedules, r == 0);
	}
	assert_true(n > 5);
	vtb_schedule_fini(&s);
	vtb_schedules_fini(&set);
	vtb_symtab_fini(&tab);
}

static void failures_come_back_as_they_were(void **state)
{
	struct vtb_failure a, b;
	struct vtb_error err = { 0 };

	(void)state;
	sample_failure(&a);
	assert_int_equal(vtb_failure_write(&a, in_dir("f.json"), &err), 0);
	if (vtb_failure_read(in_dir("f.json"), &b, &err) < 0)
		fail_msg("%s:%u: %s", err.path, err.line, err.text);
	assert_int_equal(b.verdict, VTB_V_ASSERTION);
	assert_string_equal(b.signature, a.signature);
	assert_true(b.tuple_known);
	assert_int_equal(b.tuple.t, 2);
	assert_int_equal(b.confirmed, 3);
	assert_int_equal(b.left.thread, 1);
	assert_int_equal(b.left.n_sites, 2);
	assert_int_equal(b.left.sites[1], 1);
	assert_int_equal(b.entered.n_sites, 1);
	assert_true(vtb_failure_has_heap(&b));
	assert_int_equal(b.heap[VTB_HEAP_FREED].n_sites, 1);
	assert_int_equal(b.heap[VTB_HEAP_FREED].sites[0], 1);
	assert_int_equal(b.heap[VTB_HEAP_FREED].thread, 1);
	assert_int_equal(b.heap[VTB_HEAP_USED].n_sites, 0);
	assert_string_equal(b.replay_command, a.replay_command);
	assert_string_equal(b.files[1], a.files[1]);
	assert_string_equal(b.statement, a.statement);
	assert_string_equal(b.options.carrier, "threads");
	assert_null(b.options.strategy);
	assert_int_equal(b.options.seed, 9);
	assert_int_equal(b.schedule.n_schedules, 1);
	assert_int_equal(b.trace.n_events, a.trace.n_events);
	assert_memory_equal(b.trace.events, a.trace.events, a.trace.n_events * sizeof(*a.trace.events));
	vtb_failure_fini(&a);
	vtb_failure_fini(&b);
}

static void a_failure_serves_as_schedules_and_as_a_trace(void **state)
{
	struct vtb_failure f;
	struct vtb_schedules s;
	struct vtb_trace t;

	(void)state;
	sample_failure(&f);
	f.tuple_known = false;
	assert_int_equal(vtb_failure_write(&f, in_dir("f.json"), NULL), 0);
	assert_int_equal(vtb_schedules_read(in_dir("f.json"), &s, NULL), 0);
	assert_int_equal(s.n_schedules, 1);
	assert_int_equal(vtb_trace_read(in_dir("f.json"), &t, NULL), 0);
	assert_int_equal(t.n_events, f.trace.n_events);
	vtb_schedules_fini(&s);
	vtb_trace_fini(&t);
	vtb_failure_fini(&f);
	assert_int_equal(vtb_failure_read(in_dir("f.json"), &f, NULL), 0);
	assert_false(f.tuple_known);
	vtb_failure_fini(&f);
}

static void reading_a_failure_survives_every_failing_allocation(void **state)
{
	struct vtb_failure f, copy;
	int r = -1, n = 0;

	(void)state;
	sample_failure(&f);
	assert_int_equal(vtb_failure_write(&f, in_dir("mem.json"), NULL), 0);
	while (r < 0) {
		const char *path = in_dir("mem.json");

		fail_in = ++n;
		r = vtb_failure_read(path, &copy, NULL);
		fail_in = 0;
		assert_true(r == 0 || r == -ENOMEM);
	}
	assert_true(n > 20);
	vtb_failure_fini(&copy);
	vtb_failure_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(schedules_come_back_as_they_were),
		cmocka_unit_test(only_names_that_are_needed_are_written),
		cmocka_unit_test(bad_schedules_are_refused_with_their_line),
		cmocka_unit_test(reading_survives_every_failing_allocation),
		cmocka_unit_test(adding_survives_every_failing_allocation),
		cmocka_unit_test(failures_come_back_as_they_were),
		cmocka_unit_test(a_failure_serves_as_schedules_and_as_a_trace),
		cmocka_unit_test(reading_a_failure_survives_every_failing_allocation),
	};

	return cmocka_run_group_tests_name("schedules and failure files", tests, make_dir, remove_dir);
}
