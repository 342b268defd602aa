/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/story.h"

#include "vtb/classify.h"

#include <stdio.h>
#include <string.h>

#include "vtb/bounded_text.h"
#include "vtb/error.h"
#include "vtb/short_name.h"
#include "vtb/words.h"
#include "story_waits.h"

struct pattern_row {
	const char *name;
	const char *text;
};

static const struct pattern_row patterns[VTB_PATTERNS] = {
	[VTB_PATTERN_UNKNOWN] = { "unknown", "not classified" },
	[VTB_PATTERN_LOST_UPDATE] = { "atomicity-violation", "atomicity violation" },
	[VTB_PATTERN_ATOMICITY] = { "atomicity-violation", "atomicity violation" },
	[VTB_PATTERN_STALE_WAKE] = { "check-not-repeated", "the condition is not tested again after the wait" },
	[VTB_PATTERN_ORDER] = { "order-violation", "order violation" },
	[VTB_PATTERN_USE_AFTER_FREE] = { "use-after-free", "use after free" },
	[VTB_PATTERN_DOUBLE_FREE] = { "double-free", "freed twice" },
	[VTB_PATTERN_LOCK_CYCLE] = { "deadlock", "locks taken in a circle" },
	[VTB_PATTERN_LOST_WAKEUP] = { "lost-wakeup", "lost wake-up" },
	[VTB_PATTERN_TOO_FEW_WOKEN] = { "too-few-woken", "one signal where several wait" },
	[VTB_PATTERN_ABANDONED] = { "abandoned-lock", "a thread ends while it holds a lock" },
	[VTB_PATTERN_LOST_SIGNAL] = { "lost-signal", "a signal comes between a test and the wait" },
	[VTB_PATTERN_STUCK] = { "stuck", "nobody left to wake the others" },
	[VTB_PATTERN_MISUSE] = { "misuse", "a synchronisation object used against its rules" },
};

const char *vtb_pattern_name(enum vtb_pattern pattern)
{
	VTB_ASSERT(pattern < VTB_PATTERNS);
	return patterns[pattern].name;
}

const char *vtb_pattern_text(enum vtb_pattern pattern)
{
	VTB_ASSERT(pattern < VTB_PATTERNS);
	return patterns[pattern].text;
}

struct words {
	char a[160], b[160], c[160]; /* places of the pattern's operations */
	char var[160], thread_a[80], thread_b[80];
};

static const struct vtb_event *event_of(const struct vtb_story *story, size_t step)
{
	return step < story->n_steps ? &story->steps[step].event : NULL;
}

static void place(const struct vtb_symtab *tab, const struct vtb_event *e, char *buf, size_t size)
{
	story_place(tab, e ? e->site : VTB_NONE, buf, size);
}

#define RELEASED_MAX 16u

static bool is_among(const uint32_t *locks, size_t n, uint32_t lock)
{
	for (size_t i = 0; i < n; i++)
		if (locks[i] == lock)
			return true;
	return false;
}

/* The lock that the thread of event `at` has taken last and still holds there, or VTB_NONE. */
static uint32_t lock_held(const struct vtb_exec *x, size_t at)
{
	uint32_t released[RELEASED_MAX];
	size_t n = 0;

	for (size_t i = at; i-- > 0 && n < RELEASED_MAX;) {
		const struct vtb_event *e = &x->events[i];
		const enum vtb_family family = vtb_event_info(e->kind)->family;

		if (e->thread != x->events[at].thread || (family != VTB_FAMILY_MUTEX && family != VTB_FAMILY_RWLOCK))
			continue;
		if (vtb_event_is(e, VTB_EV_RELEASE))
			released[n++] = e->var;
		else if (vtb_event_is(e, VTB_EV_ACQUIRE) && !is_among(released, n, e->var))
			return e->var;
	}
	return VTB_NONE;
}

/* "hold a lock", or "hold `m`, as at a.c:14 already". */
static void lock_words(const struct vtb_exec *x, const struct vtb_symtab *tab, const struct vtb_story *story,
                       const struct words *w, char *buf, size_t size)
{
	const size_t steps[] = { story->first, story->second, story->intruder };
	const char *const places[] = { w->a, w->c, w->b };
	char name[160];

	snprintf(buf, size, "hold a lock");
	for (size_t i = 0; x && i < sizeof(steps) / sizeof(*steps); i++) {
		const size_t at = steps[i] < story->n_steps ? story->steps[steps[i]].at : x->n_events;
		const uint32_t lock = at < x->n_events ? lock_held(x, at) : VTB_NONE;

		if (lock == VTB_NONE)
			continue;
		snprintf(buf, size, "hold %s, as %s does already,", vtb_words_variable(tab, lock, name, sizeof(name)),
		         places[i]);
		return;
	}
}

static void suggest_atomic(const struct words *w, bool updates, const char *lock, char *buf, size_t size)
{
	const bool one_place = strcmp(w->a, w->c) == 0;

	if (one_place)
		snprintf(buf, size, "Make the %s of %s at %s one step: %s around it, and the same lock at %s.",
		         updates ? "update" : "uses", w->var, w->a, lock,
		         strcmp(w->a, w->b) ? w->b : "every other use");
	else if (strcmp(w->a, w->b) && strcmp(w->c, w->b))
		snprintf(buf, size,
		         "Make %s to %s one step for %s: %s from the one to the other, and the same lock at %s.", w->a,
		         w->c, w->var, lock, w->b);
	else /* the other thread runs the same lines */
		snprintf(buf, size, "Make %s to %s one step for %s: %s from the one to the other.", w->a, w->c, w->var,
		         lock);
}

/* How often the thread of event `at` has left that barrier by then. */
static uint32_t waits_before(const struct vtb_exec *x, size_t at, uint32_t barrier)
{
	uint32_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += x->events[i].kind == VTB_E_BARRIER_LEAVE && x->events[i].var == barrier &&
		     x->events[i].thread == x->events[at].thread;
	return n;
}

/* The barrier that thread a has left last, if both have left it equally often: between such waits it orders nothing. */
static uint32_t barrier_of_both(const struct vtb_exec *x, size_t a, size_t b, uint32_t *ret_waits)
{
	for (size_t i = a; i-- > 0;) {
		const struct vtb_event *e = &x->events[i];

		if (e->kind != VTB_E_BARRIER_LEAVE || e->thread != x->events[a].thread)
			continue;
		*ret_waits = waits_before(x, a, e->var);
		return *ret_waits == waits_before(x, b, e->var) ? e->var : VTB_NONE;
	}
	return VTB_NONE;
}

/* Two threads that meet at a barrier, and do this between the same two meetings. */
static void suggest_between(const struct vtb_exec *x, const struct vtb_symtab *tab, size_t a, const char *at_a,
                            size_t b, const char *at_b, char *buf, size_t size)
{
	uint32_t barrier, waits;
	char name[160];

	if (a >= x->n_events || b >= x->n_events || lock_held(x, a) != VTB_NONE || lock_held(x, b) != VTB_NONE)
		return;
	barrier = barrier_of_both(x, a, b, &waits);
	if (barrier == VTB_NONE)
		return;
	snprintf(
	    buf, size,
	    "Let all wait at %s between %s in %s and %s in %s: each of the two has waited there %u time%s by then, so "
	    "nothing orders them.",
	    vtb_words_variable(tab, barrier, name, sizeof(name)), at_a, vtb_thread_path(tab, x->events[a].thread), at_b,
	    vtb_thread_path(tab, x->events[b].thread), waits, waits == 1 ? "" : "s");
}

static size_t event_at(const struct vtb_story *story, size_t step)
{
	return step < story->n_steps ? story->steps[step].at : VTB_EVENT_NONE;
}

static void suggest_barrier(const struct vtb_story *story, const struct vtb_exec *x, const struct vtb_symtab *tab,
                            const struct words *w, char *buf, size_t size)
{
	const size_t first = event_at(story, story->first), intruder = event_at(story, story->intruder),
	             second = event_at(story, story->second);

	if (!x)
		return;
	suggest_between(x, tab, first, w->a, intruder, w->b, buf, size);
	if (!*buf)
		suggest_between(x, tab, intruder, w->b, second, w->c, buf, size);
}

/* "buffer": what was freed as a whole, not the part of it that was touched. */
static void freed_block(const struct vtb_story *story, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_variable *var = story->var < tab->n_variables ? &tab->variables[story->var] : NULL;
	const struct vtb_object *object = var && var->object < tab->n_objects ? &tab->objects[var->object] : NULL;
	char type[64];

	if (object && object->kind == VTB_OBJ_HEAP)
		snprintf(buf, size, "the %s from %s", vtb_short_type(object->type, type, sizeof(type)), object->name);
	else
		vtb_words_variable(tab, story->var, buf, size);
}

static bool changes(const struct vtb_story *story, size_t step)
{
	return step < story->n_steps && vtb_classify_writes(&story->steps[step].event);
}

static void suggest_order(const struct vtb_story *story, const struct vtb_symtab *tab, const struct words *w, char *buf,
                          size_t size)
{
	const struct vtb_event *first = event_of(story, story->first);
	const bool freed_first = first && first->kind == VTB_E_FREE;
	const char *freed = freed_first ? w->a : w->b, *used = freed_first                      ? w->b
	                                                       : event_of(story, story->second) ? w->c
	                                                                                        : w->a;
	char block[200];

	if (story->pattern == VTB_PATTERN_USE_AFTER_FREE) {
		const struct vtb_event *use = event_of(story, story->intruder);

		freed_block(story, tab, block, sizeof(block));
		if (freed_first && use && use->thread == first->thread && strcmp(used, freed))
			snprintf(buf, size,
			         "Free %s only when nobody can use it any more: who frees it at %s uses it at %s "
			         "afterwards. Let each who has it be counted, and give it back once.",
			         block, freed, used);
		else
			snprintf(buf, size, "Free %s only when nobody can use it any more: %s must be over before %s.",
			         block, strcmp(used, freed) ? used : "every use", freed);
	} else if (first && strcmp(w->a, w->b) && !changes(story, story->intruder)) {
		snprintf(buf, size, "%s comes before %s here: if that is too early, let it wait for the other.", w->a,
		         w->b);
	} else if (first && strcmp(w->a, w->b)) { /* one line cannot come before itself */
		snprintf(buf, size,
		         "%s must come before %s: do it before the thread is created, or let the thread wait for it.",
		         w->b, w->a);
	}
}

static void suggest_one_order(const struct vtb_story *story, const struct vtb_symtab *tab, char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	char name[160];

	for (size_t i = 0; i < story->n_cycle; i++) /* the lock that the first thread holds first */
		vtb_bounded_text_add(
		    &t, "%s%s",
		    i == 0                   ? "Take "
		    : i + 1 < story->n_cycle ? ", "
		                             : " and ",
		    vtb_words_variable(tab, story->cycle[(i + story->n_cycle - 1) % story->n_cycle].wanted.var, name,
		                       sizeof(name)));
	vtb_bounded_text_add(&t, " in the same order everywhere.");
}

static void suggest_cycle(const struct vtb_story *story, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_cycle_edge *first = &story->cycle[0];
	char b[160];

	vtb_words_variable(tab, first->wanted.var, b, sizeof(b));
	if (story->n_cycle == 1 && vtb_event_info(first->taken.kind)->family == VTB_FAMILY_RWLOCK)
		snprintf(
		    buf, size,
		    "%s is locked again by the thread that holds it: release it first, and look again then at what "
		    "was read under it, or take it exclusively from the start.",
		    b);
	else if (story->n_cycle == 1)
		snprintf(buf, size,
		         "%s is locked again by the thread that holds it: release it first, or make it recursive.", b);
	else if (first->wanted.kind == VTB_E_THREAD_JOIN || story->cycle[1].wanted.kind == VTB_E_THREAD_JOIN)
		snprintf(buf, size, "Do not join a thread while holding a lock that it needs.");
	else
		suggest_one_order(story, tab, buf, size);
}

/* Somebody else has it: either that one must be waited for, or the object is not this thread's to give back. */
static void suggest_misuse(const struct vtb_story *story, const struct words *w, char *buf, size_t size)
{
	const struct vtb_event *holds = story->n_steps > 1 ? &story->steps[0].event : NULL,
	                       *fails = story->n_steps ? &story->steps[story->n_steps - 1].event : NULL;

	if (holds && holds->thread != fails->thread)
		snprintf(buf, size,
		         "Another thread still has %s then: wait until it is done with it, or join it, before this "
		         "operation.",
		         w->var);
}

/* Then no lock over the step keeps the other thread out of it. */
static bool an_end_is_forced(const struct vtb_story *story, const struct vtb_exec *x, const struct vtb_symtab *tab)
{
	const size_t first = event_at(story, story->first), intruder = event_at(story, story->intruder),
	             second = event_at(story, story->second);

	if (!x || first >= x->n_events || intruder >= x->n_events || second >= x->n_events)
		return false;
	return vtb_classify_forced(x, tab, first, intruder) || vtb_classify_forced(x, tab, intruder, second);
}

char *vtb_story_suggest(const struct vtb_story *story, const struct vtb_exec *exec, const struct vtb_symtab *tab,
                        char *buf, size_t size)
{
	struct words w;
	char lock[400];

	buf[0] = 0;
	place(tab, event_of(story, story->first), w.a, sizeof(w.a));
	place(tab, event_of(story, story->intruder), w.b, sizeof(w.b));
	place(tab, event_of(story, story->second), w.c, sizeof(w.c));
	vtb_words_variable(tab, story->var, w.var, sizeof(w.var));
	switch (story->pattern) {
	case VTB_PATTERN_LOST_UPDATE:
	case VTB_PATTERN_ATOMICITY:
		suggest_barrier(story, exec, tab, &w, buf, size);
		if (*buf || an_end_is_forced(story, exec, tab))
			break;
		lock_words(exec, tab, story, &w, lock, sizeof(lock));
		suggest_atomic(&w, changes(story, story->first) || changes(story, story->second), lock, buf, size);
		break;
	case VTB_PATTERN_STALE_WAKE:
		snprintf(buf, size, "Check %s again after the wait: use while, not if, around it.", w.var);
		break;
	case VTB_PATTERN_ORDER:
		suggest_barrier(story, exec, tab, &w, buf, size);
		if (*buf)
			break;
		suggest_order(story, tab, &w, buf, size);
		break;
	case VTB_PATTERN_USE_AFTER_FREE:
		suggest_order(story, tab, &w, buf, size);
		break;
	case VTB_PATTERN_DOUBLE_FREE:
		freed_block(story, tab, w.c, sizeof(w.c));
		snprintf(buf, size,
		         "Free %s once: %s frees it and %s does, too. Let one of them own it, or count its users.", w.c,
		         w.a, strcmp(w.a, w.b) ? w.b : "another round or thread there");
		break;
	case VTB_PATTERN_LOCK_CYCLE:
		suggest_cycle(story, tab, buf, size);
		break;
	case VTB_PATTERN_LOST_WAKEUP:
		story_suggest_wait(event_at(story, story->first), event_at(story, story->intruder), exec, tab, buf,
		                   size);
		break;
	case VTB_PATTERN_LOST_SIGNAL:
		story_suggest_signal(event_at(story, story->first), event_at(story, story->intruder), exec, tab, buf,
		                     size);
		break;
	case VTB_PATTERN_TOO_FEW_WOKEN:
		snprintf(buf, size, "%s at %s: more than one thread waits on %s.",
		         event_of(story, story->intruder)->kind == VTB_E_FUTEX_WAKE
		             ? "Wake all (notify_all, FUTEX_WAKE for all)"
		             : "Use broadcast",
		         w.b, w.var);
		break;
	case VTB_PATTERN_ABANDONED:
		snprintf(buf, size,
		         "Unlock %s on every way out of what follows %s: a return, an exception, a cancellation "
		         "(pthread_cleanup_push).",
		         w.var, w.a);
		break;
	case VTB_PATTERN_MISUSE:
		suggest_misuse(story, &w, buf, size);
		break;
	default:
		break;
	}
	return buf;
}
