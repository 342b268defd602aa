/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "landing.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/input.h"

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

struct landing_file {
	struct vtb_elf *elf;
	const uint8_t *bytes;
	size_t size;
	uint64_t lo, hi, bias; /* mapped; what is added to addresses in the file */
	uint64_t header;       /* address of .eh_frame_hdr in the file; 0 none */
};

/* Reading on in a file; addresses are those in the file. Past the end everything is 0. */
struct cursor {
	const struct landing_file *file;
	uint64_t at, end; /* offsets in the file */
	uint64_t addr;    /* of `at` */
	bool failed;
};

/* ------------------------------------------------------------------ bytes */

static uint64_t fixed(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if (c->end - c->at < n) {
		c->failed = true;
		return 0;
	}
	memcpy(&v, c->file->bytes + c->at, n);
	c->at += n;
	c->addr += n;
	return v;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)fixed(c, 1);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !c->failed);
	if (is_signed && byte & 0x40 && shift < 64)
		v |= ~0ull << shift;
	return v;
}

static uint64_t encoded(struct cursor *c, uint8_t enc)
{
	const uint64_t here = c->addr;
	uint64_t v = 0;

	switch (enc & 0x0f) {
	case ENC_ABS:
	case ENC_U8:
	case ENC_S8:
		v = fixed(c, 8);
		break;
	case ENC_ULEB:
		v = leb(c, false);
		break;
	case ENC_SLEB:
		v = leb(c, true);
		break;
	case ENC_U2:
		v = fixed(c, 2);
		break;
	case ENC_S2:
		v = (uint64_t)(int16_t)fixed(c, 2);
		break;
	case ENC_U4:
		v = fixed(c, 4);
		break;
	case ENC_S4:
		v = (uint64_t)(int32_t)fixed(c, 4);
		break;
	default:
		c->failed = true;
		break;
	}
	switch (enc & 0x70) {
	case 0:
		return v;
	case ENC_PCREL:
		return v ? v + here : 0;
	case ENC_DATAREL:
		return v + c->file->header;
	default:
		c->failed = true;
		return 0;
	}
}

/* ------------------------------------------------------------------ files */

/* What lies at an address of the file, up to the end of its segment. */
static struct cursor cursor_at(const struct landing_file *f, uint64_t addr)
{
	struct cursor c = { .file = f, .addr = addr, .failed = true };
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_segment(f->elf, i, &s); i++) {
		if (s.type != PT_LOAD || addr < s.addr || addr - s.addr >= s.file_size || s.offset > f->size ||
		    f->size - s.offset < s.file_size)
			continue;
		c.at = s.offset + (addr - s.addr);
		c.end = s.offset + s.file_size;
		c.failed = false;
		break;
	}
	return c;
}

static void look_into(struct landing_file *f)
{
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_is_native(f->elf) && vtb_elf_segment(f->elf, i, &s); i++)
		if (s.type == PT_GNU_EH_FRAME)
			f->header = s.addr;
	f->bias = f->lo - vtb_elf_base(f->elf);
}

int landings_add(struct landings *l, const char *path, uint64_t lo, uint64_t hi)
{
	struct landing_file f = { .lo = lo, .hi = hi };
	struct vtb_input input = { 0 };
	int r = 0;

	if (vtb_elf_open(path, &f.elf, NULL) < 0)
		return 0;
	if (vtb_input_map(path, &input, NULL) < 0 || !input.data) {
		vtb_elf_close(f.elf);
		return 0;
	}
	f.bytes = input.data;
	f.size = input.size;
	look_into(&f);
	if (f.header && vtb_array_room(l, files) >= 0) {
		l->files[l->n_files++] = f;
		return 0;
	}
	if (f.header)
		r = -ENOMEM;
	vtb_elf_close(f.elf);
	vtb_input_unmap(&input);
	return r;
}

void landings_fini(struct landings *l)
{
	for (size_t i = 0; i < l->n_files; i++) {
		vtb_elf_close(l->files[i].elf);
		munmap((void *)(uintptr_t)l->files[i].bytes, l->files[i].size);
	}
	free(l->files);
	*l = (struct landings){ 0 };
}

/* ------------------------------------------------------------------ functions */

/* What is known of a function. */
struct frame {
	uint64_t begin, size;
	uint64_t lsda; /* 0 none */
	uint64_t code_align;
	struct cursor program; /* call frame instructions */
};

/* The sorted table of .eh_frame_hdr: the entry of the last function that begins at or before pc. */
static uint64_t find_entry(const struct landing_file *f, uint64_t pc)
{
	struct cursor c = cursor_at(f, f->header);
	const uint8_t version = (uint8_t)fixed(&c, 1), frame_enc = (uint8_t)fixed(&c, 1),
	              count_enc = (uint8_t)fixed(&c, 1), table_enc = (uint8_t)fixed(&c, 1);
	uint64_t lo = 0, hi, entry = 0;

	encoded(&c, frame_enc);
	hi = encoded(&c, count_enc);
	if (c.failed || version != 1 || table_enc != (ENC_DATAREL | ENC_S4) || hi > (c.end - c.at) / 8)
		return 0;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;
		struct cursor row = c;
		uint64_t begin;

		row.at += mid * 8;
		begin = encoded(&row, table_enc);
		if (begin > pc) {
			hi = mid;
			continue;
		}
		entry = encoded(&row, table_enc);
		lo = mid + 1;
	}
	return entry;
}

struct common {
	uint64_t code_align;
	uint8_t address_enc, lsda_enc;
	bool augmented;
};

static bool read_common(const struct landing_file *f, uint64_t addr, struct common *ret)
{
	struct cursor c = cursor_at(f, addr), letters;
	const uint64_t length = fixed(&c, 4), id = fixed(&c, 4);
	const uint8_t version = (uint8_t)fixed(&c, 1);
	char letter;

	*ret = (struct common){ .lsda_enc = ENC_OMIT };
	letters = c;
	while (fixed(&c, 1) && !c.failed)
		continue;
	ret->code_align = leb(&c, false);
	leb(&c, true);
	if (version == 1)
		fixed(&c, 1);
	else
		leb(&c, false);
	letter = (char)fixed(&letters, 1);
	ret->augmented = letter == 'z';
	if (ret->augmented)
		leb(&c, false);
	while (ret->augmented && (letter = (char)fixed(&letters, 1)) && !letters.failed) {
		if (letter == 'R')
			ret->address_enc = (uint8_t)fixed(&c, 1);
		else if (letter == 'L')
			ret->lsda_enc = (uint8_t)fixed(&c, 1);
		else if (letter == 'P')
			encoded(&c, (uint8_t)fixed(&c, 1) & 0x7f);
		else if (letter != 'S' && letter != 'B')
			return false;
	}
	return !c.failed && length && length != UINT32_MAX && !id && (version == 1 || version == 3);
}

static bool find_frame(const struct landing_file *f, uint64_t pc, struct frame *ret)
{
	const uint64_t entry = find_entry(f, pc);
	struct cursor c = cursor_at(f, entry);
	const uint64_t length = fixed(&c, 4), back_from = c.addr, back = fixed(&c, 4);
	struct common common;
	uint64_t extra, end;

	if (!entry || c.failed || !length || length == UINT32_MAX || length - 4 > c.end - c.at ||
	    !read_common(f, back_from - back, &common))
		return false;
	c.end = c.at + length - 4;
	*ret = (struct frame){ .code_align = common.code_align };
	ret->begin = encoded(&c, common.address_enc);
	ret->size = encoded(&c, common.address_enc & 0x0f);
	extra = common.augmented ? leb(&c, false) : 0;
	if (c.failed || extra > c.end - c.at || pc - ret->begin >= ret->size)
		return false;
	end = c.at + extra;
	ret->program = c;
	ret->program.at = end;
	ret->program.addr += extra;
	if (extra && common.lsda_enc != ENC_OMIT)
		ret->lsda = encoded(&c, common.lsda_enc & 0x7f);
	return !c.failed;
}

/* ------------------------------------------------------------------ arguments on the stack */

static void skip(struct cursor *c, uint64_t n)
{
	if (n > c->end - c->at)
		c->failed = true;
	else
		c->at += n;
}

/* One of the instructions that only restore registers: passed over. */
static void pass(struct cursor *c, uint8_t op)
{
	switch (op) {
	case 0x00:
	case 0x0a:
	case 0x0b: /* nop, remember and restore the state */
		break;
	case 0x06:
	case 0x07:
	case 0x08:
	case 0x0d:
	case 0x0e:
	case 0x13: /* one number */
		leb(c, false);
		break;
	case 0x05:
	case 0x09:
	case 0x0c:
	case 0x11:
	case 0x12:
	case 0x14:
	case 0x15:
	case 0x2f: /* two */
		leb(c, false);
		leb(c, false);
		break;
	case 0x10:
	case 0x16: /* a register and an expression */
		leb(c, false);
		skip(c, leb(c, false));
		break;
	case 0x0f: /* an expression */
		skip(c, leb(c, false));
		break;
	default:
		c->failed = true;
		break;
	}
}

/* DW_CFA_GNU_args_size as it is at pc. False if the instructions are not understood. */
static bool args_at(const struct frame *frame, uint64_t pc, uint64_t *ret)
{
	struct cursor c = frame->program;
	uint64_t at = frame->begin;

	*ret = 0;
	while (c.at < c.end && !c.failed && at <= pc) {
		const uint8_t op = (uint8_t)fixed(&c, 1);

		if (op >> 6 == 1)
			at += (op & 0x3f) * frame->code_align;
		else if (op >> 6 == 2)
			leb(&c, false);
		else if (op >> 6 == 3)
			continue;
		else if (op >= 2 && op <= 4) /* advance by 1, 2 or 4 bytes' number */
			at += fixed(&c, 1u << (op - 2)) * frame->code_align;
		else if (op == 0x2e)
			*ret = leb(&c, false);
		else
			pass(&c, op);
	}
	return !c.failed;
}

/* ------------------------------------------------------------------ call sites */

static bool find_pad(const struct landing_file *f, const struct frame *frame, uint64_t pc, uint64_t *ret)
{
	struct cursor c = cursor_at(f, frame->lsda);
	const uint8_t start_enc = (uint8_t)fixed(&c, 1);
	const uint64_t start = start_enc == ENC_OMIT ? frame->begin : encoded(&c, start_enc);
	const uint8_t type_enc = (uint8_t)fixed(&c, 1);
	uint64_t size;
	uint8_t enc;

	if (type_enc != ENC_OMIT)
		leb(&c, false);
	enc = (uint8_t)fixed(&c, 1);
	size = leb(&c, false);
	if (c.failed || size > c.end - c.at)
		return false;
	c.end = c.at + size;
	while (c.at < c.end) {
		const uint64_t begin = encoded(&c, enc), length = encoded(&c, enc), pad = encoded(&c, enc);

		leb(&c, false);
		if (c.failed || pc < frame->begin + begin)
			return false;
		if (pc - frame->begin - begin < length) {
			*ret = start + pad;
			return pad != 0;
		}
	}
	return false;
}

bool landing_find(const struct landings *l, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args)
{
	for (size_t i = 0; i < l->n_files; i++) {
		const struct landing_file *f = &l->files[i];
		const uint64_t pc = ret - 1 - f->bias;
		struct frame frame;

		if (ret - 1 < f->lo || ret - 1 >= f->hi)
			continue;
		if (!find_frame(f, pc, &frame) || !frame.lsda || !find_pad(f, &frame, pc, ret_pad) ||
		    !args_at(&frame, pc, ret_args))
			return false;
		*ret_pad += f->bias;
		return true;
	}
	return false;
}
