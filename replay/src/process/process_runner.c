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
		r = vtb_batch_run(p, &b, err);
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
