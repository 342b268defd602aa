/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which call made a heap block: the first one outside the standard library names it. */
#include "ingest_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"

#define CHAIN_MAX 16u

bool ingest_in_library(const struct vtb_place *place)
{
	const char *f = place->function, *include = strstr(place->file, "/include/");

	if (include &&
	    strstr(
	        include,
	        "/c++/")) /* /usr/include/c++/12, /usr/include/x86_64-linux-gnu/c++/12, /usr/lib/llvm/include/c++/v1 */
		return true;
	return strncmp(f, "std::", 5) == 0 || strncmp(f, "__gnu_cxx::", 11) == 0 ||
	       strncmp(f, "operator new", 12) == 0 || strncmp(f, "void std::", 10) == 0;
}

static bool library_site(const struct vtb_ingest *in, uint32_t id)
{
	const struct vtb_site *s = id < in->tab->n_sites ? &in->tab->sites[id] : NULL;
	const struct vtb_place place = { .function = s ? s->function : "", .file = s ? s->file : "" };

	return s && ingest_in_library(&place);
}

static bool begins_with_one(const char *name, const char *const *beginnings)
{
	while (*beginnings && strncmp(name, *beginnings, strlen(*beginnings)))
		beginnings++;
	return *beginnings != NULL;
}

/* Whose frames a stack has, and how many of them, depends on who unwound it. */
static bool is_system_module(const char *path)
{
	static const char *const names[] = { "libc.so", "libc-",    "libpthread", "ld-linux",   "libstdc++",
		                             "libc++",  "libgcc_s", "libvtb-rt",  "libvtb-omp", NULL };
	const char *slash = strrchr(path, '/');

	return begins_with_one(slash ? slash + 1 : path, names);
}

bool ingest_is_system(const struct vtb_ingest *in, uint32_t site)
{
	const uint32_t module = site == VTB_NONE ? VTB_NONE : in->tab->sites[site].module;

	return module < in->n_systems ? in->systems[module]
	                              : module != VTB_NONE && is_system_module(in->tab->modules[module].path);
}

/* Remember it of the modules that there are. */
static int know_systems(struct vtb_ingest *in)
{
	while (in->n_systems < in->tab->n_modules) {
		if (vtb_array_room(in, systems) < 0)
			return -ENOMEM;
		in->systems[in->n_systems] = is_system_module(in->tab->modules[in->n_systems].path);
		in->n_systems++;
	}
	return 0;
}

int64_t ingest_telling_sites(struct vtb_ingest *in, const uint64_t *pcs, size_t n, uint32_t sites[VTB_REC_EXTRA_MAX])
{
	bool foreign = true;
	size_t i, own = 0;

	for (i = 0; i < n && i < VTB_REC_EXTRA_MAX && (own < STACK_SITES || foreign); i++) {
		const int64_t site = ingest_site(in, pcs[i] & 0xffffffffffffu);

		if (site < 0 || know_systems(in) < 0)
			return site < 0 ? site : -ENOMEM;
		sites[i] = (uint32_t)site;
		foreign &= library_site(in, sites[i]);
		own += !ingest_is_system(in, sites[i]);
	}
	return (int64_t)i;
}

uint64_t ingest_stack_key(const struct vtb_ingest *in, const uint32_t *stack, size_t n)
{
	uint64_t key = 0;
	size_t i = 0, own = 0;

	while (i + 1 < n && ingest_is_system(in, stack[i]))
		i++;
	for (; i < n && (!own || !ingest_is_system(in, stack[i])); i++, own++) {
		const struct vtb_site *s = stack[i] == VTB_NONE ? NULL : &in->tab->sites[stack[i]];

		key = mix(key, s && s->module != VTB_NONE ? vtb_hash_text(in->tab->modules[s->module].path) : 1);
		key = mix(key, s ? s->offset : 1);
	}
	return mix(key, own);
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

void ingest_bare_function(const char *name, const char **from, const char **to)
{
	int depth = 0;

	*from = name;
	for (*to = name; **to; (*to)++) {
		const char *at = *to;

		if (strncmp(at, "operator", 8) == 0 && !word_char(at[8])) { /* "operator()", "operator<" */
			*to = at + 8 + (at[8] == '(' ? 1 : strspn(at + 8, "<>=-") ? strspn(at + 8, "<>=-") - 1 : 0);
		} else if (strncmp(at, "(anonymous namespace)", 21) == 0) {
			*to = at + 20;
		} else if (*at == '(' && depth == 0) {
			return;
		} else if (*at == '<' || *at == '(') {
			depth++;
		} else if (*at == '>' || *at == ')') {
			depth--;
		} else if (*at == ' ' && depth == 0 && at[1] != '[') {
			*from = at + 1;
		}
	}
}

static const char *place_text(struct vtb_ingest *in, const struct vtb_place *p, uint32_t site)
{
	char text[512];
	const char *base = strrchr(p->file, '/') ? strrchr(p->file, '/') + 1 : p->file;
	const char *from, *to;

	ingest_bare_function(p->function, &from, &to);
	if (!*p->function && !p->line)
		return site == VTB_NONE ? vtb_symtab_string(in->tab, "heap block")
		                        : vtb_symtab_printf(in->tab, "block from %s",
		                                            vtb_site_place(in->tab, site, text, sizeof(text)));
	if (p->line && ingest_in_library(p)) /* before main, where no stack is kept: its inner names say nothing */
		return vtb_symtab_printf(in->tab, "heap block made at %s:%u", base, p->line);
	if (!p->line)
		return vtb_symtab_printf(in->tab, "%.*s()", (int)(to - from), from);
	return vtb_symtab_printf(in->tab, "%.*s() at %s:%u", (int)(to - from), from, base, p->line);
}

/* A frame out on the stack, or a function that was inlined there. */
struct naming {
	struct vtb_place place;
	const char *module;
	uint64_t addr; /* in it, of the call */
	uint32_t site;
	unsigned nameless; /* functions without line information that stand between it and the allocator */
	bool found;
	size_t frame, link; /* where it stands in the stack */
};

/* The first one outside the standard library names the block; if that has no line, as a library of which there is no
 * source, the first one that has. */
static void look_at(struct naming *w, const struct vtb_place *place, const char *module, uint64_t addr, uint32_t site)
{
	if (!w->found || place->line) {
		w->place = *place;
		w->module = module;
		w->addr = addr;
		w->site = site;
	}
	w->found = true;
	w->nameless += !place->line;
}

static const char *line_of(const struct ingest_guess *g, const struct vtb_place *place)
{
	return vtb_symbols_source(g->in->symbols, g->type->module, place->file, place->line);
}

#define ALLOCATORS_MAX 8u /* of the program's own, one calling the other */

/* Programs have allocators of their own, which hand on what they get ("xmalloc"): what it is for stands where the
 * outermost of them is called. */
static bool guess_by_caller(struct ingest_guess *g, const struct naming *w, const uint64_t *pcs, const uint32_t *sites,
                            size_t n)
{
	struct vtb_place chain[CHAIN_MAX], inner = w->place;
	size_t k = w->link + 1, handed = 0;

	for (size_t i = w->frame; i < n && !ingest_is_system(g->in, sites[i]); i++, k = 0) {
		const struct vtb_ingest_module *m = vtb_ingest_module_at(g->in, pcs[i] & 0xffffffffffffu);
		size_t links;

		if (!m || sites[i] == VTB_NONE)
			return false;
		links = vtb_symbols_chain(g->in->symbols, m->path, (pcs[i] & 0xffffffffffffu) - m->base - 1, chain,
		                          CHAIN_MAX);
		for (; k < links; k++) {
			if (handed++ == ALLOCATORS_MAX || !chain[k].line || ingest_in_library(&chain[k]) ||
			    !ingest_hands_on(g, line_of(g, &inner)))
				return false;
			g->type->module = m->path;
			g->addr = (pcs[i] & 0xffffffffffffu) - m->base - 1;
			g->function = chain[k].function;
			g->wrapped = !ingest_calls(line_of(g, &chain[k]), inner.function);
			if (ingest_guess_line(g, line_of(g, &chain[k])))
				return true;
			inner = chain[k];
		}
	}
	return false;
}

void ingest_guess_type(struct vtb_ingest *in, struct alloc_type *type, const uint64_t *pcs, const uint32_t *sites,
                       size_t n)
{
	struct ingest_guess g = { .in = in, .type = type, .function = "" };
	struct naming w = { .place = { .function = "", .file = "" }, .site = VTB_NONE };
	struct vtb_place chain[CHAIN_MAX];
	bool guessed = false;

	for (size_t i = 0; i < n && !w.place.line; i++) {
		const struct vtb_ingest_module *m = vtb_ingest_module_at(in, pcs[i] & 0xffffffffffffu);
		size_t links;

		if (!m || sites[i] == VTB_NONE || (w.found && ingest_is_system(in, sites[i])))
			continue;
		g.addr = (pcs[i] & 0xffffffffffffu) - m->base - 1;
		links = vtb_symbols_chain(in->symbols, m->path, g.addr, chain, CHAIN_MAX);
		type->module = m->path;
		for (size_t k = 0; k < links && !w.place.line; k++) {
			if (!guessed && !w.found)
				guessed = ingest_guess_function(&g, chain[k].function);
			if (ingest_in_library(&chain[k]) && (w.found || i + 1 < n || k + 1 < links))
				continue;
			look_at(&w, &chain[k], m->path, g.addr, sites[i]);
			w.frame = i;
			w.link = k;
		}
	}
	if (w.found) {
		type->site = w.site;
		type->module = w.module;
	}
	g.addr = w.addr;
	g.function = w.place.function;
	g.wrapped = w.nameless > 0;
	type->place = place_text(in, &w.place, type->site);
	if (!w.found || guessed || w.nameless >= 2 || ingest_guess_line(&g, line_of(&g, &w.place)))
		return;
	if (!w.place.line || w.nameless || !guess_by_caller(&g, &w, pcs, sites, n))
		type->module = w.module;
}
