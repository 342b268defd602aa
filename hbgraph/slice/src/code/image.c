/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "summaries.h"
#include "vtb/array.h"

static int add_section(struct image *im, const struct vtb_elf_section *s)
{
	size_t n = 0;
	const void *bytes = s->type == SHT_NOBITS ? NULL : vtb_elf_bytes(im->elf, s, &n);
	struct image_section section = { .addr = s->addr,
		                         .size = s->size,
		                         .code = s->flags & SHF_EXECINSTR,
		                         .writable = s->flags & SHF_WRITE,
		                         .starters = s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY ||
		                                     s->type == SHT_PREINIT_ARRAY,
		                         .pads = !strcmp(s->name, "vtb_pads") };

	if (s->type != SHT_NOBITS && (!bytes || n < s->size))
		im->doubt = "a part of the file is missing";
	else
		section.bytes = bytes;
	if (!strcmp(s->name, ".gcc_except_table"))
		im->lands = true;
	if (vtb_array_room(im, sections) < 0)
		return -ENOMEM;
	im->sections[im->n_sections++] = section;
	im->lo = s->addr < im->lo ? s->addr : im->lo;
	im->hi = s->addr + s->size > im->hi ? s->addr + s->size : im->hi;
	return 0;
}

static int64_t add_import(struct image *im, const char *name)
{
	if (vtb_array_room(im, imports) < 0)
		return -ENOMEM;
	im->imports[im->n_imports] = name;
	return (int64_t)im->n_imports++;
}

static int add_relocation(struct image *im, const struct vtb_elf_relocation *rel)
{
	int64_t id;

	if (rel->type == R_X86_64_RELATIVE)
		return vtb_map64_set(&im->pointers, rel->addr, (uint64_t)rel->addend);
	if (rel->type == R_X86_64_COPY)
		return vtb_map64_set(&im->foreign, rel->addr, 1);
	if (rel->type == R_X86_64_IRELATIVE)
		id = add_import(im, "an indirect function");
	else if (rel->symbol.defined && rel->type != R_X86_64_TPOFF64)
		return vtb_map64_set(&im->pointers, rel->addr, rel->symbol.addr + (uint64_t)rel->addend);
	else
		id = add_import(im, rel->symbol.name);
	return id < 0 ? (int)id : vtb_map64_set(&im->slots, rel->addr, (uint64_t)id);
}

static int read_relocations(struct image *im, const struct vtb_elf_section *s)
{
	struct vtb_elf_relocation rel;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_relocation(im->elf, s, i, &rel); i++)
		r = add_relocation(im, &rel);
	return r;
}

/* Names that tell what we do not follow. */
static const char *doubt_of(const char *name)
{
	static const struct {
		const char *name, *doubt;
	} rows[] = {
		{ "swapcontext", "it switches contexts" },
		{ "makecontext", "it switches contexts" },
		{ "setcontext", "it switches contexts" },
		{ "vfork", "it uses vfork" },
		{ "process_vm_writev", "it writes other processes' memory" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].doubt;
	return NULL;
}

/* The same of those that make calls be left by exceptions of which their summaries do not speak, or have library code
 * call functions of the program's that nobody has handed over. */
static const char *doubt_beside_exceptions(const char *name)
{
	static const struct {
		const char *name, *doubt;
	} rows[] = {
		{ "pthread_cancel", "it cancels threads, and handles exceptions" },
		{ "longjmp", "it uses longjmp, and handles exceptions" },
		{ "_longjmp", "it uses longjmp, and handles exceptions" },
		{ "siglongjmp", "it uses longjmp, and handles exceptions" },
		{ "__longjmp_chk", "it uses longjmp, and handles exceptions" },
		{ "_ZTISt15basic_streambufIcSt11char_traitsIcEE", "it has streams of its own" },
		{ "_ZTINSt6locale5facetE", "it has streams of its own" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].doubt;
	return NULL;
}

/* The same of what may jump anywhere, if it jumps at all. */
static bool leaves_anywhere(const char *name)
{
	static const char *const names[] = { "pthread_cancel", "sigaction",   "signal",
		                             "bsd_signal",     "sysv_signal", "sigset" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The start files give this word no size. */
static uint64_t size_of(const struct vtb_elf_symbol *x)
{
	return x->size || strcmp(x->name, "__dso_handle") ? x->size : 8;
}

static int read_symbols(struct image *im, const struct vtb_elf_section *s)
{
	struct vtb_elf_symbol x;

	for (size_t i = 0; vtb_elf_symbol(im->elf, s, i, &x); i++) {
		const bool function = x.type == STT_FUNC, object = x.type == STT_OBJECT || x.type == STT_NOTYPE;

		if (!x.defined && doubt_of(x.name))
			im->doubt = doubt_of(x.name);
		im->jumps |= !x.defined && summary_find(x.name)->does & DOES_AGAIN;
		im->leaves_anywhere |= !x.defined && leaves_anywhere(x.name);
		if (doubt_beside_exceptions(x.name))
			im->doubt_if_lands = doubt_beside_exceptions(x.name);
		if (x.defined && x.type == STT_GNU_IFUNC)
			im->doubt = "it chooses functions while it starts";
		if (!x.defined || !(function || (object && size_of(&x))))
			continue;
		if (vtb_array_room(im, symbols) < 0)
			return -ENOMEM;
		im->symbols[im->n_symbols++] = (struct image_symbol){ .addr = x.addr,
			                                              .size = size_of(&x),
			                                              .name = x.name,
			                                              .function = function,
			                                              .shared = s->type == SHT_DYNSYM };
	}
	return 0;
}

static void read_note(struct image *im, const struct vtb_elf_section *s)
{
	size_t n = 0;
	const uint8_t *note = vtb_elf_bytes(im->elf, s, &n);
	uint32_t name, size;

	if (strcmp(s->name, ".note.gnu.build-id") || !note || n < 16)
		return;
	memcpy(&name, note, 4);
	memcpy(&size, note + 4, 4);
	if (name != 4 || size > sizeof(im->build_id) || n < 16 + size)
		return;
	memcpy(im->build_id, note + 16, size);
	im->build_id_size = size;
}

static int by_symbol(const void *a, const void *b)
{
	const struct image_symbol *x = a, *y = b;

	return x->addr != y->addr ? (x->addr > y->addr) - (x->addr < y->addr)
	                          : (x->size > y->size) - (x->size < y->size);
}

static int by_section(const void *a, const void *b)
{
	const struct image_section *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int read_sections(struct image *im, bool *ret_table)
{
	struct vtb_elf_section s;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(im->elf, i, &s); i++) {
		if (s.type == SHT_SYMTAB || s.type == SHT_DYNSYM)
			r = read_symbols(im, &s);
		else if (s.type == SHT_RELA)
			r = read_relocations(im, &s);
		else if (s.type == SHT_NOTE)
			read_note(im, &s);
		*ret_table |= s.type == SHT_SYMTAB;
		if (r >= 0 && s.flags & SHF_ALLOC && s.addr && !(s.flags & SHF_TLS && s.type == SHT_NOBITS))
			r = add_section(im, &s);
	}
	return r;
}

static void read_segments(struct image *im)
{
	struct vtb_elf_segment s;
	bool interpreter = false;

	for (size_t i = 0; vtb_elf_segment(im->elf, i, &s); i++) {
		interpreter |= s.type == PT_INTERP;
		if (s.type == PT_GNU_RELRO) {
			im->relro_lo = s.addr;
			im->relro_hi = s.addr + s.memory_size;
		}
	}
	im->movable = vtb_elf_header(im->elf)->type == ET_DYN;
	if (!interpreter)
		im->doubt = "it is no dynamically linked program";
}

int image_open(struct image *im, const char *path, struct vtb_error *err)
{
	bool table = false;
	int r = vtb_elf_open(path, &im->elf, err);

	if (r < 0)
		return r;
	if (!vtb_elf_is_native(im->elf))
		return vtb_error_set(err, -ENOEXEC, path, 0, "not an ELF file for x86-64");
	im->lo = UINT64_MAX;
	read_segments(im);
	r = read_sections(im, &table);
	if (r >= 0)
		r = image_find_foreign(im);
	if (r >= 0 && im->lands)
		r = vtb_landings_add(&im->landings, path, vtb_elf_base(im->elf), UINT64_MAX);
	if (im->jumps && im->leaves_anywhere)
		im->doubt = "it uses setjmp, and signals or cancellation";
	if (im->lands && im->doubt_if_lands)
		im->doubt = im->doubt_if_lands;
	if (r < 0)
		return vtb_error_set(err, r, path, 0, "not enough memory");
	if (!table)
		im->doubt = "it has no symbol table";
	if (im->n_symbols)
		qsort(im->symbols, im->n_symbols, sizeof(*im->symbols), by_symbol);
	if (im->n_sections)
		qsort(im->sections, im->n_sections, sizeof(*im->sections), by_section);
	return 0;
}

void image_fini(struct image *im)
{
	free(im->sections);
	free(im->symbols);
	free(im->imports);
	free(im->others);
	vtb_map64_fini(&im->slots);
	vtb_map64_fini(&im->pointers);
	vtb_map64_fini(&im->foreign);
	vtb_landings_fini(&im->landings);
	vtb_elf_close(im->elf);
}

const struct image_section *image_at(const struct image *im, uint64_t addr)
{
	for (size_t i = 0; i < im->n_sections; i++)
		if (addr - im->sections[i].addr < im->sections[i].size)
			return &im->sections[i];
	return NULL;
}

const uint8_t *image_bytes(const struct image *im, uint64_t addr, size_t *ret_n)
{
	const struct image_section *s = image_at(im, addr);

	if (!s || !s->bytes)
		return NULL;
	*ret_n = (size_t)(s->addr + s->size - addr);
	return s->bytes + (addr - s->addr);
}

const char *image_slot(const struct image *im, uint64_t addr)
{
	uint64_t id;

	return vtb_map64_get(&im->slots, addr, &id) ? im->imports[id] : NULL;
}

/* An entry is a jump through a word, perhaps after endbr64 and with a prefix. */
const char *image_plt(const struct image *im, uint64_t addr)
{
	size_t n;
	const uint8_t *b = image_bytes(im, addr, &n);

	for (size_t i = 0; b && i < 6 && i + 6 <= n; i++) {
		int32_t distance;

		if (b[i] != 0xff || b[i + 1] != 0x25)
			continue;
		memcpy(&distance, b + i + 2, 4);
		return image_slot(im, addr + i + 6 + (uint64_t)(int64_t)distance);
	}
	return NULL;
}

const struct image_symbol *image_symbol(const struct image *im, uint64_t addr)
{
	size_t lo = 0, hi = im->n_symbols;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (im->symbols[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &im->symbols[lo - 1] : NULL;
}
