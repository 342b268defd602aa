/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blind_site.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/pad_site.h"

#define ADDRESS_SIZE 0x67 /* prefix: addresses of 32 bits */
#define BYTES_MAX 64u     /* of a vector */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Behind the prefixes that the text shows. */
static const char *mnemonic(const char *text)
{
	static const char *const prefixes[] = { "lock ", "xacquire ", "xrelease ", "data16 ", "notrack " };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (begins(text, prefixes[i]))
			return mnemonic(text + strlen(prefixes[i]));
	return text;
}

/* What they touch is not what their operand shows: places by registers of indices, a bit that may lie outside, the
 * state of the processor; or they move the stack pointer. */
static bool is_other(const char *name)
{
	static const char *const others[] = { "vgather",  "vpgather",  "vscatter", "vpscatter", "bt",
		                              "fx",       "xsave",     "xrstor",   "push",      "pop",
		                              "vmaskmov", "vpmaskmov", "maskmov",  "enter",     "xlat",
		                              "movdir",   "enqcmd",    "cl",       "prefetch" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (begins(name, others[i]))
			return true;
	return false;
}

static uint32_t kind_of(const struct vtb_instruction *in, uint8_t access)
{
	if (in->is_atomic)
		return begins(mnemonic(in->text), "cmpxchg") ? VTB_PAD_CAS : VTB_PAD_ATOMIC;
	return access == VTB_MEM_READ ? VTB_PAD_READ : access == VTB_MEM_WRITE ? VTB_PAD_WRITE : VTB_PAD_UPDATE;
}

static uint32_t log2_of(uint32_t bytes)
{
	return bytes <= 16 && !(bytes & (bytes - 1)) ? (uint32_t)__builtin_ctz(bytes) : VTB_PAD_LOG2_NONE;
}

/* Where the distance from rip stands. False: that is not clear. */
static bool find_distance(const uint8_t *code, uint8_t length, int64_t distance, uint8_t *ret)
{
	const int32_t wanted = (int32_t)distance;
	uint32_t found = 0;

	for (uint8_t i = 1; i + sizeof(wanted) <= length; i++)
		if (!memcmp(code + i, &wanted, sizeof(wanted))) {
			*ret = i;
			found++;
		}
	return found == 1;
}

static bool describe(struct vtb_disasm *disasm, const uint8_t *code, size_t size, uint64_t addr,
                     struct vtb_wire_blind *ret)
{
	struct vtb_instruction in;
	const struct vtb_mem_operand *o = &in.operands[0];

	if (vtb_disasm_one(disasm, code, size, addr, &in) < 0 || in.length > sizeof(ret->bytes) || in.is_call ||
	    in.is_jump || in.is_return || in.is_repeated || in.n_operands != 1 || is_other(mnemonic(in.text)))
		return false;
	if (!o->access || !o->size || o->size > BYTES_MAX || o->segment || memchr(code, ADDRESS_SIZE, 2) ||
	    (in.is_atomic && log2_of(o->size) == VTB_PAD_LOG2_NONE))
		return false;
	*ret = (struct vtb_wire_blind){ .addr = addr,
		                        .disp = o->disp,
		                        .base = o->base,
		                        .index = o->index,
		                        .scale = o->scale,
		                        .length = in.length,
		                        .info =
		                            kind_of(&in, o->access) | log2_of(o->size) << 4 | (uint32_t)o->size << 16 };
	memcpy(ret->bytes, code, in.length);
	return o->base != VTB_REG_RIP || find_distance(code, in.length, o->disp, &ret->moved);
}

int blind_sites_add(struct blind_sites *sites, struct vtb_disasm *disasm, const uint8_t *code, size_t size,
                    uint64_t addr)
{
	int r = vtb_array_room(sites, items);

	if (r < 0)
		return r;
	if (!code || !describe(disasm, code, size, addr, &sites->items[sites->n_items]))
		return 0;
	sites->n_items++;
	return 1;
}

int blind_sites_append(struct blind_sites *to, const struct blind_sites *more)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < more->n_items; i++) {
		r = vtb_array_room(to, items);
		if (r >= 0)
			to->items[to->n_items++] = more->items[i];
	}
	return r < 0 ? r : 0;
}

bool blind_sites_atomic(const struct blind_sites *sites, size_t first)
{
	for (size_t i = first; i < sites->n_items; i++) {
		const uint32_t kind = vtb_pad_kind(sites->items[i].info);

		if (kind == VTB_PAD_ATOMIC || kind == VTB_PAD_CAS)
			return true;
	}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct vtb_wire_blind *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void blind_sites_settle(struct blind_sites *sites)
{
	struct vtb_wire_blind *s = sites->items;
	const size_t n = sites->n_items;
	size_t kept = 0;

	if (n)
		qsort(s, n, sizeof(*s), by_address);
	sites->n_items = 0;
	for (size_t i = 0; i < n; i++) {
		if (kept && s[kept - 1].addr == s[i].addr)
			continue; /* one function may have several names */
		if (kept && s[kept - 1].addr + s[kept - 1].length > s[i].addr)
			return; /* a prefix is jumped over */
		s[kept++] = s[i];
	}
	sites->n_items = kept <= VTB_WIRE_BLINDS_MAX ? kept : 0;
}
