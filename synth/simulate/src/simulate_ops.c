/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a trace to the operations of its threads, and to the objects that these work on. */
#include "simulate_priv.h"

#include <errno.h>
#include <stdlib.h>

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

static uint32_t highest_thread(const struct vtb_trace *trace)
{
	uint32_t n = (uint32_t)trace->tab.n_threads;

	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].thread >= n)
			n = trace->events[i].thread + 1u;
	return n;
}

int simulation_fill(struct simulation *sim)
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
