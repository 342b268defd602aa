/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sentence on what became of the threads: for the verdicts that an assertion's text does not explain. */
#include <string.h>

#include "vtb/classify.h"
#include "vtb/story.h"
#include "vtb/story_rounds.h"
#include "vtb/bounded_text.h"
#include "vtb/words.h"

struct teller {
	struct vtb_bounded_text text;
	const struct vtb_exec *x;
	const struct vtb_symtab *tab;
	const struct vtb_story *story;
};

static void say_thread(struct teller *t, uint32_t thread)
{
	char name[120];

	vtb_bounded_text_add(&t->text, "%s", vtb_words_thread(t->tab, thread, name, sizeof(name)));
}

static void say_variable(struct teller *t, uint32_t var)
{
	char name[160];

	vtb_bounded_text_add(&t->text, "%s",
	                     var < t->tab->n_variables ? vtb_words_variable(t->tab, var, name, sizeof(name))
	                                               : "something");
}

static void say_place(struct teller *t, const char *word, uint32_t site)
{
	char place[160];

	if (*vtb_words_place(t->tab, site, place, sizeof(place)))
		vtb_bounded_text_add(&t->text, " %s %s", word, place);
}

static void say_self(struct teller *t)
{
	const struct vtb_cycle_edge *e = &t->story->cycle[0];

	say_thread(t, e->wanted.thread);
	vtb_bounded_text_add(&t->text, " asks for ");
	say_variable(t, e->wanted.var);
	say_place(t, "at", e->wanted.site);
	vtb_bounded_text_add(&t->text, ", which it holds itself");
	say_place(t, "since", e->taken.site);
}

static void say_circle(struct teller *t)
{
	const struct vtb_story *s = t->story;

	for (size_t i = 0; i < s->n_cycle; i++) {
		const struct vtb_event *wanted = &s->cycle[i].wanted,
		                       *held = &s->cycle[(i + s->n_cycle - 1) % s->n_cycle].wanted;

		vtb_bounded_text_add(&t->text, "%s", i == 0 ? "" : i + 1 < s->n_cycle ? ", " : ", and ");
		say_thread(t, wanted->thread);
		if (held->kind != VTB_E_THREAD_JOIN) {
			vtb_bounded_text_add(&t->text, " holds ");
			say_variable(t, held->var);
			vtb_bounded_text_add(&t->text, " and");
		}
		vtb_bounded_text_add(&t->text, " waits for ");
		if (wanted->kind == VTB_E_THREAD_JOIN)
			vtb_bounded_text_add(&t->text, "the end of "), say_thread(t, s->cycle[i].taken.thread);
		else
			say_variable(t, wanted->var);
	}
}

/* Who could have woken it may wait for a mutex that the waiting thread has kept: all of it, or of a recursive one what
 * the wait did not give back. */
static void say_kept(struct teller *t, const struct vtb_event *wait)
{
	for (size_t i = 0; i < t->x->n_pending; i++) {
		const struct vtb_event *e = &t->x->pending[i];
		const unsigned kind = e->kind == VTB_E_PENDING ? e->aux : e->kind;

		if (e->thread == wait->thread || (kind != VTB_E_LOCK && kind != VTB_E_TIMEDLOCK) ||
		    vtb_exec_holder(t->x, e->var, wait->thread) == VTB_EVENT_NONE)
			continue;
		vtb_bounded_text_add(&t->text, ": ");
		say_thread(t, e->thread);
		vtb_bounded_text_add(&t->text, " waits for ");
		say_variable(t, e->var);
		say_place(t, "at", e->site);
		vtb_bounded_text_add(&t->text, ", which ");
		say_thread(t, wait->thread);
		vtb_bounded_text_add(&t->text, " holds meanwhile");
		return;
	}
}

/* Nobody will unlock what a thread held that is no more. */
static bool say_abandoned(struct teller *t)
{
	struct vtb_triple triple;
	const struct vtb_event *wanted;

	if (!vtb_classify_abandoned(t->x, &triple))
		return false;
	wanted = &t->x->pending[triple.pending];
	say_thread(t, wanted->thread);
	vtb_bounded_text_add(&t->text, " waits for ");
	say_variable(t, wanted->var);
	say_place(t, "at", wanted->site);
	vtb_bounded_text_add(&t->text, ", which ");
	say_thread(t, t->x->events[triple.first].thread);
	say_place(t, "has locked at", t->x->events[triple.first].site);
	vtb_bounded_text_add(&t->text, " and held when it ended");
	return true;
}

/* A wait on a condition: the signal that came too early, or to another, or not at all. */
static bool say_condition(struct teller *t)
{
	struct vtb_triple triple;
	const struct vtb_event *wait, *signal;

	if (!vtb_classify_wakeup(t->x, &triple))
		return false;
	wait = &t->x->events[triple.first];
	signal = triple.intruder == VTB_EVENT_NONE ? NULL : &t->x->events[triple.intruder];
	say_thread(t, wait->thread);
	vtb_bounded_text_add(&t->text, " waits on ");
	say_variable(t, wait->var);
	say_place(t, "at", wait->site);
	if (signal && triple.pattern == VTB_PATTERN_LOST_WAKEUP) {
		vtb_bounded_text_add(&t->text, ", but ");
		say_thread(t, signal->thread);
		vtb_bounded_text_add(&t->text, " had signalled it before that");
		say_place(t, "at", signal->site);
		vtb_bounded_text_add(&t->text, ", when nobody waited");
	} else if (signal && triple.pattern == VTB_PATTERN_TOO_FEW_WOKEN) {
		vtb_bounded_text_add(&t->text, ", but the signal of ");
		say_thread(t, signal->thread);
		say_place(t, "at", signal->site);
		vtb_bounded_text_add(&t->text, " woke another waiter, and nobody signals it again");
	} else {
		vtb_bounded_text_add(&t->text, ", and nobody is left to signal it");
		say_kept(t, wait);
	}
	return true;
}

static bool stuck(const struct vtb_exec *x, size_t i)
{
	const struct vtb_event *e = &x->pending[i];
	const unsigned kind = e->kind == VTB_E_PENDING ? e->aux : e->kind;
	const struct vtb_event_info *info = vtb_event_info(kind);

	return info && info->flags & VTB_EV_BLOCKS && kind != VTB_E_THREAD_JOIN && !vtb_exec_wait_follows(x, i);
}

#define STUCK_NAMED 3u

/* Waits of another kind: a semaphore, a barrier, a pipe. */
static bool say_waiting(struct teller *t)
{
	const struct vtb_event *last = NULL;
	size_t named = 0, n = 0;

	for (size_t i = 0; i < t->x->n_pending; i++) {
		const struct vtb_event *e = &t->x->pending[i];

		if (!stuck(t->x, i) || n++ >= STUCK_NAMED)
			continue;
		last = e;
		vtb_bounded_text_add(&t->text, "%s", named++ ? ", " : "");
		say_thread(t, e->thread);
		vtb_bounded_text_add(&t->text, " waits for ");
		say_variable(t, e->var);
		say_place(t, "at", e->site);
	}
	if (!n)
		return false;
	if (n > named)
		vtb_bounded_text_add(&t->text, ", and %zu more wait", n - named);
	vtb_bounded_text_add(&t->text, "; nobody is left to wake %s", n == 1 ? "it" : "them");
	if (n == 1)
		say_kept(t, last);
	return true;
}

/* "a mutex was destroyed while a thread holds it": which one, by whom, and who holds it. */
static void say_misuse(struct teller *t)
{
	const struct vtb_outcome *o = &t->x->outcome;
	const size_t holder = vtb_classify_misused(t->x, t->tab);
	const char *message = o->message && *o->message ? o->message : vtb_verdict_text(o->verdict);

	vtb_bounded_text_add(&t->text, "%.*s", (int)strcspn(message, "\n"), message);
	if (o->var != VTB_NONE) {
		vtb_bounded_text_add(&t->text, ": ");
		say_variable(t, o->var);
	}
	if (o->thread != VTB_NONE) {
		vtb_bounded_text_add(&t->text, ", by ");
		say_thread(t, o->thread);
	}
	say_place(t, "at", o->site);
	if (holder == VTB_EVENT_NONE || t->x->events[holder].thread == o->thread)
		return;
	vtb_bounded_text_add(&t->text, "; ");
	say_thread(t, t->x->events[holder].thread);
	vtb_bounded_text_add(&t->text, " holds it");
	say_place(t, "since", t->x->events[holder].site);
}

#define READS_BACK 8 /* reads before the loop that may be taken out of it together */

static bool others_write(const struct teller *t, uint32_t var)
{
	for (size_t i = 0; i < t->x->n_events; i++)
		if (t->x->events[i].var == var && t->x->events[i].thread != t->x->outcome.thread &&
		    vtb_event_is(&t->x->events[i], VTB_EV_WRITES))
			return true;
	return false;
}

/* Of the last variables that the thread looked at before it began to spin, in the same function, the one that another
 * thread writes; else the very last. */
static uint32_t read_last(const struct teller *t)
{
	const struct vtb_outcome *o = &t->x->outcome;
	uint32_t last = VTB_NONE, reads = 0;

	for (size_t i = t->x->n_events; i-- > 0 && reads < READS_BACK;) {
		const struct vtb_event *e = &t->x->events[i];

		if (e->thread != o->thread || !vtb_classify_is_data(e))
			continue;
		if (e->site >= t->tab->n_sites || o->site >= t->tab->n_sites ||
		    strcmp(t->tab->sites[e->site].function, t->tab->sites[o->site].function) != 0)
			break;
		if (others_write(t, e->var))
			return e->var;
		last = reads++ ? last : e->var;
	}
	return last;
}

/* A loop that only jumps: its condition is in a register, or gone. */
static bool say_removed_read(struct teller *t)
{
	const struct vtb_outcome *o = &t->x->outcome;
	const uint32_t var = read_last(t);
	const char *source = o->site < t->tab->n_sites ? t->tab->sites[o->site].text : "";

	if (!o->message || !strstr(o->message, "compiler removed the read"))
		return false;
	vtb_bounded_text_add(&t->text, "the compiler removed the read");
	say_place(t, "at", o->site);
	vtb_bounded_text_add(&t->text, ": ");
	say_thread(t, o->thread);
	vtb_bounded_text_add(&t->text, " jumps on the spot for ever%s%.60s%s and never looks at ",
	                     *source ? " in `" : "", source, *source ? "`" : "");
	if (var == VTB_NONE)
		vtb_bounded_text_add(&t->text, "its condition");
	else
		say_variable(t, var);
	vtb_bounded_text_add(&t->text, " again; what other threads change must be atomic or volatile");
	return true;
}

#define ROUNDS_BACK 4096u /* events */

/* The last write that others have made of what the event reads; VTB_EVENT_NONE if its thread has made the last. */
static size_t written_by_others(const struct vtb_exec *x, size_t read)
{
	for (size_t i = read; i-- > 0;)
		if (vtb_classify_writes(&x->events[i]) && vtb_event_overlap(&x->events[i], &x->events[read]))
			return x->events[i].thread == x->events[read].thread ? VTB_EVENT_NONE : i;
	return VTB_EVENT_NONE;
}

/* Did the thread look at it before, since that write? */
static bool looked_before(const struct vtb_exec *x, size_t read, size_t written)
{
	for (size_t i = read; i-- > written + 1;)
		if (x->events[i].thread == x->events[read].thread && x->events[i].site == x->events[read].site &&
		    vtb_event_overlap(&x->events[i], &x->events[read]))
			return true;
	return false;
}

#define ROUNDS_TOLD 3u /* threads */

/* Threads that keep each other from getting on: what each does again and again. */
static bool say_rounds(struct teller *t)
{
	const struct vtb_exec *x = t->x;
	uint32_t threads[ROUNDS_TOLD + 1];
	const size_t n = vtb_story_rounders(x, t->tab, threads, ROUNDS_TOLD + 1);

	if (n < 2)
		return false;
	vtb_bounded_text_add(&t->text, "%s: ", vtb_verdict_name(x->outcome.verdict));
	for (size_t i = 0; i < n && i < ROUNDS_TOLD; i++) {
		vtb_bounded_text_add(&t->text, "%s", i ? "; " : "");
		say_thread(t, threads[i]);
		vtb_bounded_text_add(&t->text, " again and again");
		vtb_story_say_round(x, t->tab, threads[i], &t->text);
	}
	vtb_bounded_text_add(&t->text, "%s; none of them gets any further", n > ROUNDS_TOLD ? "; and so do more" : "");
	return true;
}

/* What a thread that goes round finds each time, and who has left it so. */
static bool say_round(struct teller *t)
{
	const struct vtb_exec *x = t->x;
	const bool stuck = x->outcome.message && strstr(x->outcome.message, "no order of them leads out");
	const size_t end = x->n_events > ROUNDS_BACK ? x->n_events - ROUNDS_BACK : 0;

	for (size_t i = x->n_events; stuck && i-- > end;) {
		const struct vtb_event *e = &x->events[i];
		size_t written;

		if (e->thread != x->outcome.thread || !vtb_event_is(e, VTB_EV_READS) || !vtb_classify_is_data(e) ||
		    vtb_classify_writes(e))
			continue;
		written = written_by_others(x, i);
		if (written == VTB_EVENT_NONE || !looked_before(x, i, written))
			continue;
		vtb_bounded_text_add(&t->text, "%s: ", vtb_verdict_name(x->outcome.verdict));
		say_thread(t, e->thread);
		vtb_bounded_text_add(&t->text, " looks again and again at ");
		say_variable(t, e->var);
		say_place(t, "at", e->site);
		vtb_bounded_text_add(&t->text, ", which ");
		say_thread(t, x->events[written].thread);
		vtb_bounded_text_add(&t->text, " wrote last");
		say_place(t, "at", x->events[written].site);
		vtb_bounded_text_add(&t->text, "; no order of the threads leads out of that");
		return true;
	}
	return false;
}

/* A signal of that condition went by at some time: the run alone knows no more when it ends. If the waiter looked again
 * after it, it was not that which it missed. */
enum vtb_verdict vtb_story_verdict(const struct vtb_exec *x)
{
	struct vtb_triple triple;

	return x->outcome.verdict == VTB_V_LOST_WAKEUP && vtb_classify_wakeup(x, &triple) &&
	               triple.pattern == VTB_PATTERN_STUCK
	           ? VTB_V_CONDITION_DEADLOCK
	           : (enum vtb_verdict)x->outcome.verdict;
}

char *vtb_story_sentence(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_story *story,
                         char *buf, size_t size)
{
	struct teller t = { .text = { .buf = buf, .size = size }, .x = x, .tab = tab, .story = story };

	buf[0] = 0;
	switch (x->outcome.verdict) {
	case VTB_V_DEADLOCK:
	case VTB_V_CONDITION_DEADLOCK:
	case VTB_V_LOST_WAKEUP:
		vtb_bounded_text_add(&t.text, "%s: ", vtb_verdict_name(vtb_story_verdict(x)));
		if (story->n_cycle)
			story->n_cycle == 1 ? say_self(&t) : say_circle(&t);
		else if (!say_abandoned(&t) && !say_condition(&t) && !say_waiting(&t))
			vtb_bounded_text_add(&t.text, "%s", vtb_verdict_text(x->outcome.verdict));
		break;
	case VTB_V_MISUSE:
		say_misuse(&t);
		break;
	case VTB_V_LIVELOCK:
		if (!say_removed_read(&t) && !say_rounds(&t))
			say_round(&t);
		break;
	default:
		break;
	}
	return buf;
}
