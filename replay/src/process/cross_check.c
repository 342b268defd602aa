/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only proof that rolling back is complete: some runs are repeated in a process of their own, and must come out the
 * same. The sample: the first failures, one run in a hundred, and later, or where runs are long, one in a thousand, up
 * to SAMPLE_MAX. What a run passes over depends on addresses, which differ between engines: one that does so is first
 * run again as it went, whole (owned_runs.c).
 */
#include "process_private.h"

#include "encode.h"

#include "vtb/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define FAILURES_FIRST 8u
#define EVERY 100u   /* runs, for the first part of the sample; */
#define SELDOM 1000u /* from then on */
#define FIRST_PART 20u
#define SAMPLE_MAX 200u

static bool is_of_sample(struct process_runner *p, const struct vtb_wire_outcome *outcome)
{
	p->runs++;
	if (p->cross_checked >= SAMPLE_MAX)
		return false;
	return (outcome->verdict != VTB_V_NONE && p->cross_checked < FAILURES_FIRST) ||
	       p->runs % (p->cross_checked < FIRST_PART && !p->base.long_runs ? EVERY : SELDOM) == 1;
}

bool vtb_cross_check_due(struct process_runner *p, struct batch_item *item, const struct vtb_wire_outcome *outcome)
{
	if (p->server.opts.engine != VTB_ENGINE_SNAPSHOT || outcome->flags & (VTB_OUT_TRUNCATED | VTB_OUT_HELD_BACK) ||
	    outcome->verdict == VTB_V_TIMEOUT)
		return false;
	if (item->how == RUN_AS_IT_WENT)
		return item->check;
	item->check = is_of_sample(p, outcome);
	return item->check && item->how != RUN_OWNED;
}

static int bring_up(struct process_runner *p, struct vtb_error *err)
{
	struct server_opts opts = p->server.opts;

	if (vtb_server_is_up(&p->check))
		return 0;
	opts.engine = VTB_ENGINE_FORKSERVER;
	opts.slots = 1;
	vtb_server_init(&p->check, &opts);
	return vtb_server_start(&p->check, err);
}

/* Only one of the engines tells states. */
static size_t skip_states(const struct server_result *a, size_t i)
{
	while (i + 1 < a->n_words && (a->words[i] >> 8 & 255) == VTB_E_STATE)
		i += 2 + (a->words[i] >> 4 & 15);
	return i;
}

/* Kinds and places, one after the other; addresses of blocks and stacks may differ between engines. */
static bool same_events(const struct server_result *a, const struct server_result *b)
{
	size_t i = skip_states(a, 0), k = skip_states(b, 0);

	while (i + 1 < a->n_words && k + 1 < b->n_words) {
		if ((a->words[i] >> 8 & 255) != (b->words[k] >> 8 & 255) || a->words[i + 1] != b->words[k + 1])
			return false;
		i = skip_states(a, i + 2 + (a->words[i] >> 4 & 15));
		k = skip_states(b, k + 2 + (b->words[k] >> 4 & 15));
	}
	return i >= a->n_words && k >= b->n_words;
}

static const char *difference(const struct server_result *a, const struct server_result *b)
{
	if (a->outcome.verdict != b->outcome.verdict)
		return "the verdict";
	if (a->outcome.exit_status != b->outcome.exit_status)
		return "the exit status";
	if (!same_events(a, b))
		return "the operations";
	return a->outcome.output_hash != b->outcome.output_hash ? "the output" : NULL;
}

static int check(struct process_runner *p, const void *schedule, size_t size, const struct server_result *fast,
                 struct vtb_error *err)
{
	struct server_result slow = { 0 };
	const char *what;
	int r = bring_up(p, err);

	if (r == -ECANCELED)
		return 1;
	if (r < 0)
		return r;
	if (size > p->check.opts.schedule_bytes)
		return 1; /* too large for a sample */
	vtb_server_post(&p->check, schedule, size);
	r = vtb_server_take(&p->check, &slow, err);
	if (r == -ECANCELED) { /* the run itself is there */
		vtb_server_stop(&p->check);
		return 1;
	}
	if (r < 0)
		return r;
	what = slow.outcome.flags & VTB_OUT_TRUNCATED ? NULL : difference(fast, &slow);
	if (what)
		snprintf(p->engine_reason, sizeof(p->engine_reason),
		         "%s of a run differed between the engines snapshot (%s) and forkserver (%s)", what,
		         vtb_verdict_name(fast->outcome.verdict), vtb_verdict_name(slow.outcome.verdict));
	else
		p->cross_checked++;
	free(slow.words);
	return what ? 0 : 1;
}

int vtb_cross_check(struct process_runner *p, const struct batch *b, size_t i, const struct server_result *fast,
                    struct vtb_error *err)
{
	void *bytes;
	size_t size;
	int r = vtb_process_encode(p, b, i, &bytes, &size);

	if (r < 0)
		return vtb_error_set(err, r, NULL, 0, "%s", vtb_strerror(r));
	r = check(p, bytes, size, fast, err);
	free(bytes);
	return r;
}
