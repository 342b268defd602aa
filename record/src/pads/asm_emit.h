/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file asm_emit.h
 * The text that comes out: the input with pads inserted, then stubs, table of sites, note. One stub and one table
 * section for each code section, tied to it (SHF_LINK_ORDER, its group), so that the linker drops and keeps them
 * together.
 */
#ifndef VTB_ASM_EMIT_H
#define VTB_ASM_EMIT_H

#include <stdio.h>

#include "asm_scan.h"
#include "vtb/pad_site.h"

/** A site to be written. */
struct asm_site {
	struct asm_slice section;          /* directive of the code section */
	uint32_t info, does;               /* vtb/pad_site.h */
	const struct asm_operand *operand; /* its address goes to rax; NULL none */
	struct asm_slice instruction;      /* not empty: carried out by the stub, between BEGIN and END */
	struct asm_slice loc;              /* line of that instruction */
};

struct asm_emit {
	const char *text; /* the input */
	size_t size, copied;
	FILE *out, *stubs;
	char *out_text, *stub_text;
	size_t out_size, stub_size;
	struct asm_slice *sections; /* code sections with sites, in order of appearance */
	uint32_t *first;            /* their first sites */
	size_t n_sections, cap_sections, n_first, cap_first;
	size_t current; /* section whose stub section the stubs are in */
	uint32_t n_sites;
};

int asm_emit_init(struct asm_emit *e, const char *text, size_t size);
void asm_emit_fini(struct asm_emit *e);

/** Insert a pad (for SKIPPED: only a label) before `at`; a label behind the instruction before `after` if that is not
 * NULL. Positions point into the input and only grow. 0 or -ENOMEM. */
int asm_emit_site(struct asm_emit *e, const char *at, const char *after, const struct asm_site *site);

/** Write `with` in place of a part of the input that lies behind all places so far. */
void asm_emit_replace(struct asm_emit *e, struct asm_slice what, const char *with);

/** The whole text, a fresh string. */
int asm_emit_end(struct asm_emit *e, char **ret, size_t *ret_size);

#endif /* VTB_ASM_EMIT_H */
