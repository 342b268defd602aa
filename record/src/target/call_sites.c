/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "call_sites_look.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "hook_names.h"
#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/pad_site.h"
#include "vtb/target.h"
#include "vtb/transfers.h"

#define LINKAGE_TABLES 8u

/* A place that leads to a hook: a word of the GOT, or an entry of the linkage table. */
struct lead {
	uint64_t addr;
	struct hook_name hook;
};

struct leads {
	struct lead *items;
	size_t n_items, cap_items;
};

struct range {
	uint64_t lo, hi;
};

struct finder {
	struct vtb_elf *elf;
	struct vtb_disasm *transfers;
	struct vtb_call_sites *out;
	struct leads words, entries;
	bool hooks; /* among them */
	struct range *functions;
	size_t n_functions, cap_functions;
	struct range linkage[LINKAGE_TABLES]; /* they are no functions, though the unwind table has them */
	size_t n_linkage;
	uint64_t entry; /* of the linkage table, being looked at; 0: a function */
	struct vtb_stop *stop;
};

static int add_lead(struct leads *l, uint64_t addr, struct hook_name hook)
{
	int r = vtb_array_room(l, items);

	if (r >= 0)
		l->items[l->n_items++] = (struct lead){ addr, hook };
	return r;
}

static int by_address(const void *a, const void *b)
{
	const struct lead *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static const struct lead *find_lead(const struct leads *l, uint64_t addr)
{
	const struct lead key = { .addr = addr };

	return l->n_items ? bsearch(&key, l->items, l->n_items, sizeof(key), by_address) : NULL;
}

static void sort_leads(struct leads *l)
{
	if (l->n_items)
		qsort(l->items, l->n_items, sizeof(*l->items), by_address);
}

/* ---- words of the GOT that the loader fills with hooks */

static int read_relocations(struct finder *f, const struct vtb_elf_section *section)
{
	struct vtb_elf_relocation relocation;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_relocation(f->elf, section, i, &relocation); i++) {
		struct hook_name hook;

		if (relocation.type != R_X86_64_JUMP_SLOT && relocation.type != R_X86_64_GLOB_DAT)
			continue;
		if (relocation.symbol.defined || !hook_by_name(relocation.symbol.name, &hook))
			continue;
		f->hooks |= !hook.tell.leaves;
		r = add_lead(&f->words, relocation.addr, hook);
	}
	return r;
}

/* ---- functions */

static int add_function(struct finder *f, uint64_t lo, uint64_t hi)
{
	int r = vtb_array_room(f, functions);

	if (r >= 0)
		f->functions[f->n_functions++] = (struct range){ lo, hi };
	return r;
}

static int read_symbols(struct finder *f, const struct vtb_elf_section *section)
{
	struct vtb_elf_symbol symbol;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_symbol(f->elf, section, i, &symbol); i++)
		if (symbol.type == STT_FUNC && symbol.defined && symbol.size)
			r = add_function(f, symbol.addr, symbol.addr + symbol.size);
	return r;
}

/* .eh_frame_hdr as the linker writes it: version 1, a sorted table of pairs (function, its entry), 4 bytes each,
 * relative to here. A function goes up to the next one or the end of the section that the last one lies in. */
static int read_unwind_table(struct finder *f, uint64_t base, const uint8_t *p, size_t size)
{
	uint32_t count;
	uint64_t last = 0;
	int r = 0;

	if (size < 12 || p[0] != 1 || p[1] != 0x1b || p[2] != 0x03 || p[3] != 0x3b)
		return 0;
	memcpy(&count, p + 8, 4);
	for (uint32_t i = 0; r >= 0 && i < count && 12 + 8ull * (i + 1) <= size; i++) {
		int32_t from;
		uint64_t at;

		memcpy(&from, p + 12 + 8ull * i, 4);
		at = base + (uint64_t)(int64_t)from;
		if (last && at > last)
			r = add_function(f, last, at);
		last = at;
	}
	return r < 0 || !last
	           ? r
	           : add_function(f, last, last + 1); /* its end is cut to the section's, see walk_function() */
}

/* ---- code */

static int found_transfer(void *arg, const struct vtb_transfer *t)
{
	struct finder *f = arg;
	const struct lead *lead = find_lead(t->indirect ? &f->words : &f->entries, t->target);
	int r;

	if (!lead)
		return 0;
	if (f->entry)
		return !t->call && t->indirect ? add_lead(&f->entries, f->entry, lead->hook) : 0;
	r = vtb_array_room(f->out, tells);
	if (r >= 0) {
		f->out->tells[f->out->n_tells] = lead->hook.tell;
		f->out->tells[f->out->n_tells++].addr = t->addr;
	}
	if (r < 0 || lead->hook.hook == HOOK_OTHER)
		return r;
	r = vtb_array_room(f->out, sites);
	if (r >= 0)
		f->out->sites[f->out->n_sites++] = (struct vtb_wire_site){ .addr = t->addr,
			                                                   .hook = lead->hook.hook,
			                                                   .access = lead->hook.hook,
			                                                   .length = t->length,
			                                                   .call = t->call,
			                                                   .on = 1 };
	return r;
}

static bool is_linkage(const struct finder *f, uint64_t addr)
{
	for (size_t i = 0; i < f->n_linkage; i++)
		if (addr >= f->linkage[i].lo && addr < f->linkage[i].hi)
			return true;
	return false;
}

static int walk_function(struct finder *f, const struct range *function)
{
	const size_t before = f->out->n_sites, tells = f->out->n_tells;
	struct vtb_elf_section section;
	size_t n = 0;
	const char *code = vtb_elf_code_at(f->elf, function->lo, &section) ? vtb_elf_bytes(f->elf, &section, &n) : NULL;
	uint64_t size = function->hi - function->lo, at;
	int r;

	if (!code || n != section.size || is_linkage(f, function->lo))
		return 0;
	at = function->lo - section.addr;
	if (size == 1 || size > n - at)
		size = n - at;
	r = vtb_transfers_walk(f->transfers, code + at, size, function->lo, found_transfer, f, &f->out->atomics);
	if (r == 0) { /* not understood to its end: none of it counts */
		f->out->n_sites = before;
		f->out->n_tells = tells;
		f->out->skipped++;
	}
	return r < 0 ? r : 0;
}

static int site_by_address(const void *a, const void *b)
{
	const struct vtb_wire_site *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* Functions may have several names. */
static void sort_sites(struct vtb_call_sites *s)
{
	size_t n = 0;

	if (s->n_sites)
		qsort(s->sites, s->n_sites, sizeof(*s->sites), site_by_address);
	for (size_t i = 0; i < s->n_sites; i++)
		if (!n || s->sites[n - 1].addr != s->sites[i].addr)
			s->sites[n++] = s->sites[i];
	s->n_sites = n;
}

static int range_by_address(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo) : (x->hi > y->hi) - (x->hi < y->hi);
}

static int walk_functions(struct finder *f)
{
	int r = 0;

	if (f->n_functions)
		qsort(f->functions, f->n_functions, sizeof(*f->functions), range_by_address);
	for (size_t i = 0; r >= 0 && i < f->n_functions; i++)
		if (vtb_stop_due(f->stop))
			r = -ECANCELED;
		else if (!i || memcmp(&f->functions[i], &f->functions[i - 1], sizeof(*f->functions)))
			r = walk_function(f, &f->functions[i]);
	if (r >= 0)
		sort_sites(f->out);
	if (r >= 0)
		hook_sort_tells(f->out);
	return r;
}

/* An entry of the linkage table jumps through a word of the GOT, perhaps after an endbr64. */
static int walk_linkage(struct finder *f, const struct vtb_elf_section *s, const char *code, size_t size)
{
	const uint64_t step = s->entry_size == 8 || s->entry_size == 16 ? s->entry_size : 16;
	int r = 0;

	if (f->n_linkage == LINKAGE_TABLES)
		return 0;
	f->linkage[f->n_linkage++] = (struct range){ s->addr, s->addr + s->size };
	for (uint64_t at = 0; r >= 0 && at + step <= size; at += step) {
		f->entry = s->addr + at;
		r = vtb_transfers_walk(f->transfers, code + at, step, f->entry, found_transfer, f, &f->out->atomics);
	}
	f->entry = 0;
	return r < 0 ? r : 0;
}

/* Of one plain access at the address that its stub works out. */
static uint16_t access_of(uint32_t info)
{
	const uint32_t kind = vtb_pad_kind(info), log2 = vtb_pad_log2(info);

	return (info & ~(uint32_t)VTB_PAD_LOOSE) == vtb_pad_plain(kind, log2) &&
	               (kind == VTB_PAD_READ || kind == VTB_PAD_WRITE)
	           ? (uint16_t)VTB_SITE_HOOK(kind == VTB_PAD_WRITE, log2)
	           : UINT16_MAX;
}

/* Pads: the program lists them itself. Atomic operations and string instructions stay on. */
static int read_pads(struct finder *f, uint64_t base, const struct vtb_pad_site *s, size_t size)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < size / sizeof(*s); i++) {
		const uint64_t at = base + i * sizeof(*s), pad = at + (uint64_t)(int64_t)s[i].pad,
		               stub = at + 4 + (uint64_t)(int64_t)s[i].stub;
		const uint32_t kind = vtb_pad_kind(s[i].info);

		if (kind != VTB_PAD_READ && kind != VTB_PAD_WRITE && kind != VTB_PAD_UPDATE)
			continue;
		r = vtb_array_room(f->out, sites);
		if (r >= 0)
			f->out->sites[f->out->n_sites++] =
			    (struct vtb_wire_site){ .addr = pad,
				                    .hook = VTB_SITE_PAD,
				                    .access = access_of(s[i].info),
				                    .length = VTB_PAD_SIZE,
				                    .call = 1,
				                    .on = 1,
				                    .stub = (int32_t)(stub - pad - VTB_PAD_SIZE),
				                    .info = s[i].info };
	}
	return r < 0 ? r : 0;
}

enum pass { PASS_PADS, PASS_RELOCATIONS, PASS_SYMBOLS, PASS_UNWIND, PASS_LINKAGE };

static int look(struct finder *f, enum pass pass, const struct vtb_elf_section *s)
{
	size_t size = 0;
	const void *bytes = vtb_elf_bytes(f->elf, s, &size);

	if (!bytes)
		return 0;
	if (pass == PASS_PADS && !strcmp(s->name, VTB_PADS_SECTION))
		return read_pads(f, s->addr, bytes, size);
	if (pass == PASS_RELOCATIONS && s->type == SHT_RELA)
		return read_relocations(f, s);
	if (pass == PASS_SYMBOLS && s->type == SHT_SYMTAB)
		return read_symbols(f, s);
	if (pass == PASS_UNWIND && !strcmp(s->name, ".eh_frame_hdr"))
		return read_unwind_table(f, s->addr, bytes, size);
	if (pass == PASS_LINKAGE && !strncmp(s->name, ".plt", 4))
		return walk_linkage(f, s, bytes, size);
	return 0;
}

static int sections(struct finder *f, enum pass pass)
{
	struct vtb_elf_section section;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &section); i++)
		r = look(f, pass, &section);
	return r;
}

static int find(struct finder *f)
{
	int r = sections(f, PASS_PADS);

	if (r >= 0)
		r = sections(f, PASS_RELOCATIONS);
	if (r < 0 || !f->hooks) {
		sort_sites(f->out);
		return r;
	}
	sort_leads(&f->words);
	r = sections(f, PASS_LINKAGE);
	sort_leads(&f->entries);
	if (r >= 0)
		r = sections(f, PASS_SYMBOLS);
	if (r >= 0 && !f->n_functions)
		r = sections(f, PASS_UNWIND);
	return r < 0 ? r : walk_functions(f);
}

int vtb_call_sites_look(const char *path, struct vtb_stop *stop, struct vtb_call_sites *ret, struct vtb_error *err)
{
	struct vtb_call_sites out = { 0 };
	struct finder f = { .out = &out, .stop = stop };
	int r = vtb_elf_open(path, &f.elf, err);

	if (r < 0 && r != -ENOEXEC)
		return r;
	r = f.elf && vtb_elf_is_native(f.elf) ? vtb_transfers_new(&f.transfers) : 0;
	if (f.transfers)
		r = find(&f);
	vtb_elf_close(f.elf);
	vtb_disasm_free(f.transfers);
	free(f.words.items);
	free(f.entries.items);
	free(f.functions);
	if (r < 0) {
		vtb_call_sites_fini(&out);
		return vtb_error_set(err, r, path, 0, "cannot look for calls of hooks: %s", vtb_strerror(r));
	}
	*ret = out;
	return 0;
}

void vtb_call_sites_fini(struct vtb_call_sites *s)
{
	free(s->sites);
	free(s->tells);
	*s = (struct vtb_call_sites){ 0 };
}
