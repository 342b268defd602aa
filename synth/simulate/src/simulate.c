/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "simulate_at.h"
#include "simulate_priv.h"

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
	r = simulation_fill(sim);
	if (r < 0) {
		sim_free(&sim->runner);
		return vtb_error_set(err, r, NULL, 0, "cannot simulate a trace of %zu events", trace->n_events);
	}
	*ret = &sim->runner;
	return 0;
}
