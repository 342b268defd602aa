/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reports call a variable: see short_name.h. */

#include <stdio.h>
#include <string.h>

#include "vtb/short_name.h"
#include "vtb/symtab.h"

bool vtb_told_of_library(const char *name, char *buf, size_t size)
{
	const char *so = strstr(name, ".so"), *plus = strrchr(name, '+');

	if (!so || !plus || plus < so || strncmp(plus, "+0x", 3) != 0 || !plus[3] ||
	    plus[3 + strspn(plus + 3, "0123456789abcdef")] || so + 3 + strspn(so + 3, ".0123456789") != plus ||
	    strcspn(name, " /(") < (size_t)(plus - name))
		return false;
	snprintf(buf, size, "%.*s's own data (%s)", (int)(plus - name), name, plus + 1);
	return true;
}

#define FRAMES (sizeof(((struct vtb_object *)0)->stack) / sizeof(uint32_t))

static bool same_stack(const struct vtb_object *a, const struct vtb_object *b)
{
	for (size_t i = 0; i < FRAMES; i++) {
		if (a->stack[i] != b->stack[i])
			return false;
		if (a->stack[i] == VTB_NONE)
			return true;
	}
	return true;
}

/* Locks and the like are objects of their own, called after the block and with its stack. */
static const struct vtb_object *around(const struct vtb_symtab *tab, const struct vtb_object *lock)
{
	for (size_t i = 0; i < tab->n_objects; i++) {
		const struct vtb_object *o = &tab->objects[i];
		const size_t len = o->kind == VTB_OBJ_HEAP ? strlen(o->name) : 0;

		if (len && strncmp(o->name, lock->name, len) == 0 && strchr("-+[", lock->name[len]) &&
		    same_stack(o, lock))
			return o;
	}
	return NULL;
}

static const struct vtb_object *block_of(const struct vtb_symtab *tab, uint32_t variable)
{
	const uint32_t id = variable < tab->n_variables ? tab->variables[variable].object : VTB_NONE;
	const struct vtb_object *o = id < tab->n_objects ? &tab->objects[id] : NULL;

	if (o && o->kind == VTB_OBJ_SYNC && o->stack[0] != VTB_NONE)
		return around(tab, o);
	return o && o->kind == VTB_OBJ_HEAP ? o : NULL;
}

bool vtb_site_is_library(const struct vtb_site *site)
{
	const char *include = strstr(site->file, "/include/"); /* of gcc, with and without the machine; of clang */

	return strncmp(site->function, "std::", 5) == 0 || (include && strstr(include, "/c++/"));
}

/* The line of the user's that called from frame i, one of those behind the one that names the block. NULL: it is none,
 * or not known. */
static const struct vtb_site *caller(const struct vtb_symtab *tab, const struct vtb_object *o, size_t i)
{
	const struct vtb_site *site;
	size_t naming = 0;

	while (naming + 1 < FRAMES && o->stack[naming] != o->site && o->stack[naming] != VTB_NONE)
		naming++;
	if (o->stack[naming] != o->site || i <= naming)
		return NULL;
	for (size_t k = naming; k <= i; k++)
		if (o->stack[k] >= tab->n_sites)
			return NULL;
	site = &tab->sites[o->stack[i]];
	return site->line && !vtb_site_is_library(site) ? site : NULL;
}

static bool same_line(const struct vtb_site *a, const struct vtb_site *b)
{
	return a && b && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static bool is_twin(const struct vtb_object *a, const struct vtb_object *b)
{
	return a != b && b->kind == VTB_OBJ_HEAP && !strcmp(a->name, b->name) && !strcmp(a->type, b->type);
}

/* Blocks that one line makes for several callers have one name: the innermost caller that is another one than of all
 * others. */
static const char *telling_place(const struct vtb_symtab *tab, const struct vtb_object *block, char *buf, size_t size)
{
	const struct vtb_site *site[FRAMES];
	bool others = false;

	for (size_t i = 0; i < FRAMES; i++)
		site[i] = caller(tab, block, i);
	for (size_t k = 0; k < tab->n_objects; k++) {
		if (!is_twin(block, &tab->objects[k]))
			continue;
		others = true;
		for (size_t i = 0; i < FRAMES; i++)
			if (same_line(site[i], caller(tab, &tab->objects[k], i)))
				site[i] = NULL;
	}
	for (size_t i = 0; others && i < FRAMES; i++)
		if (site[i])
			return vtb_site_place(tab, block->stack[i], buf, size);
	return NULL;
}

static char *tell(const struct vtb_symtab *tab, uint32_t variable, bool apart, char *buf, size_t size)
{
	const struct vtb_object *block = block_of(tab, variable);
	const char *name = vtb_variable_name(tab, variable);
	struct vtb_block_words words;
	char noun[64], place[256];

	if (!block)
		return vtb_short_variable(name, buf, size);
	words.noun = vtb_short_type(block->type, noun, sizeof(noun));
	words.place = apart ? telling_place(tab, block, place, sizeof(place)) : NULL;
	return vtb_short_block(name, &words, buf, size);
}

char *vtb_told_variable(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size)
{
	return tell(tab, variable, true, buf, size);
}

char *vtb_told_alone(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size)
{
	return tell(tab, variable, false, buf, size);
}
