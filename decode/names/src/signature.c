/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/signature.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

#define PART_MAX 512u
#define WAITS_MAX 64u /* threads named in one signature */

/* Copy without what differs between runs: addresses, and the " (thread 0.1, 2nd)" that ends an object's name. */
static void copy_stable(char *to, size_t size, const char *from)
{
	size_t n = 0;

	while (*from && n + 4 < size) {
		if (from[0] == '0' && from[1] == 'x' && isxdigit((unsigned char)from[2])) {
			memcpy(to + n, "0x?", 3);
			n += 3;
			for (from += 2; isxdigit((unsigned char)*from);)
				from++;
		} else if (strncmp(from, " (thread ", 9) == 0 && strchr(from, ')')) {
			from = strchr(from, ')') + 1;
		} else {
			to[n++] = iscntrl((unsigned char)*from) ? ' ' : *from;
			from++;
		}
	}
	to[n] = '\0';
}

/* "function+line in it", the file's base name for want of a function; "" unknown. */
static void place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	const struct vtb_site *s = site < tab->n_sites ? &tab->sites[site] : NULL;
	const char *base;

	buf[0] = '\0';
	if (!s)
		return;
	base = strrchr(s->file, '/') ? strrchr(s->file, '/') + 1 : s->file;
	if (*s->function && s->line && s->function_line && s->line >= s->function_line)
		snprintf(buf, size, "%s+%u", s->function, s->line - s->function_line);
	else
		snprintf(buf, size, "%s", *s->function ? s->function : base);
}

/* "prog: bank.c:42: check_total: Assertion `balance == 300' failed." (glibc; C++ gives the whole signature) */
static bool parse_assert(const char *message, char *buf, size_t size)
{
	const char *assertion = strstr(message, "Assertion `"), *text, *end, *from;
	int len;

	if (!assertion)
		return false;
	text = assertion + strlen("Assertion `");
	end = strstr(text, "' failed");
	len = end ? (int)(end - text) : (int)strlen(text);
	from = assertion;
	while (from > message && from[-1] == ' ')
		from--;
	if (from > message && from[-1] == ':')
		from--;
	const char *stop = from;

	while (from > message &&
	       !(from[-1] == ' ' && from - 1 > message && from[-2] == ':')) /* back to the ": " before the function */
		from--;
	snprintf(buf, size, "%.*s:%.*s", (int)(stop - from), from, len, text);
	return true;
}

/* "terminate called after throwing an instance of 'std::runtime_error'\n  what():  empty" */
static bool parse_terminate(const char *message, char *buf, size_t size)
{
	static const char start[] = "terminate called after throwing an instance of '";
	const char *type = strstr(message, start), *end, *what;

	if (!type)
		return false;
	type += sizeof(start) - 1;
	end = strchr(type, '\'');
	what = strstr(type, "what():");
	if (what)
		for (what += 7; *what == ' ';)
			what++;
	snprintf(buf, size, "%.*s%s%.*s", end ? (int)(end - type) : (int)strlen(type), type, what ? ": " : "",
	         what ? (int)strcspn(what, "\n") : 0, what ? what : "");
	return true;
}

static void add(char *to, size_t size, const char *separator, const char *text)
{
	const size_t len = strlen(to);

	if (*text)
		snprintf(to + len, size - len, "%s%s", len ? separator : "", text);
}

static int compare_texts(const void *x, const void *y)
{
	return strcmp(x, y);
}

static void describe_waits(const struct vtb_symtab *tab, const struct vtb_event *pending, size_t n, char *buf,
                           size_t size)
{
	char(*waits)[PART_MAX] = calloc(WAITS_MAX, sizeof(*waits));
	size_t n_waits = 0;

	for (size_t i = 0; waits && i < n && n_waits < WAITS_MAX; i++) {
		const struct vtb_event *e = &pending[i];
		char name[PART_MAX / 2], where[PART_MAX / 2 - 8];

		const unsigned kind = e->kind == VTB_E_PENDING ? e->aux : e->kind;
		const char *text =
		    e->var != VTB_NONE && e->var < tab->n_variables ? vtb_variable_name(tab, e->var) : "";

		/* joins follow from the rest, and name a thread; a thread that could go on is not part of it */
		if (kind == VTB_E_THREAD_JOIN || !vtb_event_info(kind) ||
		    !(vtb_event_info(kind)->flags & VTB_EV_BLOCKS))
			continue;
		copy_stable(name, sizeof(name), text);
		place(tab, e->site, where, sizeof(where));
		snprintf(waits[n_waits++], PART_MAX, "%s at %s", name, where);
	}
	if (n_waits)
		qsort(waits, n_waits, sizeof(*waits), compare_texts);
	for (size_t i = 0; i < n_waits; i++) /* many threads may wait alike */
		if (i == 0 || strcmp(waits[i], waits[i - 1]) != 0)
			add(buf, size, ",", waits[i]);
	free(waits);
}

static void describe_signal(const struct vtb_outcome *o, char *buf, size_t size)
{
	const char *name = sigabbrev_np(o->signal);

	if (name)
		snprintf(buf, size, "SIG%s", name);
	else
		snprintf(buf, size, "%d", o->signal);
}

/* What follows the verdict's name. */
static void describe(const struct vtb_outcome *o, const struct vtb_symtab *tab, const struct vtb_event *pending,
                     size_t n, char *buf, size_t size)
{
	const char *message = o->message ? o->message : "";
	char part[PART_MAX], where[PART_MAX];

	place(tab, o->site, where, sizeof(where));
	switch (o->verdict) {
	case VTB_V_ASSERTION:
		if (!parse_assert(message, part, sizeof(part)) && !parse_terminate(message, part, sizeof(part)))
			snprintf(part, sizeof(part), "%s", where);
		copy_stable(buf, size, part);
		return;
	case VTB_V_SIGNAL:
		describe_signal(o, buf, size);
		break;
	case VTB_V_EXIT:
		snprintf(buf, size, "%d", o->exit_status);
		return;
	case VTB_V_DEADLOCK:
	case VTB_V_CONDITION_DEADLOCK:
	case VTB_V_LOST_WAKEUP:
		describe_waits(tab, pending, n, buf, size);
		return;
	case VTB_V_LIVELOCK: /* at which place of its loop the thread was caught is chance */
		copy_stable(buf, size,
		            o->site != VTB_NONE && o->site < tab->n_sites ? tab->sites[o->site].function : "");
		return;
	case VTB_V_MEMORY:
	case VTB_V_MISUSE:
		snprintf(part, sizeof(part), "%.*s", (int)strcspn(message, "\n"), message);
		if (o->verdict == VTB_V_MEMORY &&
		    strstr(part, "after it was freed")) /* x++ reads and writes: which of the two is chance */
			snprintf(part, sizeof(part), "use after free");
		copy_stable(buf, size, part);
		copy_stable(part, sizeof(part),
		            o->var != VTB_NONE && o->var < tab->n_variables ? vtb_variable_name(tab, o->var) : "");
		add(buf, size, ":", part);
		break;
	default:
		return;
	}
	add(buf, size, ":", where);
}

static int sign(struct vtb_outcome *outcome, struct vtb_symtab *tab, const struct vtb_event *pending, size_t n_pending)
{
	char text[8 * PART_MAX] = "";
	const char *signature;

	describe(outcome, tab, pending, n_pending, text, sizeof(text));
	signature = vtb_symtab_printf(tab, "%s%s%s", vtb_verdict_name(outcome->verdict), *text ? ":" : "", text);
	if (!signature)
		return -ENOMEM;
	outcome->signature = signature;
	return 0;
}

int vtb_signature(struct vtb_outcome *outcome, struct vtb_symtab *tab, const struct vtb_event *pending,
                  size_t n_pending)
{
	outcome->signature = "";
	return vtb_verdict_exit_code(outcome->verdict) == 1 ? sign(outcome, tab, pending, n_pending) : 0;
}

char *vtb_readable_exception(const char *message, char *buf, size_t size)
{
	static const char part[] = " an instance of '";
	const char *at = strstr(message, part), *type = at ? at + sizeof(part) - 1 : NULL;
	const size_t n = type ? strcspn(type, "'") : 0;
	char name[PART_MAX], *readable = NULL;

	if (n && n < sizeof(name)) {
		memcpy(name, type, n);
		name[n] = 0;
		readable = vtb_demangle_type(name);
	}
	if (readable)
		snprintf(buf, size, "%.*s%s%s", (int)(type - message), message, readable, type + n);
	else
		snprintf(buf, size, "%s", message);
	free(readable);
	return buf;
}
