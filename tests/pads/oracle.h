/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file oracle.h The file that is looked at, and complaints about it. */
#ifndef VTB_TEST_ORACLE_H
#define VTB_TEST_ORACLE_H

#include <capstone/capstone.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a function does with its stack, all its parts together. */
struct stack {
	bool known, calls, uses_frame, vectors;
};

struct function {
	uint64_t lo, hi;
	const char *name;
	struct stack stack;
};

extern struct oracle {
	const char *path;
	Elf *elf;
	csh cs;
	cs_insn *insn;
	struct function *functions;
	size_t n_functions;
	uint64_t *padded; /* addresses of instructions with a site */
	size_t n_padded;
} f;

__attribute__((format(printf, 2, 3))) void complain(const cs_insn *i, const char *fmt, ...);
/** The bytes at an address, and how many follow in its section. */
const uint8_t *bytes_at(uint64_t addr, size_t *left, bool *writable);

/** Look at what the pad says that it need not keep. */
void check_loose(uint64_t pad, uint32_t info);
/** Was each kind of that seen? */
bool loose_found(void);

#endif /* VTB_TEST_ORACLE_H */
