/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "picture_title.h"

#include <errno.h>
#include <string.h>

#include "picture_words.h"
#include "vtb/story.h"
#include "vtb/told.h"
#include "vtb/told_words.h"

/* " at account.c:31", nothing if the place is not known */
static void add_at(struct text *t, const char *before, const struct vtb_symtab *tab, uint32_t site)
{
	char place[512];

	if (site < tab->n_sites)
		text_printf(t, "%s%s", before, vtb_site_place(tab, site, place, sizeof(place)));
}

/* "if thread 0.1 is interrupted right after account.c:22" */
static void add_condition(struct text *t, const struct vtb_trace *trace, const struct selection *s)
{
	const struct turn *only = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n_turns; i++)
		if (s->turns[i].number) {
			only = &s->turns[i];
			n++;
		}
	if (n > 1)
		text_printf(t, " if the threads are switched at %zu points", n);
	else if (n == 1 && only->kind <= VTB_DEV_DEMOTE) {
		text_printf(t, " if thread %s is interrupted", vtb_thread_path(&trace->tab, only->thread));
		if (only->from != SELECT_NO_EVENT)
			add_at(t, " right after ", &trace->tab, trace->events[only->from].site);
	}
}

/* Verdicts that concern more than one thread. */
static bool is_about_all(enum vtb_verdict verdict)
{
	return verdict == VTB_V_DEADLOCK || verdict == VTB_V_CONDITION_DEADLOCK || verdict == VTB_V_LIVELOCK ||
	       verdict == VTB_V_NONE;
}

/* "A thread ...": which one is said in brackets. */
static bool names_a_thread(enum vtb_verdict verdict)
{
	return verdict == VTB_V_LOST_WAKEUP;
}

static void add_what(struct text *t, const struct vtb_trace *trace, enum vtb_verdict verdict)
{
	const struct vtb_outcome *o = &trace->outcome;

	const char *signal_name = o->signal > 0 ? sigabbrev_np(o->signal) : NULL;

	if (verdict == VTB_V_SIGNAL && signal_name)
		text_printf(t, "SIG%s kills the program", signal_name);
	else
		text_add(t, words_verdict(verdict));
	if (is_about_all(verdict) || o->thread >= trace->tab.n_threads)
		return;
	text_add(t, names_a_thread(verdict) ? " (in " : " in ");
	words_thread(t, &trace->tab, o->thread);
	add_at(t, " at ", &trace->tab, o->site);
	text_add(t, names_a_thread(verdict) ? ")" : "");
}

static void add_tuple(struct text *t, const struct vtb_failure *failure)
{
	const struct vtb_tuple *tuple = &failure->tuple;

	if (!failure->tuple_known)
		return;
	if (!tuple->c)
		text_add(t, " if the threads run in this order");
	text_printf(t, ": (c,v,t) = (%u,%u,%u), ", tuple->c, tuple->v, tuple->t);
	if (tuple->c)
		text_printf(t, "that is %u switch%s at %u variable%s", tuple->c, tuple->c == 1 ? "" : "es", tuple->v,
		            tuple->v == 1 ? "" : "s");
	else
		text_add(t, "that is no forced switch");
	text_printf(t, " among %u threads", tuple->t);
}

static void add_command(struct text *t, const struct vtb_trace *trace)
{
	for (char **arg = trace->argv; arg && *arg; arg++)
		text_printf(t, "%s%s", arg == trace->argv ? "" : " ", *arg);
}

static void add_left_out(struct text *t, const struct picture *p, const struct vtb_trace *trace)
{
	const size_t out = trace->tab.n_threads - p->n_columns;

	text_printf(t, "%s%zu operations, %zu of %zu threads shown", t->length ? "  \u00b7  " : "", trace->n_events,
	            p->n_columns, trace->tab.n_threads);
	if (out)
		text_printf(t, " (%zu took no part)", out);
	if (trace->lost)
		text_printf(t, "  \u00b7  %llu events were lost", (unsigned long long)trace->lost);
}

/* Who waits for whom, and so the verdict, is told of the run; the runtime has only seen that nobody goes on. */
static int add_message(struct text *t, const struct vtb_trace *trace, const struct vtb_failure *failure,
                       enum vtb_verdict *verdict)
{
	struct vtb_told told;
	char words[2048];
	int r;

	if (!failure || !(failure->verdict == VTB_V_DEADLOCK || failure->verdict == VTB_V_CONDITION_DEADLOCK ||
	                  failure->verdict == VTB_V_LOST_WAKEUP)) {
		if (trace->outcome.message)
			text_add(t, trace->outcome.message);
		return 0;
	}
	r = vtb_told_of_failure(failure, "", &told);
	if (r < 0)
		return r;
	*verdict = vtb_story_verdict(told.run);
	text_add(t, vtb_report_failure(told.run, told.tab, false, words, sizeof(words)));
	vtb_told_fini(&told);
	return 0;
}

int picture_titles(struct picture *p, const struct vtb_trace *trace, const struct vtb_failure *failure,
                   const struct selection *s)
{
	enum vtb_verdict verdict = failure ? failure->verdict : trace->outcome.verdict;
	struct text title = { 0 }, message = { 0 }, subtitle = { 0 };

	p->failed = vtb_verdict_exit_code(verdict) == 1;
	p->partial_order = trace->order == VTB_ORDER_SYNC;
	if (add_message(&message, trace, failure, &verdict) < 0)
		message.failed = true;
	add_what(&title, trace, verdict);
	if (p->failed)
		add_condition(&title, trace, s);
	if (failure)
		add_tuple(&title, failure);
	add_command(&subtitle, trace);
	add_left_out(&subtitle, p, trace);
	p->title = text_take(&title);
	p->message = text_take(&message);
	p->subtitle = text_take(&subtitle);
	return p->title && p->message && p->subtitle ? 0 : -ENOMEM;
}
