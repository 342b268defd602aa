/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small programs as machines of the driver. */
#include "mini.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "vtb/rng.h"

#define N_OBJECTS (MINI_SORTS * MINI_PER_SORT)

struct state {
	int pc;
	int regs[MINI_REGS];
	bool begun, second;
	struct vtb_sync_op op;
};

struct mini_machine {
	struct vtb_runner runner;
	struct vtb_machine machine;
	struct vtb_machine_scratch scratch;
	struct vtb_symtab tab;
	struct vtb_sync_start start[N_OBJECTS];
	struct mini prog;
	struct state states[MINI_THREADS];
	int vars[MINI_OBJECTS];
};

static struct mini_machine *of(const struct vtb_machine *m)
{
	return (struct mini_machine *)((char *)(uintptr_t)m - offsetof(struct mini_machine, machine));
}

enum mini_sort mini_sort_of(enum mini_code code)
{
	switch (code) {
	case M_LOCK:
	case M_TRYLOCK:
	case M_UNLOCK:
		return MINI_MUTEX;
	case M_RDLOCK:
	case M_WRLOCK:
	case M_TRYRDLOCK:
	case M_TRYWRLOCK:
	case M_RWUNLOCK:
		return MINI_RWLOCK;
	case M_WAIT:
	case M_TIMEDWAIT:
	case M_SIGNAL:
	case M_BROADCAST:
		return MINI_COND;
	case M_SEM_WAIT:
	case M_SEM_TRYWAIT:
	case M_SEM_POST:
		return MINI_SEM;
	case M_BARRIER:
		return MINI_BARRIER;
	case M_CREATE:
	case M_JOIN:
		return MINI_THREAD;
	default:
		return MINI_VAR;
	}
}

void mini_add(struct mini *p, int thread, struct mini_instr in)
{
	p->threads[thread].code[p->threads[thread].n++] = in;
}

void mini_create_all(struct mini *p)
{
	for (int t = 1; t < p->n_threads; t++)
		mini_add(p, 0, (struct mini_instr){ .code = M_CREATE, .obj = t });
}

void mini_join_all(struct mini *p)
{
	for (int t = 1; t < p->n_threads; t++)
		mini_add(p, 0, (struct mini_instr){ .code = M_JOIN, .obj = t });
}

static const struct mini_instr *current(const struct mini_machine *mm, uint32_t thread)
{
	const struct state *s = &mm->states[thread];

	return s->begun && s->pc < mm->prog.threads[thread].n ? &mm->prog.threads[thread].code[s->pc] : NULL;
}

/* ---- which operation a thread stands at */

static const uint8_t kinds[][2] = {
	[M_READ] = { VTB_E_READ },
	[M_WRITE] = { VTB_E_WRITE },
	[M_LOAD] = { VTB_E_ATOMIC_LOAD },
	[M_STORE] = { VTB_E_ATOMIC_STORE },
	[M_EXCHANGE] = { VTB_E_ATOMIC_RMW },
	[M_ADD] = { VTB_E_ATOMIC_RMW },
	[M_CAS] = { VTB_E_ATOMIC_RMW },
	[M_LOCK] = { VTB_E_LOCK },
	[M_TRYLOCK] = { VTB_E_TRYLOCK },
	[M_UNLOCK] = { VTB_E_UNLOCK },
	[M_RDLOCK] = { VTB_E_RDLOCK },
	[M_WRLOCK] = { VTB_E_WRLOCK },
	[M_TRYRDLOCK] = { VTB_E_TRYRDLOCK },
	[M_TRYWRLOCK] = { VTB_E_TRYWRLOCK },
	[M_RWUNLOCK] = { VTB_E_RWUNLOCK },
	[M_WAIT] = { VTB_E_COND_WAIT, VTB_E_COND_WAKE },
	[M_TIMEDWAIT] = { VTB_E_COND_WAIT, VTB_E_COND_WAKE },
	[M_SIGNAL] = { VTB_E_COND_SIGNAL },
	[M_BROADCAST] = { VTB_E_COND_BROADCAST },
	[M_SEM_WAIT] = { VTB_E_SEM_WAIT },
	[M_SEM_TRYWAIT] = { VTB_E_SEM_TRYWAIT },
	[M_SEM_POST] = { VTB_E_SEM_POST },
	[M_BARRIER] = { VTB_E_BARRIER_ARRIVE, VTB_E_BARRIER_LEAVE },
	[M_CREATE] = { VTB_E_THREAD_CREATE },
	[M_JOIN] = { VTB_E_THREAD_JOIN },
};

static bool waits(const struct mini_instr *in)
{
	return in->code == M_WAIT || in->code == M_TIMEDWAIT;
}

/* An error-checking mutex that its owner asks for again. */
static bool gives_up(const struct mini_machine *mm, uint32_t thread, const struct mini_instr *in)
{
	if ((in->code != M_LOCK && in->code != M_TRYLOCK) || mm->prog.mutexes[in->obj] == MINI_RECURSIVE)
		return false;
	return mm->machine.sync.objects[mini_object(MINI_MUTEX, in->obj)].owner == thread;
}

static struct vtb_sync_op op_of(const struct mini_machine *mm, uint32_t thread)
{
	const struct state *s = &mm->states[thread];
	const struct mini_instr *in = current(mm, thread);
	struct vtb_sync_op op = { .object = VTB_SYNC_NONE, .mutex = VTB_SYNC_NONE, .target = VTB_SYNC_NONE };

	if (!in) {
		op.kind = !s->begun ? VTB_E_THREAD_BEGIN : thread ? VTB_E_THREAD_END : VTB_E_PROCESS_EXIT;
		return op;
	}
	op.kind = kinds[in->code][s->second];
	if (mini_sort_of(in->code) == MINI_THREAD)
		op.target = (uint32_t)in->obj;
	else if (mini_sort_of(in->code) != MINI_VAR)
		op.object = mini_object(mini_sort_of(in->code), in->obj);
	if (waits(in))
		op.mutex = mini_object(MINI_MUTEX, in->k2);
	op.timed = in->code == M_TIMEDWAIT && s->second;
	op.arg = op.timed ? (uint64_t)in->k : 0;
	op.gives_up = gives_up(mm, thread, in);
	return op;
}

static void fail(struct mini_machine *mm, uint32_t thread)
{
	struct vtb_outcome *o = &mm->machine.outcome;

	o->verdict = VTB_V_ASSERTION;
	o->thread = thread;
	o->signature = vtb_symtab_printf(&mm->tab, "assertion thread %u instruction %d", thread, mm->states[thread].pc);
}

/* Through the invisible instructions up to the next operation. */
static void settle(struct mini_machine *mm, uint32_t thread)
{
	struct state *s = &mm->states[thread];
	const struct mini_instr *in;

	while ((in = current(mm, thread)) && in->code >= M_IF) {
		if (in->code != M_ASSERT) {
			s->pc += (s->regs[in->reg] == in->k) == (in->code == M_UNLESS) ? in->k2 : 0;
		} else if (s->regs[in->reg] == in->k) {
			fail(mm, thread);
			return;
		}
		s->pc++;
	}
	s->op = op_of(mm, thread);
}

static void mini_reset(struct vtb_machine *m)
{
	struct mini_machine *mm = of(m);

	vtb_sync_reset(&m->sync);
	memset(mm->vars, 0, sizeof(mm->vars));
	for (uint32_t t = 0; t < m->sync.n_threads; t++) {
		mm->states[t] = (struct state){ .begun = t == 0 };
		settle(mm, t);
	}
	vtb_sync_born(&m->sync, 0);
}

static const struct vtb_sync_op *mini_pending(const struct vtb_machine *m, uint32_t thread)
{
	return &of(m)->states[thread].op;
}

#define FIRST_ADDRESS 0x1000u

static void mini_describe(const struct vtb_machine *m, uint32_t thread, struct vtb_event *ret)
{
	const struct mini_machine *mm = of(m);
	const struct state *s = &mm->states[thread];
	const struct mini_instr *in = current(mm, thread);

	*ret = (struct vtb_event){ .kind = s->op.kind,
		                   .thread = (uint16_t)thread,
		                   .var = mini_object(MINI_THREAD, (int)thread) };
	ret->site = thread * (MINI_CODE + 2) + (s->begun ? 1 + (uint32_t)s->pc : 0);
	if (!in)
		return;
	ret->var = mini_object(mini_sort_of(in->code), in->obj);
	if (mini_sort_of(in->code) == MINI_VAR) {
		ret->addr = FIRST_ADDRESS + 64ull * ret->var;
		ret->size = 4;
	}
	if (waits(in))
		ret->aux = mini_object(MINI_MUTEX, in->k2);
}

static void access_memory(struct mini_machine *mm, struct state *s, const struct mini_instr *in,
                          struct vtb_event *event)
{
	int *var = &mm->vars[in->obj], old = *var;

	if (in->code != M_WRITE && in->code != M_STORE && in->code != M_CAS)
		s->regs[in->reg] = old;
	if (in->code == M_WRITE || in->code == M_STORE || in->code == M_EXCHANGE)
		*var = in->k;
	if (in->code == M_ADD)
		*var += in->k;
	if (in->code != M_CAS)
		return;
	s->regs[in->reg] = old == in->k;
	if (old == in->k) {
		*var = in->k2;
	} else {
		event->kind = VTB_E_ATOMIC_CAS_FAIL;
		vtb_event_classify(event);
	}
}

static void mini_step(struct vtb_machine *m, uint32_t thread, uint64_t value, struct vtb_event *event)
{
	struct mini_machine *mm = of(m);
	struct state *s = &mm->states[thread];
	const struct mini_instr *in = current(mm, thread);

	event->value = s->op.gives_up && s->op.kind == VTB_E_LOCK ? EDEADLK : value;
	vtb_event_classify(event);
	if (!in) {
		m->ended = s->begun && thread == 0;
		s->begun = true;
		settle(mm, thread);
		return;
	}
	if (mini_sort_of(in->code) == MINI_VAR)
		access_memory(mm, s, in, event);
	if (in->code == M_LOCK || in->code == M_TRYLOCK || in->code == M_TRYRDLOCK || in->code == M_TRYWRLOCK ||
	    in->code == M_SEM_TRYWAIT || (in->code == M_TIMEDWAIT && s->second))
		s->regs[in->reg] = value != 0;
	s->second = (waits(in) || in->code == M_BARRIER) && !s->second;
	s->pc += !s->second;
	settle(mm, thread);
}

static const struct vtb_machine_ops machine_ops = { mini_reset, mini_pending, mini_describe, mini_step, NULL };

/* ---- the runner */

static int mini_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                    struct vtb_exec *execs, struct vtb_error *err)
{
	struct mini_machine *mm = (struct mini_machine *)runner;

	(void)err;
	for (size_t i = 0; i < n; i++) {
		const int r = vtb_machine_run(&mm->scratch, &mm->machine, schedules[i], &execs[i]);

		if (r < 0)
			return r;
		runner->schedules++;
	}
	return 0;
}

static size_t mini_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return MINI_BATCH;
}

static void mini_free(struct vtb_runner *runner)
{
	struct mini_machine *mm = (struct mini_machine *)runner;

	vtb_sync_fini(&mm->machine.sync);
	vtb_machine_scratch_fini(&mm->scratch);
	vtb_symtab_fini(&mm->tab);
	free(mm);
}

static const struct vtb_runner_ops runner_ops = {
	.name = "mini", .run = mini_run, .batch = mini_batch, .free = mini_free
};

/* Variables get their numbers in the order in which they are added: that of mini_object(). */
static void add_names(struct mini_machine *mm)
{
	for (int t = 0; t < mm->prog.n_threads; t++)
		vtb_symtab_thread(&mm->tab, t ? 0 : VTB_NONE, t ? (uint32_t)t - 1 : 0);
	for (uint32_t i = 0; i < N_OBJECTS; i++) {
		const bool thread = i / MINI_PER_SORT == MINI_THREAD;
		char text[32];
		int64_t object;

		snprintf(text, sizeof(text), "%c%u", "xmrcsbt"[i / MINI_PER_SORT], i % MINI_PER_SORT);
		object = vtb_symtab_add_object(&mm->tab,
		                               &(struct vtb_object){ .kind = thread              ? VTB_OBJ_THREAD
		                                                             : i < MINI_PER_SORT ? VTB_OBJ_GLOBAL
		                                                                                 : VTB_OBJ_SYNC,
		                                                     .name = text,
		                                                     .thread = thread ? i % MINI_PER_SORT : VTB_NONE,
		                                                     .site = VTB_NONE });
		if (vtb_symtab_add_variable(&mm->tab,
		                            &(struct vtb_variable){ .object = (uint32_t)object, .name = text }) != i)
			abort();
	}
	for (uint32_t i = 0; i < MINI_THREADS * (MINI_CODE + 2); i++)
		vtb_symtab_add_site(&mm->tab,
		                    &(struct vtb_site){ .module = VTB_NONE, .offset = i, .function = "mini" });
}

struct vtb_runner *mini_runner(const struct mini *p)
{
	struct mini_machine *mm = calloc(1, sizeof(*mm));

	if (!mm)
		abort();
	mm->prog = *p;
	mm->runner = (struct vtb_runner){ .ops = &runner_ops, .tab = &mm->tab };
	mm->machine.ops = &machine_ops;
	mm->machine.tab = &mm->tab;
	for (int i = 0; i < MINI_OBJECTS; i++) {
		mm->start[mini_object(MINI_SEM, i)].count = (uint32_t)p->sems[i];
		mm->start[mini_object(MINI_BARRIER, i)].count = (uint32_t)p->barriers[i];
	}
	add_names(mm);
	if (vtb_sync_init(&mm->machine.sync, N_OBJECTS, (uint32_t)p->n_threads, mm->start) < 0)
		abort();
	return &mm->runner;
}
