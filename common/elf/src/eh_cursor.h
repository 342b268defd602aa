/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file eh_cursor.h  Reading on in the tables of the unwinder: numbers and encoded pointers. */
#ifndef ELF_EH_CURSOR_H
#define ELF_EH_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

/* Encodings of pointers in these tables (LSB, "DWARF exception header encoding"). */
enum {
	ENC_ABS = 0x00,
	ENC_ULEB = 0x01,
	ENC_U2 = 0x02,
	ENC_U4 = 0x03,
	ENC_U8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_S2 = 0x0a,
	ENC_S4 = 0x0b,
	ENC_S8 = 0x0c
};
enum { ENC_PCREL = 0x10, ENC_DATAREL = 0x30, ENC_OMIT = 0xff };

/** Addresses are those in the file. Past the end everything is 0, and `failed` is set. */
struct eh_cursor {
	const uint8_t *bytes; /* of the file */
	uint64_t at, end;     /* offsets in it */
	uint64_t addr;        /* of `at` */
	uint64_t header;      /* what ENC_DATAREL is relative to */
	bool failed;
};

/** A number of n bytes, at most 8. */
uint64_t eh_fixed(struct eh_cursor *c, unsigned n);
uint64_t eh_leb(struct eh_cursor *c, bool is_signed);
/** A pointer of one of the encodings above; of others `failed` is set. */
uint64_t eh_encoded(struct eh_cursor *c, uint8_t enc);
void eh_skip(struct eh_cursor *c, uint64_t n);

#endif /* ELF_EH_CURSOR_H */
