/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_program.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/error.h"
#include "vtb/wire.h"

/* ---- the programs */

#define END                    \
	{                      \
		FAKE_END, 0, 0 \
	}

static const struct fake_op account_main[] = { { FAKE_SET, 0, 100 },  { FAKE_WRITE, 0, 0 },   { FAKE_CREATE, 0, 1 },
	                                       { FAKE_CREATE, 0, 2 }, { FAKE_JOIN, 0, 1 },    { FAKE_JOIN, 0, 2 },
	                                       { FAKE_READ, 0, 0 },   { FAKE_CHECK, 0, 200 }, END };
static const struct fake_op account_deposit[] = { { FAKE_READ, 0, 0 }, { FAKE_ADD, 0, 50 }, { FAKE_WRITE, 0, 0 }, END };
const struct fake_program fake_account = { .threads = { account_main, account_deposit, account_deposit },
	                                   .n_threads = 3,
	                                   .vars = { "balance" },
	                                   .n_vars = 1 };

static const struct fake_op locked_main[] = { { FAKE_SET, 0, 100 },  { FAKE_WRITE, 0, 0 },   { FAKE_CREATE, 0, 1 },
	                                      { FAKE_CREATE, 0, 2 }, { FAKE_JOIN, 0, 1 },    { FAKE_JOIN, 0, 2 },
	                                      { FAKE_READ, 0, 0 },   { FAKE_CHECK, 0, 200 }, END };
static const struct fake_op locked_deposit[] = { { FAKE_LOCK, 1, 0 },  { FAKE_READ, 0, 0 },   { FAKE_ADD, 0, 50 },
	                                         { FAKE_WRITE, 0, 0 }, { FAKE_UNLOCK, 1, 0 }, END };
const struct fake_program fake_account_locked = { .threads = { locked_main, locked_deposit, locked_deposit },
	                                          .n_threads = 3,
	                                          .vars = { "balance", "lock" },
	                                          .n_vars = 2 };

static const struct fake_op cycle_main[] = {
	{ FAKE_CREATE, 0, 1 }, { FAKE_CREATE, 0, 2 }, { FAKE_JOIN, 0, 1 }, { FAKE_JOIN, 0, 2 }, END
};
static const struct fake_op cycle_ab[] = {
	{ FAKE_LOCK, 0, 0 }, { FAKE_LOCK, 1, 0 }, { FAKE_UNLOCK, 1, 0 }, { FAKE_UNLOCK, 0, 0 }, END
};
static const struct fake_op cycle_ba[] = {
	{ FAKE_LOCK, 1, 0 }, { FAKE_LOCK, 0, 0 }, { FAKE_UNLOCK, 0, 0 }, { FAKE_UNLOCK, 1, 0 }, END
};
const struct fake_program fake_lock_cycle = {
	.threads = { cycle_main, cycle_ab, cycle_ba }, .n_threads = 3, .vars = { "a", "b" }, .n_vars = 2
};

static const struct fake_op late_main[] = {
	{ FAKE_CREATE, 0, 1 }, { FAKE_SET, 0, 1 }, { FAKE_WRITE, 0, 0 }, { FAKE_JOIN, 0, 1 }, END
};
static const struct fake_op late_user[] = { { FAKE_READ, 0, 0 }, { FAKE_CHECK, 0, 1 }, END };
const struct fake_program fake_late_init = {
	.threads = { late_main, late_user }, .n_threads = 2, .vars = { "config" }, .n_vars = 1
};

static const struct fake_op signal_main[] = { { FAKE_CREATE, 0, 1 }, { FAKE_LOCK, 1, 0 }, { FAKE_SIGNAL, 0, 0 },
	                                      { FAKE_UNLOCK, 1, 0 }, { FAKE_JOIN, 0, 1 }, END };
static const struct fake_op signal_waiter[] = { { FAKE_LOCK, 1, 0 }, { FAKE_WAIT, 0, 1 }, { FAKE_UNLOCK, 1, 0 }, END };
const struct fake_program fake_lost_signal = {
	.threads = { signal_main, signal_waiter }, .n_threads = 2, .vars = { "ready", "lock" }, .n_vars = 2
};

/* The first must be stopped while x is 1, then the second while y is 1: neither alone fails. */
static const struct fake_op windows_main[] = {
	{ FAKE_CREATE, 0, 1 }, { FAKE_CREATE, 0, 2 }, { FAKE_JOIN, 0, 1 }, { FAKE_JOIN, 0, 2 }, END
};
static const struct fake_op windows_first[] = { { FAKE_SET, 0, 1 },
	                                        { FAKE_WRITE, 0, 0 },
	                                        { FAKE_SET, 0, 0 },
	                                        { FAKE_WRITE, 0, 0 },
	                                        { FAKE_READ, 1, 0 },
	                                        { FAKE_CHECK, 0, 0 },
	                                        END };
static const struct fake_op windows_second[] = { { FAKE_READ, 0, 0 },
	                                         { FAKE_SKIP0, 0, 4 },
	                                         { FAKE_SET, 0, 1 },
	                                         { FAKE_WRITE, 1, 0 },
	                                         { FAKE_SET, 0, 0 },
	                                         { FAKE_WRITE, 1, 0 },
	                                         END };
const struct fake_program fake_two_windows = {
	.threads = { windows_main, windows_first, windows_second }, .n_threads = 3, .vars = { "x", "y" }, .n_vars = 2
};

static const struct fake_op always_main[] = {
	{ FAKE_CREATE, 0, 1 }, { FAKE_JOIN, 0, 1 }, { FAKE_SET, 0, 1 }, { FAKE_CHECK, 0, 2 }, END
};
static const struct fake_op always_thread[] = { { FAKE_READ, 0, 0 }, END };
const struct fake_program fake_always = {
	.threads = { always_main, always_thread }, .n_threads = 2, .vars = { "x" }, .n_vars = 1
};

static const struct fake_op sequential_main[] = {
	{ FAKE_SET, 0, 1 }, { FAKE_WRITE, 0, 0 }, { FAKE_READ, 0, 0 }, { FAKE_CHECK, 0, 1 }, END
};
const struct fake_program fake_sequential = {
	.threads = { sequential_main }, .n_threads = 1, .vars = { "x" }, .n_vars = 1
};

/* ---- the machine */

struct state {
	struct fake_runner *fake;
	const struct vtb_schedule *schedule;
	struct vtb_exec *x;
	uint32_t at[FAKE_THREADS_MAX]; /* next operation */
	int64_t reg[FAKE_THREADS_MAX];
	bool born[FAKE_THREADS_MAX], begun[FAKE_THREADS_MAX], dead[FAKE_THREADS_MAX];
	bool waiting[FAKE_THREADS_MAX];      /* has done COND_WAIT and was not signalled */
	bool woken[FAKE_THREADS_MAX];        /* was signalled, needs the mutex */
	uint32_t done[FAKE_THREADS_MAX];     /* visible operations */
	uint32_t fragment[FAKE_THREADS_MAX]; /* 0: the thread itself, else n-th demotion */
	uint32_t demotions;
	uint32_t queue[FAKE_THREADS_MAX];
	uint32_t n_queue;
	int64_t mem[FAKE_VARS_MAX];
	uint32_t owner[FAKE_VARS_MAX]; /* of a lock: thread + 1; 0 free */
	bool freed[FAKE_VARS_MAX];
	size_t next_deviation;
	uint64_t random;
	bool over;
};

static const struct fake_op *op_of(const struct state *s, uint32_t t)
{
	return &s->fake->program->threads[t][s->at[t]];
}

static uint64_t next_random(struct state *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 7;
	s->random ^= s->random << 17;
	return s->random >> 11;
}

/* A constraint keeps the thread from its next operation until another has done its own. */
static bool held_back(const struct state *s, uint32_t t)
{
	for (size_t i = 0; i < s->schedule->n_constraints; i++) {
		const struct vtb_constraint *c = &s->schedule->constraints[i];

		if (c->after.thread == t && c->after.index == s->done[t] + 1 &&
		    s->done[c->before.thread] < c->before.index)
			return true;
	}
	return false;
}

static bool can_go_on(const struct state *s, uint32_t t)
{
	const struct fake_op *op;

	if (!s->born[t] || s->dead[t] || held_back(s, t))
		return false;
	if (!s->begun[t])
		return true;
	op = op_of(s, t);
	if (s->waiting[t])
		return false;
	if (s->woken[t])
		return !s->owner[op->arg];
	if (op->code == FAKE_LOCK)
		return !s->owner[op->var];
	return op->code != FAKE_JOIN || s->dead[op->arg];
}

static uint32_t site_of(const struct state *s, uint32_t t, uint32_t at)
{
	(void)s;
	return t * 16 + at;
}

static void fill_enabled(struct state *s)
{
	uint64_t mask = 0;

	for (uint32_t t = 0; t < s->fake->program->n_threads; t++)
		mask |= (uint64_t)can_go_on(s, t) << t;
	VTB_ASSERT(vtb_array_room(s->x, enabled) == 0);
	s->x->enabled[s->x->n_enabled++] = mask;
}

static struct vtb_event *emit(struct state *s, uint32_t t, uint8_t kind, uint32_t var)
{
	struct vtb_event e = { .thread = (uint16_t)t, .kind = kind, .var = var, .site = site_of(s, t, s->at[t]) };

	if (var != VTB_NONE) {
		e.addr = 0x1000 + 8 * var;
		e.size = 8;
	}
	e.aux = kind == VTB_E_COND_WAIT || kind == VTB_E_COND_WAKE ? VTB_NONE : 0;
	VTB_ASSERT(vtb_array_room(s->x, events) == 0);
	s->x->events[s->x->n_events++] = e;
	s->done[t]++;
	return &s->x->events[s->x->n_events - 1];
}

static void fail(struct state *s, uint32_t t, enum vtb_verdict verdict, const char *message, uint32_t site)
{
	s->x->outcome.verdict = verdict;
	s->x->outcome.thread = t;
	s->x->outcome.site = site;
	s->x->outcome.message = message;
	s->x->outcome.signature = vtb_symtab_printf(&s->fake->tab, "%s at %u", vtb_verdict_name(verdict), site);
	s->x->outcome.exit_status = 134;
	s->over = true;
}

static void with_value(struct vtb_event *e, int64_t value)
{
	e->value = (uint64_t)value;
	e->flags |= VTB_EVF_VALUE;
}

static void touch(struct state *s, uint32_t t, const struct fake_op *op)
{
	struct vtb_event *e = emit(s, t,
	                           op->code == FAKE_READ    ? VTB_E_READ
	                           : op->code == FAKE_WRITE ? VTB_E_WRITE
	                                                    : VTB_E_FREE,
	                           op->var);

	if (op->code == FAKE_READ)
		s->reg[t] = s->mem[op->var];
	else if (op->code == FAKE_WRITE)
		s->mem[op->var] = s->reg[t];
	if (op->code != FAKE_FREE)
		with_value(e, s->reg[t]);
	if (s->freed[op->var])
		fail(s, t, VTB_V_MEMORY, "used after it was freed", e->site);
	s->freed[op->var] |= op->code == FAKE_FREE;
}

static void signal_one(struct state *s, uint32_t t, const struct fake_op *op)
{
	with_value(emit(s, t, VTB_E_COND_SIGNAL, op->var), s->n_queue > 0);
	if (!s->n_queue)
		return;
	s->waiting[s->queue[0]] = false;
	s->woken[s->queue[0]] = true;
	s->n_queue--;
	memmove(s->queue, s->queue + 1, s->n_queue * sizeof(s->queue[0]));
}

/* Two halves: give the mutex back and queue; later, when signalled and the mutex is free, take it. */
static bool wait_step(struct state *s, uint32_t t, const struct fake_op *op)
{
	if (s->woken[t]) {
		emit(s, t, VTB_E_COND_WAKE, op->var)->aux = (uint32_t)op->arg;
		s->owner[op->arg] = t + 1;
		s->woken[t] = false;
		return true;
	}
	emit(s, t, VTB_E_COND_WAIT, op->var)->aux = (uint32_t)op->arg;
	s->owner[op->arg] = 0;
	s->waiting[t] = true;
	s->queue[s->n_queue++] = t;
	return false;
}

/* Invisible operations join the visible one before them. */
static void run_invisible(struct state *s, uint32_t t)
{
	for (;; s->at[t]++) {
		const struct fake_op *op = op_of(s, t);

		switch (op->code) {
		case FAKE_SET:
			s->reg[t] = op->arg;
			break;
		case FAKE_ADD:
			s->reg[t] += op->arg;
			break;
		case FAKE_SKIP0:
			s->at[t] += s->reg[t] == 0 ? (uint32_t)op->arg : 0;
			break;
		case FAKE_CHECK:
			if (s->reg[t] != op->arg && !s->over) {
				/* the failure is an operation of its own, but no other thread can come before it */
				fill_enabled(s);
				emit(s, t, VTB_E_FAIL, VTB_NONE)->aux = VTB_V_ASSERTION;
				fail(s, t, VTB_V_ASSERTION, "check failed", site_of(s, t, s->at[t]));
				return;
			}
			break;
		default:
			return;
		}
	}
}

static void step(struct state *s, uint32_t t)
{
	const struct fake_op *op = op_of(s, t);

	fill_enabled(s);
	if (!s->begun[t]) {
		emit(s, t, VTB_E_THREAD_BEGIN, VTB_NONE);
		s->begun[t] = true;
		run_invisible(s, t);
		return;
	}
	switch (op->code) {
	case FAKE_END:
		emit(s, t, t ? VTB_E_THREAD_END : VTB_E_PROCESS_EXIT, VTB_NONE);
		s->dead[t] = true;
		s->over |= t == 0;
		return;
	case FAKE_LOCK:
		emit(s, t, VTB_E_LOCK, op->var);
		s->owner[op->var] = t + 1;
		break;
	case FAKE_UNLOCK:
		emit(s, t, VTB_E_UNLOCK, op->var);
		s->owner[op->var] = 0;
		break;
	case FAKE_CREATE:
		emit(s, t, VTB_E_THREAD_CREATE, s->fake->program->n_vars + (uint32_t)op->arg);
		s->born[op->arg] = true;
		break;
	case FAKE_JOIN:
		emit(s, t, VTB_E_THREAD_JOIN, s->fake->program->n_vars + (uint32_t)op->arg);
		break;
	case FAKE_SIGNAL:
		signal_one(s, t, op);
		break;
	case FAKE_WAIT:
		if (!wait_step(s, t, op))
			return;
		break;
	default:
		touch(s, t, op);
		break;
	}
	s->at[t]++;
	if (!s->over)
		run_invisible(s, t);
}

/* ---- choosing */

static int64_t rank(const struct state *s, uint32_t t)
{
	const struct vtb_schedule *w = s->schedule;

	for (size_t i = 0; i < w->n_ranks; i++)
		if (s->fragment[t] ? w->ranks[i] == ((s->fragment[t] - 1) | VTB_RANK_FRAGMENT_BIT) : w->ranks[i] == t)
			return (int64_t)i;
	return (int64_t)(w->n_ranks + t + (s->fragment[t] ? 1000 + s->fragment[t] : 0));
}

static uint32_t best(const struct state *s)
{
	uint32_t found = VTB_NONE;

	for (uint32_t t = 0; t < s->fake->program->n_threads; t++)
		if (can_go_on(s, t) && (found == VTB_NONE || rank(s, t) < rank(s, found)))
			found = t;
	return found;
}

static uint32_t random_choice(struct state *s)
{
	uint32_t able[FAKE_THREADS_MAX], n = 0;

	for (uint32_t t = 0; t < s->fake->program->n_threads; t++)
		if (can_go_on(s, t))
			able[n++] = t;
	return n ? able[next_random(s) % n] : VTB_NONE;
}

static bool fires(const struct state *s, const struct vtb_deviation *d, uint32_t running)
{
	return d->after.thread == running && d->after.index == s->done[running];
}

static uint32_t choose(struct state *s, uint32_t running)
{
	const struct vtb_schedule *w = s->schedule;

	for (size_t i = 0; i < w->n_deviations; i++) {
		if (!fires(s, &w->deviations[i], running))
			continue;
		if (w->deviations[i].kind == VTB_DEV_SWITCH && w->deviations[i].target < s->fake->program->n_threads &&
		    can_go_on(s, w->deviations[i].target)) {
			s->next_deviation++;
			return w->deviations[i].target;
		}
		if (w->deviations[i].kind == VTB_DEV_DEMOTE) {
			s->next_deviation++;
			s->fragment[running] = ++s->demotions;
		}
	}
	if (w->policy == VTB_SCHEDULE_RANDOM)
		return random_choice(s);
	if (w->policy == VTB_SCHEDULE_RUN_TO_BLOCK && can_go_on(s, running))
		return running;
	return best(s);
}

static void end_stuck(struct state *s)
{
	for (uint32_t t = 0; t < s->fake->program->n_threads; t++) {
		const struct fake_op *op = s->born[t] && !s->dead[t] ? op_of(s, t) : NULL;
		struct vtb_event e = { .thread = (uint16_t)t, .site = op ? site_of(s, t, s->at[t]) : 0 };

		if (!op)
			continue;
		e.kind = op->code == FAKE_LOCK   ? VTB_E_LOCK
		         : op->code == FAKE_WAIT ? VTB_E_COND_WAKE
		         : op->code == FAKE_JOIN ? VTB_E_THREAD_JOIN
		         : op->code == FAKE_READ ? VTB_E_READ
		                                 : VTB_E_WRITE;
		e.var = op->code == FAKE_JOIN ? s->fake->program->n_vars + (uint32_t)op->arg : op->var;
		e.aux = e.kind;
		e.kind = VTB_E_PENDING;
		e.addr = 0x1000 + 8 * e.var;
		e.size = 8;
		VTB_ASSERT(vtb_array_room(s->x, pending) == 0);
		s->x->pending[s->x->n_pending++] = e;
	}
}

static bool any_held_back(const struct state *s)
{
	for (uint32_t t = 0; t < s->fake->program->n_threads; t++)
		if (s->born[t] && !s->dead[t] && held_back(s, t))
			return true;
	return false;
}

static bool circle(const struct state *s)
{
	for (uint32_t t = 0; t < s->fake->program->n_threads; t++)
		if (s->born[t] && !s->dead[t] && s->begun[t] && op_of(s, t)->code == FAKE_LOCK)
			return true;
	return false;
}

static void execute(struct state *s)
{
	uint32_t running = 0;

	s->born[0] = s->begun[0] = true;
	run_invisible(s, 0);
	while (!s->over) {
		const uint32_t t = choose(s, running);

		if (t == VTB_NONE && any_held_back(s)) {
			s->x->outcome.verdict = VTB_V_INFEASIBLE;
			break;
		}
		if (t == VTB_NONE) {
			fail(s, VTB_NONE, circle(s) ? VTB_V_DEADLOCK : VTB_V_CONDITION_DEADLOCK, "", 0);
			break;
		}
		running = t;
		step(s, t);
	}
	if (s->x->outcome.verdict != VTB_V_NONE)
		end_stuck(s);
	for (size_t i = 0; i < s->x->n_events; i++)
		vtb_event_classify(&s->x->events[i]);
	s->x->outcome.points = s->x->n_events;
}

static int run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n, struct vtb_exec *execs,
               struct vtb_error *err)
{
	struct fake_runner *fake = (struct fake_runner *)runner;

	for (size_t i = 0; i < n; i++) {
		struct state s = { .fake = fake,
			           .schedule = schedules[i],
			           .x = &execs[i],
			           .random = schedules[i]->seed * 0x9e3779b97f4a7c15ull + 0x2545f4914f6cdd1dull };

		runner->schedules++;
		if (fake->fail_after && runner->schedules > fake->fail_after) {
			for (size_t j = 0; j < i; j++)
				vtb_exec_fini(&execs[j]);
			return vtb_error_set(err, -VTB_E_TARGET, NULL, 0, "the fake target is gone");
		}
		execs[i] = (struct vtb_exec){ .stride = 1,
			                      .outcome = { .verdict = VTB_V_NONE,
			                                   .thread = VTB_NONE,
			                                   .site = VTB_NONE,
			                                   .var = VTB_NONE,
			                                   .message = "",
			                                   .signature = "" } };
		execute(&s);
		if (fake->diverge_every && runner->schedules % fake->diverge_every == 0)
			execs[i].outcome.flags |= VTB_OUT_DIVERGED;
		if (fake->forgetful && runner->schedules > 1 && schedules[i]->policy == VTB_SCHEDULE_RUN_TO_BLOCK) {
			execs[i].outcome.verdict = VTB_V_NONE;
			execs[i].outcome.signature = "";
		}
	}
	return 0;
}

static size_t batch(const struct vtb_runner *runner)
{
	const struct fake_runner *fake = (const struct fake_runner *)runner;

	return fake->batch_size ? fake->batch_size : 1;
}

static void end(struct vtb_runner *runner)
{
	vtb_symtab_fini(((struct fake_runner *)runner)->base.tab);
}

static const struct vtb_runner_ops ops = { .name = "fake", .run = run, .batch = batch, .free = end };

static void add_names(struct fake_runner *fake, const struct fake_program *program)
{
	for (uint32_t t = 0; t < program->n_threads; t++)
		VTB_ASSERT(vtb_symtab_thread(&fake->tab, t ? 0 : VTB_NONE, t ? t - 1 : 0) == t);
	for (uint32_t v = 0; v < program->n_vars + program->n_threads; v++) {
		const bool thread = v >= program->n_vars;
		const char *name = thread ? vtb_symtab_printf(&fake->tab, "thread %s",
		                                              vtb_thread_path(&fake->tab, v - program->n_vars))
		                          : program->vars[v];
		const int64_t object = vtb_symtab_add_object(
		    &fake->tab, &(struct vtb_object){ .kind = thread ? VTB_OBJ_THREAD : VTB_OBJ_GLOBAL,
		                                      .name = name,
		                                      .key = v + 1,
		                                      .size = 8,
		                                      .thread = thread ? v - program->n_vars : VTB_NONE,
		                                      .site = VTB_NONE });

		VTB_ASSERT(vtb_symtab_add_variable(&fake->tab, &(struct vtb_variable){ .object = (uint32_t)object,
		                                                                       .size = 8,
		                                                                       .name = name,
		                                                                       .type = "long" }) == v);
	}
	for (uint32_t site = 0; site < program->n_threads * 16; site++)
		vtb_symtab_add_site(&fake->tab,
		                    &(struct vtb_site){ .module = VTB_NONE,
		                                        .offset = site,
		                                        .function = site < 16 ? "main" : "work",
		                                        .file = "fake.c",
		                                        .line = 100 * (site / 16) + site % 16 + 1,
		                                        .function_line = 100 * (site / 16) + 1,
		                                        .text = vtb_symtab_printf(&fake->tab, "line %u;",
		                                                                  100 * (site / 16) + site % 16 + 1),
		                                        .instruction = "" });
}

void fake_runner_init(struct fake_runner *fake, const struct fake_program *program)
{
	*fake = (struct fake_runner){ .program = program };
	fake->base.ops = &ops;
	fake->base.tab = &fake->tab;
	add_names(fake, program);
}

struct vtb_exec fake_run(struct fake_runner *fake, const struct vtb_schedule *schedule)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK };
	struct vtb_exec x;

	schedule = schedule ? schedule : &standard;
	VTB_ASSERT(vtb_runner_run(&fake->base, &schedule, 1, &x, NULL) == 0);
	return x;
}

struct vtb_exec fake_find(struct fake_runner *fake, uint64_t seed)
{
	for (;; seed++) {
		const struct vtb_schedule random = { .policy = VTB_SCHEDULE_RANDOM, .seed = seed };
		struct vtb_exec x = fake_run(fake, &random);

		if (x.outcome.verdict != VTB_V_NONE)
			return x;
		vtb_exec_fini(&x);
	}
}
