/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep.h"

#include <elf.h>

#include "vtb/elf_file.h"
#include "vtb/error.h"

/* The first loaded segment with these flags. */
static int find_segment(const char *program, uint32_t flags, struct sweep_range *ret)
{
	struct vtb_elf_segment s;
	struct vtb_elf *elf;
	int r = vtb_elf_open(program, &elf, NULL);

	if (r < 0)
		return r;
	if (vtb_elf_loaded(elf, flags, &s))
		*ret = (struct sweep_range){ s.addr, s.addr + s.memory_size };
	else
		r = -VTB_E_FORMAT;
	vtb_elf_close(elf);
	return r;
}

int vtb_sweep_code(const char *program, struct sweep_range *ret)
{
	return find_segment(program, PF_X, ret);
}

int vtb_sweep_data(const char *program, struct sweep_range *ret)
{
	return find_segment(program, PF_W, ret);
}

int vtb_sweep(struct vtb_symbols *symbols, struct vtb_disasm *disasm, const char *program,
              const struct sweep_range *range, int (*take)(void *arg, uint64_t at, const struct vtb_instruction *insn),
              void *arg)
{
	int r = 0;

	for (uint64_t at = range->lo; r >= 0 && at < range->hi;) {
		uint8_t code[SWEEP_INSTRUCTION_MAX];
		struct vtb_instruction insn;
		const int length = vtb_disasm_one(
		    disasm, code, vtb_symbols_bytes(symbols, program, at, code, sizeof(code)), at, &insn);

		if (length > 0)
			r = take(arg, at, &insn);
		at += length > 0 ? (uint64_t)length : 1;
	}
	return r;
}

bool vtb_sweep_names(const struct vtb_mem_operand *op, uint64_t end, uint64_t *ret)
{
	if (op->segment || op->index != VTB_REG_NONE || (op->base != VTB_REG_RIP && op->base != VTB_REG_NONE))
		return false;
	*ret = (op->base == VTB_REG_RIP ? end : 0) + (uint64_t)op->disp;
	return true;
}
