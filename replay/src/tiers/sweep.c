/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sweep.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "vtb/error.h"
#include "vtb/input.h"

/* The first loaded segment with these flags. */
static int find_segment(const char *program, uint32_t flags, struct sweep_range *ret)
{
	FILE *file = vtb_input_stream(program);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	int r = file ? -VTB_E_FORMAT : -errno;

	if (file && fread(&eh, sizeof(eh), 1, file) == 1 && !memcmp(eh.e_ident, ELFMAG, SELFMAG) &&
	    eh.e_phentsize == sizeof(ph))
		for (unsigned i = 0; r < 0 && i < eh.e_phnum; i++)
			if (fseek(file, (long)(eh.e_phoff + i * sizeof(ph)), SEEK_SET) == 0 &&
			    fread(&ph, sizeof(ph), 1, file) == 1 && ph.p_type == PT_LOAD && ph.p_flags & flags) {
				*ret = (struct sweep_range){ ph.p_vaddr, ph.p_vaddr + ph.p_memsz };
				r = 0;
			}
	if (file)
		fclose(file);
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
