/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lengths of instructions against Capstone: those of this process's code, and made up ones of every opcode. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capstone_x86.h"
#include "length.h"
#include "vtb/transfers.h"

struct count {
	uint64_t all, known, wrong;
};

static void differs(const cs_insn *insn, unsigned length)
{
	printf("%s %s: %u bytes, not %u:", insn->mnemonic, insn->op_str, insn->size, length);
	for (unsigned i = 0; i < insn->size; i++)
		printf(" %02x", insn->bytes[i]);
	printf("\n");
}

/* `room`: what follows the instruction may be read. */
static void compare(const cs_insn *insn, const uint8_t *code, size_t room, struct count *c)
{
	const unsigned length = vtb_instruction_length(code, room);

	c->all++;
	c->known += length != 0;
	if (length && length != insn->size && ++c->wrong < 20)
		differs(insn, length);
}

static void sweep(struct vtb_disasm *d, const uint8_t *code, size_t size, struct count *c)
{
	uint64_t addr = (uint64_t)code;

	while (size) {
		const uint8_t *from = code;
		const size_t room = size;

		if (cs_disasm_iter(d->handle, &code, &size, &addr, d->insn)) {
			compare(d->insn, from, room, c);
		} else { /* data between functions */
			code = from + 1;
			size = room - 1;
			addr = (uint64_t)code;
		}
	}
}

static void code_of_this_process_is_as_long_as_capstone_says(void **state)
{
	struct vtb_disasm *d;
	struct count c = { 0 };
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	(void)state;
	assert_non_null(maps);
	assert_int_equal(vtb_transfers_new(&d), 0);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long lo, hi;
		char rights[5];

		if (sscanf(line, "%lx-%lx %4s", &lo, &hi, rights) == 3 && rights[2] == 'x' && rights[0] == 'r' &&
		    !strstr(line, "[v"))
			sweep(d, (const uint8_t *)lo, hi - lo < 400000 ? hi - lo : 400000, &c);
	}
	fclose(maps);
	vtb_disasm_free(d);
	printf("%lu instructions, %lu known, %lu wrong\n", c.all, c.known, c.wrong);
	assert_int_equal(c.wrong, 0);
	assert_true(c.all > 100000);
	assert_true(c.known * 100 > c.all * 99);
}

/* Prefixes, an opcode of one of the maps, then anything. */
static size_t make_up(uint8_t *code, unsigned opcode, unsigned map, unsigned prefixes)
{
	static const uint8_t before[] = { 0x66, 0xf2, 0xf3 };
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(before); i++)
		if (prefixes >> i & 1)
			code[n++] = before[i];
	if (prefixes & 8)
		code[n++] = prefixes & 16 ? 0x48 : 0x41;
	if (map)
		code[n++] = 0x0f;
	if (map == 2)
		code[n++] = 0x38;
	if (map == 3)
		code[n++] = 0x3a;
	code[n++] = (uint8_t)opcode;
	while (n < 24)
		code[n++] = (uint8_t)rand();
	return n;
}

static void instructions_of_every_opcode_are_as_long_as_capstone_says(void **state)
{
	struct vtb_disasm *d;
	struct count c = { 0 };

	(void)state;
	srand(1);
	assert_int_equal(vtb_transfers_new(&d), 0);
	for (unsigned i = 0; i < 4 * 256 * 32 * 6; i++) {
		uint8_t bytes[24];
		size_t size = make_up(bytes, i & 255, i >> 8 & 3, i >> 10 & 31);
		const uint8_t *code = bytes;
		uint64_t addr = 0;

		if (cs_disasm_iter(d->handle, &code, &size, &addr, d->insn))
			compare(d->insn, bytes, sizeof(bytes), &c);
	}
	vtb_disasm_free(d);
	printf("%lu instructions, %lu known, %lu wrong\n", c.all, c.known, c.wrong);
	assert_int_equal(c.wrong, 0);
	assert_true(c.all > 50000);
}

static void what_does_not_fit_is_not_known(void **state)
{
	static const uint8_t code[] = { 0x48, 0x8b, 0x84, 0x24, 0x10, 0, 0, 0 }; /* mov 0x10(%rsp), %rax */

	(void)state;
	assert_int_equal(vtb_instruction_length(code, sizeof(code)), sizeof(code));
	for (size_t n = 0; n < sizeof(code); n++)
		assert_int_equal(vtb_instruction_length(code, n), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_of_this_process_is_as_long_as_capstone_says),
		cmocka_unit_test(instructions_of_every_opcode_are_as_long_as_capstone_says),
		cmocka_unit_test(what_does_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
