/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/transfers.h"

#include <string.h>

#include "capstone_x86.h"
#include "length.h"

int vtb_transfers_new(struct vtb_disasm **ret)
{
	return capstone_x86_new(false, ret);
}

/* The distance is the last four bytes; what stands before it are the opcode and prefixes without a meaning here (bnd,
 * notrack). */
static bool to_transfer(const cs_insn *insn, struct vtb_transfer *ret)
{
	const uint8_t *end = insn->bytes + insn->size;
	int32_t distance;

	if ((insn->id != X86_INS_CALL && insn->id != X86_INS_JMP) || insn->size < 5)
		return false;
	memcpy(&distance, end - 4, 4);
	*ret = (struct vtb_transfer){ .addr = insn->address,
		                      .target = insn->address + insn->size + (uint64_t)(int64_t)distance,
		                      .length = (uint8_t)insn->size,
		                      .call = insn->id == X86_INS_CALL };
	if (end[-5] == 0xe8 || end[-5] == 0xe9)
		return true;
	ret->indirect = insn->size >= 6 && end[-6] == 0xff && (end[-5] == 0x15 || end[-5] == 0x25);
	return ret->indirect;
}

/* Bytes of an instruction that is none of those that are looked for; 0: it may be. */
static unsigned plain_length(const uint8_t *at, size_t size)
{
	const unsigned length = vtb_instruction_length(at, size);
	const uint8_t *end = at + length;

	if (length >= 5 && (end[-5] == 0xe8 || end[-5] == 0xe9))
		return 0;
	return length >= 6 && end[-6] == 0xff && (end[-5] == 0x15 || end[-5] == 0x25) ? 0 : length;
}

static bool is_atomic(const uint8_t *at, unsigned length)
{
	const uint8_t *end = at + length;

	while (at < end && (*at == 0x66 || *at == 0x67 || *at == 0xf2 || *at == 0xf3 || (*at & 0xf0) == 0x40))
		at++;
	if (end - at < 2)
		return false;
	return *at == 0xf0 || ((*at == 0x86 || *at == 0x87) && at[1] < 0xc0);
}

int vtb_transfers_walk(struct vtb_disasm *d, const void *code, size_t size, uint64_t addr,
                       int (*found)(void *arg, const struct vtb_transfer *t), void *arg, bool *ret_atomics)
{
	const uint8_t *at = code;

	while (size) {
		struct vtb_transfer transfer;
		const unsigned length = plain_length(at, size);
		int r = 0;

		if (length) {
			*ret_atomics |= is_atomic(at, length);
			at += length;
			size -= length;
			addr += length;
			continue;
		}
		if (!cs_disasm_iter(d->handle, &at, &size, &addr, d->insn))
			return 0;
		*ret_atomics |= is_atomic(d->insn->bytes, d->insn->size);
		if (to_transfer(d->insn, &transfer))
			r = found(arg, &transfer);
		if (r < 0)
			return r;
	}
	return 1;
}
