/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_insn.h"

#include <stdbool.h>

static bool is_prefix(uint8_t b)
{
	return b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e || b == 0x64 || b == 0x65 || b == 0x66 || b == 0x67 ||
	       b == 0xf0 || b == 0xf2 || b == 0xf3;
}

/* Bytes of a ModRM operand: the byte itself, SIB, displacement. */
static uint8_t modrm_size(const uint8_t *p)
{
	const uint8_t mod = p[0] >> 6, rm = p[0] & 7;
	const bool sib = mod != 3 && rm == 4;
	uint8_t size = sib ? 2 : 1;

	if (mod == 1)
		size += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (sib && (p[1] & 7) == 5))))
		size += 4;
	return size;
}

static struct step_insn branch(unsigned class, unsigned size)
{
	return (struct step_insn){ .class = (uint8_t) class, .size = (uint8_t)size };
}

/* Opcodes after 0F. `n`: bytes up to and including this opcode. */
static struct step_insn classify_two(uint8_t op, unsigned n)
{
	if ((op & 0xf0) == 0x80)
		return branch(STEP_COND, n + 4);
	if (op == 0x05 || op == 0x07 || op == 0x34 || op == 0x35) /* syscall sysret sysenter sysexit */
		return branch(STEP_FAR, n);
	return branch(STEP_OTHER, 0);
}

/* Group 5: call and jump through a register or memory. */
static struct step_insn classify_ff(const uint8_t *modrm, unsigned n)
{
	const unsigned size = n + modrm_size(modrm);

	switch (modrm[0] >> 3 & 7) {
	case 2:
		return branch(STEP_CALL_INDIRECT, size);
	case 3:
	case 5:
		return branch(STEP_FAR, size);
	case 4:
		return branch(STEP_JUMP_INDIRECT, size);
	default:
		return branch(STEP_OTHER, 0);
	}
}

struct step_insn step_classify(const uint8_t bytes[15])
{
	unsigned i = 0, n;
	uint8_t op;

	while (i < 10 && is_prefix(bytes[i]))
		i++;
	if ((bytes[i] & 0xf0) == 0x40)
		i++;
	op = bytes[i];
	n = i + 1;
	if ((op & 0xf0) == 0x70 || (op >= 0xe0 && op <= 0xe3))
		return branch(STEP_COND, n + 1);
	switch (op) {
	case 0x0f:
		return classify_two(bytes[i + 1], n + 1);
	case 0xe8:
		return branch(STEP_CALL, n + 4);
	case 0xe9:
		return branch(STEP_JUMP, n + 4);
	case 0xeb:
		return branch(STEP_JUMP, n + 1);
	case 0xc3:
		return branch(STEP_RETURN, n);
	case 0xc2:
		return branch(STEP_RETURN, n + 2);
	case 0xff:
		return classify_ff(bytes + i + 1, n);
	case 0xca:
		return branch(STEP_FAR, n + 2);
	case 0xcd:
		return branch(STEP_FAR, n + 1);
	case 0xcb:
	case 0xcc:
	case 0xcf:
	case 0xf1:
		return branch(STEP_FAR, n);
	default:
		return branch(STEP_OTHER, 0);
	}
}
