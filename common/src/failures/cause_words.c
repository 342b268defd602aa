/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "vtb/cause.h"
#include "vtb/event_words.h"
#include "vtb/short_name.h"
#include "vtb/trace.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "the sockets" are several. */
static const char *pronoun(const char *variable)
{
	const size_t n = strlen(variable);

	return !strncmp(variable, "the ", 4) && variable[n - 1] == 's' && !strstr(variable, " from ") ? "them" : "it";
}

/* "0.1 reads balance at prog.c:14"; "0.1 reads it at prog.c:14" of what has been named just before. */
static void op_words(const struct vtb_cause_op *op, const char *named, char *buf, size_t size)
{
	const int kind = vtb_event_kind_by_name(op->kind);
	const struct vtb_event_words *words = vtb_event_words(kind < 0 ? 0 : (unsigned)kind);
	const bool said = kind == VTB_E_PROCESS_EXIT || kind == VTB_E_THREAD_BEGIN || kind == VTB_E_THREAD_END ||
	                  kind == VTB_E_FORK; /* by the verb */
	char place[200] = "", variable[200] = "";

	if (!said)
		vtb_short_variable(op->variable, variable, sizeof(variable));
	if (*variable && named && !strcmp(named, op->variable))
		snprintf(variable, sizeof(variable), "%s", pronoun(op->variable));
	if (op->line)
		snprintf(place, sizeof(place), " at %s:%u", base_name(op->file), op->line);
	snprintf(buf, size, "%s %s%s%s%s", op->thread, words->verb ? words->verb : op->kind, *variable ? " " : "",
	         variable, place);
}

char *vtb_cause_order_words(const struct vtb_cause_order *o, char *buf, size_t size)
{
	char before[500], after[500], times[40] = "";

	op_words(&o->before, NULL, before, sizeof(before));
	op_words(&o->after, o->before.variable, after, sizeof(after));
	if (o->merged > 1)
		snprintf(times, sizeof(times), ", %u times", o->merged);
	snprintf(buf, size, "%s before %s%s%s", before, after, o->after.op ? "" : ", which had still to come", times);
	return buf;
}

char *vtb_cause_guard_words(const struct vtb_cause_op *guard, char *buf, size_t size)
{
	char variable[200];

	buf[0] = 0;
	if (!guard->kind || !*guard->kind)
		return buf;
	snprintf(buf, size, "`%s`", vtb_short_variable(guard->variable, variable, sizeof(variable)));
	if (guard->line)
		snprintf(buf + strlen(buf), size - strlen(buf), " at %s:%u", base_name(guard->file), guard->line);
	return buf;
}
