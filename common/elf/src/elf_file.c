/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/elf_file.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/input.h"

struct vtb_elf {
	Elf *elf;
	int fd;
	struct vtb_elf_header header;
	size_t n_segments;
	size_t names; /* section with the sections' names; 0: none */
};

static int read_header(struct vtb_elf *f)
{
	GElf_Ehdr eh;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -VTB_E_TOOL;
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &eh))
		return -ENOEXEC;
	f->header.bits = eh.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 32;
	f->header.type = eh.e_type;
	f->header.machine = eh.e_machine;
	f->header.entry = eh.e_entry;
	if (elf_getphdrnum(f->elf, &f->n_segments) < 0)
		f->n_segments = 0;
	if (elf_getshdrstrndx(f->elf, &f->names) < 0)
		f->names = 0;
	return 0;
}

int vtb_elf_open(const char *path, struct vtb_elf **ret, struct vtb_error *err)
{
	struct vtb_elf *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return vtb_error_set(err, -ENOMEM, path, 0, "not enough memory");
	f->fd = vtb_input_open(path, 0, NULL, err);
	if (f->fd < 0) {
		r = f->fd;
		free(f);
		return r;
	}
	r = read_header(f);
	if (r < 0) {
		vtb_elf_close(f);
		return vtb_error_set(err, r, path, 0, "not an ELF file");
	}
	*ret = f;
	return 0;
}

void vtb_elf_close(struct vtb_elf *f)
{
	if (!f)
		return;
	elf_end(f->elf);
	close(f->fd);
	free(f);
}

const struct vtb_elf_header *vtb_elf_header(const struct vtb_elf *f)
{
	return &f->header;
}

bool vtb_elf_is_native(const struct vtb_elf *f)
{
	return f->header.bits == 64 && f->header.machine == EM_X86_64;
}

/* ---- segments */

bool vtb_elf_segment(struct vtb_elf *f, size_t i, struct vtb_elf_segment *ret)
{
	GElf_Phdr ph;

	if (i >= f->n_segments || i > INT_MAX || !gelf_getphdr(f->elf, (int)i, &ph))
		return false;
	*ret = (struct vtb_elf_segment){ .type = ph.p_type,
		                         .flags = ph.p_flags,
		                         .offset = ph.p_offset,
		                         .addr = ph.p_vaddr,
		                         .file_size = ph.p_filesz,
		                         .memory_size = ph.p_memsz };
	return true;
}

bool vtb_elf_loaded(struct vtb_elf *f, uint32_t flags, struct vtb_elf_segment *ret)
{
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_segment(f, i, &s); i++)
		if (s.type == PT_LOAD && (s.flags & flags) == flags) {
			*ret = s;
			return true;
		}
	return false;
}

uint64_t vtb_elf_base(struct vtb_elf *f)
{
	struct vtb_elf_segment first;

	return vtb_elf_loaded(f, 0, &first) ? first.addr & ~4095ull : 0;
}

/* ---- sections */

/* The build-id among the notes of one segment. */
static size_t id_in_notes(Elf_Data *notes, uint8_t *buf, size_t size)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while (notes && (next = gelf_getnote(notes, at, &note, &name, &desc)) > 0) {
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp((const char *)notes->d_buf + name, "GNU", sizeof("GNU"))) {
			memcpy(buf, (const char *)notes->d_buf + desc, note.n_descsz < size ? note.n_descsz : size);
			return note.n_descsz;
		}
		at = next;
	}
	return 0;
}

size_t vtb_elf_build_id(struct vtb_elf *f, uint8_t *buf, size_t size)
{
	size_t n = 0;
	GElf_Phdr ph;

	for (size_t i = 0; !n && i < f->n_segments; i++)
		if (gelf_getphdr(f->elf, (int)i, &ph) && ph.p_type == PT_NOTE)
			n = id_in_notes(elf_getdata_rawchunk(f->elf, (int64_t)ph.p_offset, ph.p_filesz,
			                                     ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR),
			                buf, size);
	return n;
}

bool vtb_elf_section(struct vtb_elf *f, size_t i, struct vtb_elf_section *ret)
{
	Elf_Scn *scn = elf_getscn(f->elf, i + 1); /* number 0 is no section */
	GElf_Shdr sh;
	const char *name;

	if (!scn || !gelf_getshdr(scn, &sh))
		return false;
	name = f->names ? elf_strptr(f->elf, f->names, sh.sh_name) : NULL;
	*ret = (struct vtb_elf_section){ .name = name ? name : "",
		                         .type = sh.sh_type,
		                         .index = (uint32_t)(i + 1),
		                         .link = sh.sh_link,
		                         .flags = sh.sh_flags,
		                         .addr = sh.sh_addr,
		                         .size = sh.sh_size,
		                         .entry_size = sh.sh_entsize };
	return true;
}

bool vtb_elf_code_at(struct vtb_elf *f, uint64_t addr, struct vtb_elf_section *ret)
{
	struct vtb_elf_section s;

	for (size_t i = 0; vtb_elf_section(f, i, &s); i++)
		if (s.type == SHT_PROGBITS && s.flags & SHF_EXECINSTR && addr >= s.addr && addr - s.addr < s.size) {
			*ret = s;
			return true;
		}
	return false;
}

static Elf_Data *data_of(struct vtb_elf *f, const struct vtb_elf_section *s)
{
	Elf_Scn *scn = elf_getscn(f->elf, s->index);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	return data && data->d_buf ? data : NULL;
}

const void *vtb_elf_bytes(struct vtb_elf *f, const struct vtb_elf_section *s, size_t *ret_size)
{
	const Elf_Data *data = data_of(f, s);

	if (!data)
		return NULL;
	*ret_size = data->d_size;
	return data->d_buf;
}

/* ---- entries of tables */

const char *vtb_elf_text(struct vtb_elf *f, const struct vtb_elf_section *table, uint64_t offset)
{
	return elf_strptr(f->elf, table->link, offset);
}

bool vtb_elf_symbol(struct vtb_elf *f, const struct vtb_elf_section *table, size_t i, struct vtb_elf_symbol *ret)
{
	Elf_Data *data = data_of(f, table);
	const char *name;
	GElf_Sym sym;

	if (!data || i > INT_MAX || !gelf_getsym(data, (int)i, &sym))
		return false;
	name = vtb_elf_text(f, table, sym.st_name);
	*ret = (struct vtb_elf_symbol){ .name = name ? name : "",
		                        .addr = sym.st_value,
		                        .size = sym.st_size,
		                        .type = GELF_ST_TYPE(sym.st_info),
		                        .defined = sym.st_shndx != SHN_UNDEF };
	return true;
}

bool vtb_elf_relocation(struct vtb_elf *f, const struct vtb_elf_section *table, size_t i,
                        struct vtb_elf_relocation *ret)
{
	Elf_Data *data = data_of(f, table);
	struct vtb_elf_section symbols;
	GElf_Rela rela;

	if (!data || i > INT_MAX || !gelf_getrela(data, (int)i, &rela))
		return false;
	*ret = (struct vtb_elf_relocation){ .addr = rela.r_offset,
		                            .addend = rela.r_addend,
		                            .type = (uint32_t)GELF_R_TYPE(rela.r_info),
		                            .symbol.name = "" };
	if (GELF_R_SYM(rela.r_info) && table->link && vtb_elf_section(f, table->link - 1, &symbols))
		vtb_elf_symbol(f, &symbols, GELF_R_SYM(rela.r_info), &ret->symbol);
	return true;
}

bool vtb_elf_dynamic(struct vtb_elf *f, const struct vtb_elf_section *table, size_t i, struct vtb_elf_dynamic *ret)
{
	Elf_Data *data = data_of(f, table);
	GElf_Dyn dyn;

	if (!data || i > INT_MAX || !gelf_getdyn(data, (int)i, &dyn) || dyn.d_tag == DT_NULL)
		return false;
	*ret = (struct vtb_elf_dynamic){ .tag = dyn.d_tag, .value = dyn.d_un.d_val };
	return true;
}
