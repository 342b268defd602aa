/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "transfers.h"

#include <capstone/capstone.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/error.h"

struct transfers {
	csh handle;
	cs_insn *insn; /* reused */
};

int transfers_new(struct transfers **ret)
{
	struct transfers *t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &t->handle) != CS_ERR_OK) {
		free(t);
		return -VTB_E_TOOL;
	}
	t->insn = cs_malloc(t->handle);
	if (!t->insn) {
		transfers_free(t);
		return -ENOMEM;
	}
	*ret = t;
	return 0;
}

void transfers_free(struct transfers *t)
{
	if (!t)
		return;
	if (t->insn)
		cs_free(t->insn, 1);
	cs_close(&t->handle);
	free(t);
}

/* The distance is the last four bytes; what stands before it are the opcode and prefixes without a meaning here (bnd, notrack). */
static bool to_transfer(const cs_insn *insn, struct transfer *ret)
{
	const uint8_t *end = insn->bytes + insn->size;
	int32_t distance;

	if ((insn->id != X86_INS_CALL && insn->id != X86_INS_JMP) || insn->size < 5)
		return false;
	memcpy(&distance, end - 4, 4);
	*ret = (struct transfer){.addr = insn->address, .target = insn->address + insn->size + (uint64_t)(int64_t)distance, .length = (uint8_t)insn->size, .call = insn->id == X86_INS_CALL};
	if (end[-5] == 0xe8 || end[-5] == 0xe9)
		return true;
	ret->indirect = insn->size >= 6 && end[-6] == 0xff && (end[-5] == 0x15 || end[-5] == 0x25);
	return ret->indirect;
}

int transfers_walk(struct transfers *t, const void *code, size_t size, uint64_t addr, int (*found)(void *arg, const struct transfer *t), void *arg)
{
	const uint8_t *at = code;

	while (size) {
		struct transfer transfer;
		int r = 0;

		if (!cs_disasm_iter(t->handle, &at, &size, &addr, t->insn))
			return 0;
		if (to_transfer(t->insn, &transfer))
			r = found(arg, &transfer);
		if (r < 0)
			return r;
	}
	return 1;
}
