/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asm_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static struct asm_slice slice(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return (struct asm_slice){ at, (size_t)(end - at) };
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@';
}

/* Behind blanks and block comments. */
static void skip_blank(struct asm_cursor *c)
{
	for (;;) {
		while (c->at < c->size && (isspace((unsigned char)c->text[c->at]) || c->text[c->at] == ';'))
			c->at++;
		if (c->at + 1 < c->size && c->text[c->at] == '/' && c->text[c->at + 1] == '*') {
			const char *end = memmem(c->text + c->at + 2, c->size - c->at - 2, "*/", 2);

			c->at = end ? (size_t)(end - c->text) + 2 : c->size;
			continue;
		}
		return;
	}
}

static size_t line_end(const struct asm_cursor *c, size_t at)
{
	const char *nl = memchr(c->text + at, '\n', c->size - at);

	return nl ? (size_t)(nl - c->text) : c->size;
}

/* End of the statement that begins at c->at: newline, semicolon, or a comment, outside of quotes. */
static size_t statement_end(const struct asm_cursor *c)
{
	bool quoted = false;
	size_t at;

	for (at = c->at; at < c->size; at++) {
		const char ch = c->text[at];

		if (ch == '\n')
			break;
		if (quoted && ch == '\\' && at + 1 < c->size)
			at++;
		else if (ch == '"')
			quoted = !quoted;
		else if (!quoted && (ch == ';' || ch == '#'))
			break;
		else if (!quoted && ch == '/' && at + 1 < c->size && c->text[at + 1] == '*')
			break;
	}
	return at;
}

static struct asm_statement comment(struct asm_cursor *c)
{
	struct asm_statement s = { .kind = ASM_COMMENT };
	const size_t end = line_end(c, c->at);

	s.text = slice(c->text + c->at, c->text + end);
	if (asm_is(s.text, "#APP"))
		s.kind = ASM_APP;
	else if (asm_is(s.text, "#NO_APP"))
		s.kind = ASM_NO_APP;
	c->at = end;
	return s;
}

/* Length of a label at the cursor without its colon, 0 if there is none. */
static size_t label_length(const struct asm_cursor *c)
{
	size_t n = 0;

	if (c->text[c->at] == '"') {
		const char *quote = memchr(c->text + c->at + 1, '"', c->size - c->at - 1);

		n = quote ? (size_t)(quote - c->text) + 1 - c->at : 0;
	} else {
		while (c->at + n < c->size && is_name(c->text[c->at + n]))
			n++;
	}
	return n && c->at + n < c->size && c->text[c->at + n] == ':' ? n : 0;
}

struct asm_statement asm_next(struct asm_cursor *c)
{
	struct asm_statement s = { .kind = ASM_END };
	size_t n, end;

	skip_blank(c);
	if (c->at >= c->size)
		return s;
	if (c->text[c->at] == '#')
		return comment(c);
	n = label_length(c);
	if (n) {
		s.kind = ASM_LABEL;
		s.text = (struct asm_slice){ c->text + c->at, n };
		c->at += n + 1;
		return s;
	}
	end = statement_end(c);
	s.text = slice(c->text + c->at, c->text + end);
	s.kind = s.text.at[0] == '.' || memchr(s.text.at, '=', s.text.len) ? ASM_DIRECTIVE : ASM_INSN;
	c->at = end;
	return s;
}

struct asm_slice asm_directive_name(struct asm_slice d)
{
	size_t n = 0;

	while (n < d.len && !isspace((unsigned char)d.at[n]))
		n++;
	return (struct asm_slice){ d.at, n };
}

struct asm_slice asm_directive_argument(struct asm_slice d, unsigned n)
{
	const char *end = d.at + d.len, *from = d.at + asm_directive_name(d).len;
	bool quoted = false;

	for (const char *p = from; p < end; p++) {
		quoted ^= *p == '"';
		if (*p != ',' || quoted)
			continue;
		if (!n--)
			return slice(from, p);
		from = p + 1;
	}
	return n ? (struct asm_slice){ end, 0 } : slice(from, end);
}

/* ---- sections */

static void enter(struct asm_section_state *s, struct asm_slice to)
{
	s->previous = s->current;
	s->current = to;
}

bool asm_section_follow(struct asm_section_state *s, struct asm_slice d)
{
	const struct asm_slice name = asm_directive_name(d);

	if (asm_is(name, ".section") || asm_is(name, ".text") || asm_is(name, ".data") || asm_is(name, ".bss")) {
		enter(s, d);
	} else if (asm_is(name, ".pushsection")) {
		if (s->depth < ASM_SECTION_STACK) {
			s->stack[s->depth][0] = s->current;
			s->stack[s->depth][1] = s->previous;
		}
		s->depth++;
		enter(s, d);
	} else if (asm_is(name, ".popsection")) {
		if (s->depth && --s->depth < ASM_SECTION_STACK) {
			s->current = s->stack[s->depth][0];
			s->previous = s->stack[s->depth][1];
		}
	} else if (asm_is(name, ".previous")) {
		enter(s, s->previous);
	} else {
		return asm_is(name, ".subsection");
	}
	return true;
}

static bool begins(struct asm_slice s, const char *with)
{
	return s.len >= strlen(with) && !memcmp(s.at, with, strlen(with));
}

bool asm_section_is_code(struct asm_slice d)
{
	const struct asm_slice flags = asm_directive_argument(d, 1);

	if (asm_is(asm_directive_name(d), ".text") || !d.len)
		return true;
	return flags.len ? memchr(flags.at, 'x', flags.len) != NULL : begins(asm_directive_argument(d, 0), ".text");
}

bool asm_section_is_readonly(struct asm_slice d)
{
	const struct asm_slice name = asm_directive_argument(d, 0), flags = asm_directive_argument(d, 1);

	if (!d.len || (!asm_is(asm_directive_name(d), ".section") && !asm_is(asm_directive_name(d), ".pushsection")))
		return false;
	if (begins(name, ".rodata") || begins(name, ".data.rel.ro"))
		return true;
	return flags.len > 2 && memchr(flags.at, 'a', flags.len) && !memchr(flags.at, 'w', flags.len) &&
	       !memchr(flags.at, 'x', flags.len);
}

/* Types that LLVM names and GNU as knows by number only (clang writes them when it does not assemble itself). */
static const struct {
	const char *name, *number;
} llvm_types[] = {
	{ "@llvm_odrtab", "@0x6fff4c00" },
	{ "@llvm_linker_options", "@0x6fff4c01" },
	{ "@llvm_dependent_libraries", "@0x6fff4c04" },
	{ "@llvm_sympart", "@0x6fff4c05" },
};

struct asm_slice asm_section_type(struct asm_slice d, const char **ret_number)
{
	const struct asm_slice name = asm_directive_name(d), type = asm_directive_argument(d, 2);

	if (asm_is(name, ".section") || asm_is(name, ".pushsection"))
		for (size_t i = 0; i < sizeof(llvm_types) / sizeof(*llvm_types); i++)
			if (asm_is(type, llvm_types[i].name)) {
				*ret_number = llvm_types[i].number;
				return type;
			}
	return (struct asm_slice){ 0 };
}
