/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A failure counts when it comes again each time. */
#include "vtb/replay.h"

#include "vtb/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void vtb_confirmation_fini(struct vtb_confirmation *c)
{
	vtb_exec_fini(&c->exec);
	*c = (struct vtb_confirmation){ 0 };
}

bool vtb_replay_diverged(const struct vtb_outcome *o)
{
	return o->flags & VTB_OUT_DIVERGED || o->verdict == VTB_V_DIVERGED || o->verdict == VTB_V_INFEASIBLE;
}

int vtb_replay_exit_code(const struct vtb_outcome *o)
{
	const int code = vtb_verdict_exit_code(o->verdict);

	if (code == 0 && (vtb_replay_diverged(o) || o->flags & VTB_OUT_CRASHED))
		return 3; /* nothing bad was seen, but not in the run that was asked for */
	return code;
}

static const char *text(const char *s)
{
	return s ? s : "";
}

static void judge(struct vtb_confirmation *c, const struct vtb_outcome *o, const char *expected)
{
	const bool fails = vtb_verdict_exit_code(o->verdict) == 1;

	c->runs++;
	if (vtb_replay_diverged(o)) {
		c->diverged++;
		c->reason = "the program did not follow the schedule";
	}
	if (!fails) {
		if (!c->failing)
			c->verdict = o->verdict;
		return;
	}
	if (!c->failing++) {
		c->verdict = o->verdict;
		c->signature = text(o->signature);
	} else if (strcmp(c->signature, text(o->signature))) {
		c->reason = "it fails in different ways";
	}
	if (expected && strcmp(expected, text(o->signature)))
		c->reason = "it fails, but not in the expected way";
}

static void conclude(struct vtb_confirmation *c)
{
	if (c->failing && c->failing < c->runs && !c->reason[0])
		c->reason = "it fails in some of the runs only";
	c->confirmed = c->failing == c->runs && c->runs && !c->reason[0];
}

int vtb_replay_confirm(struct vtb_runner *runner, const struct vtb_schedule *s, uint32_t times, const char *expected,
                       struct vtb_confirmation *ret, struct vtb_error *err)
{
	struct vtb_confirmation c = { .signature = "", .reason = "" };

	*ret = c;
	for (uint32_t i = 0; i < times; i++) {
		struct vtb_place_note note;
		int r;

		vtb_exec_fini(&c.exec);
		r = vtb_runner_run(runner, &s, 1, &c.exec, err);
		if (r < 0) {
			vtb_confirmation_fini(&c);
			return r;
		}
		if (!vtb_replay_follows(&c.exec, runner->tab, s, &note))
			c.exec.outcome.flags |= VTB_OUT_DIVERGED;
		judge(&c, &c.exec.outcome, expected);
	}
	conclude(&c);
	*ret = c;
	return 0;
}
