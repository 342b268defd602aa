/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each function is read in a line. Registers that hold an address known from a lea are followed up to the next place
 * that a jump leads to; at a call of a hook the address in rdi is told, at another call those in its first registers.
 * What the instructions touch and nobody told is blind.
 * Pointers from elsewhere have addresses of their own (blind_pointers.h). Through them, blind is what one instruction
 * reads and writes (inline assembly), and what is read where only a write was told, or the other way round
 * (bit-fields). Where nothing was told nothing is said: it may be nobody else's memory.
 */
#include "vtb/blind_code.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blind_pointers.h"
#include "vtb/array.h"
#include "vtb/call_sites.h"
#include "vtb/disasm.h"
#include "vtb/disasm_ops.h"
#include "vtb/elf_file.h"

#define PASSED 4096u /* bytes behind an address that a call other than a plain hook may tell */

struct span {
	uint64_t lo, hi;
	uint8_t mode; /* OPS_READS, OPS_WRITES */
};

struct spans {
	struct span *items;
	size_t n_items, cap_items;
};

struct reader {
	struct vtb_elf *elf;
	struct vtb_disasm *disasm;
	struct vtb_call_sites sites;
	struct spans writable, told, touched;
	uint64_t *targets; /* of jumps of this function */
	size_t n_targets, cap_targets;
	uint64_t known[OPS_GPRS];           /* 0: not known */
	struct vtb_blind_pointers pointers; /* of this function */
	bool only_writes;
	struct vtb_stop *stop;
	char **names;
	size_t n_names, cap_names;
};

static int add_span(struct spans *s, uint64_t lo, uint64_t size, uint8_t mode)
{
	int r = vtb_array_room(s, items);

	if (r >= 0)
		s->items[s->n_items++] = (struct span){ lo, lo + size, mode };
	return r;
}

static bool covers(const struct spans *s, uint64_t at, uint8_t mode)
{
	for (size_t i = 0; i < s->n_items; i++)
		if (at >= s->items[i].lo && at < s->items[i].hi && s->items[i].mode & mode)
			return true;
	return false;
}

/* ---- the file */

/* What the loader fills in or the start code owns is no variable of the program. */
static bool holds_variables(const struct vtb_elf_section *s)
{
	if ((s->flags & (SHF_WRITE | SHF_ALLOC | SHF_TLS)) != (SHF_WRITE | SHF_ALLOC))
		return false;
	return (!strncmp(s->name, ".data", 5) || !strncmp(s->name, ".bss", 4)) && strncmp(s->name, ".data.rel.ro", 12);
}

static int find_writable(struct reader *f)
{
	struct vtb_elf_section section;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &section); i++)
		if (holds_variables(&section))
			r = add_span(&f->writable, section.addr, section.size, OPS_READS | OPS_WRITES);
	return r;
}

static const uint8_t *code_at(const struct reader *f, uint64_t lo, uint64_t size)
{
	struct vtb_elf_section section;
	const uint8_t *code;
	size_t n;

	if (!vtb_elf_code_at(f->elf, lo, &section) || size > section.size - (lo - section.addr))
		return NULL;
	code = vtb_elf_bytes(f->elf, &section, &n);
	return code && n == section.size ? code + (lo - section.addr) : NULL;
}

/* ---- one function */

static void begin_pointers(struct reader *f)
{
	static const uint8_t passed[] = { OPS_RDI, OPS_RSI, OPS_RDX, OPS_RCX, 8, 9 };

	memset(f->known, 0, sizeof(f->known));
	f->pointers = (struct vtb_blind_pointers){ 0 };
	for (size_t i = 0; i < sizeof(passed); i++)
		f->known[passed[i]] = vtb_blind_pointer(&f->pointers);
}

static const struct vtb_wire_site *hook_at(const struct reader *f, uint64_t addr)
{
	size_t low = 0, high = f->sites.n_sites;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (f->sites.sites[middle].addr == addr)
			return &f->sites.sites[middle];
		if (f->sites.sites[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int tell(struct reader *f, uint64_t addr)
{
	static const uint8_t passed[] = { OPS_RDI, OPS_RSI, OPS_RDX };
	const struct vtb_wire_site *site = hook_at(f, addr);
	int r = 0;

	for (size_t i = 0; r >= 0 && !site && i < sizeof(passed); i++)
		if (f->known[passed[i]])
			r = add_span(&f->told, f->known[passed[i]], PASSED, OPS_READS | OPS_WRITES);
	for (uint8_t mode = OPS_READS; r >= 0 && site && mode <= OPS_WRITES; mode++) {
		const unsigned least = VTB_SITE_HOOK(mode == OPS_WRITES, 0);

		if (site->hook < least || site->hook > least + 4)
			continue;
		if (f->known[OPS_RDI])
			r = add_span(&f->told, f->known[OPS_RDI], 1ull << (site->hook - least), mode);
		if (r >= 0 && !f->known[OPS_RDI])
			r = add_span(&f->told, VTB_BLIND_POINTERS, UINT64_MAX - VTB_BLIND_POINTERS, mode);
		if (r >= 0 && (!f->known[OPS_RDI] || vtb_blind_is_pointer(f->known[OPS_RDI])))
			r = add_span(&f->told, 0, VTB_BLIND_POINTERS,
			             mode); /* of somewhere: perhaps of all variables */
	}
	return r;
}

static void forget_after_call(struct reader *f)
{
	for (uint32_t i = 0; i < OPS_GPRS; i++)
		if (i != OPS_RBX && i != OPS_RBP && i < 12)
			f->known[i] = 0;
	f->known[OPS_RAX] = vtb_blind_pointer(&f->pointers);
}

static void forget_all(struct reader *f)
{
	memset(f->known, 0, sizeof(f->known));
	vtb_blind_forget(&f->pointers);
}

/* The address that is written down in an operand, if its base is known. */
static uint64_t address_of(const struct reader *f, const struct vtb_ops_operand *o)
{
	if (o->index != OPS_NO_REG || o->segment || o->base >= OPS_GPRS || !f->known[o->base])
		return 0;
	return f->known[o->base] + (uint64_t)o->value;
}

static void follow(struct reader *f, const struct vtb_ops *ops)
{
	const struct vtb_ops_operand *to = &ops->op[0], *from = &ops->op[1];
	const bool into = ops->n_ops > 0 && to->type == OPS_REG && to->reg < OPS_GPRS;
	uint64_t value = 0;

	if (ops->code == OPS_UNKNOWN)
		memset(f->known, 0, sizeof(f->known));
	if (into && ops->code == OPS_LEA && from->base == OPS_NO_REG && from->index == OPS_NO_REG)
		value = (uint64_t)from->value;
	else if (into && ops->code == OPS_MOV && to->size == 8 && from->type == OPS_REG && from->reg < OPS_GPRS)
		value = f->known[from->reg];
	else if (into && ops->code == OPS_MOV && from->type == OPS_IMM &&
	         covers(&f->writable, (uint64_t)from->value, OPS_READS))
		value = (uint64_t)from->value; /* not position independent */
	else if (into && ops->code == OPS_LEA)
		value = address_of(f, from);
	else if (into && ops->code == OPS_MOV && to->size == 8 && from->type == OPS_MEM)
		value = vtb_blind_load(&f->pointers, from);
	for (uint32_t i = 0; i < OPS_GPRS; i++)
		if (ops->clobbers >> i & 1)
			f->known[i] = 0;
	if (into)
		f->known[to->reg] = value;
	vtb_blind_change(&f->pointers, ops);
}

/* The address is in the instruction, and no other thread's storage. */
static bool is_named(const struct reader *f, const struct vtb_ops_operand *o)
{
	return o->type == OPS_MEM && o->base == OPS_NO_REG && o->index == OPS_NO_REG && !o->segment &&
	       covers(&f->writable, (uint64_t)o->value, OPS_READS);
}

static int touch(struct reader *f, const struct vtb_ops *ops)
{
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < ops->n_access; i++) {
		const struct vtb_ops_operand *o = ops->access[i].operand < 3 ? &ops->op[ops->access[i].operand] : NULL;

		const uint64_t through = o && o->type == OPS_MEM ? address_of(f, o) : 0;

		if (o && is_named(f, o))
			r = add_span(&f->touched, (uint64_t)o->value, 1, ops->access[i].mode);
		else if (vtb_blind_is_pointer(through))
			r = add_span(&f->touched, through, 1, ops->access[i].mode);
	}
	return r;
}

static bool is_target(const struct reader *f, uint64_t addr)
{
	for (size_t i = 0; i < f->n_targets; i++)
		if (f->targets[i] == addr)
			return true;
	return false;
}

static int find_targets(struct reader *f, const uint8_t *code, uint64_t lo, uint64_t size)
{
	struct vtb_instruction in;

	f->n_targets = 0;
	for (uint64_t at = 0; at < size; at += in.length) {
		if (vtb_disasm_one(f->disasm, code + at, size - at, lo + at, &in) < 0)
			return 1; /* not understood: nothing is said of it */
		if (!in.is_jump || !in.has_target)
			continue;
		if (vtb_array_room(f, targets) < 0)
			return -ENOMEM;
		f->targets[f->n_targets++] = in.target;
	}
	return 0;
}

static int read_function(struct reader *f, const uint8_t *code, uint64_t lo, uint64_t size)
{
	int r = find_targets(f, code, lo, size);

	f->told.n_items = f->touched.n_items = 0;
	begin_pointers(f);
	for (uint64_t at = 0; r == 0 && at < size;) {
		struct vtb_instruction in;
		struct vtb_ops ops;

		if (is_target(f, lo + at))
			forget_all(f);
		vtb_disasm_one(f->disasm, code + at, size - at, lo + at, &in);
		vtb_ops_decode(f->disasm, code + at, size - at, lo + at, &ops);
		r = touch(f, &ops);
		if (r >= 0 && (in.is_call || hook_at(f, lo + at)))
			r = tell(f, lo + at);
		if (in.is_call)
			forget_after_call(f);
		else if (in.is_return || (in.is_jump && !in.is_conditional))
			forget_all(f);
		else
			follow(f, &ops);
		at += in.length;
	}
	return r;
}

/* Not by a hook of which it is not known what it told. */
static bool told_itself(const struct spans *s, uint64_t at, uint8_t mode)
{
	for (size_t i = 0; i < s->n_items; i++)
		if (at - s->items[i].lo < 16 && at < s->items[i].hi && s->items[i].hi - s->items[i].lo <= 16 &&
		    s->items[i].mode & mode)
			return true;
	return false;
}

/* Through a pointer: is it known to be shared, since the other half was told, or since no compiler writes that? */
static bool is_shared(const struct reader *f, const struct span *touched, uint8_t mode)
{
	return !vtb_blind_is_pointer(touched->lo) || touched->mode == (OPS_READS | OPS_WRITES) ||
	       told_itself(&f->told, touched->lo, (uint8_t)(mode ^ (OPS_READS | OPS_WRITES)));
}

static bool is_blind(const struct reader *f)
{
	for (size_t i = 0; i < f->touched.n_items; i++)
		for (uint8_t mode = f->only_writes ? OPS_WRITES : OPS_READS; mode <= OPS_WRITES; mode++)
			if (f->touched.items[i].mode & mode && !covers(&f->told, f->touched.items[i].lo, mode) &&
			    is_shared(f, &f->touched.items[i], mode))
				return true;
	return false;
}

/* Of the C library's start files: they run before the program and after it. */
static bool is_start_code(const char *name)
{
	static const char *const names[] = {
		"_start",
		"__do_global_dtors_aux",
		"frame_dummy",
		"register_tm_clones",
		"deregister_tm_clones",
		"_init",
		"_fini",
		"atexit",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static int look_at(struct reader *f, const struct vtb_elf_symbol *s)
{
	const uint8_t *code = s->size ? code_at(f, s->addr, s->size) : NULL;
	int r = code && !is_start_code(s->name) ? read_function(f, code, s->addr, s->size) : 1;

	if (r || !is_blind(f))
		return r < 0 ? r : 0;
	if (vtb_array_room(f, names) < 0 || !(f->names[f->n_names] = strdup(s->name)))
		return -ENOMEM;
	f->n_names++;
	return 0;
}

static int look_at_all(struct reader *f)
{
	struct vtb_elf_section section;
	struct vtb_elf_symbol symbol;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &section); i++)
		for (size_t k = 0; r >= 0 && section.type == SHT_SYMTAB && vtb_elf_symbol(f->elf, &section, k, &symbol);
		     k++)
			if (symbol.type == STT_FUNC && symbol.defined)
				r = f->stop && vtb_stop_due(f->stop) ? -ETIME : look_at(f, &symbol);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_file(struct reader *f, const char *path, struct vtb_error *err)
{
	int r = vtb_elf_open(path, &f->elf, err);

	if (r >= 0)
		r = vtb_disasm_new(&f->disasm);
	if (r >= 0)
		r = find_writable(f);
	if (r >= 0)
		r = look_at_all(f);
	vtb_elf_close(f->elf);
	return r;
}

int vtb_blind_code_find(const char *path, bool only_writes, struct vtb_stop *stop, char ***ret, struct vtb_error *err)
{
	struct reader f = { .only_writes = only_writes, .stop = stop };
	int r = vtb_call_sites_find_until(path, stop, &f.sites, err);

	if (r >= 0 && f.sites.n_sites)
		r = read_file(&f, path, err);
	if (r >= 0 && (vtb_array_room(&f, names) < 0))
		r = -ENOMEM;
	if (r >= 0) {
		if (f.n_names)
			qsort(f.names, f.n_names, sizeof(*f.names), by_name);
		f.names[f.n_names] = NULL;
		*ret = f.names;
	} else {
		while (f.n_names)
			free(f.names[--f.n_names]);
		free(f.names);
	}
	vtb_call_sites_fini(&f.sites);
	vtb_disasm_free(f.disasm);
	free(f.writable.items);
	free(f.told.items);
	free(f.touched.items);
	free(f.targets);
	return r < 0 ? r : 0;
}
