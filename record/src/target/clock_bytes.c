/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "clock_bytes.h"

#include <elf.h>
#include <string.h>

#include "vtb/disasm.h"

#define LOOKS_MAX 64u /* of more the file is full: they count, unread */

struct reader {
	struct vtb_elf *elf;
	const struct vtb_elf_section *section;
	const uint8_t *code;
	struct vtb_disasm *disasm; /* NULL: there is none */
};

static bool is_clock(const uint8_t *at, size_t size)
{
	return (size >= 2 && !memcmp(at, "\x0f\x31", 2)) || (size >= 3 && !memcmp(at, "\x0f\x01\xf9", 3));
}

static bool is_prefix(uint8_t byte)
{
	return (byte & 0xf0) == 0x40 || memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11);
}

/* From `begin` on, what comes before `at` belongs to the instruction there. */
static bool leads_to(const uint8_t *begin, const uint8_t *at)
{
	while (begin < at && is_prefix(*begin))
		begin++;
	return begin == at;
}

/* Is it an instruction, if the function is read from its beginning? What does not come out even may be one. */
static bool may_be_in(const struct reader *r, const struct vtb_elf_symbol *function, uint64_t addr)
{
	const uint64_t end = function->addr + function->size;
	const uint8_t *wanted = r->code + (addr - r->section->addr);
	uint64_t pc = function->addr;
	bool there = false;

	while (pc < end) {
		const uint8_t *at = r->code + (pc - r->section->addr);
		struct vtb_instruction in;
		const int length = vtb_disasm_one(r->disasm, at, end - pc, pc, &in);

		if (length <= 0)
			return true;
		there |= pc <= addr && addr < pc + (uint64_t)length && leads_to(at, wanted);
		pc += (uint64_t)length;
	}
	return there || pc != end;
}

/* A place may have several symbols. */
static bool may_be(const struct reader *r, uint64_t addr)
{
	const uint64_t end = r->section->addr + r->section->size;
	struct vtb_elf_section table;
	struct vtb_elf_symbol s;
	bool known = false;

	for (size_t t = 0; r->disasm && vtb_elf_section(r->elf, t, &table); t++) {
		if (table.type != SHT_SYMTAB && table.type != SHT_DYNSYM)
			continue;
		for (size_t i = 0; vtb_elf_symbol(r->elf, &table, i, &s); i++) {
			if (s.type != STT_FUNC || !s.defined || s.addr < r->section->addr || s.addr > addr ||
			    s.size > end - s.addr || addr - s.addr >= s.size)
				continue;
			if (may_be_in(r, &s, addr))
				return true;
			known = true;
		}
	}
	return !known;
}

bool vtb_clock_bytes_found(struct vtb_elf *elf, const struct vtb_elf_section *section)
{
	struct reader r = { .elf = elf, .section = section };
	size_t size = 0;
	unsigned looks = 0;
	bool found = false;

	r.code = vtb_elf_bytes(elf, section, &size);
	for (size_t i = 0; r.code && !found && i < size; i++) {
		if (!is_clock(r.code + i, size - i))
			continue;
		if (!looks++ && vtb_disasm_new(&r.disasm) < 0)
			r.disasm = NULL;
		found = looks > LOOKS_MAX || size != section->size || may_be(&r, section->addr + i);
	}
	vtb_disasm_free(r.disasm);
	return found;
}
