/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "asm_does.h"

#include "vtb/pad_site.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	enum vtb_pad_does does;
	int by; /* where no operand says it */
} operations[] = {
	{ "mov", VTB_PAD_DOES_SET, 0 }, { "xchg", VTB_PAD_DOES_SET, 0 },    { "add", VTB_PAD_DOES_ADD, 0 },
	{ "sub", VTB_PAD_DOES_SUB, 0 }, { "and", VTB_PAD_DOES_AND, 0 },     { "or", VTB_PAD_DOES_OR, 0 },
	{ "xor", VTB_PAD_DOES_XOR, 0 }, { "xadd", VTB_PAD_DOES_ADD, 0 },    { "inc", VTB_PAD_DOES_ADD, 1 },
	{ "dec", VTB_PAD_DOES_SUB, 1 }, { "cmpxchg", VTB_PAD_DOES_CAS, 0 },
};

static bool is_with_size(struct asm_slice m, const char *name)
{
	const size_t n = strlen(name);

	return m.len >= n && !memcmp(m.at, name, n) && (m.len == n || (m.len == n + 1 && strchr("bwlq", m.at[n])));
}

#define STACK_POINTER 4 /* the runtime has not kept it */

/* Its number in x86; -1: the upper half of a word, or none. */
static int register_number(struct asm_slice r)
{
	static const char *const names[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };
	static const char *const bytes[] = { "%al", "%cl", "%dl", "%bl", "%spl", "%bpl", "%sil", "%dil" };
	const struct asm_slice word =
	    r.len == 4 ? (struct asm_slice){ r.at + 2, 2 } : (struct asm_slice){ r.at + 1, r.len - 1 };

	for (int i = 0; i < 8; i++)
		if (asm_is(word, names[i]) || asm_is(r, bytes[i]))
			return i;
	if (r.len < 3 || r.at[1] != 'r' || !isdigit((unsigned char)r.at[2]))
		return -1;
	return r.len > 3 && isdigit((unsigned char)r.at[3]) ? 10 * (r.at[2] - '0') + r.at[3] - '0' : r.at[2] - '0';
}

/* False: no number, or one that needs more than 16 bits. */
static bool small_number(struct asm_slice text, long *ret)
{
	char digits[16], *end;

	if (text.len < 2 || text.len > sizeof(digits) || text.at[0] != '$')
		return false;
	memcpy(digits, text.at + 1, text.len - 1);
	digits[text.len - 1] = 0;
	*ret = strtol(digits, &end, 0);
	return !*end && *ret >= INT16_MIN && *ret <= INT16_MAX;
}

static uint32_t by_number(long n)
{
	return ((uint32_t)n & 0xffffu) << 16;
}

/* By what the operand beside the one in memory says. */
static uint32_t by_operand(const struct asm_insn *insn, const struct asm_operand *o)
{
	const int number = o->kind == ASM_REGISTER ? register_number(o->text) : -1;
	long n;

	if (number >= 0 && number != STACK_POINTER && asm_register_bytes(o->text) == insn->bytes)
		return VTB_PAD_BY_REGISTER | (uint32_t)number << 8;
	return o->kind == ASM_IMMEDIATE && small_number(o->text, &n) ? by_number(n) : UINT32_MAX;
}

uint32_t asm_does(const struct asm_insn *insn)
{
	uint32_t by = UINT32_MAX;

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		if (!is_with_size(insn->mnemonic, operations[i].name))
			continue;
		if (operations[i].by && insn->n_operands == 1)
			by = by_number(operations[i].by);
		else if (!operations[i].by && insn->n_operands == 2)
			by = by_operand(insn, &insn->operands[!insn->operand]);
		return by == UINT32_MAX ? 0 : operations[i].does | by;
	}
	return 0;
}
