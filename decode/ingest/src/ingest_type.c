/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a heap block holds, guessed from the source line that asked for it, and in C++ from the allocator's own name. A
 * guess must name a type of the module, and later fit the block's size, or it is dropped.
 */
#include "ingest_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"

#define CHAIN_MAX 16u
#define TYPE_TEXT_MAX 512u

struct guess {
	struct vtb_ingest *in;
	struct alloc_type *type;
	uint64_t addr; /* in the module, of the call */
};

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

/* The place of `word` as a whole word, or NULL. */
static const char *find_word(const char *text, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if ((at == text || !word_char(at[-1])) && !word_char(at[len]))
			return at;
	return NULL;
}

static const char *skip_spaces(const char *at)
{
	while (*at == ' ')
		at++;
	return at;
}

/* Accept the name if the module knows such a type. */
static bool take(const struct guess *g, const char *name, size_t len)
{
	char text[TYPE_TEXT_MAX];
	struct vtb_leaf leaf;

	while (len > 0 && name[len - 1] == ' ')
		len--;
	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	if (!vtb_symbols_typed(g->in->symbols, g->type->module, text, 0, 0, 0, &leaf) || !leaf.object_size)
		return false;
	g->type->type_name = vtb_symtab_string(g->in->tab, text);
	g->type->type_size = leaf.object_size;
	if (!g->type->type_name)
		g->type->type_name = "";
	return *g->type->type_name;
}

/* `name` at the place, with so many pointers or arrays taken off. */
static bool take_declared(const struct guess *g, const char *name, size_t len, unsigned derefs)
{
	char text[TYPE_TEXT_MAX];
	const char *type;

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	type = vtb_symbols_declared(g->in->symbols, g->type->module, g->addr, text, derefs);
	return *type && strcmp(type, "void") != 0 && take(g, type, strlen(type));
}

static size_t word_length(const char *at)
{
	size_t n = 0;

	while (word_char(at[n]))
		n++;
	return n;
}

/* Up to the bracket that closes the one before `at`, counting <> and () alike. */
static size_t bracketed(const char *at)
{
	int depth = 0;
	size_t n = 0;

	for (; at[n]; n++) {
		if (strchr("(<[{", at[n]))
			depth++;
		else if (strchr(")>]}", at[n]) && depth-- == 0)
			break;
	}
	return n;
}

/* What follows "sizeof": "(struct x)", "(*p)", "*p", "(p[0])", "x". */
static bool take_sizeof(const struct guess *g, const char *at)
{
	unsigned derefs = 0;
	size_t n, word;

	at = skip_spaces(at);
	if (*at == '(')
		at = skip_spaces(at + 1);
	while (*at == '*') {
		derefs++;
		at = skip_spaces(at + 1);
	}
	n = bracketed(at);
	word = word_length(at);
	if (derefs || strncmp(at + word, "[0]", 3) == 0)
		return take_declared(g, at, word, derefs ? derefs : 1);
	return take(g, at, n) || take(g, at, word) || take_declared(g, at, word, 0);
}

/* "new x", "new (std::nothrow) ns::x<int>[n]". */
static bool take_new(const struct guess *g, const char *at)
{
	size_t n = 0;
	int depth = 0;

	at = skip_spaces(at);
	if (*at == '(') {
		at += 1 + bracketed(at + 1);
		at = skip_spaces(*at ? at + 1 : at);
	}
	for (; at[n]; n++) {
		if (at[n] == '<')
			depth++;
		else if (at[n] == '>')
			depth--;
		else if (!depth && !word_char(at[n]) && !strchr(": *", at[n]))
			break;
	}
	g->type->several = at[n] == '[';
	return take(g, at, n);
}

/* "(x *)malloc(...)". */
static bool take_cast(const struct guess *g, const char *text)
{
	for (const char *at = strchr(text, '('); at; at = strchr(at + 1, '(')) {
		const size_t n = bracketed(at + 1);
		size_t len = n;

		if (at[1 + n] != ')' || !word_char(*skip_spaces(at + 2 + n)) || !memchr(at + 1, '*', n))
			continue;
		while (len > 0 && at[len] == ' ')
			len--;
		if (len > 1 && at[len] == '*' && take(g, at + 1, len - 1))
			return true;
	}
	return false;
}

/* "struct x *p = malloc(n)", "p = malloc(n)", "return" gives nothing. */
static bool take_assigned(const struct guess *g, const char *text)
{
	const char *equals = strchr(text, '=');
	const char *end = equals, *from;

	if (!equals || equals[1] == '=' || equals == text)
		return false;
	while (end > text && end[-1] == ' ')
		end--;
	from = end;
	while (from > text && word_char(from[-1]))
		from--;
	if (from > text && (from[-1] == '.' || from[-1] == '>')) /* a member: its type is not at hand */
		return false;
	return take_declared(g, from, (size_t)(end - from), 1);
}

static bool from_line(const struct guess *g, const char *text)
{
	const char *at;

	for (at = strstr(text, "make_shared<"); at; at = NULL) {
		g->type->shared = take(g, at + 12, bracketed(at + 12));
		if (g->type->shared)
			return true;
	}
	at = strstr(text, "make_unique<");
	if (at && take(g, at + 12, bracketed(at + 12)))
		return true;
	at = find_word(text, "new");
	if (at && take_new(g, at + 3))
		return true;
	at = find_word(text, "sizeof");
	if (at && take_sizeof(g, at + 6)) {
		const char *close = strchr(at, ')');

		g->type->open_ended =
		    (close && *skip_spaces(close + 1) == '+') || (strchr(text, '+') && strchr(text, '+') < at);
		return true;
	}
	return take_cast(g, text) || take_assigned(g, text);
}

/* "std::__new_allocator<T>::allocate": the library names what it allocates. */
static bool from_allocator(const struct guess *g, const char *function)
{
	static const char counted[] = "std::_Sp_counted_ptr_inplace<";
	const char *at = strstr(function, "new_allocator<"), *t;
	size_t n;

	if (!at || !strstr(at, "::allocate"))
		return false;
	t = at + 14;
	n = bracketed(t);
	if (strncmp(t, counted, sizeof(counted) - 1) == 0) { /* its first argument is what make_shared makes */
		t += sizeof(counted) - 1;
		n = 0;
		for (int depth = 0; t[n] && (depth || t[n] != ','); n++)
			depth += t[n] == '<' ? 1 : t[n] == '>' ? -1 : 0;
		g->type->shared = take(g, t, n);
		return g->type->shared;
	}
	return take(g, t, n);
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

/* From the innermost frame out to the first one outside the standard library, whose place names the block. */
void ingest_guess_type(struct vtb_ingest *in, struct alloc_type *type, const uint64_t *pcs, const uint32_t *sites,
                       size_t n)
{
	struct guess g = { .in = in, .type = type };
	struct vtb_place chain[CHAIN_MAX], named = { .function = "", .file = "" };
	bool found = false, guessed = false;

	for (size_t i = 0; i < n && !found; i++) {
		const struct vtb_ingest_module *m = vtb_ingest_module_at(in, pcs[i] & 0xffffffffffffu);
		size_t links;

		if (!m || sites[i] == VTB_NONE)
			continue;
		g.addr = (pcs[i] & 0xffffffffffffu) - m->base - 1;
		links = vtb_symbols_chain(in->symbols, m->path, g.addr, chain, CHAIN_MAX);
		type->module = m->path;
		for (size_t k = 0; k < links && !found; k++) {
			if (!guessed)
				guessed = from_allocator(&g, chain[k].function);
			if (ingest_in_library(&chain[k]) && (i + 1 < n || k + 1 < links))
				continue;
			found = true;
			named = chain[k];
			type->site = sites[i];
		}
	}
	type->place = place_text(in, &named, type->site);
	if (found && !guessed)
		(void)from_line(&g, vtb_symbols_source(in->symbols, type->module, named.file, named.line));
}
