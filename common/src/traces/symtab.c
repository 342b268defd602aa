/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/symtab.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symtab_strings.h"
#include "vtb/array.h"
#include "vtb/error.h"
#include "vtb/plain.h"

void vtb_symtab_fini(struct vtb_symtab *tab)
{
	free(tab->modules);
	free(tab->threads);
	free(tab->sites);
	free(tab->objects);
	free(tab->variables);
	vtb_strings_free(tab->strings);
	*tab = (struct vtb_symtab){ 0 };
}

static bool have_strings(struct vtb_symtab *tab)
{
	if (!tab->strings)
		tab->strings = vtb_strings_new();
	return tab->strings;
}

const char *vtb_symtab_string(struct vtb_symtab *tab, const char *text)
{
	return have_strings(tab) ? vtb_strings_intern(tab->strings, text, strlen(text)) : NULL;
}

const char *vtb_symtab_printf(struct vtb_symtab *tab, const char *fmt, ...)
{
	const char *kept;
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return NULL;
	kept = vtb_symtab_string(tab, text);
	free(text);
	return kept;
}

/* Replace *text by its copy in the arena. A name is one line of plain text, whatever a program calls things. */
static int keep(struct vtb_symtab *tab, const char **text)
{
	char *plain = strdup(*text ? *text : "");

	if (plain)
		vtb_plain_make(plain);
	*text = plain ? vtb_symtab_string(tab, plain) : NULL;
	free(plain);
	return *text ? 0 : -ENOMEM;
}

int64_t vtb_symtab_add_module(struct vtb_symtab *tab, const struct vtb_module *x)
{
	struct vtb_module m = *x;

	if (tab->n_modules >= VTB_MODULES_LIMIT)
		return -VTB_E_LIMIT;
	m.path = vtb_symtab_string(tab, m.path ? m.path : ""); /* a file's: it has to open */
	if (!m.path || vtb_array_room(tab, modules) < 0)
		return -ENOMEM;
	tab->modules[tab->n_modules] = m;
	return (int64_t)tab->n_modules++;
}

int64_t vtb_symtab_add_site(struct vtb_symtab *tab, const struct vtb_site *x)
{
	struct vtb_site s = *x;

	if (tab->n_sites >= VTB_SITES_LIMIT)
		return -VTB_E_LIMIT;
	if (keep(tab, &s.function) < 0 || keep(tab, &s.file) < 0 || keep(tab, &s.text) < 0 ||
	    keep(tab, &s.instruction) < 0 || keep(tab, &s.via) < 0 || keep(tab, &s.inside) < 0)
		return -ENOMEM;
	if (vtb_array_room(tab, sites) < 0)
		return -ENOMEM;
	tab->sites[tab->n_sites] = s;
	return (int64_t)tab->n_sites++;
}

int64_t vtb_symtab_add_object(struct vtb_symtab *tab, const struct vtb_object *x)
{
	struct vtb_object o = *x;

	if (tab->n_objects >= VTB_OBJECTS_LIMIT)
		return -VTB_E_LIMIT;
	if (keep(tab, &o.name) < 0 || keep(tab, &o.type) < 0 || vtb_array_room(tab, objects) < 0)
		return -ENOMEM;
	tab->objects[tab->n_objects] = o;
	return (int64_t)tab->n_objects++;
}

int64_t vtb_symtab_add_variable(struct vtb_symtab *tab, const struct vtb_variable *x)
{
	struct vtb_variable v = *x;

	if (tab->n_variables >= VTB_VARIABLES_LIMIT)
		return -VTB_E_LIMIT;
	if (keep(tab, &v.name) < 0 || keep(tab, &v.type) < 0 || vtb_array_room(tab, variables) < 0)
		return -ENOMEM;
	tab->variables[tab->n_variables] = v;
	return (int64_t)tab->n_variables++;
}

static int64_t add_thread(struct vtb_symtab *tab, uint32_t parent, uint32_t nth)
{
	struct vtb_thread t = { .parent = parent, .nth = nth, .site = VTB_NONE };

	if (tab->n_threads >= VTB_THREADS_LIMIT)
		return -VTB_E_LIMIT;
	t.path = parent == VTB_NONE ? vtb_symtab_string(tab, "0")
	                            : vtb_symtab_printf(tab, "%s.%" PRIu32, tab->threads[parent].path, nth);
	t.start = vtb_symtab_string(tab, parent == VTB_NONE ? "main" : "");
	t.name = t.maker = t.place = vtb_symtab_string(tab, "");
	if (t.path && strlen(t.path) > VTB_PATH_LIMIT)
		return -VTB_E_LIMIT;
	if (!t.path || !t.start || !t.name || vtb_array_room(tab, threads) < 0)
		return -ENOMEM;
	tab->threads[tab->n_threads] = t;
	return (int64_t)tab->n_threads++;
}

int64_t vtb_symtab_thread(struct vtb_symtab *tab, uint32_t parent, uint32_t nth)
{
	int64_t id;
	uint64_t *known;

	if (parent != VTB_NONE && parent >= tab->n_threads)
		return -EINVAL;
	if (parent == VTB_NONE)
		nth = 0; /* there is one main */
	if (!have_strings(tab))
		return -ENOMEM;
	known = vtb_strings_child(tab->strings, (uint64_t)parent << 32 | nth);
	if (!known)
		return -ENOMEM;
	if (*known != UINT32_MAX)
		return (int64_t)*known;
	id = add_thread(tab, parent, nth); /* touches the strings, not the children */
	if (id >= 0)
		*known = (uint32_t)id;
	return id;
}

int64_t vtb_symtab_thread_by_path(struct vtb_symtab *tab, const char *path)
{
	int64_t id;

	if (strlen(path) > VTB_PATH_LIMIT || path[0] != '0' || (path[1] != '\0' && path[1] != '.'))
		return -EINVAL;
	id = vtb_symtab_thread(tab, VTB_NONE, 0);
	for (path++; id >= 0 && *path;) {
		const char *digits = path + 1;
		char *end;
		unsigned long nth;

		if (*path != '.' || digits[0] < '0' || digits[0] > '9' ||
		    (digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9'))
			return -EINVAL; /* "007" and "7" must not name one thread */
		errno = 0;
		nth = strtoul(digits, &end, 10);
		if (errno || nth >= UINT32_MAX)
			return -EINVAL;
		id = vtb_symtab_thread(tab, (uint32_t)id, (uint32_t)nth);
		path = end;
	}
	return id;
}

const char *vtb_thread_path(const struct vtb_symtab *tab, uint32_t thread)
{
	return thread < tab->n_threads ? tab->threads[thread].path : "?";
}

const char *vtb_variable_name(const struct vtb_symtab *tab, uint32_t variable)
{
	return variable < tab->n_variables ? tab->variables[variable].name : "?";
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void place_without_lines(const struct vtb_symtab *tab, const struct vtb_site *s, char *buf, size_t size)
{
	const char *module = s->module < tab->n_modules ? base_name(tab->modules[s->module].path) : "?";

	if (s->function[0])
		snprintf(buf, size, "%s (%s+0x%" PRIx64 ")", s->function, module, s->offset);
	else
		snprintf(buf, size, "%s+0x%" PRIx64, module, s->offset);
	vtb_plain_make(buf);
}

const char *vtb_site_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size)
{
	const struct vtb_site *s = site < tab->n_sites ? &tab->sites[site] : NULL;

	if (!s)
		snprintf(buf, size, "?");
	else if (s->file[0] && s->line)
		snprintf(buf, size, "%s:%" PRIu32, base_name(s->file), s->line);
	else
		place_without_lines(tab, s, buf, size);
	return buf;
}

uint32_t vtb_site_of_user(const struct vtb_symtab *tab, uint32_t site)
{
	const uint32_t user = site < tab->n_sites ? tab->sites[site].user : 0;

	return user ? user - 1 : site;
}
