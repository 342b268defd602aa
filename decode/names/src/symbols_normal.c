/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One spelling for a type that compilers and the demangler write in several. */
#include "symbols_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NORMAL_PIECE_MAX 64u /* what is written at once */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "long unsigned int" and "unsigned long" are one type: count the words at `name`, write them in one order. Returns how
 * many bytes of `name` that was; 0 if no such word stands there. */
static size_t integer_words(const char *name, char *out, size_t size)
{
	static const char *const words[] = { "long", "unsigned", "short", "char", "signed", "int" };
	enum { LONG, UNSIGNED, SHORT, CHAR, SIGNED, N_WORDS = 6 };
	unsigned seen[N_WORDS] = { 0 };
	size_t at = 0, end = 0;

	for (bool more = true; more;) {
		size_t len = 0;

		while (is_word(name[at + len]))
			len++;
		more = false;
		for (size_t i = 0; i < N_WORDS && !more; i++) {
			if (strlen(words[i]) != len || strncmp(name + at, words[i], len) != 0)
				continue;
			seen[i]++;
			more = true;
			end = at + len;
			for (at = end; name[at] == ' ';)
				at++;
		}
	}
	snprintf(out, size, "%s%s%s%s",
	         seen[UNSIGNED]               ? "unsigned "
	         : seen[CHAR] && seen[SIGNED] ? "signed "
	                                      : "",
	         seen[LONG] > 1 ? "long " : "",
	         seen[LONG]    ? "long "
	         : seen[SHORT] ? "short "
	                       : "",
	         seen[CHAR] ? "char" : "int");
	return end;
}

/* What the demangler writes otherwise than the compilers do. */
static const struct {
	const char *written, *normal;
} spellings[] = { { "(__gnu_cxx::_Lock_policy)2", "__gnu_cxx::_S_atomic" },
	          { "{anonymous}", "(anonymous namespace)" } };

struct normal {
	char *out;
	size_t n;
	unsigned depth;           /* of brackets */
	uint64_t begins, pending; /* a bit for each depth: no word of that argument yet; its "const" is still to come */
};

static uint64_t depth_bit(const struct normal *w)
{
	return w->depth < 64 ? 1ull << w->depth : 0;
}

/* "const T" becomes "T const": the place after the name is the only one that all can be brought to. */
static void put_const(struct normal *w)
{
	static const char word[] = " const";
	const size_t skip = w->n && is_word(w->out[w->n - 1]) ? 0 : 1;

	if (!(w->pending & depth_bit(w)))
		return;
	memcpy(w->out + w->n, word + skip, sizeof(word) - 1 - skip);
	w->n += sizeof(word) - 1 - skip;
	w->pending &= ~depth_bit(w);
}

static void put_char(struct normal *w, char c)
{
	if (strchr("*&,>)]", c))
		put_const(w);
	if (strchr(">)]", c) && w->depth)
		w->depth--;
	w->out[w->n++] = c;
	w->begins &= ~depth_bit(w);
	if (strchr("<([", c))
		w->depth++;
	if (strchr("<([,", c)) {
		w->begins |= depth_bit(w);
		w->pending &= ~depth_bit(w);
	}
}

/* Of "4ul" the letters: how many. */
static size_t number_suffix(const struct normal *w, const char *name)
{
	const size_t len = strspn(name, "ulUL");
	size_t digits = 0;

	while (digits < w->n && isdigit((unsigned char)w->out[w->n - 1 - digits]))
		digits++;
	return digits && len && !is_word(name[len]) && (digits == w->n || !is_word(w->out[w->n - 1 - digits])) ? len
	                                                                                                       : 0;
}

/* Words that are written in several ways: returns how much of `name` that was, 0: none of them. */
static size_t put_words(struct normal *w, const char *name, bool word_begins)
{
	char integer[48];
	size_t used;

	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (strncmp(name, spellings[i].written, strlen(spellings[i].written)) == 0) {
			memcpy(w->out + w->n, spellings[i].normal, strlen(spellings[i].normal));
			w->n += strlen(spellings[i].normal);
			return strlen(spellings[i].written);
		}
	if ((w->begins & depth_bit(w)) && strncmp(name, "const ", 6) == 0) {
		w->pending |= depth_bit(w);
		return 6;
	}
	used = word_begins ? integer_words(name, integer, sizeof(integer)) : 0;
	if (used) {
		memcpy(w->out + w->n, integer, strlen(integer));
		w->n += strlen(integer);
		w->begins &= ~depth_bit(w);
		return used;
	}
	return number_suffix(w, name);
}

void sym_normal_type(const char *name, char *out, size_t size)
{
	struct normal w = { .out = out };

	while (*name && w.n + NORMAL_PIECE_MAX < size) {
		const bool word_begins = !w.n || !is_word(out[w.n - 1]) || name[-1] == ' ';
		const size_t used = put_words(&w, name, word_begins);

		name += used;
		if (!used && *name == ' ' && !(w.n && is_word(out[w.n - 1]) && is_word(name[1])))
			name++;
		else if (!used)
			put_char(&w, *name++);
	}
	out[w.n] = '\0';
}
