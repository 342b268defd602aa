/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is not in one of the tables counts as reading: so do jumps, and what we do not know. */
#include "asm_flags.h"

#include <string.h>

#define LOOK_AT 32u /* instructions */

enum effect { READS, PASSES, WRITES };

/* With a suffix for the size or none. All of carry, parity, zero, sign and overflow, whatever the operands. */
static const char *const writers[] = { "add", "sub", "cmp", "test", "and", "or", "xor", "neg" };
static const char *const scalar_writers[] = { "comisd",  "comiss",  "ucomisd",  "ucomiss",
	                                      "vcomisd", "vcomiss", "vucomisd", "vucomiss" };
/* They write some flags or none, and read none. */
static const char *const passers[] = { "mov",  "movabs", "lea",  "push", "pop",  "not",  "bswap", "xchg",
	                               "imul", "mul",    "div",  "idiv", "inc",  "dec",  "shl",   "sal",
	                               "shr",  "sar",    "rol",  "ror",  "shld", "shrd", "bt",    "bts",
	                               "btr",  "btc",    "bsf",  "bsr",  "nop",  "cltq", "cqto",  "cltd",
	                               "cwtl", "sarx",   "shlx", "shrx", "rorx", "mulx", "leave" };
static const char *const extensions[] = { "movsb", "movsw", "movsl", "movzb", "movzw" }; /* movsbl; not string moves */

static bool is_with_size(struct asm_slice m, const char *name)
{
	const size_t n = strlen(name);

	return m.len >= n && !memcmp(m.at, name, n) && (m.len == n || (m.len == n + 1 && strchr("bwlq", m.at[n])));
}

static bool is_among(struct asm_slice m, const char *const names[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_with_size(m, names[i]))
			return true;
	return false;
}

static bool is_extension(const struct asm_insn *insn)
{
	if (insn->n_operands != 2 || insn->operands[1].kind != ASM_REGISTER)
		return false;
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++)
		if (insn->mnemonic.len == strlen(extensions[i]) + 1 &&
		    !memcmp(insn->mnemonic.at, extensions[i], insn->mnemonic.len - 1))
			return true;
	return false;
}

#define AMONG(m, names) is_among(m, names, sizeof(names) / sizeof(*(names)))

/* No instruction on vectors reads flags. */
static enum effect effect_of(const struct asm_insn *insn)
{
	if (asm_vector_bytes(insn))
		return AMONG(insn->mnemonic, scalar_writers) ? WRITES : PASSES;
	if (AMONG(insn->mnemonic, writers) || is_with_size(insn->mnemonic, "call") ||
	    is_with_size(insn->mnemonic, "ret")) /* they hand none on */
		return WRITES;
	return AMONG(insn->mnemonic, passers) || is_extension(insn) ? PASSES : READS;
}

/* What stands between two instructions that follow each other. */
static bool is_between(const struct asm_statement *s)
{
	const struct asm_slice name = asm_directive_name(s->text);

	if (s->kind == ASM_LABEL || s->kind == ASM_COMMENT)
		return true;
	return s->kind == ASM_DIRECTIVE &&
	       (asm_is(name, ".loc") || asm_is(name, ".p2align") || (name.len > 5 && !memcmp(name.at, ".cfi_", 5)));
}

bool asm_flags_dead(const struct asm_insn *insn, struct asm_cursor after)
{
	struct asm_insn next = *insn;
	uint32_t n = 0;

	while (n++ < LOOK_AT) {
		const enum effect effect = effect_of(&next);
		struct asm_statement s;

		if (effect != PASSES)
			return effect == WRITES;
		do
			s = asm_next(&after);
		while (is_between(&s));
		if (s.kind != ASM_INSN || !asm_insn_parse(s.text.at, s.text.len, &next))
			return false;
	}
	return false;
}
