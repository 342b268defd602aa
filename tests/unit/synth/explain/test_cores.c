/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores of the worked examples of [CONCBUGASSIST15]. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "failing.h"
#include "vtb/cores.h"

static void read_(struct prog *p, int thread, int var, int reg)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_READ, .obj = var, .reg = reg });
}

static void write_(struct prog *p, int thread, int var, int k)
{
	prog_add(p, thread, (struct prog_instr){ .code = P_WRITE, .obj = var, .k = k });
}

static void cores_of(const struct prog *p, uint64_t budget, struct vtb_cores *ret)
{
	const struct vtb_cores_opts opts = { .budget = budget };
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_exec failing = { 0 };

	assert_true(find_failing(runner, &failing));
	assert_int_equal(vtb_cores_find(runner, &failing, &opts, ret, NULL), 0);
	vtb_exec_fini(&failing);
	vtb_runner_free(runner);
}

static bool is_literal(const struct vtb_order_literal *l, uint32_t before, unsigned before_kind, uint32_t after,
                       unsigned after_kind)
{
	return l->before.thread == before && l->before.kind == before_kind && l->after.thread == after &&
	       l->after.kind == after_kind;
}

static bool has_literal(const struct vtb_core *core, uint32_t before, unsigned before_kind, uint32_t after,
                        unsigned after_kind)
{
	for (size_t i = 0; i < core->n_literals; i++)
		if (is_literal(&core->literals[i], before, before_kind, after, after_kind))
			return true;
	return false;
}

/* ---- what runs must tell */

static const struct vtb_runner_ops *plain;
static uint64_t whole_runs;

static int run_whole(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                     struct vtb_exec *execs, struct vtb_error *err)
{
	assert_false(runner->owned);
	whole_runs += n;
	return plain->run(runner, schedules, n, execs, err);
}

/* Where a lock orders accesses a run may pass them over, and it would not be seen whether an order of them holds. */
static void runs_that_refute_are_told_whole(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1 };
	const struct vtb_cores_opts opts = { .budget = 64 };
	struct vtb_runner *runner;
	struct vtb_exec failing = { 0 };
	struct vtb_runner_ops ops;
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++) {
		read_(&p, t, 0, 0);
		prog_add(&p, t, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 0 });
		write_(&p, t, 0, t - 1);
	}
	prog_join_all(&p);
	runner = prog_runner(&p);
	assert_true(find_failing(runner, &failing));
	plain = runner->ops;
	ops = *plain;
	ops.run = run_whole;
	runner->ops = &ops;
	runner->sparse_pays = true;
	assert_int_equal(vtb_cores_find(runner, &failing, &opts, &cores, NULL), 0);
	assert_true(whole_runs > 0);
	vtb_cores_fini(&cores);
	vtb_exec_fini(&failing);
	runner->ops = plain;
	vtb_runner_free(runner);
}

/* f1 {x=0; y=0} f2 {x=1; y=1} assert x==y: (x: f1<f2 and y: f2<f1), and the mirror image. */
static void two_variables_have_two_cores_of_two_literals(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 2, .start = { 5, 5 } };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++) {
		write_(&p, t, 0, t - 1);
		write_(&p, t, 1, t - 1);
	}
	prog_join_all(&p);
	read_(&p, 0, 0, 0);
	read_(&p, 0, 1, 1);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_SAME, .reg = 0, .reg2 = 1 });
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct vtb_core *core = &cores.cores[i];

		assert_int_equal(core->n_literals, 2);
		assert_true(has_literal(core, 1, VTB_E_WRITE, 2, VTB_E_WRITE));
		assert_true(has_literal(core, 2, VTB_E_WRITE, 1, VTB_E_WRITE));
		assert_true(core->literals[0].before.var != core->literals[1].before.var);
		assert_true(core->smallest && core->exhausted && core->admitted_min > 0);
	}
	assert_int_not_equal(cores.cores[0].literals[0].before.thread, cores.cores[1].literals[0].before.thread);
	vtb_cores_fini(&cores);
}

/* if (x != 0) assert(x != 0) against x = 0: check < write and write < use. */
static void check_then_use_has_one_core_of_two_literals(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .start = { 1 } };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	read_(&p, 1, 0, 0);
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 2 });
	read_(&p, 1, 0, 1);
	prog_add(&p, 1, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 1, .k = 0 });
	write_(&p, 2, 0, 0);
	prog_join_all(&p);
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 1);
	assert_int_equal(cores.cores[0].n_literals, 2);
	assert_true(is_literal(&cores.cores[0].literals[0], 1, VTB_E_READ, 2, VTB_E_WRITE));
	assert_true(is_literal(&cores.cores[0].literals[1], 2, VTB_E_WRITE, 1, VTB_E_READ));
	assert_int_equal(cores.cores[0].literals[0].before.index + 1, cores.cores[0].literals[1].after.index);
	vtb_cores_fini(&cores);
}

/* A reader that comes before the writer: one literal, whose second operation had not been done when it failed. */
static void too_early_has_one_core_of_one_literal(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	write_(&p, 1, 0, 1);
	read_(&p, 2, 0, 0);
	prog_add(&p, 2, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 1 });
	prog_join_all(&p);
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 1);
	assert_int_equal(cores.cores[0].n_literals, 1);
	assert_true(is_literal(&cores.cores[0].literals[0], 2, VTB_E_READ, 1, VTB_E_WRITE));
	vtb_cores_fini(&cores);
}

static void increment(struct prog *p, int thread)
{
	read_(p, thread, 0, 0);
	prog_add(p, thread, (struct prog_instr){ .code = P_STORE, .obj = 0, .reg = 0, .k = 1 });
}

/* x++ twice: each read before the other's write, whichever write is last. */
static void a_lost_update_has_one_core_for_all_its_orders(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	increment(&p, 1);
	increment(&p, 2);
	prog_join_all(&p);
	read_(&p, 0, 0, 0);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 2 });
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 1);
	assert_int_equal(cores.cores[0].n_literals, 2);
	assert_true(has_literal(&cores.cores[0], 1, VTB_E_READ, 2, VTB_E_WRITE));
	assert_true(has_literal(&cores.cores[0], 2, VTB_E_READ, 1, VTB_E_WRITE));
	vtb_cores_fini(&cores);
}

static void lock_(struct prog *p, int thread, int lock, enum prog_code code)
{
	prog_add(p, thread, (struct prog_instr){ .code = code, .obj = lock });
}

/* Two locks in opposite orders: each thread's first before the other's second, neither of which took place. */
static void a_circle_of_locks_is_two_literals(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .n_locks = 2 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 2; t++) {
		lock_(&p, t, t - 1, P_LOCK);
		lock_(&p, t, 2 - t, P_LOCK);
		lock_(&p, t, 2 - t, P_UNLOCK);
		lock_(&p, t, t - 1, P_UNLOCK);
	}
	prog_join_all(&p);
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 1);
	assert_int_equal(cores.cores[0].n_literals, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(cores.cores[0].literals[i].before.kind, VTB_E_LOCK);
		assert_int_equal(cores.cores[0].literals[i].before.index, 2);
		assert_int_equal(cores.cores[0].literals[i].after.index, 0);
	}
	vtb_cores_fini(&cores);
}

/* A flag tested under the lock, set and signalled without it: what was tested, and the signal that nobody waited for.
 */
static void a_lost_wakeup_has_the_test_and_the_signal(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1, .n_locks = 1, .n_conds = 1 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	lock_(&p, 1, 0, P_LOCK);
	read_(&p, 1, 0, 0);
	prog_add(&p, 1, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 0, .n = 1 });
	prog_add(&p, 1, (struct prog_instr){ .code = P_WAIT, .obj = 0, .lock = 0 });
	lock_(&p, 1, 0, P_UNLOCK);
	write_(&p, 2, 0, 1);
	prog_add(&p, 2, (struct prog_instr){ .code = P_SIGNAL, .obj = 0 });
	prog_join_all(&p);
	cores_of(&p, 0, &cores);
	assert_true(cores.exhausted && cores.explained);
	assert_int_equal(cores.n_cores, 1);
	assert_int_equal(cores.cores[0].n_literals, 2);
	assert_true(has_literal(&cores.cores[0], 1, VTB_E_READ, 2, VTB_E_WRITE));
	assert_true(has_literal(&cores.cores[0], 2, VTB_E_COND_SIGNAL, 1, VTB_E_COND_WAIT));
	vtb_cores_fini(&cores);
}

static void a_program_that_always_fails_has_no_core(void **state)
{
	struct prog p = { .n_threads = 3, .n_vars = 1 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	write_(&p, 1, 0, 1);
	read_(&p, 2, 0, 0);
	prog_join_all(&p);
	read_(&p, 0, 0, 1);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 1, .k = 7 });
	cores_of(&p, 0, &cores);
	assert_int_equal(cores.n_cores, 0);
	assert_int_equal(cores.passing, 0);
	assert_false(cores.explained);
	vtb_cores_fini(&cores);
}

/* Too few runs for all classes: what is said then is that not all were made. */
static void a_budget_ends_it(void **state)
{
	struct prog p = { .n_threads = 4, .n_vars = 1 };
	struct vtb_cores cores;

	(void)state;
	prog_create_all(&p);
	for (int t = 1; t <= 3; t++) {
		increment(&p, t);
		increment(&p, t);
		increment(&p, t);
	}
	prog_join_all(&p);
	read_(&p, 0, 0, 0);
	prog_add(&p, 0, (struct prog_instr){ .code = P_ASSERT_EQ, .reg = 0, .k = 9 });
	cores_of(&p, 300, &cores);
	assert_false(cores.exhausted);
	assert_true(cores.runs <= 300 + 64);
	for (size_t i = 0; i < cores.n_cores; i++) {
		assert_false(cores.cores[i].exhausted);
		assert_true(cores.cores[i].n_literals > 0 && cores.cores[i].admitted_min > 0);
	}
	vtb_cores_fini(&cores);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_refute_are_told_whole),
		cmocka_unit_test(two_variables_have_two_cores_of_two_literals),
		cmocka_unit_test(check_then_use_has_one_core_of_two_literals),
		cmocka_unit_test(too_early_has_one_core_of_one_literal),
		cmocka_unit_test(a_lost_update_has_one_core_for_all_its_orders),
		cmocka_unit_test(a_circle_of_locks_is_two_literals),
		cmocka_unit_test(a_lost_wakeup_has_the_test_and_the_signal),
		cmocka_unit_test(a_program_that_always_fails_has_no_core),
		cmocka_unit_test(a_budget_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
