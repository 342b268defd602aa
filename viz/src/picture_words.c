/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "picture_words.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "vtb/event_words.h"
#include "vtb/short_name.h"
#include "vtb/words.h"

#define NAMES_MANY 2000u /* variables, of which not each can be held against all blocks */

char *words_variable(const struct vtb_symtab *tab, uint32_t var, char *buf, size_t size)
{
	return tab->n_variables < NAMES_MANY ? vtb_told_variable(tab, var, buf, size)
	                                     : vtb_told_alone(tab, var, buf, size);
}

const char *words_verdict(enum vtb_verdict verdict)
{
	static const char *const words[VTB_VERDICTS] = {
		[VTB_V_NONE] = "Nothing fails",
		[VTB_V_ASSERTION] = "An assertion fails",
		[VTB_V_SIGNAL] = "A signal kills the program",
		[VTB_V_EXIT] = "The program ends with a failure status",
		[VTB_V_OUTPUT] = "The output is wrong",
		[VTB_V_MEMORY] = "Freed memory is used",
		[VTB_V_DEADLOCK] = "Threads wait for each other's locks in a circle",
		[VTB_V_CONDITION_DEADLOCK] = "All threads wait and nobody is left to wake them",
		[VTB_V_LOST_WAKEUP] = "A thread waits for a signal that has gone by",
		[VTB_V_LIVELOCK] = "Threads run but none makes progress",
		[VTB_V_SEQUENTIAL] = "The program has one thread",
		[VTB_V_REGARDLESS] = "The program fails in every schedule that was tried",
		[VTB_V_NOTHING_CONTROLLED] = "Nothing of the program could be controlled",
		[VTB_V_INFEASIBLE] = "The schedule's constraints cannot be met",
		[VTB_V_DIVERGED] = "The program did not follow the schedule",
		[VTB_V_TIMEOUT] = "The run was stopped because it took too long",
		[VTB_V_LIMIT] = "The run came to a limit of vtb",
		[VTB_V_MISUSE] = "A synchronisation object is used against its rules",
	};

	return (unsigned)verdict < VTB_VERDICTS && words[verdict] ? words[verdict] : "The run fails";
}

static void add_phrase(struct text *t, const char *phrase, const char *name)
{
	const char *at = strstr(phrase, "%s");

	if (!at) {
		text_add(t, phrase);
		return;
	}
	text_add_bytes(t, phrase, (size_t)(at - phrase));
	text_add(t, name);
	text_add(t, at + 2);
}

static bool failed(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (info && (info->family == VTB_FAMILY_MUTEX || info->family == VTB_FAMILY_RWLOCK))
		return e->value && e->value != EOWNERDEAD;
	return e->value != 0;
}

void words_kind(struct text *t, unsigned kind, const char *name)
{
	const struct vtb_event_info *info = vtb_event_info(kind);
	const char *phrase = vtb_event_words(kind)->phrase;

	if (phrase)
		add_phrase(t, phrase, name);
	else
		text_add(t, info ? info->name : "operation");
}

#define NAME_BYTES 300

static const char *name_of(const struct vtb_trace *trace, const struct vtb_event *e, char *buf)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	if (e->var != VTB_NONE)
		return words_variable(&trace->tab, e->var, buf, NAME_BYTES);
	if (e->flags & VTB_EVF_ADDR_UNKNOWN)
		return "an unknown address";
	return info && info->family == VTB_FAMILY_THREAD ? "a thread"
	       : info && (info->flags & VTB_EV_BLOCKS)   ? "a lock"
	                                                 : "unnamed memory";
}

/* The run ended before the operation took place. */
static void words_pending(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->aux);
	char buf[NAME_BYTES];
	const char *name = name_of(trace, e, buf);

	if (e->aux == VTB_E_COND_WAKE)
		text_printf(t, "still waits on %s", name);
	else if (e->aux == VTB_E_THREAD_JOIN)
		text_printf(t, "waits to join %s", name);
	else if (info && info->flags & VTB_EV_BLOCKS)
		text_printf(t, "waits for %s", name);
	else {
		text_add(t, "not yet: ");
		words_kind(t, e->aux, name);
	}
}

/* Counts and results that a name does not tell. */
static void words_result(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e)
{
	const bool known = e->flags & VTB_EVF_VALUE;
	char name[NAME_BYTES];

	switch (e->kind) {
	case VTB_E_COND_WAIT:
		if (e->aux < trace->tab.n_variables)
			text_printf(t, ", releases %s", words_variable(&trace->tab, e->aux, name, sizeof(name)));
		break;
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
		if (known)
			text_printf(t, e->value ? ", wakes %" PRIu64 : " but nobody waits", e->value);
		break;
	case VTB_E_ONCE_BEGIN:
		if (known)
			text_add(t, e->value ? ", runs the initialiser" : ", finds it done");
		break;
	case VTB_E_LOST:
		if (e->value)
			text_printf(t, " (%" PRIu64 ")", e->value);
		break;
	default:
		if (vtb_words_interrupted(e))
			text_add(t, ", ended early by a signal (EINTR)");
		break;
	}
}

void words_event(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e)
{
	const char *not_done = vtb_event_words(e->kind)->not_done;
	char name[NAME_BYTES];

	if (e->kind == VTB_E_PENDING || e->kind == VTB_E_BLOCK) {
		words_pending(t, trace, e);
		return;
	}
	if (vtb_words_missed(e))
		not_done = "looks in vain for %s";
	if (not_done && failed(e))
		add_phrase(t, not_done, name_of(trace, e, name));
	else
		words_kind(t, e->kind, name_of(trace, e, name));
	words_result(t, trace, e);
}

/* ---- values, by the type's name as DWARF or the source gives it */

static bool has_word(const char *type, const char *word)
{
	return strstr(type, word) != NULL;
}

static int64_t sign_extended(uint64_t value, uint32_t size)
{
	switch (size) {
	case 1:
		return (int8_t)value;
	case 2:
		return (int16_t)value;
	case 4:
		return (int32_t)value;
	default:
		return (int64_t)value;
	}
}

static bool is_unsigned(const char *type)
{
	return has_word(type, "unsigned") || has_word(type, "size_t") || has_word(type, "uint") ||
	       has_word(type, "uintptr");
}

static void add_real(struct text *t, uint64_t value, uint32_t size)
{
	double wide;
	float narrow;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, &value, sizeof(narrow)); /* little-endian: the low bytes come first */
		wide = (double)narrow;
	} else {
		memcpy(&wide, &value, sizeof(wide));
	}
	text_printf(t, "%.9g", wide);
}

static void add_value(struct text *t, const char *type, uint64_t value, uint32_t size)
{
	if (has_word(type, "*") || has_word(type, "&") || has_word(type, "uintptr") || value >> 46 == 1) /* code, too */
		text_printf(t, value ? "0x%" PRIx64 : "NULL", value);
	else if ((has_word(type, "double") || has_word(type, "float")) && (size == 4 || size == 8))
		add_real(t, value, size);
	else if (has_word(type, "bool") || has_word(type, "_Bool"))
		text_add(t, value ? "true" : "false");
	else if (is_unsigned(type)) /* large ones are handles, hashes or addresses, not counts */
		text_printf(t, value >> 40 ? "0x%" PRIx64 : "%" PRIu64, value);
	else if (type[0] || sign_extended(value, size) > -65536)
		text_printf(t, value >> 48 && !type[0] ? "0x%" PRIx64 : "%" PRId64,
		            (uint64_t)sign_extended(value, size));
	else
		text_printf(t, "0x%" PRIx64, value);
}

static bool has_value(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return e->flags & VTB_EVF_VALUE && info && e->size <= 8 &&
	       (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC);
}

void words_bare_value(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e)
{
	const char *type = e->var < trace->tab.n_variables ? trace->tab.variables[e->var].type : "";

	if (has_value(e))
		add_value(t, type ? type : "", e->value, e->size);
}

/* What an implementation keeps in a part of its own is no value of what is named, as in reports (vtb_words_value()). */
void words_value(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e)
{
	if (!has_value(e) || vtb_has_reserved_part(vtb_variable_name(&trace->tab, e->var)))
		return;
	text_add(t, vtb_event_is(e, VTB_EV_WRITES) ? " := " : " = ");
	words_bare_value(t, trace, e);
}

void words_place(struct text *t, const struct vtb_symtab *tab, uint32_t site)
{
	char place[512];

	if (site >= tab->n_sites)
		return;
	text_add(t, vtb_site_place(tab, site, place, sizeof(place)));
	if (tab->sites[site].function[0] && tab->sites[site].line) {
		text_add(t, " in ");
		text_add_function(t, tab->sites[site].function);
		text_add(t, "()");
	}
}

void words_thread(struct text *t, const struct vtb_symtab *tab, uint32_t thread)
{
	const char *start = thread < tab->n_threads ? tab->threads[thread].start : "";

	text_printf(t, "thread %s", vtb_thread_path(tab, thread));
	if (start && start[0]) {
		text_add(t, " (");
		text_add_function(t, start);
		text_add(t, ")");
	}
}
