/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>

#include "vtb/elf_file.h"
#include "vtb/slice.h"

static bool is_program(struct vtb_elf *elf)
{
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_segment(elf, i, &s); i++)
		if (s.type == PT_INTERP)
			return true;
	return false;
}

uint64_t vtb_slice_code(const char *path)
{
	struct vtb_elf *elf = NULL;
	struct vtb_elf_section s;
	uint64_t sum = 0;

	if (vtb_elf_open(path, &elf, NULL) < 0)
		return 0;
	for (size_t i = 0; is_program(elf) && vtb_elf_section(elf, i, &s); i++)
		sum += s.flags & SHF_EXECINSTR ? s.size : 0;
	vtb_elf_close(elf);
	return sum;
}
