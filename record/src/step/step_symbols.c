/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "step_symbols.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "vtb/input.h"

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
static bool find_bias(Elf *elf, uint64_t addr, uint64_t offset, uint64_t *ret_bias)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (offset + 4096 > ph.p_offset && offset < ph.p_offset + ph.p_filesz) {
			*ret_bias = addr - offset + ph.p_offset - ph.p_vaddr;
			return true;
		}
	}
	return false;
}

static void take_table(struct step_files *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t bias)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < n; i++) {
		const struct function *function;
		const char *name;
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || GELF_ST_TYPE(sym.st_info) != STT_FUNC ||
		    sym.st_shndx == SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, sym.st_name);
		function = name ? find_function(name) : NULL;
		if (function)
			step_files_add_hook(f, sym.st_value + bias, function->number, function->args);
	}
}

void step_symbols(struct step_files *f, const char *path, uint64_t addr, uint64_t offset)
{
	const int fd = vtb_input_open(path, UINT64_MAX, NULL, NULL);
	Elf_Scn *section = NULL;
	uint64_t bias;
	Elf *elf;

	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		return;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf && find_bias(elf, addr, offset, &bias))
		while ((section = elf_nextscn(elf, section))) {
			GElf_Shdr header;

			if (gelf_getshdr(section, &header) &&
			    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
				take_table(f, elf, section, &header, bias);
		}
	if (elf)
		elf_end(elf);
	close(fd);
}
