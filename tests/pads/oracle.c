/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pads-oracle MINIMUM FILE...: what our assembler has written into programs, against Capstone's reading of the machine code.
 *
 * Of every site: there is a nop of five bytes; the instruction behind it touches memory in the way and of the width that the table says;
 * the stub loads the address of that very operand. Of every function: an instruction that touches memory and has no pad is one of those
 * that need none. What a pad says that it
 * need not keep: loose.c. Fails also if there are fewer than MINIMUM sites in all.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "oracle.h"
#include "vtb/pad_site.h"
#include "vtb/target.h"

#define SAVED 152 /* bytes that a stub has moved rsp by when it loads the address */

struct oracle f;
static unsigned wrong, sites, unpadded, by_kind[16];

void complain(const cs_insn *i, const char *fmt, ...)
{
	va_list args;

	if (++wrong > 40)
		return;
	va_start(args, fmt);
	printf("%s: %" PRIx64 " %s %s: ", f.path, i ? i->address : 0, i ? i->mnemonic : "", i ? i->op_str : "");
	vprintf(fmt, args);
	putchar('\n');
	va_end(args);
}

/* ---- the file */

static Elf_Scn *section(const char *name, GElf_Shdr *sh)
{
	size_t strings;
	Elf_Scn *scn = NULL;

	elf_getshdrstrndx(f.elf, &strings);
	while ((scn = elf_nextscn(f.elf, scn)))
		if (gelf_getshdr(scn, sh) && !strcmp(elf_strptr(f.elf, strings, sh->sh_name), name))
			return scn;
	return NULL;
}

const uint8_t *bytes_at(uint64_t addr, size_t *left, bool *writable)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(f.elf, scn))) {
		if (!gelf_getshdr(scn, &sh) || !(sh.sh_flags & SHF_ALLOC) || sh.sh_type == SHT_NOTE || (sh.sh_flags & SHF_TLS) || addr - sh.sh_addr >= sh.sh_size)
			continue;
		*left = (size_t)(sh.sh_addr + sh.sh_size - addr);
		if (writable)
			*writable = sh.sh_flags & SHF_WRITE;
		return sh.sh_type == SHT_NOBITS ? (const uint8_t *)"" : (const uint8_t *)elf_getdata(scn, NULL)->d_buf + (addr - sh.sh_addr);
	}
	return NULL;
}

static bool decode(uint64_t addr)
{
	size_t left;
	const uint8_t *p = bytes_at(addr, &left, NULL);

	return p && cs_disasm_iter(f.cs, &p, &left, &addr, f.insn);
}

static void read_functions(void)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(".symtab", &sh);
	GElf_Sym sym;

	f.n_functions = 0;
	for (int i = 0; scn && i < (int)(sh.sh_size / sh.sh_entsize); i++) {
		gelf_getsym(elf_getdata(scn, NULL), i, &sym);
		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size || sym.st_shndx == SHN_UNDEF)
			continue;
		f.functions = realloc(f.functions, (f.n_functions + 1) * sizeof(*f.functions));
		f.functions[f.n_functions++] = (struct function){sym.st_value, sym.st_value + sym.st_size, elf_strptr(f.elf, sh.sh_link, sym.st_name), {0}};
	}
}

/* ---- one site */

static const cs_x86_op *memory_operand(const cs_insn *i)
{
	for (uint8_t k = 0; k < i->detail->x86.op_count; k++)
		if (i->detail->x86.operands[k].type == X86_OP_MEM)
			return &i->detail->x86.operands[k];
	return NULL;
}

static bool has_prefix(const cs_insn *i, uint8_t prefix)
{
	return i->detail->x86.prefix[0] == prefix;
}

static bool is(const cs_insn *i, const char *name)
{
	return !strcmp(i->mnemonic, name) || (!strncmp(i->mnemonic, "lock ", 5) && !strcmp(i->mnemonic + 5, name));
}

static bool begins(const cs_insn *i, const char *name)
{
	return !strncmp(i->mnemonic, name, strlen(name));
}

/* Which way Capstone says the operand goes. Version 4 is wrong about some; these are from the processor's manual. */
static unsigned direction(const cs_insn *i, const cs_x86_op *o)
{
	const bool first = o == &i->detail->x86.operands[0];

	if (begins(i, "fst") || begins(i, "fist") || begins(i, "fnst") || begins(i, "set") || begins(i, "movnt") || begins(i, "vmovnt") || begins(i, "stmxcsr") || begins(i, "vstmxcsr") || is(i, "pop"))
		return begins(i, "movntdqa") || begins(i, "vmovntdqa") ? CS_AC_READ : CS_AC_WRITE;
	if (begins(i, "fld") || begins(i, "fild") || begins(i, "fadd") || begins(i, "fmul") || begins(i, "fsub") || begins(i, "fdiv") || begins(i, "fcom") || begins(i, "fi") || is(i, "push") || is(i, "call") || is(i, "jmp") || is(i, "bt"))
		return CS_AC_READ;
	if (begins(i, "mov") || begins(i, "vmov") || begins(i, "vextract") || begins(i, "pextr") || begins(i, "vpextr") || begins(i, "extract") || begins(i, "vpmov") || begins(i, "vmask") || begins(i, "vpmask") || begins(i, "vcvtps2ph") || begins(i, "kmov"))
		return first ? CS_AC_WRITE : CS_AC_READ;
	if (is(i, "cmp") || is(i, "test"))
		return CS_AC_READ;
	if (first && i->detail->x86.op_count <= 3 && (is(i, "add") || is(i, "sub") || is(i, "and") || is(i, "or") || is(i, "xor") || is(i, "adc") || is(i, "sbb") || is(i, "inc") || is(i, "dec") || is(i, "neg") || is(i, "not") || is(i, "xadd") || is(i, "cmpxchg") || is(i, "cmpxchg8b") || is(i, "cmpxchg16b") || is(i, "xchg") || is(i, "bts") || is(i, "btr") || is(i, "btc") || begins(i, "sh") || begins(i, "sa") || begins(i, "ro") || begins(i, "rc")) && strcmp(i->mnemonic, "rcpss"))
		return CS_AC_READ | CS_AC_WRITE;
	if (is(i, "xchg"))
		return CS_AC_READ | CS_AC_WRITE;
	return first && i->detail->x86.op_count == 1 ? CS_AC_READ : first ? (unsigned)o->access : CS_AC_READ;
}

static void check_kind(const cs_insn *i, const cs_x86_op *o, uint32_t info)
{
	const unsigned way = direction(i, o);

	switch (vtb_pad_kind(info)) {
	case VTB_PAD_READ:
	case VTB_PAD_LOAD:
		if (way != CS_AC_READ)
			complain(i, "a read for us, %u for Capstone", way);
		break;
	case VTB_PAD_WRITE:
	case VTB_PAD_STORE:
		if (way != CS_AC_WRITE)
			complain(i, "a write for us, %u for Capstone", way);
		break;
	case VTB_PAD_UPDATE:
		if (way != (CS_AC_READ | CS_AC_WRITE) || has_prefix(i, 0xf0))
			complain(i, "an update for us, %u for Capstone", way);
		break;
	case VTB_PAD_CAS:
		if (!has_prefix(i, 0xf0) || !strstr(i->mnemonic, "cmpxchg"))
			complain(i, "a compare-exchange for us");
		break;
	case VTB_PAD_ATOMIC:
		if (!has_prefix(i, 0xf0) && !is(i, "xchg"))
			complain(i, "atomic for us");
		break;
	default:
		complain(i, "kind %u", vtb_pad_kind(info));
	}
}

/* Capstone 4 gives these the width of a register or of another form; the manual says otherwise. */
static bool width_is_vague(const cs_insn *i)
{
	return begins(i, "fx") || is(i, "fnstsw") || is(i, "comisd") || begins(i, "fldenv") || begins(i, "fnstenv") || begins(i, "kmov") || begins(i, "vpsra") || begins(i, "vpsrl") || begins(i, "vpsll");
}

static void check_stub(uint64_t stub, const cs_insn *access, const cs_x86_op *want)
{
	const struct cs_x86 *x = &f.insn->detail->x86;
	const uint64_t next = access->address + access->size;
	const x86_op_mem w = want->mem;
	uint64_t at = stub;
	int64_t shift = w.base == X86_REG_RSP ? SAVED : 0;

	for (int k = 0; k < 5; k++, at += f.insn->size)
		if (!decode(at)) {
			complain(access, "the stub at %" PRIx64 " cannot be decoded", stub);
			return;
		}
	if (f.insn->id == X86_INS_MOVABS || f.insn->id == X86_INS_MOV) {
		if (w.base != X86_REG_INVALID || x->operands[1].imm != w.disp)
			complain(access, "the stub loads %s %s", f.insn->mnemonic, f.insn->op_str);
		return;
	}
	if (f.insn->id != X86_INS_LEA || x->operands[1].mem.base != w.base || x->operands[1].mem.index != w.index || x->operands[1].mem.scale != w.scale)
		complain(access, "the stub loads %s %s", f.insn->mnemonic, f.insn->op_str);
	else if (w.base == X86_REG_RIP ? at + (uint64_t)x->operands[1].mem.disp != next + (uint64_t)w.disp : x->operands[1].mem.disp != w.disp + shift)
		complain(access, "the stub loads %s %s", f.insn->mnemonic, f.insn->op_str);
}

static bool is_string(uint32_t info)
{
	return vtb_pad_kind(info) >= VTB_PAD_MOVS && vtb_pad_kind(info) <= VTB_PAD_SCAS;
}

static void check_string(const cs_insn *i, uint32_t info)
{
	static const char *const names[] = {[VTB_PAD_MOVS] = "movs", [VTB_PAD_STOS] = "stos", [VTB_PAD_LODS] = "lods", [VTB_PAD_CMPS] = "cmps", [VTB_PAD_SCAS] = "scas"};

	if (!strstr(i->mnemonic, names[vtb_pad_kind(info)]) || i->detail->x86.operands[0].size != vtb_pad_bytes(info))
		complain(i, "kind %u, %u bytes", vtb_pad_kind(info), vtb_pad_bytes(info));
	if (!(info & VTB_PAD_REP) != !(has_prefix(i, 0xf3) || has_prefix(i, 0xf2)))
		complain(i, "repeated or not");
}

static void check_site(uint64_t pad, uint64_t stub, uint32_t info)
{
	static const uint8_t nop[VTB_PAD_SIZE] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	size_t left;
	const uint8_t *p = bytes_at(pad, &left, NULL);
	const cs_x86_op *o;
	cs_insn *access;

	if (!p || left < sizeof(nop) || memcmp(p, nop, sizeof(nop)) || !decode(pad + VTB_PAD_SIZE)) {
		complain(NULL, "no pad at %" PRIx64, pad);
		return;
	}
	if (is_string(info)) {
		check_string(f.insn, info);
		return;
	}
	o = memory_operand(f.insn);
	if (vtb_pad_kind(info) == VTB_PAD_FENCE) {
		if (f.insn->id != X86_INS_MFENCE && !(has_prefix(f.insn, 0xf0) && o && o->mem.base == X86_REG_RSP))
			complain(f.insn, "a fence for us");
		return;
	}
	if (!o) {
		complain(f.insn, "no memory for Capstone");
		return;
	}
	check_kind(f.insn, o, info);
	check_loose(pad, info);
	if (vtb_pad_bytes(info) != o->size && !width_is_vague(f.insn))
		complain(f.insn, "%u bytes for us, %u for Capstone", vtb_pad_bytes(info), o->size);
	if (!(info & VTB_PAD_FS) != (o->mem.segment != X86_REG_FS))
		complain(f.insn, "segment");
	access = f.insn;
	f.insn = cs_malloc(f.cs);
	check_stub(stub, access, memory_operand(access));
	cs_free(access, 1);
}

static void check_sites(void)
{
	GElf_Shdr sh;
	Elf_Scn *scn = section(VTB_PADS_SECTION, &sh);
	const struct vtb_pad_site *s = scn ? elf_getdata(scn, NULL)->d_buf : NULL;

	f.n_padded = 0;
	f.padded = realloc(f.padded, (sh.sh_size / sizeof(*s) + 1) * sizeof(*f.padded));
	for (uint64_t at = 0; s && at < sh.sh_size; at += sizeof(*s), s++) {
		const uint64_t pad = sh.sh_addr + at + (uint64_t)(int64_t)s->pad, stub = sh.sh_addr + at + 4 + (uint64_t)(int64_t)s->stub;

		by_kind[vtb_pad_kind(s->info)]++;
		if (vtb_pad_kind(s->info) == VTB_PAD_ANCHOR)
			continue;
		f.padded[f.n_padded++] = vtb_pad_kind(s->info) == VTB_PAD_SKIPPED ? pad : pad + VTB_PAD_SIZE;
		if (vtb_pad_kind(s->info) == VTB_PAD_SKIPPED)
			continue;
		sites++;
		check_site(pad, stub, s->info);
	}
}

/* ---- what has no site */

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Does some instruction of the function, or of a part of it, take an address in its frame? A simple reading of the machine code. */
static bool gives_frame_away(const struct function *g)
{
	const size_t stem = strcspn(g->name, ".");
	bool frame = false, sp = false, bp = false;

	for (size_t k = 0; k < f.n_functions; k++) {
		const struct function *h = &f.functions[k];

		if (h != g && (strncmp(h->name, g->name, stem) || !strstr(h->name, ".cold") == !strstr(g->name, ".cold")))
			continue;
		for (uint64_t at = h->lo; at < h->hi && decode(at); at += f.insn->size) {
			const cs_x86_op *o = f.insn->detail->x86.operands;

			frame |= f.insn->id == X86_INS_MOV && o[0].reg == X86_REG_RBP && o[1].type == X86_OP_REG && o[1].reg == X86_REG_RSP;
			if (f.insn->id == X86_INS_LEA && o[0].reg != X86_REG_RSP) {
				sp |= o[1].mem.base == X86_REG_RSP;
				bp |= o[1].mem.base == X86_REG_RBP;
			} else if (f.insn->id == X86_INS_MOV && o[1].type == X86_OP_REG && o[0].type == X86_OP_REG && o[0].reg != X86_REG_RSP && o[0].reg != X86_REG_RBP) {
				sp |= o[1].reg == X86_REG_RSP;
				bp |= o[1].reg == X86_REG_RBP;
			}
		}
	}
	return sp || (frame && bp);
}

static bool needs_none(const cs_insn *i, const cs_x86_op *o, bool frame_known)
{
	bool writable = true;
	size_t left;

	if (i->id == X86_INS_LEA || i->id == X86_INS_NOP || begins(i, "prefetch") || i->id == X86_INS_ENDBR64)
		return true;
	if (o->mem.segment == X86_REG_FS && o->mem.base == X86_REG_INVALID && o->mem.disp >= 0)
		return true; /* the thread descriptor: variables lie below it */
	if (o->mem.base == X86_REG_RIP && bytes_at(i->address + i->size + (uint64_t)o->mem.disp, &left, &writable)) {
		GElf_Shdr got;
		const uint64_t to = i->address + i->size + (uint64_t)o->mem.disp;

		return !writable || (section(".got", &got) && to - got.sh_addr < got.sh_size) || (section(".data.rel.ro", &got) && to - got.sh_addr < got.sh_size);
	}
	if (o->mem.base == X86_REG_INVALID && o->mem.segment == X86_REG_INVALID && bytes_at((uint64_t)o->mem.disp, &left, &writable))
		return !writable;
	return frame_known && (o->mem.base == X86_REG_RSP || o->mem.base == X86_REG_RBP);
}

static void check_function(const struct function *g)
{
	const bool private_frame = !gives_frame_away(g);

	if (!strcmp(g->name, "_start") || !strcmp(g->name, "_init") || !strcmp(g->name, "_fini"))
		return;
	for (uint64_t at = g->lo; at < g->hi; at += f.insn->size) {
		const cs_x86_op *o;

		if (!decode(at)) {
			complain(NULL, "%s cannot be decoded at %" PRIx64, g->name, at);
			return;
		}
		o = memory_operand(f.insn);
		if (!o || bsearch(&at, f.padded, f.n_padded, sizeof(at), compare))
			continue;
		unpadded++;
		if (!needs_none(f.insn, o, private_frame) && !strstr(f.insn->mnemonic, "stos"))
			complain(f.insn, "has no pad in %s", g->name);
	}
}

static void check(const char *path)
{
	const int fd = open(path, O_RDONLY);

	f.path = path;
	f.elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!f.elf) {
		complain(NULL, "cannot be read");
		return;
	}
	read_functions();
	check_sites();
	qsort(f.padded, f.n_padded, sizeof(*f.padded), compare);
	for (size_t i = 0; i < f.n_functions; i++)
		check_function(&f.functions[i]);
	elf_end(f.elf);
	close(fd);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	elf_version(EV_CURRENT);
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &f.cs) != CS_ERR_OK)
		return 3;
	cs_option(f.cs, CS_OPT_DETAIL, CS_OPT_ON);
	f.insn = cs_malloc(f.cs);
	for (int i = 2; i < argc; i++)
		check(argv[i]);
	printf("%u sites, %u instructions with memory and no pad, %u wrong; reads %u, writes %u, updates %u, atomic %u, strings %u, skipped %u\n", sites, unpadded, wrong, by_kind[VTB_PAD_READ], by_kind[VTB_PAD_WRITE],
	       by_kind[VTB_PAD_UPDATE], by_kind[VTB_PAD_ATOMIC] + by_kind[VTB_PAD_CAS] + by_kind[VTB_PAD_LOAD] + by_kind[VTB_PAD_STORE], by_kind[VTB_PAD_MOVS] + by_kind[VTB_PAD_STOS] + by_kind[VTB_PAD_LODS] + by_kind[VTB_PAD_CMPS] + by_kind[VTB_PAD_SCAS], by_kind[VTB_PAD_SKIPPED]);
	return wrong || !loose_found() || sites < (unsigned)atoi(argv[1]);
}
