/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "simulate_at.h"

struct sim_thread {
	uint32_t first, end; /* its operations, in simulation.ops */
	uint32_t next;
	uint32_t stop;       /* it does nothing from here on; end: it does all */
	bool recorded_birth; /* its creation is in the trace; if not, it is there from the start */
};

struct simulation {
	struct vtb_runner runner;
	struct vtb_machine machine;
	struct vtb_machine_scratch scratch;
	const struct vtb_trace *trace;
	struct vtb_sync_op *ops; /* by thread, then in the order recorded */
	uint32_t *event_of;      /* operation -> event of the trace */
	size_t n_ops;
	struct sim_thread *threads;
	uint32_t *object_of; /* variable -> object number in the model, VTB_SYNC_NONE for plain data */
	uint32_t n_objects;
	struct vtb_sync_start *start; /* one per object */
	struct vtb_sync origin;       /* state in which runs begin, if `moved` */
	uint32_t *passed;             /* by thread: operations before it */
	uint32_t stretch;             /* operations of each thread from there on */
	bool moved;
};

/* ---- the machine */

static struct simulation *of_machine(const struct vtb_machine *m)
{
	return (struct simulation *)((char *)(uintptr_t)m - offsetof(struct simulation, machine));
}

/* The state before the first operation. */
static void first_state(const struct simulation *sim, struct vtb_sync *s)
{
	vtb_sync_reset(s);
	for (uint32_t t = 0; t < s->n_threads; t++)
		if ((t == 0 || !sim->threads[t].recorded_birth) && sim->threads[t].first < sim->threads[t].end)
			vtb_sync_born(s, t);
}

static void reset_to_origin(struct simulation *sim)
{
	vtb_sync_copy(&sim->origin, &sim->machine.sync);
	for (uint32_t t = 0; t < sim->origin.n_threads; t++) {
		struct sim_thread *thread = &sim->threads[t];

		thread->next = thread->first + sim->passed[t];
		thread->stop = thread->end - thread->next > sim->stretch ? thread->next + sim->stretch : thread->end;
		sim->machine.cut |= thread->stop < thread->end;
	}
}

static void sim_reset(struct vtb_machine *m)
{
	struct simulation *sim = of_machine(m);

	m->cut = false;
	if (sim->moved) {
		reset_to_origin(sim);
		return;
	}
	first_state(sim, &m->sync);
	for (uint32_t t = 0; t < m->sync.n_threads; t++) {
		sim->threads[t].next = sim->threads[t].first;
		sim->threads[t].stop = sim->threads[t].end;
	}
}

static const struct vtb_sync_op *sim_pending(const struct vtb_machine *m, uint32_t thread)
{
	const struct simulation *sim = of_machine(m);
	const struct sim_thread *t = &sim->threads[thread];

	return t->next < t->stop ? &sim->ops[t->next] : NULL;
}

static void sim_describe(const struct vtb_machine *m, uint32_t thread, struct vtb_event *ret)
{
	const struct simulation *sim = of_machine(m);

	*ret = sim->trace->events[sim->event_of[sim->threads[thread].next]];
	ret->flags &= (uint8_t)~VTB_EVF_DEVIATED;
	ret->deviation = 0;
}

/* Of synchronisation the model knows the result; values of memory are the recorded ones and may differ now: unknown. */
static void sim_step(struct vtb_machine *m, uint32_t thread, uint64_t value, struct vtb_event *event)
{
	struct simulation *sim = of_machine(m);
	struct sim_thread *t = &sim->threads[thread];
	const struct vtb_event_info *info = vtb_event_info(event->kind);

	if (info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC)) {
		event->flags &= (uint8_t)~VTB_EVF_VALUE;
		event->value = 0;
	} else {
		event->value = value;
		vtb_event_classify(event);
	}
	m->ended |= event->kind == VTB_E_PROCESS_EXIT;
	if (++t->next >= t->end)
		m->sync.threads[thread].life = VTB_SYNC_ENDED; /* also if the recording was cut off */
}

static const struct vtb_machine_ops machine_ops = { sim_reset, sim_pending, sim_describe, sim_step,
	                                            NULL /* what memory holds is not recorded */ };

/* ---- runs that begin later */

static struct simulation *of_runner(struct vtb_runner *runner)
{
	return (struct simulation *)runner;
}

int vtb_simulate_at_begin(struct vtb_runner *runner, uint32_t stretch)
{
	struct simulation *sim = of_runner(runner);
	const uint32_t n = sim->machine.sync.n_threads;
	int r = sim->passed ? 0 : vtb_sync_init(&sim->origin, sim->n_objects, n, sim->start);

	if (r >= 0 && !sim->passed) {
		sim->passed = calloc((size_t)n + 1, sizeof(*sim->passed));
		r = sim->passed ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	memset(sim->passed, 0, n * sizeof(*sim->passed));
	first_state(sim, &sim->origin);
	sim->stretch = stretch;
	sim->moved = true;
	return 0;
}

void vtb_simulate_at_pass(struct vtb_runner *runner, uint32_t thread)
{
	struct simulation *sim = of_runner(runner);
	const struct sim_thread *t = &sim->threads[thread];
	const struct vtb_sync_op *op = &sim->ops[t->first + sim->passed[thread]];

	if (!vtb_sync_enabled(&sim->origin, thread, op)) /* only time can have helped it */
		vtb_sync_time_out(&sim->origin, thread, op);
	vtb_sync_apply(&sim->origin, thread, op);
	if (t->first + ++sim->passed[thread] >= t->end)
		sim->origin.threads[thread].life = VTB_SYNC_ENDED;
}

const uint32_t *vtb_simulate_at_passed(const struct vtb_runner *runner)
{
	return ((const struct simulation *)runner)->passed;
}

void vtb_simulate_at_end(struct vtb_runner *runner)
{
	of_runner(runner)->moved = false;
}

/* ---- from trace to operations */

/* The thread that a thread handle stands for. */
static uint32_t handle_thread(const struct vtb_trace *trace, uint32_t var)
{
	const struct vtb_symtab *tab = &trace->tab;
	uint32_t object;

	if (var >= tab->n_variables)
		return VTB_SYNC_NONE;
	object = tab->variables[var].object;
	if (object >= tab->n_objects || tab->objects[object].kind != VTB_OBJ_THREAD)
		return VTB_SYNC_NONE;
	return tab->objects[object].thread;
}

static bool gave_up(const struct vtb_event *e)
{
	if (!(e->flags & VTB_EVF_VALUE) || e->value == 0)
		return false;
	switch (e->kind) {
	case VTB_E_TRYLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_RDLOCK:
	case VTB_E_WRLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_COND_WAKE:
	case VTB_E_SEM_WAIT:
	case VTB_E_SEM_TRYWAIT:
	case VTB_E_FUTEX_WAIT:
	case VTB_E_FUTEX_WOKEN:
	case VTB_E_THREAD_JOIN:
		return true;
	default:
		return false;
	}
}

static uint64_t argument(const struct vtb_event *e)
{
	if (e->kind == VTB_E_SLEEP)
		return e->flags & VTB_EVF_VALUE ? e->value : 1;
	return e->flags & VTB_EVF_VALUE ? e->value : 0;
}

static uint32_t object_of(const struct simulation *sim, uint32_t var)
{
	return var < sim->trace->tab.n_variables ? sim->object_of[var] : VTB_SYNC_NONE;
}

static struct vtb_sync_op to_op(const struct simulation *sim, const struct vtb_event *e)
{
	const bool cond = e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE;

	return (struct vtb_sync_op){
		.kind = e->kind,
		.gives_up = gave_up(e),
		.object = object_of(sim, e->var),
		.mutex = cond ? object_of(sim, e->aux) : VTB_SYNC_NONE,
		.target = handle_thread(sim->trace, e->var),
		.arg = argument(e),
	};
}

static int sort_by_thread(struct simulation *sim)
{
	const struct vtb_trace *trace = sim->trace;
	uint32_t first = 0;

	for (size_t i = 0; i < trace->n_events; i++)
		if (vtb_event_is_operation(&trace->events[i]) &&
		    trace->events[i].thread < sim->machine.sync.n_threads) {
			sim->threads[trace->events[i].thread].end++;
			sim->n_ops++;
		}
	sim->ops = calloc(sim->n_ops + 1, sizeof(*sim->ops));
	sim->event_of = calloc(sim->n_ops + 1, sizeof(*sim->event_of));
	if (!sim->ops || !sim->event_of)
		return -ENOMEM;
	for (uint32_t t = 0; t < sim->machine.sync.n_threads; t++) {
		const uint32_t n = sim->threads[t].end;

		sim->threads[t].first = sim->threads[t].end = first;
		first += n;
	}
	return 0;
}

static void read_ops(struct simulation *sim)
{
	const struct vtb_trace *trace = sim->trace;

	for (size_t i = 0; i < trace->n_events; i++) {
		const struct vtb_event *e = &trace->events[i];
		uint32_t op;

		if (!vtb_event_is_operation(e) || e->thread >= sim->machine.sync.n_threads)
			continue;
		op = sim->threads[e->thread].end++;
		sim->ops[op] = to_op(sim, e);
		sim->event_of[op] = (uint32_t)i;
		if (e->kind == VTB_E_THREAD_CREATE && sim->ops[op].target < sim->machine.sync.n_threads)
			sim->threads[sim->ops[op].target].recorded_birth = true;
	}
}

/* A semaphore's or barrier's count stands at its initialisation; if that was not recorded, the least count with which
 * the recorded order is possible. */
struct guess {
	int64_t level, least; /* semaphore: value if it began at 0, and the lowest it came to */
	uint32_t arrived;     /* barrier: arrivals before somebody left for the first time */
	bool known, left;
};

static void guess_one(struct guess *g, const struct vtb_event *e)
{
	const bool failed = gave_up(e);

	switch (e->kind) {
	case VTB_E_SEM_POST:
		g->level++;
		break;
	case VTB_E_SEM_WAIT:
	case VTB_E_SEM_TRYWAIT:
		g->level -= !failed;
		g->least = g->level < g->least ? g->level : g->least;
		break;
	case VTB_E_BARRIER_ARRIVE:
		g->arrived += !g->left;
		break;
	case VTB_E_BARRIER_LEAVE:
		g->left = true;
		break;
	case VTB_E_SEM_INIT:
	case VTB_E_BARRIER_INIT:
		g->known |= (e->flags & VTB_EVF_VALUE) != 0;
		break;
	default:
		break;
	}
}

static bool is_model_object(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && info->family >= VTB_FAMILY_MUTEX && info->family <= VTB_FAMILY_FUTEX;
}

static void add_object(struct simulation *sim, uint32_t var)
{
	if (var < sim->trace->tab.n_variables && sim->object_of[var] == VTB_SYNC_NONE)
		sim->object_of[var] = sim->n_objects++;
}

static int number_objects(struct simulation *sim)
{
	const size_t n = sim->trace->tab.n_variables;

	sim->object_of = malloc((n + 1) * sizeof(*sim->object_of));
	if (!sim->object_of)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sim->object_of[i] = VTB_SYNC_NONE;
	for (size_t i = 0; i < sim->trace->n_events; i++) {
		const struct vtb_event *e = &sim->trace->events[i];

		if (!is_model_object(e))
			continue;
		add_object(sim, e->var);
		if (e->kind == VTB_E_COND_WAIT || e->kind == VTB_E_COND_WAKE)
			add_object(sim, e->aux);
	}
	return 0;
}

static int guess_counts(struct simulation *sim)
{
	struct guess *guesses = calloc((size_t)sim->n_objects + 1, sizeof(*guesses));

	sim->start = calloc((size_t)sim->n_objects + 1, sizeof(*sim->start));
	if (!guesses || !sim->start) {
		free(guesses);
		return -ENOMEM;
	}
	for (size_t i = 0; i < sim->trace->n_events; i++) {
		const struct vtb_event *e = &sim->trace->events[i];
		const uint32_t object = object_of(sim, e->var);

		if (object == VTB_SYNC_NONE)
			continue;
		guess_one(&guesses[object], e);
		if ((e->kind == VTB_E_SEM_INIT || e->kind == VTB_E_BARRIER_INIT) && e->flags & VTB_EVF_VALUE)
			sim->start[object].count = (uint32_t)e->value;
	}
	for (size_t i = 0; i < sim->n_objects; i++)
		if (!guesses[i].known)
			sim->start[i].count = guesses[i].arrived ? guesses[i].arrived : (uint32_t)-guesses[i].least;
	free(guesses);
	return 0;
}

/* ---- the runner */

static int sim_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                   struct vtb_exec *execs, struct vtb_error *err)
{
	struct simulation *sim = (struct simulation *)runner;

	for (size_t i = 0; i < n; i++) {
		int r = vtb_machine_run(&sim->scratch, &sim->machine, schedules[i], &execs[i]);

		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "out of memory while simulating a schedule");
		runner->schedules++;
	}
	return 0;
}

static size_t sim_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 16; /* simulated in this thread: a larger batch gains nothing */
}

static void sim_free(struct vtb_runner *runner)
{
	struct simulation *sim = (struct simulation *)runner;

	vtb_sync_fini(&sim->machine.sync);
	vtb_sync_fini(&sim->origin);
	free(sim->passed);
	vtb_machine_scratch_fini(&sim->scratch);
	free(sim->ops);
	free(sim->event_of);
	free(sim->threads);
	free(sim->object_of);
	free(sim->start);
	free(sim);
}

static const struct vtb_runner_ops sims = { .name = "simulated", .run = sim_run, .batch = sim_batch, .free = sim_free };

static uint32_t highest_thread(const struct vtb_trace *trace)
{
	uint32_t n = (uint32_t)trace->tab.n_threads;

	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].thread >= n)
			n = trace->events[i].thread + 1u;
	return n;
}

static int fill(struct simulation *sim)
{
	const uint32_t n_threads = highest_thread(sim->trace);
	int r;

	if (n_threads > VTB_THREADS_LIMIT || sim->trace->n_events > UINT32_MAX)
		return -VTB_E_LIMIT;
	sim->threads = calloc((size_t)n_threads + 1, sizeof(*sim->threads));
	if (!sim->threads)
		return -ENOMEM;
	r = number_objects(sim);
	if (r >= 0)
		r = guess_counts(sim);
	if (r >= 0)
		r = vtb_sync_init(&sim->machine.sync, sim->n_objects, n_threads, sim->start);
	if (r >= 0)
		r = sort_by_thread(sim);
	if (r >= 0)
		read_ops(sim);
	return r;
}

int vtb_simulate_new(struct vtb_trace *trace, struct vtb_runner **ret, struct vtb_error *err)
{
	struct simulation *sim = calloc(1, sizeof(*sim));
	int r;

	if (!sim)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "out of memory");
	sim->runner = (struct vtb_runner){ .ops = &sims, .tab = &trace->tab };
	sim->machine.ops = &machine_ops;
	sim->machine.tab = &trace->tab;
	sim->trace = trace;
	r = fill(sim);
	if (r < 0) {
		sim_free(&sim->runner);
		return vtb_error_set(err, r, NULL, 0, "cannot simulate a trace of %zu events", trace->n_events);
	}
	*ret = &sim->runner;
	return 0;
}
