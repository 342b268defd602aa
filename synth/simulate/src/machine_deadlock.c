/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine_deadlock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct vtb_sync_op *waiting_at(const struct vtb_machine *m, uint32_t thread)
{
	return m->sync.threads[thread].life == VTB_SYNC_ALIVE ? m->ops->pending(m, thread) : NULL;
}

/* Follow who waits for whom; a chain longer than the number of threads goes round. */
static bool in_circle(const struct vtb_machine *m, uint32_t start)
{
	uint32_t thread = start;

	for (uint32_t i = 0; i < m->sync.n_threads; i++) {
		const struct vtb_sync_op *op = waiting_at(m, thread);

		if (!op)
			return false;
		thread = vtb_sync_waits_for(&m->sync, thread, op);
		if (thread == start)
			return true;
		if (thread >= m->sync.n_threads)
			return false;
	}
	return false;
}

static enum vtb_verdict verdict_of(const struct vtb_machine *m, uint32_t *ret_thread)
{
	enum vtb_verdict verdict = VTB_V_CONDITION_DEADLOCK;

	for (uint32_t t = 0; t < m->sync.n_threads; t++) {
		const struct vtb_sync_op *op = waiting_at(m, t);

		if (!op)
			continue;
		if (in_circle(m, t)) {
			*ret_thread = t;
			return VTB_V_DEADLOCK;
		}
		if (op->kind == VTB_E_COND_WAKE && op->object < m->sync.n_objects && m->sync.objects[op->object].lost) {
			verdict = VTB_V_LOST_WAKEUP;
			*ret_thread = t;
		} else if (verdict != VTB_V_LOST_WAKEUP && op->kind != VTB_E_THREAD_JOIN) {
			*ret_thread = t;
		}
	}
	return verdict;
}

/* "deadlock lock m1, lock m2": what the threads wait at, in the order of threads; joins follow from the rest. */
static void write_signature(const struct vtb_machine *m, enum vtb_verdict verdict, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s", vtb_verdict_name(verdict));
	const char *between = "";

	for (uint32_t t = 0; t < m->sync.n_threads && used + 1 < size; t++) {
		const struct vtb_sync_op *op = waiting_at(m, t);
		struct vtb_event e = { .var = VTB_NONE };

		if (!op || op->kind == VTB_E_THREAD_JOIN)
			continue;
		m->ops->describe(m, t, &e);
		used += (size_t)snprintf(buf + used, size - used, "%s %s %s", between, vtb_event_info(op->kind)->name,
		                         vtb_variable_name(m->tab, e.var));
		between = ",";
	}
}

int vtb_deadlock_classify(struct vtb_machine *m)
{
	char text[512];
	uint32_t thread = VTB_NONE;
	struct vtb_event e = { .var = VTB_NONE, .site = VTB_NONE };

	m->outcome.verdict = verdict_of(m, &thread);
	if (thread < m->sync.n_threads)
		m->ops->describe(m, thread, &e);
	m->outcome.thread = thread;
	m->outcome.var = e.var;
	m->outcome.site = e.site;
	write_signature(m, m->outcome.verdict, text, sizeof(text));
	m->outcome.signature = vtb_symtab_string(m->tab, text);
	return m->outcome.signature ? 0 : -ENOMEM;
}
