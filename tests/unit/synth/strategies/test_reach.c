/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which variables two threads can reach, told by the code: cvt tries those first of all that no run has shown to be
 * shared, leaves none out, and says where it knows it from. */
#include "agree.h"

#include "prog_slice.h"

enum { OWN, LATE, FLAG }; /* variables */

/* Thread 1 alone touches OWN, once. LATE is touched more often, and by thread 2 only if it finds FLAG set, which the
 * first runs do not show. */
static void make(struct prog *p)
{
	*p = (struct prog){ .n_threads = 3, .n_vars = 3, .n_locks = 1, .n_conds = 1 };
	prog_create_all(p);
	prog_add(p, 1, (struct prog_instr){ .code = P_READ, .obj = OWN, .reg = 1 });
	for (int i = 0; i < 3; i++)
		prog_add(p, 1, (struct prog_instr){ .code = P_READ, .obj = LATE, .reg = 1 });
	prog_add(p, 1, (struct prog_instr){ .code = P_WRITE, .obj = FLAG, .k = 1 });
	prog_add(p, 1, (struct prog_instr){ .code = P_WRITE, .obj = FLAG, .k = 0 });
	prog_add(p, 2, (struct prog_instr){ .code = P_READ, .obj = FLAG, .reg = 0 });
	prog_add(p, 2, (struct prog_instr){ .code = P_SKIP, .reg = 0, .k = 1, .n = 1 });
	prog_add(p, 2, (struct prog_instr){ .code = P_WRITE, .obj = LATE, .k = 2 });
	prog_join_all(p);
}

/* Everything matters; nobody but thread 1 can reach OWN. */
static uint32_t matters(void *data, uint32_t site)
{
	const struct prog *p = data;
	const uint32_t t = site / PROG_SLICE_SITES, i = site % PROG_SLICE_SITES - 1;
	const struct prog_instr *in = t == 1 && i < (uint32_t)p->threads[1].n ? &p->threads[1].code[i] : NULL;

	return VTB_PREDICATE_MATTERS | (in && in->code == P_READ && in->obj == OWN ? VTB_PREDICATE_ALONE : 0u);
}

static int add_nothing(void *data, uint32_t site)
{
	(void)data;
	(void)site;
	return 0;
}

struct stops {
	uint64_t runs, first[3]; /* run with the first stop at each variable; 0: none */
};

static void look(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct stops *n = data;

	(void)search;
	(void)x;
	(void)class_id;
	(void)new_class;
	n->runs++;
	for (size_t i = 0; i < s->n_deviations; i++)
		for (uint32_t var = 0; var < 3; var++)
			if (s->deviations[i].var == var && !n->first[var])
				n->first[var] = n->runs;
}

static struct stops search_it(struct prog *p, bool sliced, struct vtb_claim *claim)
{
	const struct vtb_predicate_source source = { .matters = matters, .add = add_nothing, .data = p };
	const struct vtb_predicate_opts how = { .faults = true };
	struct stops n = { 0 };
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = look, .data = &n };
	struct vtb_predicate *predicate = NULL;
	struct vtb_runner *runner = prog_runner(p);
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	assert_int_equal(sliced ? vtb_predicate_new(&source, &how, &predicate) : 0, 0);
	opts.strategy = "cvt";
	opts.c = opts.v = 1;
	opts.predicate = predicate;
	assert_int_equal(vtb_strategies_begin(runner, &opts, &search, NULL), 0);
	vtb_search_run(search, &calls, NULL);
	vtb_search_claim(search, claim);
	vtb_search_free(search);
	vtb_predicate_free(predicate);
	vtb_runner_free(runner);
	return n;
}

static void what_the_code_lets_two_threads_reach_comes_first(void **state)
{
	struct vtb_claim by_runs, by_slices;
	struct stops runs, slices;
	struct prog p;

	(void)state;
	make(&p);
	runs = search_it(&p, false, &by_runs);
	slices = search_it(&p, true, &by_slices);
	print_message("stops at what one thread touches, at what two can: runs %llu %llu, slices %llu %llu\n",
	              (unsigned long long)runs.first[OWN], (unsigned long long)runs.first[LATE],
	              (unsigned long long)slices.first[OWN], (unsigned long long)slices.first[LATE]);
	assert_true(runs.first[OWN] < runs.first[LATE]); /* the rarer one */
	assert_true(slices.first[LATE] < slices.first[OWN]);
	assert_true(slices.first[OWN] > 0); /* last, and not left out */
	assert_int_equal(runs.runs, slices.runs);
}

static void it_is_said_who_told(void **state)
{
	struct vtb_claim by_runs, by_slices;
	struct prog p;

	(void)state;
	make(&p);
	search_it(&p, false, &by_runs);
	search_it(&p, true, &by_slices);
	assert_non_null(strstr(by_runs.text, "learnt from the runs"));
	assert_non_null(strstr(by_slices.text, "told by slices of the code"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_code_lets_two_threads_reach_comes_first),
		cmocka_unit_test(it_is_said_who_told),
	};

	return cmocka_run_group_tests_name("reach", tests, NULL, NULL);
}
