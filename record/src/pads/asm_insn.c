/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asm_insn.h"

#include <ctype.h>
#include <string.h>

bool asm_is(struct asm_slice s, const char *text)
{
	return s.len == strlen(text) && !memcmp(s.at, text, s.len);
}

static struct asm_slice trim(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (end > at && isspace((unsigned char)end[-1]))
		end--;
	return (struct asm_slice){ at, (size_t)(end - at) };
}

static struct asm_slice cut(struct asm_slice s, size_t from)
{
	return trim(s.at + from, s.at + s.len);
}

/* ---- operands */

/* "{%k1}", "{z}", "{1to8}", "{rn-sae}" behind an operand say nothing about where it lies. */
static void drop_decorations(struct asm_operand *o)
{
	const char *brace = memchr(o->text.at, '{', o->text.len);

	if (!brace)
		return;
	o->broadcast = memmem(brace, (size_t)(o->text.at + o->text.len - brace), "{1to", 4) != NULL;
	o->text = trim(o->text.at, brace);
}

/* Position of the parenthesis that opens base and index: the last one on the outermost level at the end of the text, or
 * len. */
static size_t address_paren(struct asm_slice s)
{
	int depth = 0;

	if (!s.len || s.at[s.len - 1] != ')')
		return s.len;
	for (size_t i = s.len; i-- > 0;) {
		depth += (s.at[i] == ')') - (s.at[i] == '(');
		if (!depth)
			return i;
	}
	return s.len;
}

/* "%rax, %rbx, 4" between the parentheses. False: an expression in parentheses, not an address. */
static bool parse_address(struct asm_operand *o, struct asm_slice inside)
{
	struct asm_slice part[3] = { { 0 } };
	size_t n = 0;

	for (const char *at = inside.at, *end = inside.at + inside.len; at <= end && n < 3;) {
		const char *comma = memchr(at, ',', (size_t)(end - at));

		part[n++] = trim(at, comma ? comma : end);
		if (!comma)
			break;
		at = comma + 1;
	}
	for (size_t i = 0; i < 2; i++)
		if (part[i].len && part[i].at[0] != '%')
			return false;
	if (!part[0].len && !part[1].len)
		return false;
	o->base = part[0];
	o->index = part[1];
	o->scale = part[2].len == 1 ? (uint32_t)(part[2].at[0] - '0') : 1;
	return true;
}

static bool parse_memory(struct asm_operand *o)
{
	struct asm_slice s = o->text;
	const char *colon;
	size_t paren;

	o->kind = ASM_MEMORY;
	o->scale = 1;
	if (s.len > 3 && s.at[0] == '%') {
		colon = memchr(s.at, ':', s.len);
		if (!colon)
			return false;
		o->segment = trim(s.at, colon);
		s = trim(colon + 1, s.at + s.len);
	}
	paren = address_paren(s);
	if (paren < s.len && parse_address(o, (struct asm_slice){ s.at + paren + 1, s.len - paren - 2 }))
		o->disp = trim(s.at, s.at + paren);
	else
		o->disp = s;
	return true;
}

static bool parse_operand(struct asm_operand *o, struct asm_slice text)
{
	*o = (struct asm_operand){ .text = text };
	if (text.len && text.at[0] == '*') {
		o->indirect = true;
		o->text = cut(text, 1);
	}
	drop_decorations(o);
	if (!o->text.len)
		return text.len && text.at[0] == '{'; /* a rounding mode as an operand of its own */
	if (o->text.at[0] == '$') {
		o->kind = ASM_IMMEDIATE;
		return true;
	}
	if (o->text.at[0] == '%' && !memchr(o->text.at, ':', o->text.len)) {
		o->kind = ASM_REGISTER; /* "%st(1)" as well */
		return true;
	}
	return parse_memory(o);
}

static bool parse_operands(struct asm_insn *insn, struct asm_slice rest)
{
	const char *start = rest.at, *end = rest.at + rest.len;
	int depth = 0;

	if (!rest.len)
		return true;
	for (const char *p = start;; p++) {
		if (p < end)
			depth += (*p == '(' || *p == '{') - (*p == ')' || *p == '}');
		if (p < end && (*p != ',' || depth))
			continue;
		if (depth || insn->n_operands == ASM_OPERANDS_MAX ||
		    !parse_operand(&insn->operands[insn->n_operands++], trim(start, p)))
			return false;
		if (p == end)
			return true;
		start = p + 1;
	}
}

/* ---- the whole */

static struct asm_slice word(struct asm_slice s)
{
	size_t n = 0;

	while (n < s.len && !isspace((unsigned char)s.at[n]))
		n++;
	return (struct asm_slice){ s.at, n };
}

/* "lock", "rep", "notrack", "{vex}" ... in front. False: it was no prefix. */
static bool take_prefix(struct asm_insn *insn, struct asm_slice w)
{
	static const char *const silent[] = { "notrack", "bnd", "data16", "addr32", "rex64",    "rex",     "rex.W",
		                              "cs",      "ds",  "es",     "ss",     "xacquire", "xrelease" };

	if (asm_is(w, "lock")) {
		insn->lock = true;
		return true;
	}
	if (asm_is(w, "rep") || asm_is(w, "repz") || asm_is(w, "repe") || asm_is(w, "repnz") || asm_is(w, "repne")) {
		insn->rep = true;
		return true;
	}
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		if (asm_is(w, silent[i]))
			return true;
	return w.len > 2 && w.at[0] == '{' && w.at[w.len - 1] == '}';
}

bool asm_insn_parse(const char *text, size_t len, struct asm_insn *ret)
{
	struct asm_slice s = trim(text, text + len), w = word(s);

	*ret = (struct asm_insn){ .mnemonic = { text, 0 } };
	while (w.len && take_prefix(ret, w)) {
		s = cut(s, w.len);
		w = word(s);
	}
	ret->mnemonic = w;
	if (!parse_operands(ret, cut(s, w.len)))
		return false;
	asm_insn_classify(ret);
	return true;
}

/* ---- registers */

uint32_t asm_vector_bytes(const struct asm_insn *insn)
{
	uint32_t widest = 0;

	for (uint32_t i = 0; i < insn->n_operands; i++) {
		const struct asm_slice s = insn->operands[i].text;
		uint32_t n = 0;

		if (insn->operands[i].kind != ASM_REGISTER || s.len < 4)
			continue;
		if (!memcmp(s.at, "%xmm", 4))
			n = 16;
		else if (!memcmp(s.at, "%ymm", 4))
			n = 32;
		else if (!memcmp(s.at, "%zmm", 4))
			n = 64;
		else if (!memcmp(s.at, "%mm", 3))
			n = 8;
		widest = n > widest ? n : widest;
	}
	return widest;
}

uint32_t asm_register_bytes(struct asm_slice r)
{
	static const char *const bytes[] = { "%al", "%bl", "%cl",  "%dl",  "%ah",  "%bh",
		                             "%ch", "%dh", "%sil", "%dil", "%bpl", "%spl" };
	static const char *const words[] = { "%ax", "%bx", "%cx", "%dx", "%si", "%di", "%bp", "%sp" };

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		if (asm_is(r, bytes[i]))
			return 1;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (asm_is(r, words[i]))
			return 2;
	if (r.len < 3 || r.at[0] != '%')
		return 0;
	if (r.at[1] == 'e')
		return 4;
	if (r.at[1] != 'r')
		return 0;
	switch (r.at[r.len - 1]) { /* %r8 .. %r15 with b, w, d */
	case 'b':
		return isdigit((unsigned char)r.at[2]) ? 1 : 8;
	case 'w':
		return 2;
	case 'd':
		return 4;
	default:
		return 8;
	}
}
