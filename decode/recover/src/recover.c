/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The merge: threads advance one at a time, the one with the smallest time first, but never past their place in the
 * log:
 *
 *     log       0: T1 lock     1: T1 unlock     2: T2 lock returns
 *     T1   ---- [0] ---- access ---- [1] ----
 *     T2   -------------------- waits ---------------- [2] ---- access      the time packets may well say otherwise
 */
#include "vtb/recover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "recover_thread.h"

static void order_fini(struct recover_order *order)
{
	for (uint32_t i = 0; order->entries && i < order->n_slots; i++)
		free(order->entries[i]);
	free(order->entries);
	free(order->n);
}

static int order_init(struct recover_order *order, const struct vtb_pt_recording *rec)
{
	const uint32_t n = (uint32_t)rec->n_tids;
	uint32_t *fill;

	*order = (struct recover_order){ .n_slots = n, .total = rec->total && !rec->session.errors };
	order->entries = calloc(n + 1, sizeof(*order->entries));
	order->n = calloc(n + 1, sizeof(*order->n));
	fill = calloc(n + 1, sizeof(*fill));
	if (!order->entries || !order->n || !fill)
		goto fail;
	for (size_t i = 0; i < rec->n_log; i++)
		if (rec->log[i].slot < n)
			order->n[rec->log[i].slot]++;
	for (uint32_t i = 0; i < n; i++) {
		order->entries[i] = calloc(order->n[i] + 1, sizeof(**order->entries));
		if (!order->entries[i])
			goto fail;
	}
	for (size_t i = 0; i < rec->n_log; i++)
		if (rec->log[i].slot < n)
			order->entries[rec->log[i].slot][fill[rec->log[i].slot]++] = (uint32_t)i;
	free(fill);
	return 0;
fail:
	free(fill);
	order_fini(order);
	return -ENOMEM;
}

/* The thread to run: smallest time among those not in `waiting`. */
static struct recover_thread *choose(struct recover_thread *threads, size_t n, const bool *waiting)
{
	struct recover_thread *best = NULL;

	for (size_t i = 0; i < n; i++)
		if (!threads[i].ended && !waiting[i] && (!best || threads[i].tsc < best->tsc))
			best = &threads[i];
	return best;
}

/* Everybody waits for an entry that its thread will not reach (it was lost): pass it over. False if the log is at its
 * end. */
static bool unblock(struct recover_run *run, struct recover_thread *threads, size_t n)
{
	uint32_t slot;

	if (run->next_log >= run->rec->n_log)
		return false;
	slot = run->rec->log[run->next_log].slot;
	for (size_t i = 0; i < n; i++)
		if (threads[i].slot == slot) {
			recover_thread_skip_log(&threads[i]);
			return true;
		}
	run->next_log++; /* of a thread without a packet */
	return true;
}

static int merge(struct recover_run *run, struct recover_thread *threads, size_t n, bool *waiting)
{
	for (;;) {
		struct recover_thread *t = choose(threads, n, waiting);
		const uint32_t turn = run->next_log;
		bool alive = false;
		int r;

		for (size_t i = 0; i < n; i++)
			alive |= !threads[i].ended;
		if (!alive) {
			while (unblock(run, threads, n)) /* what the log knows of threads whose flow ends before it */
				if (run->error < 0)
					return run->error;
			return 0;
		}
		if (!t) {
			if (!unblock(run, threads, n))
				return -EPROTO; /* never: who waits, waits for an entry */
			memset(waiting, 0, n * sizeof(*waiting));
			continue;
		}
		r = recover_thread_go(t);
		if (r < 0 || run->error < 0)
			return r < 0 ? r : run->error;
		if (r == 0)
			waiting[t - threads] = true;
		if (run->next_log != turn)
			memset(waiting, 0, n * sizeof(*waiting));
	}
}

static int run_pass(struct recover_run *run)
{
	const struct vtb_pt_session *session = &run->rec->session;
	struct recover_thread *threads = calloc(session->n_threads + 1, sizeof(*threads));
	bool *waiting = calloc(session->n_threads + 1, sizeof(*waiting));
	int r = threads && waiting ? 0 : -ENOMEM;

	run->next_log = 0;
	run->n_at_exits = 0;
	run->first_fs = 0;
	vtb_map64_clear(&run->blocks);
	memset(&run->stats, 0, sizeof(run->stats));
	recover_memory_reset(&run->memory);
	run->threads = threads;
	run->n_threads = threads ? session->n_threads : 0;
	for (size_t i = 0; r >= 0 && i < session->n_threads; i++)
		r = recover_thread_init(&threads[i], run, session->threads[i].tid, i);
	if (r >= 0)
		r = merge(run, threads, session->n_threads, waiting);
	for (size_t i = 0; threads && i < session->n_threads; i++)
		recover_thread_fini(&threads[i]);
	free(threads);
	free(waiting);
	return r;
}

/* Passes without a sink until no new racy word turns up; then the one that counts. */
static int run_passes(struct recover_run *run, const struct vtb_recover_sink *sink, unsigned *ret_passes)
{
	unsigned pass = 0;
	int r = 0;

	do {
		r = run_pass(run);
		pass++;
	} while (r >= 0 && run->memory.new_racy && pass < VTB_RECOVER_PASSES - 1);
	run->sink = sink;
	if (r >= 0)
		r = run_pass(run);
	*ret_passes = pass + 1;
	return r;
}

int vtb_recover(struct vtb_pt_recording *rec, const struct vtb_recover_sink *sink, struct vtb_recover_stats *ret,
                struct vtb_error *err)
{
	struct recover_run run = { .rec = rec };
	unsigned passes = 0;
	int r = order_init(&run.order, rec);

	if (r < 0)
		return r;
	r = recover_memory_init(&run.memory, rec, &run.order);
	if (r >= 0)
		r = recover_contracts_new(rec, &run.contracts);
	if (r >= 0)
		r = vtb_pt_code_new(rec->session.image, &run.code);
	if (r >= 0)
		r = vtb_disasm_new(&run.decoder);
	if (r >= 0)
		r = run_passes(&run, sink, &passes);
	if (r >= 0) {
		*ret = run.stats;
		ret->passes = passes;
		ret->racy_words = run.memory.racy.n;
		ret->forgotten = run.memory.epoch;
	} else if (err && !err->text[0]) {
		vtb_error_set(err, r, rec->dir, 0, "cannot recover addresses: %s", vtb_strerror(r));
	}
	vtb_disasm_free(run.decoder);
	vtb_pt_code_free(run.code);
	recover_contracts_free(run.contracts);
	recover_memory_fini(&run.memory);
	free(run.ops);
	free(run.at_exits);
	vtb_map64_fini(&run.blocks);
	vtb_map64_fini(&run.lent);
	order_fini(&run.order);
	return r;
}
