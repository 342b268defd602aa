/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "vtb/disasm.h"
#include "vtb/error.h"

#define CODE(...)           \
	{                   \
		__VA_ARGS__ \
	}

struct row {
	const char *text;
	uint8_t code[16];
	uint8_t length;
	uint8_t n_operands;
	uint8_t access, size;
	uint8_t base, index, scale, segment;
	int64_t disp;
};

static const struct row rows[] = {
	{ "mov eax, dword ptr [rip + 0x2ee4]", CODE(0x8b, 0x05, 0xe4, 0x2e, 0, 0), 6, 1, VTB_MEM_READ, 4, VTB_REG_RIP,
	  VTB_REG_NONE, 1, 0, 0x2ee4 },
	{ "mov qword ptr [rdx + rcx*8 - 8], rax", CODE(0x48, 0x89, 0x44, 0xca, 0xf8), 5, 1, VTB_MEM_WRITE, 8, 1, 2, 8,
	  0, -8 },
	{ "add dword ptr [rdi], 1", CODE(0x83, 0x07, 0x01), 3, 1, VTB_MEM_READ | VTB_MEM_WRITE, 4, 5, VTB_REG_NONE, 1,
	  0, 0 },
	{ "cmp byte ptr [rsi], 0", CODE(0x80, 0x3e, 0), 3, 1, VTB_MEM_READ, 1, 4, VTB_REG_NONE, 1, 0, 0 },
	{ "lea rax, [rdi + 4]", CODE(0x48, 0x8d, 0x47, 0x04), 4, 0, 0, 0, 0, 0, 0, 0, 0 },
	{ "mov rax, qword ptr fs:[0x28]", CODE(0x64, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0), 9, 1, VTB_MEM_READ, 8,
	  VTB_REG_NONE, VTB_REG_NONE, 1, 1, 0x28 },
	{ "movaps xmmword ptr [r8], xmm0", CODE(0x41, 0x0f, 0x29, 0x00), 4, 1, VTB_MEM_WRITE, 16, 8, VTB_REG_NONE, 1, 0,
	  0 },
	{ "movzx eax, word ptr [r15]", CODE(0x41, 0x0f, 0xb7, 0x07), 4, 1, VTB_MEM_READ, 2, 15, VTB_REG_NONE, 1, 0, 0 },
};

static void memory_operands_are_told_in_full(void **state)
{
	struct vtb_instruction insn;
	struct vtb_disasm *d;

	(void)state;
	assert_int_equal(vtb_disasm_new(&d), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];

		assert_int_equal(vtb_disasm_one(d, r->code, sizeof(r->code), 0x1000, &insn), r->length);
		assert_string_equal(insn.text, r->text);
		assert_int_equal(insn.n_operands, r->n_operands);
		assert_false(insn.is_call || insn.is_jump || insn.is_return || insn.is_atomic || insn.has_target);
		if (!r->n_operands)
			continue;
		assert_int_equal(insn.operands[0].access, r->access);
		assert_int_equal(insn.operands[0].size, r->size);
		assert_int_equal(insn.operands[0].base, r->base);
		assert_int_equal(insn.operands[0].index, r->index);
		assert_int_equal(insn.operands[0].scale, r->scale);
		assert_int_equal(insn.operands[0].segment, r->segment);
		assert_int_equal(insn.operands[0].disp, r->disp);
	}
	vtb_disasm_free(d);
}

static void flow_is_told_with_its_target(void **state)
{
	static const uint8_t call[] = { 0xe8, 0x0b, 0, 0, 0 }, jump[] = { 0x74, 0xfe }, indirect[] = { 0xff, 0x10 },
	                     ret[] = { 0xc3 };
	struct vtb_instruction insn;
	struct vtb_disasm *d;

	(void)state;
	assert_int_equal(vtb_disasm_new(&d), 0);
	assert_int_equal(vtb_disasm_one(d, call, sizeof(call), 0x1000, &insn), 5);
	assert_true(insn.is_call && insn.has_target);
	assert_int_equal(insn.target, 0x1010);
	assert_int_equal(vtb_disasm_one(d, jump, sizeof(jump), 0x1000, &insn), 2);
	assert_true(insn.is_jump && insn.is_conditional);
	assert_int_equal(insn.target, 0x1000);
	assert_int_equal(vtb_disasm_one(d, indirect, sizeof(indirect), 0x1000, &insn), 2);
	assert_true(insn.is_call && !insn.has_target);
	assert_int_equal(insn.n_operands, 1);
	assert_int_equal(insn.operands[0].access, VTB_MEM_READ);
	assert_int_equal(vtb_disasm_one(d, ret, sizeof(ret), 0x1000, &insn), 1);
	assert_true(insn.is_return);
	vtb_disasm_free(d);
}

static void atomics_strings_and_the_stack_are_marked(void **state)
{
	static const uint8_t xadd[] = { 0xf0, 0x0f, 0xc1, 0x07 }, xchg[] = { 0x87, 0x07 }, movs[] = { 0xf3, 0xa4 },
	                     push[] = { 0x55 }, sub[] = { 0x48, 0x83, 0xec, 0x20 },
	                     big[] = { 0x48, 0x81, 0xec, 0x00, 0x10, 0, 0 };
	struct vtb_instruction insn;
	struct vtb_disasm *d;

	(void)state;
	assert_int_equal(vtb_disasm_new(&d), 0);
	vtb_disasm_one(d, xadd, sizeof(xadd), 0, &insn);
	assert_true(insn.is_atomic);
	assert_int_equal(insn.operands[0].access, VTB_MEM_READ | VTB_MEM_WRITE);
	vtb_disasm_one(d, xchg, sizeof(xchg), 0, &insn);
	assert_true(insn.is_atomic);
	vtb_disasm_one(d, movs, sizeof(movs), 0, &insn);
	assert_true(insn.is_repeated);
	assert_int_equal(insn.n_operands, 2);
	assert_int_equal(insn.operands[0].access, VTB_MEM_WRITE);
	assert_int_equal(insn.operands[0].base, 5);
	assert_int_equal(insn.operands[1].access, VTB_MEM_READ);
	assert_int_equal(insn.operands[1].base, 4);
	vtb_disasm_one(d, push, sizeof(push), 0, &insn);
	assert_int_equal(insn.sp_change, -8);
	assert_int_equal(insn.n_operands, 0);
	vtb_disasm_one(d, sub, sizeof(sub), 0, &insn);
	assert_int_equal(insn.sp_change, -32);
	vtb_disasm_one(d, big, sizeof(big), 0, &insn);
	assert_int_equal(insn.sp_change, -4096);
	vtb_disasm_free(d);
}

static void what_is_no_instruction_is_an_error(void **state)
{
	static const uint8_t bad[] = { 0x06 }, cut[] = { 0x48, 0x81 };
	struct vtb_instruction insn;
	struct vtb_disasm *d;

	(void)state;
	assert_int_equal(vtb_disasm_new(&d), 0);
	assert_int_equal(vtb_disasm_one(d, bad, 1, 0, &insn), -VTB_E_FORMAT);
	assert_int_equal(vtb_disasm_one(d, cut, 2, 0, &insn), -VTB_E_FORMAT);
	assert_int_equal(vtb_disasm_one(d, cut, 0, 0, &insn), -VTB_E_FORMAT);
	vtb_disasm_free(d);
	vtb_disasm_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_operands_are_told_in_full),
		cmocka_unit_test(flow_is_told_with_its_target),
		cmocka_unit_test(atomics_strings_and_the_stack_are_marked),
		cmocka_unit_test(what_is_no_instruction_is_an_error),
	};

	return cmocka_run_group_tests_name("disasm", tests, NULL, NULL);
}
