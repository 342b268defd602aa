/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file elf_file.h
 * What an ELF file says: its header, segments, sections, symbols, relocations, and what the loader is told.
 *
 * Shape:     types, flags and tags are those of <elf.h>. Lists are read by index: begin at 0, and go on until one is
 *            not there (false).
 * Ownership: names and bytes are the file's, until vtb_elf_close().
 * Errors:    what is no ELF file is -ENOEXEC. Parts that are damaged or cut off are not there.
 * Cost:      only what is asked for is read. Nothing is mapped: a file that shrinks must not kill us.
 * Threads:   one file, one thread.
 */
#ifndef VTB_ELF_FILE_H
#define VTB_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

struct vtb_elf;

struct vtb_elf_header {
	int bits;               /* 32, 64 */
	uint16_t type, machine; /* ET_, EM_ */
	uint64_t entry;         /* where the program begins */
};

struct vtb_elf_segment {
	uint32_t type, flags; /* PT_, PF_ */
	uint64_t offset;      /* in the file */
	uint64_t addr, file_size, memory_size;
};

struct vtb_elf_section {
	const char *name;     /* "" if it has none */
	uint32_t type;        /* SHT_ */
	uint32_t index, link; /* this one; the one that it refers to */
	uint64_t flags;       /* SHF_ */
	uint64_t addr, size, entry_size;
};

struct vtb_elf_symbol {
	const char *name; /* "" if it has none */
	uint64_t addr, size;
	uint8_t type; /* STT_ */
	bool defined; /* here, not elsewhere */
};

struct vtb_elf_relocation {
	uint64_t addr; /* what is filled in */
	int64_t addend;
	uint32_t type;                /* R_X86_64_ */
	struct vtb_elf_symbol symbol; /* undefined and without a name: none */
};

struct vtb_elf_dynamic {
	int64_t tag; /* DT_ */
	uint64_t value;
};

/** Open a regular file of any class and machine. */
int vtb_elf_open(const char *path, struct vtb_elf **ret, struct vtb_error *err);
/** Accepts NULL. */
void vtb_elf_close(struct vtb_elf *elf);

const struct vtb_elf_header *vtb_elf_header(const struct vtb_elf *elf);
/** 64 bit, x86-64: what runs here. */
bool vtb_elf_is_native(const struct vtb_elf *elf);

/** The i-th segment. */
bool vtb_elf_segment(struct vtb_elf *elf, size_t i, struct vtb_elf_segment *ret);
/** The first loaded segment that has all of these flags (0: the first one). */
bool vtb_elf_loaded(struct vtb_elf *elf, uint32_t flags, struct vtb_elf_segment *ret);
/** Where the file's first page lies in its own addresses; 0 if nothing is loaded. */
uint64_t vtb_elf_base(struct vtb_elf *elf);

/** The build-id that the linker left in a note: its length, of which at most `size` bytes are stored; 0: none. */
size_t vtb_elf_build_id(struct vtb_elf *elf, uint8_t *buf, size_t size);

/** The i-th section. */
bool vtb_elf_section(struct vtb_elf *elf, size_t i, struct vtb_elf_section *ret);
/** The section whose code is at `addr`. */
bool vtb_elf_code_at(struct vtb_elf *elf, uint64_t addr, struct vtb_elf_section *ret);
/** The section's bytes in the file, NULL if there are none. */
const void *vtb_elf_bytes(struct vtb_elf *elf, const struct vtb_elf_section *section, size_t *ret_size);

/** The i-th symbol of a section of type SHT_SYMTAB or SHT_DYNSYM. */
bool vtb_elf_symbol(struct vtb_elf *elf, const struct vtb_elf_section *table, size_t i, struct vtb_elf_symbol *ret);
/** The i-th relocation of a section of type SHT_RELA, with its symbol. */
bool vtb_elf_relocation(struct vtb_elf *elf, const struct vtb_elf_section *table, size_t i,
                        struct vtb_elf_relocation *ret);
/** The i-th entry of a section of type SHT_DYNAMIC, the one that ends the table not included. */
bool vtb_elf_dynamic(struct vtb_elf *elf, const struct vtb_elf_section *table, size_t i, struct vtb_elf_dynamic *ret);
/** The text at `offset` of the section that `table` refers to; NULL if there is none. */
const char *vtb_elf_text(struct vtb_elf *elf, const struct vtb_elf_section *table, uint64_t offset);

#endif /* VTB_ELF_FILE_H */
