/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/short_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "made_suffix.h"
#include "vtb/bounded_text.h"

#define CLEAN_MAX 1024u
#define TYPE_LONGEST 48u /* more says less than "block" */

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Bytes of "operator<<", "operator()", "operator->" at `at`; 0: no such name stands there. */
static size_t operator_bytes(const char *start, const char *at)
{
	size_t n = 8;

	if (strncmp(at, "operator", 8) != 0 || word_char(at[8]) || (at > start && word_char(at[-1])))
		return 0;
	if (strncmp(at + n, "()", 2) == 0 || strncmp(at + n, "[]", 2) == 0)
		return n + 2;
	return n + strspn(at + n, "<>=-+*/%&|^!~,");
}

/* Bytes up to the bracket that closes the one at `at`, both included; all that is left if none does. */
static size_t bracketed(const char *at)
{
	int depth = 0;

	for (size_t i = 0; at[i]; i++) {
		if (i && (at[i] == '>' && at[i - 1] == '-'))
			continue;
		if (strchr("<({[", at[i]))
			depth++;
		else if (strchr(">)}]", at[i]) && --depth == 0)
			return i + 1;
	}
	return strlen(at);
}

static bool is_lambda(const char *at)
{
	return strncmp(at, "{lambda", 7) == 0 || strncmp(at, "<lambda", 7) == 0;
}

/* clang's name of a lambda's class: "$_0", "$_12". 0: it is not one. */
static size_t lambda_class(const char *start, const char *at)
{
	if (strncmp(at, "$_", 2) != 0 || (at > start && word_char(at[-1])) || !isdigit((unsigned char)at[2]))
		return 0;
	return 2 + strspn(at + 2, "0123456789");
}

/* Without what stands in brackets; lambdas become the part "lambda". */
static void clean(const char *name, char *buf, size_t size)
{
	size_t n = 0;

	for (const char *at = name; *at && n + 16 < size;) {
		const size_t op = operator_bytes(name, at);

		if (op) {
			memcpy(buf + n, at, op < 16 ? op : 16);
			n += op < 16 ? op : 16;
			at += op;
		} else if (strncmp(at, "(anonymous namespace)::", 23) == 0) {
			at += 23;
		} else if (is_lambda(at)) {
			memcpy(buf + n, "lambda", 6);
			n += 6;
			at += bracketed(at);
		} else if (lambda_class(name, at)) {
			memcpy(buf + n, "lambda", 6);
			n += 6;
			at += lambda_class(name, at);
		} else if (made_suffix(at)) {
			at += made_suffix(at);
		} else if (strchr("<({", *at)) {
			at += bracketed(at);
		} else if (strncmp(at, "[abi:", 5) == 0 || strncmp(at, " [clone", 7) == 0) {
			at += strcspn(at, "]");
			at += *at == ']';
		} else {
			buf[n++] = *at++;
		}
	}
	buf[n] = 0;
}

/* " const", " &&", " volatile" behind the parameters. */
static void drop_qualifiers(char *name)
{
	static const char *const words[] = { " const", " volatile", " &&", " &", " noexcept" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words);) {
		const size_t len = strlen(words[i]), n = strlen(name);

		if (n > len && strcmp(name + n - len, words[i]) == 0) {
			name[n - len] = 0;
			i = 0;
		} else {
			i++;
		}
	}
}

/* Behind the return type, which only templates have. "operator new" is one name. */
static const char *without_return_type(const char *name)
{
	const char *operator= strstr(name, "operator ");
	const char *from = name;

	for (const char *at = name; *at && at != operator; at++)
		if (*at == ' ')
			from = at + 1;
	while (*from == '*' || *from == '&')
		from++;
	return from;
}

/* The name's part before `end`: where it begins. */
static const char *part_before(const char *name, const char *end)
{
	for (const char *at = end; at > name; at--)
		if (at[-1] == ':')
			return at;
	return name;
}

static const char *last_two(const char *name, const char *end)
{
	const char *last = part_before(name, end);

	return last - name > 2 ? part_before(name, last - 2) : last;
}

char *vtb_short_function(const char *name, char *buf, size_t size)
{
	char text[CLEAN_MAX];
	struct vtb_bounded_text to = { .buf = buf, .size = size };
	const char *from, *lambda, *end;

	buf[0] = 0;
	clean(name ? name : "", text, sizeof(text));
	drop_qualifiers(text);
	from = without_return_type(text);
	lambda = strstr(from, "lambda::");
	if (!lambda && strlen(from) >= 6 && strcmp(from + strlen(from) - 6, "lambda") == 0)
		lambda = from + strlen(from) - 6;
	end = lambda ? lambda - (lambda - from > 2 ? 2 : 0) : from + strlen(from);
	if (lambda && end > from)
		vtb_bounded_text_add(&to, "lambda in %.*s", (int)(end - last_two(from, end)), last_two(from, end));
	else if (lambda)
		vtb_bounded_text_add(&to, "lambda");
	else
		vtb_bounded_text_add(&to, "%s", last_two(from, end));
	return buf;
}

/* ---- variables */

/* The only member of std::array (libstdc++, libc++): its elements are the program's own. Bytes of that part; 0: it is
 * another. */
static size_t array_part(const char *part)
{
	static const char *const names[] = { "_M_elems[", "__elems_[" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(part, names[i], strlen(names[i])) == 0)
			return strlen(names[i]) - 1;
	return 0;
}

/* ".._M_impl", "->__data", "[]._M_x": where a part begins that is the implementation's. NULL: there is none. */
static const char *reserved_part(const char *name)
{
	for (const char *at = name; *at; at++) {
		const char *part = at[0] == '.' ? at + 1 : at[0] == '-' && at[1] == '>' ? at + 2 : NULL;

		if (part && part[0] == '_' && (part[1] == '_' || isupper((unsigned char)part[1])) && !array_part(part))
			return at;
	}
	return NULL;
}

bool vtb_has_reserved_part(const char *name)
{
	return reserved_part(name) != NULL;
}

/* The template arguments, but not the operators and arrows. */
static void drop_arguments(char *name)
{
	char *to = name;

	for (char *at = name; *at;) {
		const size_t op = operator_bytes(name, at);

		if (op) {
			memmove(to, at, op);
			to += op;
			at += op;
		} else if (*at == '<' && at > name && word_char(at[-1]) && !is_lambda(at)) {
			at += bracketed(at);
		} else {
			*to++ = *at++;
		}
	}
	*to = 0;
}

static void drop_all(char *name, const char *part)
{
	for (char *at = strstr(name, part); at; at = strstr(at, part))
		memmove(at, at + strlen(part), strlen(at + strlen(part)) + 1);
}

/* "accounts._M_elems[1].balance", "place->_M_elems[1]" */
static void drop_array_parts(char *name)
{
	for (char *at = name; *at; at++) {
		const size_t sign = at[0] == '.' ? 1 : at[0] == '-' && at[1] == '>' ? 2 : 0;
		const size_t n = sign ? array_part(at + sign) : 0;

		if (n)
			memmove(at, at + sign + n, strlen(at + sign + n) + 1);
	}
}

/* "pool.jobs in main()": of which function it is a local is plain from the line that is told beside it. */
static void drop_function(char *name)
{
	char *in = strstr(name, " in "), *end = in ? strstr(in, "()") : NULL;
	const bool nameless = !strncmp(name, "frame", 5) && (name[5] == '-' || name + 5 == in);

	if (end && !nameless) /* what has no name of its own keeps that of its function */
		memmove(in, end + 2, strlen(end + 2) + 1);
}

/* "open() at pool.c:13 (2nd)->next": the block's place, what follows it, and the part in between. */
struct block {
	const char *place, *instance, *part;
	int n_place, n_instance;
};

static bool is_block(const char *name, struct block *ret)
{
	const char *at = strstr(name, "() at "), *colon = NULL, *end;

	for (; at; at = strstr(at + 1, "() at "))
		ret->place = at + strlen("() at ");
	colon = ret->place ? strchr(ret->place, ':') : NULL;
	if (!colon)
		return false;
	end = colon + 1 + strspn(colon + 1, "0123456789");
	ret->n_place = (int)(end - ret->place);
	ret->instance = ret->part = end;
	if (end[0] == ' ' && end[1] == '(' && strchr(end, ')'))
		ret->part = strchr(end, ')') + 1;
	ret->n_instance = (int)(ret->part - ret->instance);
	return end > colon + 1;
}

/* "next of the block from pool.c:13 (2nd)" */
static void tell_block(const struct block *b, const struct vtb_block_words *words, char *buf, size_t size)
{
	char part[CLEAN_MAX] = "";

	if (b->part[0] == '-' && b->part[1] == '>')
		snprintf(part, sizeof(part), "%s of ", b->part + 2);
	else if (b->part[0] == '+')
		snprintf(part, sizeof(part), "byte %s of ", b->part + 1);
	else if (*b->part)
		snprintf(part, sizeof(part), "%s of ", b->part);
	snprintf(buf, size, "%sthe %s from %.*s%.*s", part, words->noun,
	         words->place ? (int)strlen(words->place) : b->n_place, words->place ? words->place : b->place,
	         b->n_instance, b->instance);
}

static char *without_reserved(const char *name, char *buf, size_t size)
{
	char text[CLEAN_MAX];
	struct vtb_bounded_text all = { .buf = text, .size = sizeof(text) };
	const char *cut, *rest;
	size_t n;

	text[0] = buf[0] = 0;
	vtb_bounded_text_add(&all, "%s", name ? name : "");
	drop_all(text, "(anonymous namespace)::");
	drop_all(text, "std::__cxx11::");
	drop_arguments(text);
	drop_array_parts(text);
	cut = reserved_part(text);
	rest = cut ? strstr(cut, " in ") : NULL; /* of which function it is a local variable */
	n = cut ? (size_t)(cut - text) : strlen(text);
	while (cut && n >= 2 && text[n - 1] == ']' && text[n - 2] == '[')
		n -= 2;
	struct vtb_bounded_text to = { .buf = buf, .size = size };

	vtb_bounded_text_add(&to, "%.*s%s", (int)n, text, rest ? rest : "");
	return buf;
}

char *vtb_short_block(const char *name, const struct vtb_block_words *words, char *buf, size_t size)
{
	char text[CLEAN_MAX];
	struct block block = { 0 };

	without_reserved(name, text, sizeof(text));
	if (is_block(text, &block)) {
		tell_block(&block, words, buf, size);
	} else {
		drop_function(text);
		snprintf(buf, size, "%s", text);
	}
	return buf;
}

char *vtb_short_variable(const char *name, char *buf, size_t size)
{
	const struct vtb_block_words words = { .noun = "block" };

	if (vtb_told_of_library(name, buf, size))
		return buf;
	return vtb_short_block(name, &words, buf, size);
}

/* ---- types */

/* Nodes of libstdc++'s containers. A map's hold pairs whose first part does not change. */
static const char *node_noun(const char *type)
{
	static const struct {
		const char *class, *noun, *of_pairs;
	} rows[] = { { "std::_Rb_tree_node<", "set node", "map node" },
		     { "std::__detail::_Hash_node<", "set node", "map node" },
		     { "std::_List_node<", "list node", "list node" },
		     { "std::_Fwd_list_node<", "list node", "list node" } };
	const char *at;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strncmp(type, rows[i].class, strlen(rows[i].class)) != 0)
			continue;
		at = type + strlen(rows[i].class);
		return strncmp(at, "std::pair<", 10) == 0 ? rows[i].of_pairs : rows[i].noun;
	}
	return NULL;
}

static bool has_reserved_word(const char *text)
{
	for (const char *at = text; *at; at++)
		if ((at == text || !word_char(at[-1])) && at[0] == '_' &&
		    (at[1] == '_' || isupper((unsigned char)at[1])))
			return true;
	return false;
}

/* "account [4]" to "account[4]": where the count begins. */
static char *count_of(char *text)
{
	char *count = strrchr(text, '[');

	if (!count || count == text || count[-1] != ' ')
		return text + strlen(text);
	memmove(count - 1, count, strlen(count) + 1);
	return count - 1;
}

char *vtb_short_type(const char *type, char *buf, size_t size)
{
	struct vtb_bounded_text to = { .buf = buf, .size = size };
	const char *node = node_noun(type ? type : "");
	char text[CLEAN_MAX];
	struct vtb_bounded_text all = { .buf = text, .size = sizeof(text) };
	const char *count;

	buf[0] = text[0] = 0;
	vtb_bounded_text_add(&all, "%s", node ? node : type ? type : "");
	drop_all(text, "(anonymous namespace)::");
	drop_all(text, "__cxx11::");
	if (strncmp(text, "std::basic_string<char,", 23) == 0)
		drop_all(text, "basic_");
	drop_arguments(text);
	count = count_of(text);
	if (*text && strlen(text) < TYPE_LONGEST && !has_reserved_word(text))
		vtb_bounded_text_add(&to, "%s", last_two(text, count));
	else
		vtb_bounded_text_add(&to, "block");
	return buf;
}
