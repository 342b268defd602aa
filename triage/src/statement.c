/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a hunt may claim, and on what it rests. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report_parts.h"
#include "vtb/hunt_report.h"
#include "vtb/search.h"
#include "words.h"

struct text {
	char *buf;
	size_t size, used;
};

static void say(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->used >= t->size)
		return;
	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	t->used = n < 0 || (size_t)n >= t->size - t->used ? t->size : t->used + (size_t)n;
}

static void say_extent(struct text *t, const struct vtb_hunt_facts *f)
{
	const char *own = f->arguments && *f->arguments ? f->arguments : NULL;
	char schedules[40], classes[40], bound[120];

	vtb_words_count(f->search_schedules, schedules, sizeof(schedules));
	vtb_words_count(f->classes, classes, sizeof(classes));
	vtb_report_bound(f, bound, sizeof(bound));
	if (f->stopped && strcmp(f->stopped, "found") == 0)
		say(t, "The search ended at the first failure.");
	else if (!f->zero_done)
		say(t, "Not even the level without preemptions is complete.");
	else if (own)
		say(t, "%s: %s", f->complete ? "Complete" : "Not complete", own);
	else if (f->complete)
		say(t, "Complete %s: every enabled choice was run.", bound);
	else if (f->enumerated)
		say(t, "Not complete; finished: all schedules %s.", bound);
	else
		say(t, "Not complete.");
	say(t, " %s schedule%s of %s class%s ran.", schedules, f->search_schedules == 1 ? "" : "s", classes, f->classes == 1 ? "" : "es");
}

static void say_kinds(struct text *t, const struct vtb_hunt_facts *f)
{
	bool first = true;

	say(t, " Deviations explored: ");
	for (unsigned kind = VTB_DEV_SWITCH; kind <= VTB_DEV_SIGNAL; kind++) {
		if (!(f->kinds & VTB_HUNT_KIND(kind)) || kind == VTB_DEV_DEMOTE)
			continue;
		say(t, "%s%s", first ? "" : ", ", vtb_report_deviation_plural(kind));
		first = false;
	}
	say(t, "%s.", first ? "none" : "");
}

static void say_hooks(struct text *t, const struct vtb_hunt_facts *f)
{
	char accesses[40], operations[40];

	vtb_words_count(f->accesses, accesses, sizeof(accesses));
	vtb_words_count(f->operations, operations, sizeof(operations));
	say(t, " The first run passed %s hooked accesses and %s synchronisation operations in %u thread%s.", accesses, operations, f->threads, f->threads == 1 ? "" : "s");
	if (!f->accesses)
		say(t, " Memory accesses were not hooked: races on plain variables cannot show.");
	for (size_t i = 0; f->unhooked && f->unhooked[i]; i++)
		say(t, "%s%s%s", i ? ", " : " Not hooked: ", f->unhooked[i], f->unhooked[i + 1] ? "" : ".");
}

struct escape {
	uint32_t bit;
	const char *text;
};

static const struct escape escapes[] = {
	{VTB_UNC_CLONE, "a thread that was not made by pthread_create"},
	{VTB_UNC_FORK, "a forked child"},
	{VTB_UNC_EXEC, "a child program"},
	{VTB_UNC_SYSCALL, "a blocking system call without a model"},
	{VTB_UNC_REENTRY, "a second process"},
	{VTB_UNC_DLOPEN, "a module loaded during the run"},
};

static void say_escapes(struct text *t, const struct vtb_hunt_facts *f)
{
	bool first = true;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		if (!(f->uncontrolled & escapes[i].bit))
			continue;
		say(t, "%s%s", first ? " Escaped control: " : ", ", escapes[i].text);
		first = false;
	}
	say(t, "%s", first ? "" : ".");
}

char *vtb_hunt_statement(const struct vtb_hunt_result *result, char *buf, size_t size)
{
	const struct vtb_hunt_facts *f = &result->facts;
	struct text t = {.buf = buf, .size = size};

	buf[0] = 0;
	if (result->verdict == VTB_V_NOTHING_CONTROLLED) {
		say(&t, "Nothing was controlled, so nothing is shown.");
		return buf;
	}
	if (result->verdict == VTB_V_SEQUENTIAL) {
		say(&t, "The program ran with one thread.");
		say_escapes(&t, f);
		return buf;
	}
	if (result->verdict == VTB_V_REGARDLESS) {
		say(&t, "It fails in all of %" PRIu64 " very different schedules; nothing was searched.", f->schedules);
	} else {
		say_extent(&t, f);
		say_kinds(&t, f);
	}
	say_hooks(&t, f);
	say_escapes(&t, f);
	if (f->diverged)
		say(&t, " %" PRIu64 " schedule%s diverged and count%s for nothing.", f->diverged, f->diverged == 1 ? "" : "s", f->diverged == 1 ? "s" : "");
	if (f->not_again)
		say(&t, " %" PRIu64 " failing run%s did not come again from %s own schedule and %s not reported.", f->not_again, f->not_again == 1 ? "" : "s", f->not_again == 1 ? "its" : "their", f->not_again == 1 ? "is" : "are");
	if (f->blocked)
		say(&t, " %" PRIu64 " run%s given up early because %s could show nothing new.", f->blocked, f->blocked == 1 ? " was" : "s were", f->blocked == 1 ? "it" : "they");
	if (f->cross_checked)
		say(&t, " %" PRIu64 " run%s repeated on a slower engine, with the same outcome.", f->cross_checked, f->cross_checked == 1 ? " was" : "s were");
	say(&t, "%s", f->canary ? " A race planted in vtb-canary was found first." : " The check on vtb-canary was not run.");
	say(&t, " Sequentially consistent interleavings only.");
	return buf;
}
