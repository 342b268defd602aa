/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file image.h  What an ELF file puts into memory: bytes, symbols, imports, words that are addresses. */
#ifndef SLICE_IMAGE_H
#define SLICE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vtb/elf_file.h"
#include "vtb/landing.h"
#include "vtb/map64.h"

struct image_section {
	uint64_t addr, size;
	const uint8_t *bytes; /* NULL: zeros */
	bool code, writable;
	bool starters; /* .init_array and the like: addresses of functions that run before or after main */
	bool pads;     /* vtb_pads */
};

struct image_symbol {
	uint64_t addr, size;
	const char *name;
	bool function;
	bool shared; /* other modules can see it */
};

struct image {
	struct vtb_elf *elf;
	struct image_section *sections;
	size_t n_sections, cap_sections;
	struct image_symbol *symbols; /* by address */
	size_t n_symbols, cap_symbols;
	const char **imports; /* names */
	size_t n_imports, cap_imports;
	const char **others; /* of imports: those of which the summary of that name does not speak */
	size_t n_others, cap_others;
	struct vtb_map64 slots;    /* address of a word that the loader fills in -> import */
	struct vtb_map64 pointers; /* address of a word -> the address that it will hold */
	struct vtb_map64 foreign;  /* address of an object whose contents another module gave -> 1 */
	uint64_t lo, hi;           /* what is loaded */
	uint64_t relro_lo, relro_hi;
	bool movable;         /* position-independent: an address is never a plain number in the code */
	bool jumps;           /* functions can be jumped back to */
	bool leaves_anywhere; /* signals or cancellation end what functions do at any place */
	bool lands;           /* functions have tables of where exceptions go */
	struct vtb_landings landings;
	uint8_t build_id[24];
	uint32_t build_id_size;
	const char *doubt;
	const char *doubt_if_lands;
};

int image_open(struct image *im, const char *path, struct vtb_error *err);
void image_fini(struct image *im);
/** Take their names from imports that libraries of the program's own may define. 0 or -ENOMEM. */
int image_find_foreign(struct image *im);

const struct image_section *image_at(const struct image *im, uint64_t addr);
/** The bytes at `addr` and how many follow in the section; NULL: none in the file. */
const uint8_t *image_bytes(const struct image *im, uint64_t addr, size_t *ret_n);
/** The name that a call of `addr` leads to by way of the procedure linkage table; NULL: it does not. */
const char *image_plt(const struct image *im, uint64_t addr);
const char *image_slot(const struct image *im, uint64_t addr);
/** The symbol that begins last at or before `addr`; NULL. */
const struct image_symbol *image_symbol(const struct image *im, uint64_t addr);

#endif /* SLICE_IMAGE_H */
