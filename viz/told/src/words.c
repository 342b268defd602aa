/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtb/event_words.h"
#include "vtb/plain.h"
#include "vtb/short_name.h"

const char *vtb_words_verb(const struct vtb_event *e, bool pending)
{
	const struct vtb_event_words *words = vtb_event_words(e->kind);

	if (!pending && vtb_words_missed(e))
		return "looks in vain for";
	if (words->verb)
		return pending ? words->pending : words->verb;
	return vtb_event_info(e->kind) ? vtb_event_info(e->kind)->text : "does something unknown";
}

static const struct vtb_variable *variable(const struct vtb_event *e, const struct vtb_symtab *tab)
{
	return e->var < tab->n_variables ? &tab->variables[e->var] : NULL;
}

static const char *value_of_type(const struct vtb_event *e, const char *type, char *buf, size_t size)
{
	const unsigned bits = e->size && e->size < 8 ? 8 * e->size : 64;
	const uint64_t raw = bits < 64 ? e->value & ((1ull << bits) - 1) : e->value;
	const int64_t with_sign = bits < 64 && raw >> (bits - 1) ? (int64_t)(raw | ~0ull << bits) : (int64_t)raw;
	double number = 0;
	float small = 0;

	if (strchr(type, '*'))
		snprintf(buf, size, "%s", raw ? "not NULL" : "NULL");
	else if (strcmp(type, "_Bool") == 0 || strcmp(type, "bool") == 0)
		snprintf(buf, size, "%s", raw ? "true" : "false");
	else if (strcmp(type, "double") == 0 && e->size == 8)
		snprintf(buf, size, "%g", (memcpy(&number, &raw, sizeof(number)), number));
	else if (strcmp(type, "float") == 0 && e->size == 4)
		snprintf(buf, size, "%g", (double)(memcpy(&small, &raw, sizeof(small)), small));
	else if (strcmp(type, "char") == 0 && raw >= ' ' && raw <= '~')
		snprintf(buf, size, "'%c'", (char)raw);
	else if (strstr(type, "unsigned") || strcmp(type, "size_t") == 0 || strncmp(type, "uint", 4) == 0)
		snprintf(buf, size, "%" PRIu64, raw);
	else if (bits == 64 && raw >> 40 &&
	         ~raw >> 40) /* no type and too large for a count: likely an address, which changes from run to run */
		buf[0] = 0;
	else
		snprintf(buf, size, "%" PRId64, with_sign);
	return buf;
}

char *vtb_words_value(const struct vtb_event *e, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_variable *var = variable(e, tab);
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	buf[0] = 0;
	if (var && vtb_has_reserved_part(var->name))
		return buf;
	if (e->flags & VTB_EVF_VALUE && info &&
	    (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC))
		value_of_type(e, var && var->type ? var->type : "", buf, size);
	return buf;
}

bool vtb_words_missed(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return info && info->family == VTB_FAMILY_IO && e->flags & VTB_EVF_VALUE && e->value == EBADF;
}

bool vtb_words_interrupted(const struct vtb_event *e)
{
	const struct vtb_event_info *info = vtb_event_info(e->kind);

	return e->flags & VTB_EVF_VALUE && e->value == EINTR && info &&
	       (info->family == VTB_FAMILY_IO || e->kind == VTB_E_SEM_WAIT || e->kind == VTB_E_FUTEX_WAIT ||
	        e->kind == VTB_E_FUTEX_WOKEN || e->kind == VTB_E_SLEEP);
}

/* What a result says that the verb does not. */
static const char *result_words(const struct vtb_event *e)
{
	const bool zero = e->value == 0;

	if (!(e->flags & VTB_EVF_VALUE))
		return "";
	if (vtb_words_interrupted(e))
		return ": ended early by a signal (EINTR)";
	switch (e->kind) {
	case VTB_E_TRYLOCK:
	case VTB_E_TRYRDLOCK:
	case VTB_E_TRYWRLOCK:
	case VTB_E_TIMEDLOCK:
	case VTB_E_SEM_TRYWAIT:
		return zero ? ": got it" : ": did not get it";
	case VTB_E_COND_SIGNAL:
	case VTB_E_COND_BROADCAST:
	case VTB_E_FUTEX_WAKE:
		return zero ? ": nobody waits" : "";
	case VTB_E_COND_WAKE:
	case VTB_E_FUTEX_WOKEN:
		return zero ? "" : ": timed out";
	default:
		return "";
	}
}

/* "signal 1" is SIGHUP to people. */
static void name_signal(char *name, size_t size)
{
	int number = 0, used = 0;
	const char *known =
	    sscanf(name, "signal %d%n", &number, &used) == 1 && !name[used] ? sigabbrev_np(number) : NULL;

	if (known)
		snprintf(name, size, "SIG%s", known);
}

char *vtb_words_object(const struct vtb_event *e, const struct vtb_symtab *tab, char *buf, size_t size)
{
	const struct vtb_variable *var = variable(e, tab);
	const struct vtb_event_info *info = vtb_event_info(e->kind);
	char value[64], name[160];

	buf[0] = 0;
	if (!var && info && (info->family == VTB_FAMILY_MEMORY || info->family == VTB_FAMILY_ATOMIC))
		snprintf(buf, size, "an unnamed place");
	if (!var || (info && info->family == VTB_FAMILY_CLOCK) || e->kind == VTB_E_THREAD_BEGIN ||
	    e->kind == VTB_E_THREAD_END || e->kind == VTB_E_PROCESS_EXIT || e->kind == VTB_E_FORK)
		return buf;
	vtb_words_value(e, tab, value, sizeof(value));
	vtb_words_variable(tab, e->var, name, sizeof(name));
	name_signal(name, sizeof(name));
	snprintf(buf, size, "%s%s%s%s", name, *value ? " = " : "", value, result_words(e));
	return buf;
}

char *vtb_words_thread_whole(const struct vtb_symtab *tab, uint32_t thread, char *buf, size_t size)
{
	const struct vtb_thread *t = thread < tab->n_threads ? &tab->threads[thread] : NULL;
	const bool named = t && t->name && *t->name;
	char start[160] = "";

	buf[0] = 0;
	if (!t || (!named && !(t->maker && *t->maker)))
		return buf;
	vtb_short_function(t->start, start, sizeof(start));
	snprintf(buf, size, "%s%s%s%s%s%s%s%s", named ? "\"" : "", named ? t->name : "", named ? "\"" : "",
	         named && *start ? ", " : "", t->maker && *t->maker ? t->maker : "",
	         !*start                 ? ""
	         : t->maker && *t->maker ? " running "
	                                 : "running ",
	         start, "");
	if (*start && t->place && *t->place)
		snprintf(buf + strlen(buf), size - strlen(buf), ", %s", t->place);
	return buf;
}

char *vtb_words_thread(const struct vtb_symtab *tab, uint32_t thread, char *buf, size_t size)
{
	const struct vtb_thread *t = thread < tab->n_threads ? &tab->threads[thread] : NULL;
	char start[160] = "";

	if (t && t->name && *t->name)
		snprintf(start, sizeof(start), "%s", t->name);
	else if (t && t->start && *t->start)
		vtb_short_function(t->start, start, sizeof(start));
	else if (t && t->parent == VTB_NONE)
		snprintf(start, sizeof(start), "main");
	snprintf(buf, size, "%s%s%s", vtb_thread_path(tab, thread), *start ? " " : "", start);
	return buf;
}

char *vtb_words_variable(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size)
{
	return vtb_told_variable(tab, variable, buf, size);
}

const char *vtb_words_via(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	return vtb_short_function(site < tab->n_sites ? tab->sites[site].via : "", buf, size);
}

/* Without line information: in which library. */
static const char *module_of(const struct vtb_symtab *tab, const struct vtb_site *site)
{
	const char *path = site->module < tab->n_modules ? tab->modules[site->module].path : "",
	           *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *vtb_words_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	buf[0] = 0;
	if (site >= tab->n_sites)
		return buf;
	if (tab->sites[site].line || !*module_of(tab, &tab->sites[site]))
		vtb_site_place(tab, site, buf, size);
	else
		snprintf(buf, size, "%s", module_of(tab, &tab->sites[site]));
	vtb_plain_make(buf);
	return buf;
}

char *vtb_words_count(uint64_t n, char *buf, size_t size)
{
	if (n >= 10000000)
		snprintf(buf, size, "%.1f million", (double)n / 1e6);
	else if (n >= 1000000)
		snprintf(buf, size, "%" PRIu64 ",%03" PRIu64 ",%03" PRIu64, n / 1000000, n / 1000 % 1000, n % 1000);
	else if (n >= 1000)
		snprintf(buf, size, "%" PRIu64 ",%03" PRIu64, n / 1000, n % 1000);
	else
		snprintf(buf, size, "%" PRIu64, n);
	return buf;
}

char *vtb_words_seconds(double seconds, char *buf, size_t size)
{
	if (seconds < 10)
		snprintf(buf, size, "%.1f s", seconds);
	else if (seconds < 120)
		snprintf(buf, size, "%.0f s", seconds);
	else
		snprintf(buf, size, "%.0f min %.0f s", (double)(uint64_t)(seconds / 60),
		         seconds - 60 * (double)(uint64_t)(seconds / 60));
	return buf;
}
