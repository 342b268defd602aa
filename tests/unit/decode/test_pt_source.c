/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a stepped recording to a trace: threads, names, synchronisation and accesses as the program made them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "one_core.h"
#include "vtb/block.h"
#include "vtb/decode.h"
#include "vtb/launch.h"
#include "vtb/step.h"
#include "vtb/wire.h"

struct fixture {
	char dir[64];
	struct vtb_trace trace;
};

static void make_with(struct fixture *f, const char *name, const char *rounds, struct vtb_step_opts opts)
{
	char program[1024];
	char *argv[] = { program, (char *)(uintptr_t)rounds, NULL };
	struct vtb_step_result result;
	struct vtb_error err = { 0 };

	snprintf(program, sizeof(program), "%s/%s", PROGRAMS, name);
	snprintf(f->dir, sizeof(f->dir), "/tmp/vtb-source-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	opts.dir = f->dir;
	opts.program = program;
	opts.argv = argv;
	opts.seed = 21;
	if (vtb_step_run(&opts, &result, &err) < 0)
		fail_msg("%s", err.text);
	vtb_trace_init(&f->trace);
	if (vtb_decode_read(f->dir, &f->trace, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
}

static void make(struct fixture *f, const char *name, const char *rounds)
{
	make_with(f, name, rounds, (struct vtb_step_opts){ 0 });
}

/* The same with the runtime in the program: packets of the stepper, log of the runtime, as backend pt has them. */
static void make_joined(struct fixture *f, const char *name, const char *rounds)
{
	const struct vtb_block_layout layout = { .modules = VTB_WIRE_MODULES_MAX,
		                                 .threads = VTB_WIRE_THREADS_MAX,
		                                 .strings = 1u << 20 };
	char program[1024], block_path[128], command[256];
	char *argv[] = { program, (char *)(uintptr_t)rounds, NULL };
	struct vtb_runtime_paths runtime;
	struct vtb_target target = { 0 };
	struct vtb_launch launch = { .target = &target,
		                     .argv = argv,
		                     .runtime = &runtime,
		                     .block_fd = -1,
		                     .block_path = block_path,
		                     .fds = { -1 } };
	struct vtb_step_opts opts = { .dir = f->dir, .program = program, .argv = argv, .seed = 21, .quantum = 25 };
	struct vtb_step_result result;
	struct vtb_block block = { 0 };
	struct vtb_error err = { 0 };
	char **env;

	snprintf(program, sizeof(program), "%s/%s", PROGRAMS, name);
	snprintf(f->dir, sizeof(f->dir), "/tmp/vtb-joined-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(block_path, sizeof(block_path), "%s/process.vtb", f->dir);
	assert_int_equal(vtb_target_inspect(program, &target, &err), 0);
	setenv("VTB_RT", RUNTIME, 1);
	assert_int_equal(vtb_runtime_find(&runtime, &err), 0);
	assert_int_equal(vtb_block_create(block_path, &layout, &block, &err), 0);
	block.header->mode = VTB_MODE_RECORD;
	block.header->options = VTB_OPT_VALUES | VTB_OPT_REAL_TIME;
	env = vtb_launch_environment(&launch, environ);
	assert_non_null(env);
	opts.envp = env;
	if (vtb_step_run(&opts, &result, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(result.status, 0);
	vtb_launch_environment_free(env);
	vtb_block_close(&block);
	vtb_runtime_paths_fini(&runtime);
	vtb_target_fini(&target);
	snprintf(command, sizeof(command), "rm %s/log.bin", f->dir); /* the stepper's own log must not help */
	assert_int_equal(system(command), 0);
	vtb_trace_init(&f->trace);
	if (vtb_decode_read(f->dir, &f->trace, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
}

static void drop(struct fixture *f)
{
	char command[128];

	vtb_trace_fini(&f->trace);
	snprintf(command, sizeof(command), "rm -r %s", f->dir);
	assert_int_equal(system(command), 0);
}

static size_t count(const struct vtb_trace *t, unsigned kind, const char *variable)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_events; i++)
		n += t->events[i].kind == kind &&
		     (!variable || !strcmp(vtb_variable_name(&t->tab, t->events[i].var), variable));
	return n;
}

static void a_stepped_run_becomes_a_trace_with_names(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, "list_O0", "3");
	assert_int_equal(f.trace.order, VTB_ORDER_SYNC);
	assert_int_equal(f.trace.lost, 0);
	assert_int_equal(f.trace.tab.n_threads, 4);
	assert_string_equal(f.trace.tab.threads[3].path, "0.2");
	assert_string_equal(f.trace.tab.threads[1].start, "work");
	assert_int_equal(count(&f.trace, VTB_E_THREAD_CREATE, NULL), 3);
	assert_int_equal(count(&f.trace, VTB_E_THREAD_BEGIN, NULL), 4);
	assert_int_equal(count(&f.trace, VTB_E_THREAD_JOIN, NULL), 3);
	assert_int_equal(count(&f.trace, VTB_E_LOCK, "lock"), 9);
	assert_int_equal(count(&f.trace, VTB_E_UNLOCK, "lock"), 9);
	/* 9 inserts read head; each of 3 + 6 take_first() and main's loop reads it again */
	assert_true(count(&f.trace, VTB_E_READ, "head") >= 18);
	assert_true(count(&f.trace, VTB_E_WRITE, "head") >= 9);
	assert_int_equal(count(&f.trace, VTB_E_FREE, NULL), 9);
	for (size_t i = 0; i < f.trace.n_events; i++)
		assert_false(f.trace.events[i].flags & VTB_EVF_ADDR_UNKNOWN);
	drop(&f);
}

/* With the runtime's log in the place of the stepper's: the same threads, synchronisation, accesses and names. */
static void packets_and_the_runtimes_log_become_one_trace(void **state)
{
	struct fixture f;
	uint32_t owner = VTB_NONE;
	size_t unknown = 0, known = 0;

	(void)state;
	make_joined(&f, "list_O0", "3");
	assert_int_equal(f.trace.order, VTB_ORDER_SYNC);
	assert_int_equal(f.trace.tab.n_threads, 4);
	assert_string_equal(f.trace.tab.threads[3].path, "0.2");
	assert_string_equal(f.trace.tab.threads[1].start, "work");
	assert_int_equal(count(&f.trace, VTB_E_THREAD_CREATE, NULL), 3);
	assert_int_equal(count(&f.trace, VTB_E_THREAD_JOIN, NULL), 3);
	assert_int_equal(count(&f.trace, VTB_E_LOCK, "lock"), 9);
	assert_int_equal(count(&f.trace, VTB_E_UNLOCK, "lock"), 9);
	assert_true(count(&f.trace, VTB_E_READ, "head") >= 18);
	assert_true(count(&f.trace, VTB_E_WRITE, "head") >= 9);
	assert_int_equal(count(&f.trace, VTB_E_FREE, NULL), 9);
	for (size_t i = 0; i < f.trace.n_events; i++) {
		const struct vtb_event *e = &f.trace.events[i];

		if (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE)
			++*(e->flags & VTB_EVF_ADDR_UNKNOWN ? &unknown : &known);
		if (e->kind == VTB_E_LOCK) {
			assert_int_equal(owner, VTB_NONE);
			owner = e->thread;
		} else if (e->kind == VTB_E_UNLOCK) {
			assert_int_equal(owner, e->thread);
			owner = VTB_NONE;
		} else if (e->thread != 0 && (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) &&
		           !strcmp(vtb_variable_name(&f.trace.tab, e->var), "head")) {
			assert_int_equal(owner, e->thread);
		}
	}
	print_message("%zu accesses known, %zu unknown\n", known, unknown);
	assert_true(unknown * 100 <= known);
	drop(&f);
}

/* Between a thread's lock and its unlock nobody else touches what the lock protects. */
static void accesses_stand_between_their_lock_and_unlock(void **state)
{
	uint32_t owner = VTB_NONE;
	size_t seen = 0;
	struct fixture f;

	(void)state;
	make(&f, "bank_O2", "4");
	for (size_t i = 0; i < f.trace.n_events; i++) {
		const struct vtb_event *e = &f.trace.events[i];

		if (e->kind == VTB_E_LOCK) {
			assert_int_equal(owner, VTB_NONE);
			owner = e->thread;
		} else if (e->kind == VTB_E_UNLOCK) {
			assert_int_equal(owner, e->thread);
			owner = VTB_NONE;
		} else if (e->thread != 0 && !strncmp(vtb_variable_name(&f.trace.tab, e->var), "balance[", 8)) {
			assert_int_equal(owner, e->thread);
			seen++;
		}
	}
	assert_true(seen >= 3 * 4 * 3); /* three threads, four rounds, at least two reads and a write */
	drop(&f);
}

static void exact_time_makes_a_total_order(void **state)
{
	struct fixture f;

	(void)state;
	make_with(&f, "race_O2", "6", (struct vtb_step_opts){ .exact_time = true, .quantum = 9, .noise = 10 });
	assert_int_equal(f.trace.order, VTB_ORDER_TOTAL);
	for (size_t i = 0; i < f.trace.n_events; i++) {
		const struct vtb_event *e = &f.trace.events[i];

		assert_false(e->flags & VTB_EVF_ADDR_UNKNOWN); /* the pointers that race are known, too */
		if (e->kind == VTB_E_THREAD_BEGIN && e->thread)
			assert_string_equal(f.trace.tab.threads[e->thread].start, "work");
	}
	drop(&f);
}

static void a_damaged_recording_is_refused_by_name(void **state)
{
	char dir[] = "/tmp/vtb-source-XXXXXX", path[128];
	struct vtb_trace trace;
	struct vtb_error err = { 0 };
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/pt.json", dir);
	file = fopen(path, "w");
	fputs("{\"format\":\"vtb-pt\",\"version\":9}", file);
	fclose(file);
	vtb_trace_init(&trace);
	assert_int_equal(vtb_decode_read(dir, &trace, &err), -VTB_E_VERSION);
	file = fopen(path, "w");
	fputs("{\"format\":\"vtb-pt\",\"version\":1,\"threads\":[{\"slot\":3,\"tid\":1}]}", file);
	fclose(file);
	assert_int_equal(vtb_decode_read(dir, &trace, &err), -VTB_E_SCHEMA);
	file = fopen(path, "w");
	fputs("{\"format\":\"vtb-pt\",\"version\":1,\"threads\":[]}", file);
	fclose(file);
	assert_int_equal(vtb_decode_read(dir, &trace, &err), -ENOENT); /* maps.txt */
	vtb_trace_fini(&trace);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stepped_run_becomes_a_trace_with_names),
		cmocka_unit_test(packets_and_the_runtimes_log_become_one_trace),
		cmocka_unit_test(accesses_stand_between_their_lock_and_unlock),
		cmocka_unit_test(exact_time_makes_a_total_order),
		cmocka_unit_test(a_damaged_recording_is_refused_by_name),
	};

	keep_to_one_core();
	return cmocka_run_group_tests_name("pt_source", tests, NULL, NULL);
}
