/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/told_words.h"

#include <stdio.h>
#include <string.h>

#include "vtb/bounded_text.h"
#include "vtb/story.h"
#include "vtb/words.h"

/* The program's own words without the line end that most messages have. */
static void own_words(const char *message, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s", message ? message : "");

	n = n < size ? n : size - 1;
	while (n && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		buf[--n] = 0;
}

/* What the runtime says of an exception (vtb/signature.h), and how it is told: with its type, its words, and the place.
 */
static const struct {
	const char *start, *told, *place;
} exceptions[] = {
	{ "terminate called after throwing an instance of '", "uncaught exception ", ", thrown at " },
	{ "abort() was called while handling an instance of '", "abort() was called while handling exception ",
	  ", at " },
};

static bool exception_words(const char *words, const char *place, char *buf, size_t size)
{
	static const char what[] = "what():  ";

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(*exceptions); i++) {
		const size_t n = strlen(exceptions[i].start);
		const char *said = strstr(words, what);

		if (strncmp(words, exceptions[i].start, n) != 0)
			continue;
		snprintf(buf, size, "%s%.*s%s%s%s%s", exceptions[i].told, (int)strcspn(words + n, "'"), words + n,
		         said ? ": " : "", said ? said + sizeof(what) - 1 : "", *place ? exceptions[i].place : "",
		         place);
		return true;
	}
	return false;
}

/* Words of ours, where the program and the library say nothing. */
static bool no_words_of_its_own(const char *words)
{
	return strncmp(words, "abort()", 7) == 0 || strncmp(words, "terminate called", 16) == 0 ||
	       strcmp(words, "the program was aborted") == 0;
}

/* assert(), an exception, or abort() after a message of the program's own, which is what is read first. */
static void aborted(const char *words, const char *place, char *buf, size_t size)
{
	const bool unknown = !*place || strstr(words, place);
	const char *at = unknown ? "" : " at ", *where = unknown ? "" : place;

	if (exception_words(words, place, buf, size))
		return;
	if (!*words || strstr(words, "Assertion "))
		snprintf(buf, size, "assertion failed%s%s%s%s", at, where, *words ? ": " : "", words);
	else if (no_words_of_its_own(words))
		snprintf(buf, size, "the program aborted%s%s: %s", at, where, words);
	else if (strstr(words, ": runtime error: ")) /* a sanitizer's report, after which the program would go on */
		snprintf(buf, size, "%s", words);
	else
		snprintf(buf, size, "%s (aborted%s%s)", words, at, where);
}

static const char *signal_name(int number)
{
	const char *name = sigabbrev_np(number);

	return name ? name : "?";
}

char *vtb_report_failure(const struct vtb_exec *x, const struct vtb_symtab *tab, bool regardless, char *buf,
                         size_t size)
{
	const struct vtb_outcome *o = &x->outcome;
	char words[512], place[160], where[200] = "", what[160];
	struct vtb_story story;

	own_words(o->message, words, sizeof(words));
	vtb_words_place(tab, o->site, place, sizeof(place));
	if (*place && !strstr(words, place))
		snprintf(where, sizeof(where), " at %s", place);
	switch (o->verdict) {
	case VTB_V_ASSERTION:
		aborted(words, place, buf, size);
		snprintf(buf + strlen(buf), size - strlen(buf), "%s", regardless ? " (in every schedule tried)" : "");
		return buf;
	case VTB_V_SIGNAL:
		snprintf(what, sizeof(what), "killed by signal %d (SIG%s)", o->signal, signal_name(o->signal));
		words[0] = 0; /* says the same */
		break;
	case VTB_V_EXIT:
		snprintf(what, sizeof(what), "exit status %d", o->exit_status);
		where[0] = words[0] = 0;
		break;
	case VTB_V_MEMORY:

		snprintf(what, sizeof(what), "%.100s", *words ? words : vtb_verdict_text(o->verdict));
		words[0] = 0;
		break;
	case VTB_V_DEADLOCK:
	case VTB_V_CONDITION_DEADLOCK:
	case VTB_V_LOST_WAKEUP:
	case VTB_V_MISUSE:
	case VTB_V_LIVELOCK:
		vtb_story_find(x, tab, NULL, &story);
		vtb_story_sentence(x, tab, &story, buf, size);
		if (!*buf) /* the runtime's own words */
			snprintf(buf, size, "%s%s", *words ? words : vtb_verdict_text(o->verdict), where);
		if (regardless)
			snprintf(buf + strlen(buf), size - strlen(buf), " (in every schedule tried)");
		return buf;
	case VTB_V_OUTPUT:
		where[0] = words[0] = 0; /* no single place is to blame, and the runtime's words say nothing more */
		                         /* fall through */
	default:
		snprintf(what, sizeof(what), "%s: %s", vtb_verdict_name(o->verdict), vtb_verdict_text(o->verdict));
		break;
	}
	snprintf(buf, size, "%s%s%s%s%s", what, where, *words ? ": " : "", words,
	         regardless ? " (in every schedule tried)" : "");
	return buf;
}

struct kind_row {
	const char *one;             /* what happens, a clause */
	const char *many;            /* the kind, for the statement */
	const char *single, *plural; /* to be counted */
};

static const struct kind_row kinds[] = {
	[VTB_DEV_SWITCH] = { "another thread takes over", "thread switches", "preemption", "preemptions" },
	[VTB_DEV_DEMOTE] = { "the thread falls behind the others", "changes of priority", "change of priority",
	                     "changes of priority" },
	[VTB_DEV_WAITER] = { "another waiter than the first is woken", "other waiters than the first",
	                     "waiter that is not the first", "waiters that are not the first" },
	[VTB_DEV_SPURIOUS] = { "the wait ends without a signal", "spurious wake-ups", "spurious wake-up",
	                       "spurious wake-ups" },
	[VTB_DEV_TIMEOUT] = { "a deadline passes although others could run", "deadlines that pass early",
	                      "deadline that passes early", "deadlines that pass early" },
	[VTB_DEV_CAS_FAIL] = { "a weak compare-exchange fails", "weak compare-exchanges that fail",
	                       "weak compare-exchange that fails", "weak compare-exchanges that fail" },
	[VTB_DEV_SIGNAL] = { "a pending signal is delivered", "signals delivered early", "signal delivered early",
	                     "signals delivered early" },
};

const char *vtb_report_deviation_text(unsigned kind)
{
	return kind && kind < sizeof(kinds) / sizeof(*kinds) ? kinds[kind].one : "something departs from the default";
}

const char *vtb_report_deviation_plural(unsigned kind)
{
	return kind && kind < sizeof(kinds) / sizeof(*kinds) ? kinds[kind].many : "";
}

/* Deviations of one kind: 0 counts the preemptions. */
static uint32_t count_kind(const struct vtb_exec *x, unsigned kind)
{
	uint32_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		if (kind == VTB_DEV_SWITCH)
			n += i && vtb_exec_preempts(x, i);
		else
			n += x->events[i].flags & VTB_EVF_DEVIATED && x->events[i].deviation == kind;
	return n;
}

char *vtb_report_tuple(const struct vtb_exec *run, struct vtb_tuple tuple, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	bool any = false;

	for (unsigned kind = VTB_DEV_SWITCH; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		const uint32_t n = kind == VTB_DEV_DEMOTE ? 0 : count_kind(run, kind);

		if (!n)
			continue;
		vtb_bounded_text_add(&t, "%s%u %s", any ? ", " : "", n,
		                     n == 1 ? kinds[kind].single : kinds[kind].plural);
		any = true;
	}
	vtb_bounded_text_add(&t, "%s, %u variable%s", any ? "" : "no preemption", tuple.v, tuple.v == 1 ? "" : "s");
	if (tuple.t)
		vtb_bounded_text_add(&t, ", %u thread%s", tuple.t, tuple.t == 1 ? "" : "s");
	return buf;
}

static const char *ordinal(uint32_t n)
{
	if (n % 100 / 10 == 1)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

char *vtb_report_deviation(const struct vtb_deviation *d, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_opname *name = &d->after.name;
	const struct vtb_event_info *info = vtb_event_info(name->kind);
	char at[400] = "", place[160], what[120], variable[160] = "";

	if (name->kind && info) {
		vtb_words_place(tab, name->site, place, sizeof(place));
		if (d->var < tab->n_variables)
			vtb_words_variable(tab, d->var, variable, sizeof(variable));
		snprintf(at, sizeof(at), " (%s%s%s%s%s)", info->name, *variable ? " " : "", variable,
		         *place ? " at " : "", place);
	}
	if (d->kind == VTB_DEV_SWITCH)
		snprintf(what, sizeof(what), "%s runs", vtb_thread_path(tab, d->target));
	else
		snprintf(what, sizeof(what), "%s", vtb_report_deviation_text(d->kind));
	snprintf(buf, size, "after the %u%s operation of %s%s: %s%s", d->after.index, ordinal(d->after.index),
	         vtb_thread_path(tab, d->after.thread), at, what, d->cost ? ", preempting it" : "");
	return buf;
}
