/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program does before anything is searched: with nobody disturbing it, and, if that fails, under very different
 * orders. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hunt_priv.h"
#include "shrink.h"
#include "vtb/array.h"
#include "vtb/bounded_text.h"
#include "vtb/words.h"

#define RANDOM_ORDERS 16u /* beside the systematic ones */
#define ALWAYS_SHARE 0.25 /* of the time that is left may go into them */

/* A thread that was created counts even if it never came to run. */
uint32_t vtb_hunt_count_threads(const struct vtb_exec *x)
{
	uint32_t created = 0, begun = 0;

	for (size_t i = 0; i < x->n_events; i++) {
		created += x->events[i].kind == VTB_E_THREAD_CREATE;
		begun += x->events[i].kind == VTB_E_THREAD_BEGIN && x->events[i].thread != x->events[0].thread;
	}
	return x->n_events ? 1 + (created > begun ? created : begun) : 0;
}

static void note_facts(struct vtb_hunt_facts *facts, const struct vtb_exec *x)
{
	facts->threads = vtb_hunt_count_threads(x);
	facts->points = x->outcome.points;
	facts->little_told = x->owned;
	facts->accesses = facts->operations = 0;
	for (size_t i = 0; i < x->n_events; i++) {
		const struct vtb_event_info *info = vtb_event_info(x->events[i].kind);

		if (x->events[i].kind == VTB_E_OWNED)
			facts->accesses += x->events[i].value;
		else if (info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC))
			facts->accesses++;
		else if (info && info->flags & VTB_EV_VISIBLE)
			facts->operations++;
	}
}

/* The k-th very different schedule of a program with n threads: priorities and run-to-block with the order of creation
 * reversed, each thread once at the front, then random choices. False when there are no more. */
static int different(struct vtb_schedule *s, uint32_t k, uint32_t n, uint64_t seed)
{
	const uint32_t reversed = 2, first = reversed + (n < 16 ? n : 16);

	*s = (struct vtb_schedule){ 0 };
	if (k >= first + RANDOM_ORDERS)
		return 0;
	if (k >= first) {
		s->policy = VTB_SCHEDULE_RANDOM;
		s->seed = seed + k;
		return 1;
	}
	s->policy = k == 0 ? VTB_SCHEDULE_RUN_TO_BLOCK : VTB_SCHEDULE_PRIORITY;
	for (uint32_t i = 0; i < (k < reversed ? n : 1); i++) {
		if (vtb_array_room(s, ranks) < 0) {
			vtb_schedule_fini(s);
			return -ENOMEM;
		}
		s->ranks[s->n_ranks++] = k < reversed ? n - 1 - i : k - reversed;
	}
	return 1;
}

/* One of them. 1 it fails, 0 it does not. */
static int fails_under(struct vtb_hunt *hunt, const struct vtb_schedule *s)
{
	struct vtb_exec x = { 0 };
	int r;

	vtb_runner_tell_little(hunt->runner, s->sparse);
	r = vtb_runner_run(hunt->runner, &s, 1, &x, hunt->err);
	vtb_runner_tell_little(hunt->runner, false);
	if (r == 0)
		r = vtb_exec_fails_as(&x, NULL) || x.outcome.verdict == VTB_V_DIVERGED ||
		    x.outcome.verdict == VTB_V_INFEASIBLE;
	vtb_exec_fini(&x);
	return r;
}

/* Does it fail in all of them? 1 yes; 0 no, or there is no time to see. */
static int fails_always(struct vtb_hunt *hunt, uint32_t threads)
{
	const double until = vtb_hunt_now() + (hunt->deadline - vtb_hunt_now()) * ALWAYS_SHARE;
	int r = 1;

	for (uint32_t k = 0; r == 1; k++) {
		struct vtb_schedule s;

		r = different(&s, k, threads, hunt->opts->search.seed);
		if (r <= 0)
			return r < 0 ? r : 1;
		s.sparse = hunt->result->first.owned;
		r = fails_under(hunt, &s);
		if (r == -ECANCELED || (r == 1 && vtb_hunt_now() >= until)) {
			hunt->result->facts.always_open = true;
			r = 0;
		}
		vtb_schedule_fini(&s);
		vtb_hunt_tell(hunt, VTB_HUNT_FIRST_RUNS);
	}
	return r;
}

/* No order is to blame, so there is nothing to shrink. */
static int add_regardless(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	struct vtb_finding f = { .schedule = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK },
		                 .minimal = true,
		                 .regardless = true,
		                 .schedule_number = 1 };
	int r;

	if (vtb_hunt_is_known(hunt, &result->first))
		return 0;
	r = vtb_hunt_confirm(hunt, &f.schedule, result->first.outcome.signature, &f);
	if (r < 0)
		return r;
	vtb_hunt_name_test(hunt, &f);
	result->facts.always = hunt->runner->schedules - f.replays;
	r = vtb_hunt_show(hunt, &f.schedule, &result->first, &f);
	if (r == 0)
		r = vtb_array_room(result, findings);
	if (r == 0)
		r = vtb_exec_copy(&result->first, &f.exec);
	if (r < 0)
		return vtb_error_set(hunt->err, r, NULL, 0, "cannot keep a finding");
	result->findings[result->n_findings++] = f;
	result->verdict = VTB_V_REGARDLESS;
	return 0;
}

/* It is not the run that was asked for, or nobody can say what it did. */
#define UNRELIABLE (VTB_OUT_DIVERGED | VTB_OUT_CRASHED | VTB_OUT_TRUNCATED)

bool vtb_hunt_refutes_regardless(const struct vtb_hunt_result *result, const struct vtb_exec *x)
{
	return result->verdict == VTB_V_REGARDLESS && result->findings[0].exec.outcome.verdict != VTB_V_MISUSE &&
	       vtb_verdict_exit_code(x->outcome.verdict) == 0 && !(x->outcome.flags & UNRELIABLE);
}

int vtb_hunt_blame_an_order(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	struct vtb_finding always = result->findings[0];
	int r;

	result->n_findings--;
	memmove(result->findings, result->findings + 1, result->n_findings * sizeof(*result->findings));
	result->verdict = VTB_V_NONE;
	result->facts.stopped = "found";
	r = vtb_hunt_add_finding(hunt, &result->first, always.schedule_number, NULL);
	if (r == 0 || r == -ENOMEM) {
		vtb_hunt_finding_fini(&always);
		return r;
	}
	always.regardless = false;
	always.tuple = vtb_exec_tuple(&always.exec);
	if (vtb_array_room(result, findings) < 0) {
		vtb_hunt_finding_fini(&always);
		return -ENOMEM;
	}
	result->findings[result->n_findings++] = always;
	return r < 0 ? r : 0;
}

#define LAST_NAMED 4u

/* The last operation that a thread has done, for those that are still there. */
static void say_last(struct vtb_bounded_text *t, const struct vtb_exec *x, const struct vtb_symtab *tab,
                     uint32_t thread, unsigned *named)
{
	for (size_t i = x->n_events; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];
		char name[120], object[200], place[160];

		if (e->thread != thread)
			continue;
		if (e->kind == VTB_E_THREAD_END || (*named)++ >= LAST_NAMED)
			return;
		vtb_words_object(e, tab, object, sizeof(object));
		vtb_words_place(tab, e->site, place, sizeof(place));
		vtb_bounded_text_add(t, "%s%s %s%s%s%s%s", *named > 1 ? "; " : ". The last operations: ",
		                     vtb_words_thread(tab, thread, name, sizeof(name)), vtb_words_verb(e, false),
		                     *object ? " " : "", object, *place ? " at " : "", place);
		return;
	}
}

char *vtb_hunt_describe_stuck(const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	char text[1200] = "";
	struct vtb_bounded_text t = { .buf = text, .size = sizeof(text) };
	unsigned named = 0;

	vtb_bounded_text_add(&t, "%s",
	                     x->outcome.message && *x->outcome.message ? x->outcome.message
	                                                               : "stopped because it took too long");
	for (uint32_t thread = 0; thread < tab->n_threads; thread++)
		say_last(&t, x, tab, thread, &named);
	return strdup(text);
}

/* Is it long, or does it not end because of us, or not at all? */
static const char *alone(const struct vtb_hunt *hunt, char *text, size_t size)
{
	if (hunt->result->facts.uncontrolled & VTB_UNC_SCRATCH)
		snprintf(text, size,
		         "--scratch-size=MB gives a run more room for what it writes, --scratch=DIR room on a disk.");
	else if (hunt->alone_msec > 0)
		snprintf(text, size,
		         "Without vtb it ends after %.1f s: either it waits for something that does not come under "
		         "control, or in this order of its threads it does not end. --timeout=SECONDS gives a run "
		         "more time.",
		         (double)hunt->alone_msec / 1000);
	else if (hunt->alone_msec < 0)
		snprintf(text, size,
		         "Without vtb it does not end within that time either. If one run takes that long, make the "
		         "test smaller or give it more by --timeout=SECONDS; if it waits for something outside of it, "
		         "provide that.");
	else
		snprintf(text, size,
		         "If one run takes that long by itself, make the test smaller or give it more time by "
		         "--timeout=SECONDS; if it waits for something outside of it, provide that.");
	return text;
}

/* A run without an end shows nothing, and each further one would take as long: say what it was doing instead of
 * searching. */
static int add_stuck(struct vtb_hunt *hunt)
{
	struct vtb_hunt_result *result = hunt->result;
	char *what = vtb_hunt_describe_stuck(&result->first, hunt->runner->tab), by_itself[300];
	const bool limit = result->first.outcome.verdict == VTB_V_LIMIT;
	int n = -1;

	result->verdict = limit ? VTB_V_LIMIT : VTB_V_TIMEOUT;
	result->facts.stopped = "stuck";
	free(result->advice);
	result->advice = NULL;
	if (what)
		n = asprintf(&result->advice, "The run of the default schedule was %s.%s%s", what, limit ? "" : " ",
		             limit ? "" : alone(hunt, by_itself, sizeof(by_itself)));
	free(what);
	if (n < 0)
		result->advice = NULL;
	return n < 0 ? -ENOMEM : 0;
}

/* Is what threads share enough to know of a run of millions of operations? Whose variables are named by options, and
 * whose class others are to recognise, is told whole. */
static bool little_will_do(const struct vtb_hunt_opts *opts)
{
	return !opts->items && !opts->part && !opts->search.focus_var && !opts->search.focus_function &&
	       !opts->search.check_function;
}

/* A run that was stopped may only be long: once more with the time that its length by itself allows. */
static int run_first(struct vtb_hunt *hunt)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK,
		                               .sparse = little_will_do(hunt->opts) },
	                          *one = &standard;
	struct vtb_exec *first = &hunt->result->first;

	for (;;) {
		const double start = vtb_hunt_now();
		int r;

		vtb_runner_tell_little(hunt->runner, standard.sparse);
		r = vtb_runner_run(hunt->runner, &one, 1, first, hunt->err);
		vtb_runner_tell_little(hunt->runner, false);
		hunt->run_seconds = vtb_hunt_now() - start;
		if (r < 0 || first->outcome.verdict != VTB_V_TIMEOUT || !hunt->more_time)
			return r;
		r = hunt->more_time(hunt);
		if (r <= 0)
			return r;
		vtb_exec_fini(first);
		*first = (struct vtb_exec){ 0 };
	}
}

#define PATIENT_SECONDS 1.0
#define PATIENT_SHARE 0.1 /* or so much of the time, if that is more */

/* One run of the default schedule that is given up after a while: -ECANCELED. */
static int run_for_a_while(struct vtb_hunt *hunt, struct vtb_exec *ret)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, *one = &standard;
	const double deadline = hunt->stop.deadline, now = vtb_hunt_now(), share = (deadline - now) * PATIENT_SHARE;
	const double until = now + (share > PATIENT_SECONDS ? share : PATIENT_SECONDS);
	int r;

	hunt->stop.deadline = until < deadline ? until : deadline;
	r = vtb_runner_run(hunt->runner, &one, 1, ret, hunt->err);
	hunt->stop.deadline = deadline;
	return r;
}

/* A thread was held back that may only be slow. If with patience none is, it is: then that is how all runs are made. */
static int run_patiently(struct vtb_hunt *hunt)
{
	struct vtb_exec *first = &hunt->result->first, x = { 0 };
	int r;

	if (!(first->outcome.flags & VTB_OUT_ASSUMED) || vtb_exec_fails_as(first, NULL) || !hunt->patient)
		return 0;
	hunt->patient(hunt->runner, true);
	r = run_for_a_while(hunt, &x);
	if (r >= 0 && !(x.outcome.flags & VTB_OUT_ASSUMED) && !vtb_verdict_is_cut(x.outcome.verdict)) {
		vtb_exec_fini(first);
		*first = x;
		return 0;
	}
	vtb_exec_fini(&x);
	hunt->patient(hunt->runner, false);
	return r == -ECANCELED && !vtb_hunt_due(hunt) ? 0 : r;
}

/* Where a handler runs is a matter of the schedule with one thread, too. */
static bool handles_signals(const struct vtb_exec *x)
{
	for (size_t i = 0; i < x->n_events; i++)
		if (x->events[i].kind == VTB_E_SIGNAL_HANDLE)
			return true;
	return false;
}

int vtb_hunt_first_runs(struct vtb_hunt *hunt, bool *ret_failing)
{
	struct vtb_hunt_result *result = hunt->result;
	bool fails;
	int r;

	vtb_hunt_tell(hunt, VTB_HUNT_FIRST_RUNS);
	r = run_first(hunt);
	r = r < 0 ? r : run_patiently(hunt);
	if (r < 0)
		return r;
	note_facts(&result->facts, &result->first);
	r = hunt->after_first ? hunt->after_first(hunt) : 0;
	if (r != 0)
		return r < 0 ? r : 0;
	if (vtb_verdict_is_cut(result->first.outcome.verdict))
		return add_stuck(hunt);
	r = vtb_hunt_check_focus(hunt);
	if (r < 0)
		return r;
	fails = vtb_exec_fails_as(&result->first, NULL);
	if (result->facts.threads <= 1 && !fails && (result->facts.uncontrolled || !handles_signals(&result->first))) {
		result->verdict = VTB_V_SEQUENTIAL;
		result->facts.stopped = "bound";
		return 0;
	}
	r = fails ? fails_always(hunt, result->facts.threads) : 0;
	if (r < 0)
		return r;
	*ret_failing = fails && r == 0;
	return r == 1 ? add_regardless(hunt) : 0;
}

int vtb_hunt_past_misuse(struct vtb_hunt *hunt)
{
	const struct vtb_schedule standard = { .policy = VTB_SCHEDULE_RUN_TO_BLOCK }, *one = &standard;
	struct vtb_exec *first = &hunt->result->first;
	int r;

	if (first->outcome.verdict != VTB_V_MISUSE || !hunt->past_misuse)
		return 0;
	hunt->past_misuse(hunt->runner, true);
	vtb_exec_fini(first);
	*first = (struct vtb_exec){ 0 };
	r = vtb_runner_run(hunt->runner, &one, 1, first, hunt->err);
	if (r >= 0 && vtb_exec_fails_as(first, NULL))
		r = vtb_hunt_add_finding(hunt, first, hunt->runner->schedules, NULL);
	return r;
}
