/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_symbols.h"

#include <elf.h>
#include <string.h>

#include "vtb/elf_file.h"

static const struct function {
	const char *name;
	uint16_t number;
	uint8_t args;
} functions[] = {
#define VTB_PT_FUNCTION(symbol, number, name, args) { name, number, args },
#include "vtb/pt_functions.def"
#undef VTB_PT_FUNCTION
};

static const struct function *find_function(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (functions[i].name[0] && !strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

/* Runtime address = symbol's address + bias; the segment that holds `offset` says which. False if there is none. */
static bool find_bias(struct vtb_elf *elf, uint64_t addr, uint64_t offset, uint64_t *ret_bias)
{
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_segment(elf, i, &s); i++)
		if (s.type == PT_LOAD && s.flags & PF_X && offset + 4096 > s.offset &&
		    offset < s.offset + s.file_size) {
			*ret_bias = addr - offset + s.offset - s.addr;
			return true;
		}
	return false;
}

static void take_table(struct step_files *f, struct vtb_elf *elf, const struct vtb_elf_section *table, uint64_t bias)
{
	struct vtb_elf_symbol symbol;

	for (size_t i = 0; vtb_elf_symbol(elf, table, i, &symbol); i++) {
		const bool here = symbol.type == STT_FUNC && symbol.defined;
		const struct function *function = here ? find_function(symbol.name) : NULL;

		if (function)
			step_files_add_hook(f, symbol.addr + bias, function->number, function->args);
	}
}

void step_symbols(struct step_files *f, const char *path, uint64_t addr, uint64_t offset)
{
	struct vtb_elf_section section;
	struct vtb_elf *elf;
	uint64_t bias;

	if (vtb_elf_open(path, &elf, NULL) < 0)
		return;
	if (find_bias(elf, addr, offset, &bias))
		for (size_t i = 0; vtb_elf_section(elf, i, &section); i++)
			if (section.type == SHT_SYMTAB || section.type == SHT_DYNSYM)
				take_table(f, elf, &section, bias);
	vtb_elf_close(elf);
}
