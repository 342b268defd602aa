/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abstract programs as machines (machine.h). */
#include "prog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "vtb/rng.h"

#define N_OBJECTS (PROG_LOCKS + PROG_CONDS) /* of the synchronisation model: locks, then conditions */

struct state {
	int pc; /* instruction; n: about to end */
	int regs[PROG_REGS];
	bool begun;    /* has done THREAD_BEGIN (main: always) */
	bool in_queue; /* between the two operations of a wait */
	struct vtb_sync_op op;
};

#define PROG_SITES (PROG_CODE + 2) /* birth, instructions, death */

struct prog_machine {
	struct vtb_runner runner;
	struct vtb_machine machine;
	struct vtb_machine_scratch scratch;
	struct vtb_symtab tab;
	struct prog prog;
	struct state states[PROG_THREADS];
	uint32_t routine[PROG_THREADS];
	int vars[PROG_VARS];
	uint32_t var_id[PROG_VARS], lock_id[PROG_LOCKS], cond_id[PROG_CONDS], thread_id[PROG_THREADS];
};

static struct prog_machine *of(const struct vtb_machine *m)
{
	return (struct prog_machine *)((char *)(uintptr_t)m - offsetof(struct prog_machine, machine));
}

bool prog_holds(const struct prog_instr *in, const int *regs)
{
	switch (in->code) {
	case P_ASSERT_EQ:
		return regs[in->reg] == in->k;
	case P_ASSERT_NE:
		return regs[in->reg] != in->k;
	case P_ASSERT_SAME:
		return regs[in->reg] == regs[in->reg2];
	case P_ASSERT_LE:
		return regs[in->reg] <= regs[in->reg2] + in->k;
	case P_ASSERT_OR:
		return regs[in->reg] == regs[in->reg2] ||
		       (in->k < 0 ? regs[in->reg3] == regs[in->reg4] : regs[in->reg3] != in->k);
	default:
		return true;
	}
}

uint64_t prog_outcome(enum vtb_verdict verdict, int thread, int instr, const int *vars, int n_vars)
{
	uint64_t h = vtb_mix64((uint64_t)verdict * 1000003u + (uint64_t)(thread + 1) * 1009u + (uint64_t)(instr + 1));

	for (int i = 0; verdict != VTB_V_ASSERTION && i < n_vars; i++)
		h = vtb_mix64(h + (uint64_t)(vars[i] + 1000));
	return h;
}

int prog_routine(const struct prog *p, int thread)
{
	int t = 1;

	if (!p->routines || thread <= 0)
		return thread;
	while (p->threads[t].n != p->threads[thread].n ||
	       memcmp(p->threads[t].code, p->threads[thread].code, sizeof(p->threads[t].code)) != 0)
		t++;
	return t;
}

void prog_add(struct prog *p, int thread, struct prog_instr in)
{
	p->threads[thread].code[p->threads[thread].n++] = in;
}

void prog_create_all(struct prog *p)
{
	for (int t = 1; t < p->n_threads; t++)
		prog_add(p, 0, (struct prog_instr){ .code = P_CREATE, .obj = t });
}

void prog_join_all(struct prog *p)
{
	for (int t = 1; t < p->n_threads; t++)
		prog_add(p, 0, (struct prog_instr){ .code = P_JOIN, .obj = t });
}

static const struct prog_instr *current(const struct prog_machine *pm, uint32_t thread)
{
	return &pm->prog.threads[thread].code[pm->states[thread].pc];
}

/* ---- which operation a thread stands at */

static bool waits(const struct prog_instr *in)
{
	return in->code == P_WAIT || in->code == P_TIMEDWAIT;
}

static struct vtb_sync_op op_of(const struct prog_machine *pm, uint32_t thread)
{
	static const uint8_t kinds[] = {
		[P_READ] = VTB_E_READ,           [P_WRITE] = VTB_E_WRITE,        [P_STORE] = VTB_E_WRITE,
		[P_LOCK] = VTB_E_LOCK,           [P_TRYLOCK] = VTB_E_TRYLOCK,    [P_UNLOCK] = VTB_E_UNLOCK,
		[P_WAIT] = VTB_E_COND_WAIT,      [P_SIGNAL] = VTB_E_COND_SIGNAL, [P_BROADCAST] = VTB_E_COND_BROADCAST,
		[P_TIMEDWAIT] = VTB_E_COND_WAIT, [P_CAS] = VTB_E_ATOMIC_RMW,     [P_CREATE] = VTB_E_THREAD_CREATE,
		[P_JOIN] = VTB_E_THREAD_JOIN,
	};
	const struct state *s = &pm->states[thread];
	const struct prog_instr *in = current(pm, thread);
	struct vtb_sync_op op = { .object = VTB_SYNC_NONE, .mutex = VTB_SYNC_NONE, .target = VTB_SYNC_NONE };

	if (!s->begun) {
		op.kind = VTB_E_THREAD_BEGIN;
	} else if (s->pc >= pm->prog.threads[thread].n) {
		op.kind = thread ? VTB_E_THREAD_END : VTB_E_PROCESS_EXIT;
	} else {
		op.kind = s->in_queue ? VTB_E_COND_WAKE : kinds[in->code];
		if (in->code == P_LOCK || in->code == P_TRYLOCK || in->code == P_UNLOCK)
			op.object = (uint32_t)in->obj;
		if (waits(in) || in->code == P_SIGNAL || in->code == P_BROADCAST)
			op.object = PROG_LOCKS + (uint32_t)in->obj;
		if (waits(in))
			op.mutex = (uint32_t)in->lock;
		op.timed = in->code == P_TIMEDWAIT && s->in_queue;
		op.arg = op.timed ? (uint64_t)in->k : 0;
		if (in->code == P_CREATE || in->code == P_JOIN)
			op.target = (uint32_t)in->obj;
	}
	return op;
}

static void fail(struct prog_machine *pm, uint32_t thread)
{
	struct vtb_outcome *o = &pm->machine.outcome;

	o->verdict = VTB_V_ASSERTION;
	o->thread = thread;
	o->signature = vtb_symtab_printf(&pm->tab, "assertion thread %u instruction %d", thread, pm->states[thread].pc);
}

/* Through the invisible instructions up to the next operation. */
static void settle(struct prog_machine *pm, uint32_t thread)
{
	struct state *s = &pm->states[thread];

	while (s->pc < pm->prog.threads[thread].n && !prog_visible(current(pm, thread)->code)) {
		const struct prog_instr *in = current(pm, thread);

		if (in->code == P_SKIP) {
			s->pc += s->regs[in->reg] != in->k ? in->n : 0;
		} else if (!prog_holds(in, s->regs)) {
			fail(pm, thread);
			return;
		}
		s->pc++;
	}
	s->op = op_of(pm, thread);
}

static void prog_reset(struct vtb_machine *m)
{
	struct prog_machine *pm = of(m);

	vtb_sync_reset(&m->sync);
	memcpy(pm->vars, pm->prog.start, sizeof(pm->vars));
	for (uint32_t t = 0; t < m->sync.n_threads; t++) {
		pm->states[t] = (struct state){ .begun = t == 0 };
		settle(pm, t);
	}
	vtb_sync_born(&m->sync, 0);
}

static const struct vtb_sync_op *prog_pending(const struct vtb_machine *m, uint32_t thread)
{
	return &of(m)->states[thread].op;
}

static uint32_t event_var(const struct prog_machine *pm, uint32_t thread)
{
	const struct state *s = &pm->states[thread];
	const struct prog_instr *in = current(pm, thread);

	if (!s->begun || s->pc >= pm->prog.threads[thread].n)
		return pm->thread_id[thread];
	switch (in->code) {
	case P_READ:
	case P_WRITE:
	case P_STORE:
	case P_CAS:
		return pm->var_id[in->obj];
	case P_LOCK:
	case P_TRYLOCK:
	case P_UNLOCK:
		return pm->lock_id[in->obj];
	case P_WAIT:
	case P_TIMEDWAIT:
	case P_SIGNAL:
	case P_BROADCAST:
		return pm->cond_id[in->obj];
	default:
		return pm->thread_id[in->obj];
	}
}

static void prog_describe(const struct vtb_machine *m, uint32_t thread, struct vtb_event *ret)
{
	const struct prog_machine *pm = of(m);
	const struct vtb_sync_op *op = &pm->states[thread].op;

	*ret = (struct vtb_event){ .kind = op->kind,
		                   .thread = (uint16_t)thread,
		                   .var = event_var(pm, thread),
		                   .site = pm->routine[thread] * PROG_SITES +
		                           (pm->states[thread].begun ? 1 + (uint32_t)pm->states[thread].pc : 0) };
	if (op->kind == VTB_E_READ || op->kind == VTB_E_WRITE || op->kind == VTB_E_ATOMIC_RMW) {
		ret->addr = 0x1000 + 64ull * ret->var;
		ret->size = 4;
	}
	if (op->kind == VTB_E_COND_WAIT || op->kind == VTB_E_COND_WAKE)
		ret->aux = pm->lock_id[op->mutex];
}

static void exchange(struct prog_machine *pm, struct state *s, const struct prog_instr *in, struct vtb_event *event)
{
	const bool could = pm->vars[in->obj] == in->k;

	s->regs[in->reg] = could && !pm->machine.fails;
	if (s->regs[in->reg]) {
		pm->vars[in->obj] = in->k + 1;
		event->flags |= VTB_EVF_WEAK;
	} else {
		event->kind = VTB_E_ATOMIC_CAS_FAIL;
		event->flags &= (uint8_t)~VTB_EVF_WEAK;
	}
	pm->machine.fails &= could; /* it would have failed anyway: nothing was changed */
	vtb_event_classify(event);
}

static void prog_step(struct vtb_machine *m, uint32_t thread, uint64_t value, struct vtb_event *event)
{
	struct prog_machine *pm = of(m);
	struct state *s = &pm->states[thread];
	const struct prog_instr *in = current(pm, thread);

	event->value = value;
	vtb_event_classify(event);
	if (!s->begun) {
		s->begun = true;
		settle(pm, thread);
		return;
	}
	if (s->pc >= pm->prog.threads[thread].n) {
		m->ended = thread == 0;
		return;
	}
	if (in->code == P_READ)
		s->regs[in->reg] = pm->vars[in->obj];
	if (in->code == P_WRITE)
		pm->vars[in->obj] = in->k;
	if (in->code == P_STORE)
		pm->vars[in->obj] = s->regs[in->reg] + in->k;
	if (in->code == P_TRYLOCK || (in->code == P_TIMEDWAIT && s->in_queue))
		s->regs[in->reg] = value != 0;
	if (in->code == P_CAS)
		exchange(pm, s, in, event);
	s->in_queue = waits(in) && !s->in_queue;
	s->pc += !s->in_queue;
	settle(pm, thread);
}

static void prog_state(const struct vtb_machine *m, struct vtb_hash128 *ret)
{
	const struct prog_machine *pm = of(m);

	for (int i = 0; i < pm->prog.n_vars; i++)
		vtb_sync_mix(ret, (uint64_t)pm->vars[i]);
	for (uint32_t t = 0; t < m->sync.n_threads; t++) {
		const struct state *s = &pm->states[t];

		vtb_sync_mix(ret, (uint64_t)s->pc << 2 | (uint64_t)s->begun << 1 | s->in_queue);
		for (int i = 0; i < PROG_REGS && m->sync.threads[t].life == VTB_SYNC_ALIVE; i++)
			vtb_sync_mix(ret, (uint64_t)s->regs[i]);
	}
}

static const struct vtb_machine_ops machine_ops = { prog_reset, prog_pending, prog_describe, prog_step, prog_state };

/* ---- the runner */

static int prog_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                    struct vtb_exec *execs, struct vtb_error *err)
{
	struct prog_machine *pm = (struct prog_machine *)runner;

	(void)err;
	pm->scratch.states = runner->states;
	for (size_t i = 0; i < n; i++) {
		struct vtb_outcome *o = &execs[i].outcome;
		int r = vtb_machine_run(&pm->scratch, &pm->machine, schedules[i], &execs[i]);

		if (r < 0)
			return r;
		if (o->verdict == VTB_V_ASSERTION)
			o->output_hash = prog_outcome(o->verdict, (int)pm->routine[o->thread], pm->states[o->thread].pc,
			                              pm->vars, pm->prog.n_vars);
		else
			o->output_hash = prog_outcome(o->verdict == VTB_V_NONE ? VTB_V_NONE : VTB_V_DEADLOCK, -1, -1,
			                              pm->vars, pm->prog.n_vars);
		runner->schedules++;
	}
	return 0;
}

static size_t prog_batch(const struct vtb_runner *runner)
{
	(void)runner;
	return 7;
}

static void prog_free(struct vtb_runner *runner)
{
	struct prog_machine *pm = (struct prog_machine *)runner;

	vtb_sync_fini(&pm->machine.sync);
	vtb_machine_scratch_fini(&pm->scratch);
	vtb_symtab_fini(&pm->tab);
	free(pm);
}

static const struct vtb_runner_ops runner_ops = {
	.name = "abstract", .run = prog_run, .batch = prog_batch, .free = prog_free
};

static uint32_t name(struct prog_machine *pm, enum vtb_object_kind kind, uint32_t thread, uint32_t loop,
                     const char *prefix, int i)
{
	char text[32];
	int64_t object;

	snprintf(text, sizeof(text), "%s%d", prefix, i);
	object = vtb_symtab_add_object(
	    &pm->tab,
	    &(struct vtb_object){ .kind = kind, .name = text, .thread = thread, .loop = loop, .site = VTB_NONE });
	return (uint32_t)vtb_symtab_add_variable(&pm->tab,
	                                         &(struct vtb_variable){ .object = (uint32_t)object, .name = text });
}

struct vtb_runner *prog_runner(const struct prog *p)
{
	struct prog_machine *pm = calloc(1, sizeof(*pm));

	pm->prog = *p;
	for (int t = 0; t < p->n_threads; t++)
		pm->routine[t] = (uint32_t)prog_routine(p, t);
	pm->runner = (struct vtb_runner){ .ops = &runner_ops, .tab = &pm->tab };
	pm->machine.ops = &machine_ops;
	pm->machine.tab = &pm->tab;
	pm->machine.kinds = p->kinds;
	if (p->library)
		vtb_symtab_add_module(&pm->tab, &(struct vtb_module){ .path = "library.so" });
	for (int i = 0; i < PROG_THREADS * PROG_SITES; i++) {
		const bool library = i % PROG_SITES && i % PROG_SITES <= p->library;

		vtb_symtab_add_site(&pm->tab, &(struct vtb_site){ .module = library ? 0 : VTB_NONE,
		                                                  .offset = (uint64_t)i,
		                                                  .function = library ? "library" : "own" });
	}
	for (int i = 0; i < p->n_vars; i++)
		pm->var_id[i] =
		    name(pm, p->heap ? VTB_OBJ_HEAP : VTB_OBJ_GLOBAL, VTB_NONE, p->heap ? (uint32_t)i : 0, "x", i);
	for (int i = 0; i < p->n_locks; i++)
		pm->lock_id[i] = name(pm, VTB_OBJ_SYNC, VTB_NONE, 0, "m", i);
	for (int i = 0; i < p->n_conds; i++)
		pm->cond_id[i] = name(pm, VTB_OBJ_SYNC, VTB_NONE, 0, "c", i);
	for (int i = 0; i < p->n_threads; i++) {
		vtb_symtab_thread(&pm->tab, i ? 0 : VTB_NONE, i ? (uint32_t)i - 1 : 0);
		pm->thread_id[i] = name(pm, VTB_OBJ_THREAD, (uint32_t)i, 0, "thread", i);
	}
	if (vtb_sync_init(&pm->machine.sync, N_OBJECTS, (uint32_t)p->n_threads, NULL) < 0)
		abort();
	return &pm->runner;
}
