/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a heap block holds, guessed from the source line that asked for it, and in C++ from the allocator's own name. A
 * guess must name a type of the module, and later fit the block's size, or it is dropped.
 */
#include "ingest_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define TYPE_TEXT_MAX 512u

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

/* The end of the scope around the first n bytes of a qualified name: of "ns::Pool<a::b>::open" first "ns::Pool<a::b>",
 * then "ns", then "". */
static size_t outer_scope(const char *name, size_t n)
{
	int depth = 0;

	while (n-- > 0) {
		if (strchr(">)}", name[n]))
			depth++;
		else if (strchr("<({", name[n]))
			depth--;
		else if (!depth && n > 0 && name[n] == ':' && name[n - 1] == ':')
			return n - 1;
	}
	return 0;
}

/* Look the name up as C++ does: in the scopes around the function, the innermost first. */
static bool known_type(const struct ingest_guess *g, char text[TYPE_TEXT_MAX], struct vtb_leaf *leaf)
{
	char scoped[TYPE_TEXT_MAX];
	const char *from, *to, *argument = "";
	size_t n;

	if (*g->function) /* of a line, not of a name that says it all */
		argument = vtb_symbols_argument(g->in->symbols, g->type->module, g->addr, text);
	if (*argument && strlen(argument) < TYPE_TEXT_MAX) {
		memcpy(text, argument, strlen(argument) + 1);
		return vtb_symbols_typed(g->in->symbols, g->type->module, text, 0, 0, 0, leaf);
	}

	ingest_bare_function(g->function, &from, &to);
	for (n = outer_scope(from, (size_t)(to - from)); n; n = outer_scope(from, n)) {
		const int len = snprintf(scoped, sizeof(scoped), "%.*s::%s", (int)n, from, text);

		if (len < (int)sizeof(scoped) &&
		    vtb_symbols_typed(g->in->symbols, g->type->module, scoped, 0, 0, 0, leaf)) {
			memcpy(text, scoped, (size_t)len + 1);
			return true;
		}
	}
	return vtb_symbols_typed(g->in->symbols, g->type->module, text, 0, 0, 0, leaf);
}

/* Accept the name if the module knows such a type. */
static bool take(const struct ingest_guess *g, const char *name, size_t len)
{
	char text[TYPE_TEXT_MAX];
	struct vtb_leaf leaf;

	while (len > 0 && name[len - 1] == ' ')
		len--;
	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, name, len);
	text[len] = '\0';
	if (!known_type(g, text, &leaf) || !leaf.object_size)
		return false;
	g->type->type_name = vtb_symtab_string(g->in->tab, text);
	g->type->type_size = leaf.object_size;
	if (!g->type->type_name)
		g->type->type_name = "";
	return *g->type->type_name;
}

/* `name` at the place, with so many pointers or arrays taken off. */
static bool take_declared(const struct ingest_guess *g, const char *name, size_t len, unsigned derefs)
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
static bool take_sizeof(const struct ingest_guess *g, const char *at)
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
static bool take_new(const struct ingest_guess *g, const char *at)
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
static bool take_cast(const struct ingest_guess *g, const char *text)
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

/* The variable in "struct x *p = malloc(n)", "p = malloc(n)"; NULL: there is none, or it is a member, whose type is not
 * at hand. */
static const char *assigned(const char *text, size_t *ret_len)
{
	const char *equals = strchr(text, '=');
	const char *end = equals, *from;

	if (!equals || equals[1] == '=' || equals == text)
		return NULL;
	while (end > text && end[-1] == ' ')
		end--;
	from = end;
	while (from > text && word_char(from[-1]))
		from--;
	*ret_len = (size_t)(end - from);
	return from > text && (from[-1] == '.' || from[-1] == '>') ? NULL : from;
}

static bool take_assigned(const struct ingest_guess *g, const char *text)
{
	size_t len;
	const char *name = assigned(text, &len);

	return name && take_declared(g, name, len, 1);
}

/* "return malloc(n)", "void *p = malloc(n)": what it is for, the caller knows. */
bool ingest_hands_on(const struct ingest_guess *g, const char *text)
{
	char variable[TYPE_TEXT_MAX];
	const char *name;
	size_t len;

	text += strspn(text, " \t{");
	if (strncmp(text, "return", 6) == 0 && !word_char(text[6]))
		return true;
	name = assigned(text, &len);
	if (!name || !len || len >= sizeof(variable))
		return false;
	snprintf(variable, sizeof(variable), "%.*s", (int)len, name);
	return !strcmp(vtb_symbols_declared(g->in->symbols, g->type->module, g->addr, variable, 0), "void *");
}

bool ingest_calls(const char *text, const char *function)
{
	const char *from, *to, *at;
	char name[TYPE_TEXT_MAX];

	ingest_bare_function(function, &from, &to);
	snprintf(name, sizeof(name), "%.*s", (int)(to - from), from);
	at = *name ? find_word(text, name) : NULL;
	return at && *skip_spaces(at + strlen(name)) == '(';
}

/* "g_new0(Pool, 1)", "ALLOC(struct x)": no function takes a type, so this is a macro that asks for one. */
static bool take_argument(const struct ingest_guess *g, const char *text)
{
	for (const char *at = strpbrk(text, "(,"); at; at = strpbrk(at + 1, "(,")) {
		const char *from = skip_spaces(at + 1), *name = strncmp(from, "struct ", 7) == 0 ? from + 7 : from;
		const size_t word = word_length(name);
		char variable[TYPE_TEXT_MAX];

		if (!word || word >= sizeof(variable) || !strchr(",)", *skip_spaces(name + word)) ||
		    !*skip_spaces(name + word) || (*at == '(' && (at == text || !word_char(at[-1]))))
			continue;
		snprintf(variable, sizeof(variable), "%.*s", (int)word, name);
		if ((name > from || !*vtb_symbols_declared(g->in->symbols, g->type->module, g->addr, variable, 0)) &&
		    take(g, from, (size_t)(name + word - from)))
			return true;
	}
	return false;
}

bool ingest_guess_line(const struct ingest_guess *g, const char *text)
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
	if (at && find_word(at + 3, "new")) /* of two nobody knows which */
		return false;
	if (at && take_new(g, at + 3))
		return true;
	at = find_word(text, "sizeof");
	if (at && take_sizeof(g, at + 6)) {
		const char *close = strchr(at, ')');

		g->type->open_ended =
		    (close && *skip_spaces(close + 1) == '+') || (strchr(text, '+') && strchr(text, '+') < at);
		return true;
	}
	if (take_argument(g, text))
		return true;
	return !g->wrapped && (take_cast(g, text) || take_assigned(g, text));
}

/* The first template argument at `at`. */
static size_t first_argument(const char *at)
{
	size_t n = 0;

	for (int depth = 0; at[n] && (depth || !strchr(",>", at[n])); n++)
		depth += strchr("<([{", at[n]) ? 1 : strchr(">)]}", at[n]) ? -1 : 0;
	return n;
}

/* "... std::make_unique<T, int>(int&&)", "... std::make_unique<T []>(unsigned long)". */
static bool from_make_unique(const struct ingest_guess *g, const char *function)
{
	static const char make[] = "std::make_unique<";
	const char *at = strstr(function, make);
	size_t n;

	if (!at)
		return false;
	at += sizeof(make) - 1;
	n = first_argument(at);
	g->type->several = n > 2 && strncmp(at + n - 2, "[]", 2) == 0;
	return take(g, at, g->type->several ? n - 2 : n);
}

bool ingest_guess_function(const struct ingest_guess *g, const char *function)
{
	static const char counted[] = "std::_Sp_counted_ptr_inplace<";
	const char *at = strstr(function, "new_allocator<"), *t;

	if (!at || !strstr(at, "::allocate"))
		return from_make_unique(g, function);
	t = at + 14;
	if (strncmp(t, counted, sizeof(counted) - 1) == 0) { /* its first argument is what make_shared makes */
		t += sizeof(counted) - 1;
		g->type->shared = take(g, t, first_argument(t));
		return g->type->shared;
	}
	return take(g, t, bracketed(t));
}
