/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/process_runner.h"

#include "program_input.h"
#include "encode.h"
#include "process_private.h"

#include "vtb/ingest.h"
#include "vtb/symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_TRIES 3 /* times in a row that the server may die before it has finished anything */

static void keep_words(struct process_runner *p, struct server_result *res)
{
	vtb_server_give_back(&p->server, p->words);
	p->words = res->words;
	p->n_words = res->n_words;
	res->words = NULL;
}

/* What such a run has done is not known, and what another would do instead may be left out for that. */
static void note_unread(struct process_runner *p, const struct vtb_exec *exec)
{
	if (vtb_outcome_is_unread(&exec->outcome))
		p->server.uncontrolled |= VTB_UNC_UNREAD;
}

/* Records that make no sense are the doing of a program that writes where it should not: its outcome still counts. */
static int ingest(struct process_runner *p, const struct server_result *res, struct vtb_exec *exec,
                  struct vtb_error *err)
{
	struct vtb_wire_outcome broken = res->outcome;
	int r;

	vtb_ingest_until(p->ingest, p->opts.stop);
	vtb_ingest_leave_out(p->ingest, p->base.stem);
	r = vtb_ingest_exec(p->ingest, res->words, res->n_words, &res->outcome, exec, err);
	if (r != -VTB_E_FORMAT && r != -VTB_E_LIMIT && r != -VTB_E_DESYNC)
		return r;
	vtb_exec_fini(exec);
	*exec = (struct vtb_exec){ 0 };
	broken.flags |= VTB_OUT_CRASHED | VTB_OUT_TRUNCATED;
	vtb_ingest_begin_run(p->ingest);
	return vtb_ingest_exec(p->ingest, NULL, 0, &broken, exec, err);
}

#define POOL_MAX 512u

int vtb_process_finish_one(struct process_runner *p, struct server_result res, int r, struct batch *b, size_t i,
                           struct vtb_error *err)
{
	struct vtb_exec exec = { 0 };

	if (r == -VTB_E_UNSUPPORTED) { /* the engine does not work in this program */
		snprintf(p->engine_reason, sizeof(p->engine_reason), "%.255s",
		         p->server.block.header->trouble[0] ? p->server.block.header->trouble
		                                            : "the process died while it was rolled back");
		return TAKE_OTHER_ENGINE;
	}
	if (r < 0)
		return r;
	if (res.outcome.flags & VTB_OUT_TRUNCATED && p->server.opts.events_bytes < p->opts.events_max) {
		free(res.words);
		return vtb_owned_too_long(p, b, i) ? TAKE_WHOLE : TAKE_MORE_ROOM;
	}
	if (res.outcome.flags & VTB_OUT_REFUSED && p->server.opts.engine == VTB_ENGINE_SNAPSHOT) {
		snprintf(p->engine_reason, sizeof(p->engine_reason), "%.290s", res.outcome.message);
		free(res.words);
		return res.outcome.flags & VTB_OUT_MORE_THREADS && p->server.opts.pool < POOL_MAX ? TAKE_MORE_THREADS
		                                                                                  : TAKE_OTHER_ENGINE;
	}
	if (res.outcome.flags & VTB_OUT_MORE_THREADS && p->server.opts.engine == VTB_ENGINE_FORKSERVER &&
	    p->server.opts.pool < POOL_MAX) {
		free(res.words);
		return TAKE_MORE_THREADS;
	}
	if (res.outcome.flags & VTB_OUT_IDS) {
		p->opts.options |= VTB_OPT_REAL_IDS;
		snprintf(p->engine_reason, sizeof(p->engine_reason),
		         "another process comes to know the program's process id");
		free(res.words);
		return TAKE_OTHER_ENGINE;
	}
	if (res.outcome.flags & VTB_OUT_VIEW && p->view.plan.flags) {
		r = vtb_view_need(&p->view, res.outcome.message, err);
		free(res.words);
		return r < 0 ? r : TAKE_OTHER_VIEW;
	}
	if (vtb_owned_refuses(p, b, i, &res))
		return TAKE_WHOLE;
	res.outcome.flags &= ~(uint32_t)VTB_OUT_MORE_THREADS;
	if (vtb_cross_check_due(p, &b->items[i], &res.outcome)) {
		r = vtb_cross_check(p, b, i, &res, err);
		if (r <= 0) {
			free(res.words);
			return r < 0 ? r : TAKE_OTHER_ENGINE;
		}
		if (vtb_owned_was_enough(p, b, i)) {
			free(res.words);
			p->base.schedules++;
			return 0;
		}
	}
	vtb_pass_rule_apply(&p->pass, &res.outcome);
	r = vtb_process_learn_modules(p, err);
	if (r >= 0)
		r = ingest(p, &res, &exec, err);
	if (r >= 0) {
		note_unread(p, &exec);
		vtb_process_note_lent(p, &exec);
	}
	keep_words(p, &res);
	free(res.words);
	if (r >= 0 && vtb_owned_take(p, b, i, &exec))
		return TAKE_WHOLE;
	p->base.schedules += r >= 0;
	return r;
}

static int take_one(struct process_runner *p, struct batch *b, size_t i, struct vtb_error *err)
{
	struct server_result res;
	int r = vtb_server_take(&p->server, &res, err);

	return vtb_process_finish_one(p, res, r, b, i, err);
}

/* ---- many */

/* Post what fits. 1: the next schedule needs a larger block, for which nothing may be in flight. */
static int post_some(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	while (b->posted < b->n && vtb_server_room(&p->server)) {
		void *bytes;
		size_t size;
		int r;

		if (vtb_helpers_have(p, b->posted)) {
			b->posted++;
			continue;
		}
		r = vtb_process_encode(p, b, b->todo[b->posted], &bytes, &size);
		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "schedule %zu cannot be given to the program: %s",
			                     b->todo[b->posted], vtb_strerror(r));
		if (size > p->server.opts.schedule_bytes && vtb_server_room(&p->server) == p->server.opts.slots) {
			vtb_server_grow(&p->server, 2 * size, 0);
			free(bytes);
			return 1;
		}
		if (size <= p->server.opts.schedule_bytes) {
			vtb_server_post(&p->server, bytes, size);
			b->posted++;
		}
		free(bytes);
		if (size > p->server.opts.schedule_bytes)
			break;
	}
	return 0;
}

static int bring_up(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	if (vtb_server_is_up(&p->server))
		return 0;
	if (b->starts++ >= START_TRIES)
		return vtb_error_set(err, -VTB_E_TARGET, p->target.path, 0,
		                     "the program dies again and again before it runs a schedule");
	b->posted = b->taken;
	return vtb_process_start(p, err);
}

/* The oldest schedule is a helper's. TAKE_*, or an error. */
static int take_from_helper(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	struct server_result res;

	if (vtb_helpers_take(p, b->taken, &res))
		return vtb_process_finish_one(p, res, 0, b, b->todo[b->taken], err);
	if (vtb_stop_check(p->opts.stop, true) < 0)
		return vtb_error_set(err, vtb_stop_check(p->opts.stop, true), NULL, 0, "stopped");
	vtb_helpers_give_up(p, true);
	vtb_server_stop(&p->server); /* what it has posted is younger than what it has to run now */
	return TAKE_ALONE;
}

static int run_list(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	vtb_helpers_begin(p, b, false);
	while (b->taken < b->n) {
		size_t i = b->todo[b->taken];
		int r = vtb_stop_check(p->opts.stop, false);

		if (r < 0)
			return vtb_error_set(err, r, NULL, 0, "stopped");
		r = bring_up(p, b, err);
		vtb_helpers_post(p, b);
		if (r >= 0 && vtb_server_wants(&p->server))
			r = post_some(p, b, err);
		if (r == 1)
			continue;
		if (r >= 0)
			r = vtb_helpers_have(p, b->taken) ? take_from_helper(p, b, err) : take_one(p, b, i, err);
		if (r < 0)
			return r;
		if (r == TAKE_ALONE)
			continue;
		if (r == TAKE_OTHER_ENGINE || r == TAKE_MORE_THREADS || r == TAKE_OTHER_VIEW)
			vtb_helpers_give_up(p, false);
		if (r == TAKE_OTHER_ENGINE) {
			vtb_process_other_engine(p);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_OTHER_VIEW) {
			vtb_server_stop(&p->server);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_MORE_THREADS) {
			if (p->server.opts.engine == VTB_ENGINE_SNAPSHOT)
				p->engine_reason[0] = 0;
			p->server.opts.pool *= 4;
			vtb_server_stop(&p->server);
			b->starts = 0;
			continue;
		}
		if (r == TAKE_MORE_ROOM || r == TAKE_WHOLE)
			b->todo[b->again++] = i; /* again <= taken: its place is free */
		b->grow |= r == TAKE_MORE_ROOM;
		b->taken++;
		b->starts = 0;
		vtb_batch_tell(p, b);
	}
	return 0;
}

/* Once through those that are there, or through as many as may go at once. What must be seen whole, and what had no
 * room, with more of it, stays. */
static int run_some(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	const uint64_t more = p->server.opts.events_bytes * 8, most = p->opts.events_max;
	const size_t n = b->n;
	size_t rest;
	int r;

	b->n = vtb_owned_at_once(p, b);
	r = run_list(p, b, err);
	if (r < 0)
		return r;
	vtb_owned_again(p);
	rest = n > b->n ? n - b->n : 0;
	memmove(b->todo + b->again, b->todo + b->n, rest * sizeof(*b->todo));
	b->n = b->again + rest;
	b->posted = b->taken = b->again = 0;
	if (b->grow)
		vtb_server_grow(&p->server, 0, more < most ? more : most);
	b->grow = false;
	return 0;
}

static int run_batch(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	int r = 0;

	while (r >= 0 && b->n)
		r = run_some(p, b, err);
	return r;
}

/* First as series, then one by one what that has left. */
static int run_series(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	const int r = vtb_series_run(p, b, err);

	if (r == TAKE_OTHER_ENGINE) {
		vtb_helpers_give_up(p, false);
		vtb_process_other_engine(p);
	}
	return r < 0 ? r : run_batch(p, b, err);
}

/* Until all may go at once some may have to go one by one. */
static int run_all(struct process_runner *p, struct batch *b, struct vtb_error *err)
{
	int r = 0;

	while (r >= 0 && b->n && vtb_owned_at_once(p, b) < b->n)
		r = run_some(p, b, err);
	if (r < 0)
		return r;
	return vtb_series_pays(p, b) ? run_series(p, b, err) : run_batch(p, b, err);
}

static int process_run(struct vtb_runner *runner, const struct vtb_schedule *const *schedules, size_t n,
                       struct vtb_exec *execs, struct vtb_error *err)
{
	struct process_runner *p = vtb_process_of(runner);
	struct batch b = { .schedules = schedules, .execs = execs, .n = n, .total = n };
	int r = -ENOMEM;

	b.todo = calloc(n + 1, sizeof(*b.todo));
	memset(execs, 0, n * sizeof(*execs));
	p->encode_flags =
	    runner->states ? p->encode_flags | VTB_SCHED_STATES : p->encode_flags & ~(uint32_t)VTB_SCHED_STATES;
	for (size_t i = 0; b.todo && i < n; i++)
		b.todo[i] = i;
	if (b.todo && vtb_owned_begin(p, &b))
		r = run_all(p, &b, err);
	else
		vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	if (r < 0) {
		vtb_server_stop(&p->server); /* whatever is in flight */
		vtb_helpers_stop(p);
		runner->done = vtb_batch_keep(&b, r == -ECANCELED, b.total);
	}
	vtb_owned_end(p, &b, b.total);
	free(b.todo);
	return r < 0 ? r : 0;
}

static size_t process_batch(const struct vtb_runner *runner)
{
	return vtb_process_batch_of(vtb_process_of(runner)->server.opts.slots);
}

static void process_free(struct vtb_runner *runner)
{
	struct process_runner *p = vtb_process_of(runner);

	vtb_helpers_free(p);
	vtb_server_fini(&p->server);
	vtb_server_fini(&p->check);
	vtb_ingest_free(p->ingest);
	vtb_symbols_free(p->symbols);
	vtb_symtab_fini(&p->tab);
	vtb_view_fini(&p->view);
	vtb_pass_rule_fini(&p->pass);
	vtb_runtime_paths_fini(&p->runtime);
	vtb_target_fini(&p->target);
	vtb_call_sites_fini(&p->sites);
	vtb_blind_code_fini(&p->blind);
	free(p->breaks);
	free(p->owned.met);
	free(p->words);
	free(p);
}

static const struct vtb_runner_ops process_ops = { .name = "process",
	                                           .run = process_run,
	                                           .batch = process_batch,
	                                           .free = process_free,
	                                           .quiet = vtb_process_quiet,
	                                           .manner = vtb_process_manner,
	                                           .learnt = vtb_owned_learnt,
	                                           .learn = vtb_owned_learn,
	                                           .named = vtb_process_named };

/* ---- making one */

static int prepare(struct process_runner *p, struct vtb_error *err)
{
	int r = vtb_target_find(p->opts.argv[0], p->opts.cwd, &p->target, err);

	if (r < 0)
		return r;
	if (p->target.refusal[0])
		return vtb_error_set(err, -VTB_E_TARGET, p->target.path, 0, "%s", p->target.refusal);
	if (p->target.reads_tsc)
		p->opts.options |= VTB_OPT_TRAP_TSC;
	r = vtb_view_choose(&p->view, &p->opts, err);
	if (r >= 0)
		r = vtb_runtime_find(&p->runtime, err);
	if (r >= 0 && !p->opts.keep_calls)
		vtb_call_sites_find_until(p->target.image, p->opts.stop, &p->sites,
		                          NULL); /* without them calls go through the linkage table */
	vtb_process_find_blind(p);
	vtb_owned_add_places(p);
	if (r >= 0)
		r = vtb_pass_rule_init(&p->pass, &p->opts.pass, err);
	if (r < 0)
		return r;
	r = vtb_symbols_new(&p->symbols);
	if (r >= 0)
		r = vtb_ingest_new(&p->tab, p->symbols, &p->ingest);
	p->breaks = calloc(p->opts.n_breaks + 1, sizeof(*p->breaks));
	if (r < 0 || !p->breaks)
		return vtb_error_set(err, r < 0 ? r : -ENOMEM, NULL, 0, "%s", vtb_strerror(r < 0 ? r : -ENOMEM));
	r = vtb_process_choose_engine(p, err);
	return r < 0 ? r : vtb_process_probe(p, err);
}

int vtb_process_runner_new(const struct vtb_process_opts *opts, struct vtb_runner **ret, struct vtb_error *err)
{
	struct process_runner *p;
	int r;

	p = calloc(1, sizeof(*p));
	if (!p)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "%s", vtb_strerror(-ENOMEM));
	p->base = (struct vtb_runner){ .ops = &process_ops, .tab = &p->tab, .stop = opts->stop };
	p->base.real_time = opts->options & VTB_OPT_REAL_TIME;
	p->opts = *opts;
	p->server = p->check = (struct server){ .block = VTB_BLOCK_EMPTY, .output_fd = -1, .error_fd = -1 };
	vtb_process_set_defaults(&p->opts);
	r = vtb_helpers_new(p);
	if (r < 0)
		vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	else
		r = vtb_program_input_take(opts->input, err);
	if (r >= 0)
		r = prepare(p, err);
	if (r < 0) {
		process_free(&p->base);
		return r;
	}
	*ret = &p->base;
	return 0;
}
