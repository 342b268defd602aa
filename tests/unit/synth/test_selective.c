/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches that leave accesses out of runs, against the same searches that see everything. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "prog.h"
#include "selective/selective.h"
#include "vtb/rng.h"
#include "vtb/strategies.h"
#include "vtb/wire.h"

/* ---- a runner that can leave accesses out: it finds the numbers of operations by trying, deviation after deviation */

struct quiet_runner {
	struct vtb_runner base;
	struct vtb_runner *inner;
	uint8_t *quiet;
	size_t n_quiet;
	uint64_t switched;
	bool disobeys; /* shows quiet accesses all the same */
	bool lies;     /* quiet runs fail */
};

static struct quiet_runner *of(const struct vtb_runner *runner)
{
	return (struct quiet_runner *)(uintptr_t)runner;
}

static bool hidden(const struct quiet_runner *q, const struct vtb_event *e)
{
	return (e->kind == VTB_E_READ || e->kind == VTB_E_WRITE) && e->site < q->n_quiet && q->quiet[e->site];
}

/* After which operation of all does a thread stop that is to stop after the index-th of those that are seen? Before the
 * next of them: until then nobody notices what it does. UINT32_MAX: there are not so many. */
static uint32_t full_index(const struct quiet_runner *q, const struct vtb_exec *x, uint32_t thread, uint32_t index)
{
	uint32_t all = 0, seen = 0;

	for (size_t i = 0; index && i < x->n_events; i++) {
		if (x->events[i].thread != thread || x->events[i].kind == VTB_E_FAIL)
			continue;
		seen += !hidden(q, &x->events[i]);
		if (seen > index)
			return all;
		all++;
	}
	return !index ? 0 : seen == index ? all : UINT32_MAX;
}

static void leave_out(const struct quiet_runner *q, struct vtb_exec *x)
{
	size_t to = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		if (hidden(q, &x->events[i]))
			continue;
		x->events[to] = x->events[i];
		memmove(x->enabled + to * x->stride, x->enabled + i * x->stride, x->stride * sizeof(*x->enabled));
		to++;
	}
	x->n_events = to;
	x->n_enabled = to * x->stride;
}

static void run_one(struct quiet_runner *q, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_schedule full;
	const struct vtb_schedule *const one = &full;
	const size_t n = s->n_deviations;

	assert_int_equal(vtb_schedule_copy(s, &full), 0);
	for (size_t k = 0; k <= n; k++) {
		full.n_deviations = k;
		*x = (struct vtb_exec){ 0 };
		assert_int_equal(vtb_runner_run(q->inner, &one, 1, x, NULL), 0);
		if (k == n)
			break;
		full.deviations[k].after.index =
		    full_index(q, x, full.deviations[k].after.thread, s->deviations[k].after.index);
		vtb_exec_fini(x);
	}
	full.n_deviations = n;
	vtb_schedule_fini(&full);
	if (!q->disobeys)
		leave_out(q, x);
	if (q->lies && q->n_quiet) {
		x->outcome.verdict = VTB_V_ASSERTION;
		x->outcome.thread = 0;
	}
}

static int quiet_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                     struct vtb_exec *execs, struct vtb_error *err)
{
	(void)err;
	for (size_t i = 0; i < n; i++)
		run_one(of(runner), schedules[i], &execs[i]);
	runner->schedules += n;
	return 0;
}

static size_t quiet_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return SELECTIVE_BATCH;
}

static void quiet_free(struct vtb_runner *runner)
{
	vtb_runner_free(of(runner)->inner);
	free(of(runner)->quiet);
	free(of(runner));
}

static int64_t quiet_set(struct vtb_runner *runner, uint8_t *quiet, size_t n)
{
	struct quiet_runner *q = of(runner);
	int64_t off = 0;

	free(q->quiet);
	q->quiet = malloc(n + 1);
	assert_non_null(q->quiet);
	q->n_quiet = n;
	q->switched++;
	for (size_t i = 0; i < n; i++)
		off += q->quiet[i] = quiet[i];
	return off;
}

static const struct vtb_runner_ops quiet_ops = {
	.name = "quiet", .run = quiet_run, .batch = quiet_batch, .free = quiet_free, .quiet = quiet_set
};

static struct quiet_runner *quiet_runner(const struct prog *p)
{
	struct quiet_runner *q = calloc(1, sizeof(*q));

	assert_non_null(q);
	q->inner = prog_runner(p);
	q->base = (struct vtb_runner){ .ops = &quiet_ops, .tab = q->inner->tab };
	return q;
}

/* ---- what a search has shown */

struct shown {
	uint64_t ends[4096]; /* distinct (outcome, c, v of the schedule) */
	size_t n;
	uint64_t again; /* schedules run whole that had been run in part */
	uint64_t failing;
};

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct shown *d = data;
	const uint64_t end = x->outcome.output_hash * 1000003u + s->tuple.c * 16u + s->tuple.v;

	(void)search;
	(void)class_id;
	(void)new_class;
	d->failing += x->outcome.verdict != VTB_V_NONE;
	assert_true(!x->partial || x->outcome.verdict == VTB_V_NONE);
	for (size_t i = 0; i < d->n; i++)
		if (d->ends[i] == end)
			return;
	assert_true(d->n < sizeof(d->ends) / sizeof(d->ends[0]));
	d->ends[d->n++] = end;
}

static void search_with(struct quiet_runner *q, const char *strategy, uint32_t t, enum vtb_search_selective selective,
                        uint64_t budget, struct shown *d, struct vtb_search_stats *stats)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = d };
	struct vtb_search_opts opts;
	struct vtb_search *search;

	vtb_search_opts_init(&opts);
	opts.strategy = strategy;
	opts.t = t;
	opts.seed = 5;
	opts.selective = selective;
	opts.symmetry = false;
	opts.budget = budget;
	*d = (struct shown){ 0 };
	assert_int_equal(vtb_strategies_begin(&q->base, &opts, &search, NULL), 0);
	assert_true(vtb_search_run(search, &calls, NULL) >= 0);
	*stats = *vtb_search_stats(search);
	vtb_search_free(search);
	assert_int_equal(q->n_quiet, 0); /* whoever comes next sees everything */
}

static bool has(const struct shown *d, uint64_t end)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->ends[i] == end)
			return true;
	return false;
}

/* Longer than those for brute force, as there must be more schedules than sites are changed for, and without what fails
 * most of the time. */
static void random_program(struct prog *p, unsigned seed)
{
	uint64_t rng = vtb_mix64(seed + 99);

	memset(p, 0, sizeof(*p));
	p->n_threads = 3;
	p->n_vars = p->n_locks = 3;
	p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < p->n_threads; t++)
		for (int i = 0; i < 5; i++) {
			const int var = (int)vtb_rng_below(&rng, 3), lock = (int)vtb_rng_below(&rng, 8);

			if (lock < p->n_locks)
				prog_add(p, t, (struct prog_instr){ .code = P_LOCK, .obj = lock });
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = var, .reg = 0 });
			prog_add(
			    p, t,
			    (struct prog_instr){
			        .code = P_STORE, .obj = (var + (int)vtb_rng_below(&rng, 2)) % 3, .reg = 0, .k = 1 });
			if (lock < p->n_locks)
				prog_add(p, t, (struct prog_instr){ .code = P_UNLOCK, .obj = lock });
		}
	prog_add(p, 1, (struct prog_instr){ .code = P_READ, .obj = 0, .reg = 0 });
	prog_add(p, 1, (struct prog_instr){ .code = P_ASSERT_NE, .reg = 0, .k = 1 + (int)vtb_rng_below(&rng, 4) });
	prog_join_all(p);
}

static void cvt_shows_the_same_with_and_without(void **state)
{
	static struct shown with, without;
	struct vtb_search_stats stats[2];
	uint64_t partial = 0;

	(void)state;
	for (unsigned seed = 11 - CASES(11); seed < 11; seed++) { /* the eleventh is the one with runs in part */
		struct prog p;
		struct quiet_runner *q;

		random_program(&p, seed);
		q = quiet_runner(&p);
		search_with(q, "cvt", 2, VTB_SELECTIVE_OFF, 0, &without, &stats[0]);
		assert_int_equal(stats[0].partial, 0);
		search_with(q, "cvt", 2, VTB_SELECTIVE_ON, 0, &with, &stats[1]);
		partial += stats[1].partial;
		if (with.n != without.n) {
			prog_print(&p);
			fail_msg("program %u: %zu different ends, without %zu", seed, with.n, without.n);
		}
		for (size_t i = 0; i < without.n; i++)
			assert_true(has(&with, without.ends[i]));
		if (stats[1].selective_off &&
		    !strstr(stats[1].selective_off, "too many runs")) /* of programs that fail most of the time */
			fail_msg("program %u: given up after %llu runs, because %s", seed,
			         (unsigned long long)stats[1].partial, stats[1].selective_off);
		assert_true(stats[1].schedules >= stats[0].schedules);
		assert_true(stats[1].schedules <= stats[0].schedules + stats[1].partial);
		vtb_runner_free(&q->base);
	}
	print_message("%llu runs in part\n", (unsigned long long)partial);
	assert_true(partial > 100);
}

/* Many threads, few of their operations on what is shared: orders are drawn, nothing has to be run twice. */
static void wide(struct prog *p)
{
	memset(p, 0, sizeof(*p));
	p->n_threads = 7;
	p->n_vars = 4;
	p->n_locks = p->n_conds = 1;
	prog_create_all(p);
	for (int t = 1; t < p->n_threads; t++)
		for (int i = 0; i < 8; i++) {
			prog_add(p, t, (struct prog_instr){ .code = P_READ, .obj = (t + i) % p->n_vars, .reg = 0 });
			prog_add(p, t,
			         (struct prog_instr){ .code = P_STORE, .obj = (t + i) % p->n_vars, .reg = 0, .k = 1 });
		}
	prog_join_all(p);
}

static void the_order_of_search_is_the_same(void **state)
{
	static struct shown with, without;
	struct vtb_search_stats stats[2];
	struct prog p;
	struct quiet_runner *q;

	(void)state;
	wide(&p);
	q = quiet_runner(&p);
	search_with(q, "cvt", 2, VTB_SELECTIVE_OFF, 6000, &without, &stats[0]);
	search_with(q, "cvt", 2, VTB_SELECTIVE_ON, 6000, &with, &stats[1]);
	assert_true(stats[1].partial > 200);
	assert_int_equal(stats[0].schedules, stats[1].schedules);
	assert_int_equal(with.n, without.n);
	assert_memory_equal(with.ends, without.ends,
	                    with.n * sizeof(with.ends[0])); /* in the order in which they showed */
	assert_true(stats[1].classes < stats[0].classes);
	assert_true(q->switched <= 2 + stats[1].schedules / SELECTIVE_BATCH * 2);
	vtb_runner_free(&q->base);
}

static void a_program_that_is_not_quiet_ends_it(void **state)
{
	static struct shown d;
	struct vtb_search_stats stats;
	struct prog p;
	struct quiet_runner *q;

	(void)state;
	wide(&p);
	q = quiet_runner(&p);
	q->disobeys = true;
	search_with(q, "cvt", 2, VTB_SELECTIVE_ON, 6000, &d, &stats);
	assert_int_equal(stats.partial, 0);
	assert_int_equal(stats.redone, SELECTIVE_BATCH - 1);
	vtb_runner_free(&q->base);
}

static void a_failure_that_is_none_ends_it(void **state)
{
	static struct shown d;
	struct vtb_search_stats stats;
	struct prog p;
	struct quiet_runner *q;

	(void)state;
	wide(&p);
	q = quiet_runner(&p);
	q->lies = true;
	search_with(q, "cvt", 2, VTB_SELECTIVE_ON, 6000, &d, &stats);
	assert_int_equal(d.failing, 0); /* only runs that show everything are reported */
	assert_int_equal(stats.failing, 0);
	assert_int_equal(stats.partial, 0);
	assert_int_equal(stats.redone, SELECTIVE_BATCH - 1);
	vtb_runner_free(&q->base);
}

static void exhaust_and_auto_on_small_programs_see_everything(void **state)
{
	static struct shown d;
	struct vtb_search_stats stats;
	struct prog p;
	struct quiet_runner *q;

	(void)state;
	wide(&p);
	q = quiet_runner(&p);
	search_with(q, "cvt", 2, VTB_SELECTIVE_AUTO, 6000, &d, &stats);
	assert_int_equal(stats.partial, 0);
	assert_int_equal(q->switched, 0);
	vtb_runner_free(&q->base);
}

/* ---- which sites stay on */

struct fixture {
	struct quiet_runner *q;
	struct vtb_selective s;
	struct vtb_event events[32];
	uint64_t enabled[32];
	struct vtb_exec x;
};

static void begin(struct fixture *f, struct prog *p)
{
	wide(p);
	p->heap = true;
	*f = (struct fixture){ .q = quiet_runner(p) };
	vtb_selective_init(&f->s, &f->q->base, VTB_SELECTIVE_ON);
	f->x = (struct vtb_exec){ .events = f->events, .enabled = f->enabled, .stride = 1 };
}

static void end(struct fixture *f)
{
	vtb_selective_fini(&f->s);
	vtb_runner_free(&f->q->base);
}

static void add(struct fixture *f, uint8_t kind, uint16_t thread, uint32_t var, uint32_t site)
{
	f->enabled[f->x.n_events] = 0xff;
	f->events[f->x.n_events++] =
	    (struct vtb_event){ .kind = kind, .thread = thread, .var = var, .site = site, .size = 4 };
	f->x.n_enabled = f->x.n_events;
}

/* What 64 schedules that deviate at `var` can do without. */
static const uint8_t *quiet_for(struct fixture *f, uint32_t var)
{
	static struct vtb_plan plans[SELECTIVE_BATCH];
	static struct vtb_past past;
	uint8_t how[SELECTIVE_BATCH];

	for (size_t i = 0; i < SELECTIVE_BATCH; i++)
		plans[i] = (struct vtb_plan){ .past = &past, .vars = { var }, .n_vars = 1 };
	vtb_selective_end(&f->s);
	assert_int_equal(vtb_selective_choose(&f->s, plans, SELECTIVE_BATCH, how), 0);
	assert_int_equal(how[0], VTB_RUN_WHOLE);
	assert_int_equal(vtb_selective_begin(&f->s, plans, SELECTIVE_BATCH), 0);
	return f->s.is_on ? f->s.quiet : NULL;
}

static void only_sites_of_other_variables_are_quiet(void **state)
{
	struct prog p;
	struct fixture f;
	const uint8_t *quiet;

	(void)state;
	begin(&f, &p);
	add(&f, VTB_E_READ, 0, 0, 9); /* the first of its thread */
	add(&f, VTB_E_READ, 0, 0, 10);
	add(&f, VTB_E_WRITE, 0, 1, 11);
	add(&f, VTB_E_READ, 0, 0, 12); /* both */
	add(&f, VTB_E_READ, 0, 1, 12);
	add(&f, VTB_E_READ, 0, 1, 13); /* an access and something else */
	add(&f, VTB_E_ATOMIC_LOAD, 0, 1, 13);
	add(&f, VTB_E_READ, 0, 1, 15);        /* where a thread may be stopped because another goes on */
	add(&f, VTB_E_READ, 0, VTB_NONE, 14); /* nobody knows what it touches */
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	quiet = quiet_for(&f, 0);
	assert_non_null(quiet);
	assert_int_equal(f.s.n_quiet, 16);
	for (size_t i = 0; i < f.s.n_quiet; i++)
		assert_int_equal(quiet[i], i == 11);
	quiet = quiet_for(&f, 1);
	for (size_t i = 0; i < f.s.n_quiet; i++)
		assert_int_equal(quiet[i], i == 10);
	end(&f);
}

static void blocks_freed_while_others_live_are_looked_at(void **state)
{
	struct prog p;
	struct fixture f;

	(void)state;
	begin(&f, &p);
	add(&f, VTB_E_THREAD_BEGIN, 0, VTB_NONE, 9);
	add(&f, VTB_E_READ, 0, 0, 10);
	add(&f, VTB_E_WRITE, 0, 1, 11);
	add(&f, VTB_E_WRITE, 0, 2, 12);
	add(&f, VTB_E_FREE, 0, 2, 15); /* nobody else can touch it afterwards */
	add(&f, VTB_E_THREAD_CREATE, 0, VTB_NONE, 16);
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	assert_int_equal(quiet_for(&f, 0)[11], 1);
	assert_int_equal(f.s.quiet[12], 1);
	f.x.n_events = f.x.n_enabled = 0; /* a quiet run */
	add(&f, VTB_E_THREAD_CREATE, 0, VTB_NONE, 16);
	add(&f, VTB_E_FREE, 0, 1, 17);
	assert_int_equal(vtb_selective_again(&f.s, &(struct vtb_plan){ 0 }, &f.x),
	                 1); /* with everything, if a quiet run shows that */
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	assert_int_equal(quiet_for(&f, 0)[11], 0);
	assert_int_equal(f.s.quiet[12], 1);
	end(&f);
}

/* A thread that is to stop after operation 2 does so before operation 3: that one must be seen. */
static void the_operation_before_which_a_thread_stops_is_seen(void **state)
{
	static struct vtb_plan plans[SELECTIVE_BATCH];
	static const uint16_t ops[][2] = { { 9, 0 }, { 10, 0 }, { 11, 1 }, { 11, 0 }, { 12, 0 } }; /* site, thread */
	struct vtb_past past = { 0 };
	uint8_t how[SELECTIVE_BATCH];
	struct vtb_schedule numbered;
	struct prog p;
	struct fixture f;

	(void)state;
	begin(&f, &p);
	add(&f, VTB_E_THREAD_BEGIN, 0, VTB_NONE, 8);
	add(&f, VTB_E_READ, 0, 1, 9);
	add(&f, VTB_E_READ, 0, 1, 12);
	add(&f, VTB_E_READ, 0, 0, 10);
	add(&f, VTB_E_READ, 0, 2, 11);
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	f.s.sites[9].pinned = false;
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		assert_int_equal(vtb_past_add(&past, &(struct vtb_event){ .thread = ops[i][1], .site = ops[i][0] }), 0);
	for (size_t i = 0; i < SELECTIVE_BATCH; i++) {
		plans[i] = (struct vtb_plan){ .past = &past, .vars = { 0 }, .n_vars = 1 };
		assert_int_equal(vtb_schedule_deviate(&plans[i].schedule, 0, 2, VTB_DEV_DEMOTE, 0, 0, 1), 0);
	}
	assert_int_equal(vtb_selective_choose(&f.s, plans, SELECTIVE_BATCH, how), 0);
	assert_int_equal(vtb_selective_begin(&f.s, plans, SELECTIVE_BATCH), 0);
	assert_true(f.s.is_on);
	assert_memory_equal(&f.s.quiet[9], ((uint8_t[]){ 1, 0, 0, 1 }), 4);
	assert_int_equal(vtb_selective_schedule(&f.s, &plans[1], &numbered), 1);
	assert_int_equal(numbered.deviations[0].after.index, 1);
	vtb_schedule_fini(&numbered);
	for (size_t i = 0; i < SELECTIVE_BATCH; i++)
		vtb_schedule_fini(&plans[i].schedule);
	vtb_past_fini(&past);
	end(&f);
}

static void what_makes_accesses_decide_rules_it_out(void **state)
{
	static const uint8_t kinds[] = { VTB_E_YIELD, VTB_E_SIGNAL_HANDLE, VTB_E_THREAD_CANCEL };
	struct prog p;
	struct fixture f;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds); i++) {
		begin(&f, &p);
		add(&f, VTB_E_READ, 0, 0, 10);
		assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
		assert_true(vtb_selective_wants(&f.s));
		add(&f, kinds[i], 0, VTB_NONE, 11);
		assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
		assert_false(vtb_selective_wants(&f.s));
		end(&f);
	}
	begin(&f, &p); /* thread 1 stands at a read and is not let go on */
	add(&f, VTB_E_READ, 1, 0, 10);
	add(&f, VTB_E_WRITE, 0, 1, 11);
	add(&f, VTB_E_READ, 1, 0, 10);
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	assert_true(vtb_selective_wants(&f.s));
	f.enabled[1] = 1;
	assert_int_equal(vtb_selective_learn(&f.s, &f.x), 0);
	assert_false(vtb_selective_wants(&f.s));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cvt_shows_the_same_with_and_without),
		cmocka_unit_test(the_order_of_search_is_the_same),
		cmocka_unit_test(a_program_that_is_not_quiet_ends_it),
		cmocka_unit_test(a_failure_that_is_none_ends_it),
		cmocka_unit_test(exhaust_and_auto_on_small_programs_see_everything),
		cmocka_unit_test(only_sites_of_other_variables_are_quiet),
		cmocka_unit_test(blocks_freed_while_others_live_are_looked_at),
		cmocka_unit_test(the_operation_before_which_a_thread_stops_is_seen),
		cmocka_unit_test(what_makes_accesses_decide_rules_it_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
