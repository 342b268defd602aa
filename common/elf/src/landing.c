/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/landing.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "eh_cursor.h"
#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/input.h"

struct vtb_landing_file {
	struct vtb_elf *elf;
	const uint8_t *bytes;
	size_t size;
	uint64_t lo, hi, bias; /* mapped; what is added to addresses in the file */
	uint64_t header;       /* address of .eh_frame_hdr in the file; 0 none */
};

/* ------------------------------------------------------------------ files */

/* What lies at an address of the file, up to the end of its segment. */
static struct eh_cursor cursor_at(const struct vtb_landing_file *f, uint64_t addr)
{
	struct eh_cursor c = { .bytes = f->bytes, .header = f->header, .addr = addr, .failed = true };
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

static void look_into(struct vtb_landing_file *f)
{
	struct vtb_elf_segment s;

	for (size_t i = 0; vtb_elf_is_native(f->elf) && vtb_elf_segment(f->elf, i, &s); i++)
		if (s.type == PT_GNU_EH_FRAME)
			f->header = s.addr;
	f->bias = f->lo - vtb_elf_base(f->elf);
}

int vtb_landings_add(struct vtb_landings *l, const char *path, uint64_t lo, uint64_t hi)
{
	struct vtb_landing_file f = { .lo = lo, .hi = hi };
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

void vtb_landings_fini(struct vtb_landings *l)
{
	for (size_t i = 0; i < l->n_files; i++) {
		vtb_elf_close(l->files[i].elf);
		munmap((void *)(uintptr_t)l->files[i].bytes, l->files[i].size);
	}
	free(l->files);
	*l = (struct vtb_landings){ 0 };
}

/* ------------------------------------------------------------------ functions */

/* What is known of a function. */
struct frame {
	uint64_t begin, size;
	uint64_t lsda; /* 0 none */
	uint64_t code_align;
	struct eh_cursor program; /* call frame instructions */
};

/* The sorted table of .eh_frame_hdr: the entry of the last function that begins at or before pc; 0: none. False: not
 * understood. */
static bool find_entry(const struct vtb_landing_file *f, uint64_t pc, uint64_t *ret)
{
	struct eh_cursor c = cursor_at(f, f->header);
	const uint8_t version = (uint8_t)eh_fixed(&c, 1), frame_enc = (uint8_t)eh_fixed(&c, 1),
	              count_enc = (uint8_t)eh_fixed(&c, 1), table_enc = (uint8_t)eh_fixed(&c, 1);
	uint64_t lo = 0, hi;

	*ret = 0;
	eh_encoded(&c, frame_enc);
	hi = eh_encoded(&c, count_enc);
	if (c.failed || version != 1 || table_enc != (ENC_DATAREL | ENC_S4) || hi > (c.end - c.at) / 8)
		return false;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;
		struct eh_cursor row = c;
		uint64_t begin;

		row.at += mid * 8;
		begin = eh_encoded(&row, table_enc);
		if (begin > pc) {
			hi = mid;
			continue;
		}
		*ret = eh_encoded(&row, table_enc);
		lo = mid + 1;
	}
	return true;
}

struct common {
	uint64_t code_align;
	uint8_t address_enc, lsda_enc;
	bool augmented;
};

static bool read_common(const struct vtb_landing_file *f, uint64_t addr, struct common *ret)
{
	struct eh_cursor c = cursor_at(f, addr), letters;
	const uint64_t length = eh_fixed(&c, 4), id = eh_fixed(&c, 4);
	const uint8_t version = (uint8_t)eh_fixed(&c, 1);
	char letter;

	*ret = (struct common){ .lsda_enc = ENC_OMIT };
	letters = c;
	while (eh_fixed(&c, 1) && !c.failed)
		continue;
	ret->code_align = eh_leb(&c, false);
	eh_leb(&c, true);
	if (version == 1)
		eh_fixed(&c, 1);
	else
		eh_leb(&c, false);
	letter = (char)eh_fixed(&letters, 1);
	ret->augmented = letter == 'z';
	if (ret->augmented)
		eh_leb(&c, false);
	while (ret->augmented && (letter = (char)eh_fixed(&letters, 1)) && !letters.failed) {
		if (letter == 'R')
			ret->address_enc = (uint8_t)eh_fixed(&c, 1);
		else if (letter == 'L')
			ret->lsda_enc = (uint8_t)eh_fixed(&c, 1);
		else if (letter == 'P')
			eh_encoded(&c, (uint8_t)eh_fixed(&c, 1) & 0x7f);
		else if (letter != 'S' && letter != 'B')
			return false;
	}
	return !c.failed && length && length != UINT32_MAX && !id && (version == 1 || version == 3);
}

static bool read_frame(const struct vtb_landing_file *f, uint64_t entry, struct frame *ret)
{
	struct eh_cursor c = cursor_at(f, entry);
	const uint64_t length = eh_fixed(&c, 4), back_from = c.addr, back = eh_fixed(&c, 4);
	struct common common;
	uint64_t extra, end;

	if (c.failed || !length || length == UINT32_MAX || length - 4 > c.end - c.at ||
	    !read_common(f, back_from - back, &common))
		return false;
	c.end = c.at + length - 4;
	*ret = (struct frame){ .code_align = common.code_align };
	ret->begin = eh_encoded(&c, common.address_enc);
	ret->size = eh_encoded(&c, common.address_enc & 0x0f);
	extra = common.augmented ? eh_leb(&c, false) : 0;
	if (c.failed || extra > c.end - c.at)
		return false;
	end = c.at + extra;
	ret->program = c;
	ret->program.at = end;
	ret->program.addr += extra;
	if (extra && common.lsda_enc != ENC_OMIT)
		ret->lsda = eh_encoded(&c, common.lsda_enc & 0x7f);
	return !c.failed;
}

/* 1; 0: no function has code there; -VTB_E_FORMAT: not understood. */
static int find_frame(const struct vtb_landing_file *f, uint64_t pc, struct frame *ret)
{
	uint64_t entry;

	if (!find_entry(f, pc, &entry))
		return -VTB_E_FORMAT;
	if (!entry)
		return 0;
	if (!read_frame(f, entry, ret))
		return -VTB_E_FORMAT;
	return pc - ret->begin < ret->size;
}

/* ------------------------------------------------------------------ arguments on the stack */

/* One of the instructions that only restore registers: passed over. */
static void pass(struct eh_cursor *c, uint8_t op)
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
		eh_leb(c, false);
		break;
	case 0x05:
	case 0x09:
	case 0x0c:
	case 0x11:
	case 0x12:
	case 0x14:
	case 0x15:
	case 0x2f: /* two */
		eh_leb(c, false);
		eh_leb(c, false);
		break;
	case 0x10:
	case 0x16: /* a register and an expression */
		eh_leb(c, false);
		eh_skip(c, eh_leb(c, false));
		break;
	case 0x0f: /* an expression */
		eh_skip(c, eh_leb(c, false));
		break;
	default:
		c->failed = true;
		break;
	}
}

/* DW_CFA_GNU_args_size as it is at pc. False if the instructions are not understood. */
static bool args_at(const struct frame *frame, uint64_t pc, uint64_t *ret)
{
	struct eh_cursor c = frame->program;
	uint64_t at = frame->begin;

	*ret = 0;
	while (c.at < c.end && !c.failed && at <= pc) {
		const uint8_t op = (uint8_t)eh_fixed(&c, 1);

		if (op >> 6 == 1)
			at += (op & 0x3f) * frame->code_align;
		else if (op >> 6 == 2)
			eh_leb(&c, false);
		else if (op >> 6 == 3)
			continue;
		else if (op >= 2 && op <= 4) /* advance by 1, 2 or 4 bytes' number */
			at += eh_fixed(&c, 1u << (op - 2)) * frame->code_align;
		else if (op == 0x2e)
			*ret = eh_leb(&c, false);
		else
			pass(&c, op);
	}
	return !c.failed;
}

/* ------------------------------------------------------------------ call sites */

/* As vtb_landing_find(). */
static int find_pad(const struct vtb_landing_file *f, const struct frame *frame, uint64_t pc, uint64_t *ret)
{
	struct eh_cursor c = cursor_at(f, frame->lsda);
	const uint8_t start_enc = (uint8_t)eh_fixed(&c, 1);
	const uint64_t start = start_enc == ENC_OMIT ? frame->begin : eh_encoded(&c, start_enc);
	const uint8_t type_enc = (uint8_t)eh_fixed(&c, 1);
	uint64_t size;
	uint8_t enc;

	if (type_enc != ENC_OMIT)
		eh_leb(&c, false);
	enc = (uint8_t)eh_fixed(&c, 1);
	size = eh_leb(&c, false);
	if (c.failed || size > c.end - c.at)
		return -VTB_E_FORMAT;
	c.end = c.at + size;
	while (c.at < c.end) {
		const uint64_t begin = eh_encoded(&c, enc), length = eh_encoded(&c, enc), pad = eh_encoded(&c, enc);

		eh_leb(&c, false);
		if (c.failed)
			return -VTB_E_FORMAT;
		if (pc < frame->begin + begin)
			return 0;
		if (pc - frame->begin - begin < length) {
			*ret = start + pad;
			return pad != 0;
		}
	}
	return 0;
}

static int find_in(const struct vtb_landing_file *f, uint64_t pc, uint64_t *ret_pad, uint64_t *ret_args)
{
	struct frame frame;
	int r = find_frame(f, pc, &frame);

	if (r > 0)
		r = frame.lsda ? find_pad(f, &frame, pc, ret_pad) : 0;
	if (r > 0 && !args_at(&frame, pc, ret_args))
		r = -VTB_E_FORMAT;
	if (r > 0)
		*ret_pad += f->bias;
	return r;
}

int vtb_landing_find(const struct vtb_landings *l, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args)
{
	for (size_t i = 0; i < l->n_files; i++)
		if (ret - 1 >= l->files[i].lo && ret - 1 < l->files[i].hi)
			return find_in(&l->files[i], ret - 1 - l->files[i].bias, ret_pad, ret_args);
	return -VTB_E_FORMAT;
}
