/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file file_functions.h
 * The functions of a file, and their code, which may lie in several pieces. Ownership: the list is its owner's until
 * file_functions_fini(); names are the file's.
 */
#ifndef VTB_BLIND_FILE_FUNCTIONS_H
#define VTB_BLIND_FILE_FUNCTIONS_H

#include "function.h"
#include "vtb/elf_file.h"

#define FILE_PIECES 4u

struct file_functions {
	struct vtb_elf *elf;
	struct vtb_elf_symbol *items; /* by name */
	size_t n_items, cap_items;
	uint64_t *starts; /* n_items of them, sorted */
};

void file_functions_fini(struct file_functions *f);
/** Those with a symbol; `elf` is set. 0, -ENOMEM, or the error of reading it. */
int file_functions_find(struct file_functions *f);
/** The pieces of this one by address; 0: it has none, belongs to another one, or is of the C library's start files. */
size_t file_functions_pieces(const struct file_functions *f, const struct vtb_elf_symbol *s,
                             struct blind_piece ret[FILE_PIECES]);
/** Does one of the functions that lie beside this one call hooks? What was compiled together lies together. */
bool file_functions_among_hooks(const struct file_functions *f, uint64_t addr, const struct vtb_call_sites *sites);
/** The code at this address, and how much there is of it; NULL: none. */
const uint8_t *file_code_from(const struct file_functions *f, uint64_t lo, uint64_t *ret_size);

#endif /* VTB_BLIND_FILE_FUNCTIONS_H */
