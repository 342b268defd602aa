/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each function is read along all its ways (function.h). What an instruction touches is blind if it may be another
 * thread's, and no hook has told of those bytes since the last call of anything else.
 */
#include "vtb/blind_code.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "function.h"
#include "given.h"
#include "blind_step.h"
#include "vtb/array.h"
#include "vtb/elf_file.h"

struct reader {
	struct vtb_elf *elf;
	struct vtb_call_sites sites;
	struct blind_ranges writable;
	struct blind_function function;
	struct vtb_landings landings;
	struct given given;
	struct vtb_elf_symbol *functions; /* by name */
	size_t n_functions, cap_functions;
	bool only_writes;
	struct vtb_stop *stop;
	struct vtb_blind_place *places;
	size_t n_places, cap_places;
	uint64_t found; /* address of the instruction */
};

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
	struct vtb_elf_section s;
	struct blind_range *fixed = &f->function.values.fixed;
	const bool moves = vtb_elf_header(f->elf)->type != ET_EXEC;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &s); i++) {
		if (!moves && s.flags & SHF_ALLOC) {
			fixed->lo = fixed->lo && fixed->lo < s.addr ? fixed->lo : s.addr;
			fixed->hi = fixed->hi > s.addr + s.size ? fixed->hi : s.addr + s.size;
		}
		if (!holds_variables(&s))
			continue;
		r = vtb_array_room(&f->writable, items);
		if (r >= 0)
			f->writable.items[f->writable.n_items++] = (struct blind_range){ s.addr, s.addr + s.size };
	}
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

static void judge(struct reader *f, const struct blind_insn *in, const struct vtb_ops_access *a)
{
	const uint8_t mode = f->only_writes ? a->mode & OPS_WRITES : a->mode;
	struct blind_value at;

	if (!mode || !blind_address(&f->function, &in->ops, a, &at) || blind_own(&f->function.values, at) ||
	    blind_is_told(&f->function.now, at, a->size ? a->size : 1, mode) ||
	    given_touch(&f->given, &f->function, in, at) || f->found)
		return;
	f->found = in->addr;
}

static int see(void *arg, const struct blind_insn *in)
{
	struct reader *f = arg;

	for (uint32_t i = 0; i < in->ops.n_access; i++)
		judge(f, in, &in->ops.access[i]);
	return given_see(&f->given, &f->function, in);
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

#define PIECES 4u
#define COLD ".cold"

static bool is_cold(const char *name)
{
	const char *cold = strstr(name, COLD);

	return cold && cold != name && (!cold[strlen(COLD)] || cold[strlen(COLD)] == '.');
}

/* The first function of that name, or where it would be. */
static size_t find_function(const struct reader *f, const char *name, size_t n)
{
	size_t low = 0, high = f->n_functions;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(f->functions[middle].name, name, n) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* f.cold belongs to f, if that is here. */
static bool is_piece(const struct reader *f, const struct vtb_elf_symbol *s)
{
	const size_t n = is_cold(s->name) ? (size_t)(strstr(s->name, COLD) - s->name) : 0;
	const size_t at = n ? find_function(f, s->name, n) : f->n_functions;

	return at < f->n_functions && !strncmp(f->functions[at].name, s->name, n) && !f->functions[at].name[n];
}

static size_t find_pieces(const struct reader *f, const struct vtb_elf_symbol *s, struct blind_piece *ret)
{
	const size_t n = strlen(s->name);
	size_t n_pieces = 0;

	for (size_t i = find_function(f, s->name, n); i < f->n_functions && n_pieces < PIECES; i++) {
		const struct vtb_elf_symbol *o = &f->functions[i];
		const uint8_t *code;
		size_t at = n_pieces;

		if (strncmp(o->name, s->name, n))
			break;
		if (o->addr != s->addr && (strncmp(o->name + n, COLD, strlen(COLD)) || !is_cold(o->name)))
			continue;
		code = code_at(f, o->addr, o->size);
		if (!code)
			continue;
		for (; at && ret[at - 1].addr > o->addr; at--)
			ret[at] = ret[at - 1];
		ret[at] = (struct blind_piece){ code, o->size, o->addr };
		n_pieces++;
	}
	return n_pieces;
}

/* In what is sorted by name; the same function may be named twice for different reasons. */
static int name(void *arg, size_t function, uint64_t addr)
{
	struct reader *f = arg;
	int r = vtb_array_room(f, places);

	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].entry == f->functions[function].addr &&
		    !strcmp(f->places[i].function, f->functions[function].name))
			return r;
	if (r < 0 || !(f->places[f->n_places].function = strdup(f->functions[function].name)))
		return -ENOMEM;
	f->places[f->n_places].entry = f->functions[function].addr;
	f->places[f->n_places++].addr = addr;
	return 0;
}

static int look_at(struct reader *f, size_t function)
{
	const struct vtb_elf_symbol *s = &f->functions[function];
	struct blind_piece pieces[PIECES];
	const size_t n = is_start_code(s->name) || is_piece(f, s) ? 0 : find_pieces(f, s, pieces);
	int r;

	if (!n)
		return 0;
	f->found = 0;
	given_begin(&f->given, s->addr, function);
	r = blind_function_read(&f->function, pieces, n, s->addr);
	if (r == 0)
		r = blind_function_walk(&f->function, see, f);
	if (r < 0)
		return r;
	if (r > 0) /* what is not understood may do anything */
		return name(f, function, s->addr);
	r = given_end(&f->given);
	if (r < 0 || (!r && !f->found))
		return r;
	return name(f, function, f->found ? f->found : f->given.writes);
}

static int symbol_by_name(const void *a, const void *b)
{
	const struct vtb_elf_symbol *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static int find_functions(struct reader *f)
{
	struct vtb_elf_section section;
	struct vtb_elf_symbol symbol;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->elf, i, &section); i++)
		for (size_t k = 0; r >= 0 && section.type == SHT_SYMTAB && vtb_elf_symbol(f->elf, &section, k, &symbol);
		     k++) {
			if (symbol.type != STT_FUNC || !symbol.defined || !symbol.size)
				continue;
			r = vtb_array_room(f, functions);
			if (r >= 0)
				f->functions[f->n_functions++] = symbol;
		}
	if (f->n_functions)
		qsort(f->functions, f->n_functions, sizeof(*f->functions), symbol_by_name);
	return r;
}

static int look_at_all(struct reader *f)
{
	int r = find_functions(f);

	if (r >= 0 && !f->n_functions) {
		r = vtb_array_room(f, places);
		if (r >= 0 && (f->places[0].function = strdup("")))
			f->n_places = 1;
		return r;
	}
	for (size_t i = 0; r >= 0 && i < f->n_functions; i++)
		r = f->stop && vtb_stop_due(f->stop) ? -ETIME : look_at(f, i);
	return r < 0 ? r : given_judge(&f->given, name, f);
}

static int by_name(const void *a, const void *b)
{
	const struct vtb_blind_place *x = a, *y = b;
	const int order = strcmp(x->function, y->function);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static int read_file(struct reader *f, const char *path, struct vtb_error *err)
{
	int r = vtb_elf_open(path, &f->elf, err);

	f->function.sites = &f->sites;
	f->function.stop = f->stop;
	f->function.values.writable = &f->writable;
	f->function.landings = &f->landings;
	if (r >= 0)
		r = vtb_disasm_new(&f->function.disasm);
	if (r >= 0)
		r = vtb_landings_add(&f->landings, path, vtb_elf_base(f->elf), UINT64_MAX);
	if (r >= 0)
		r = find_writable(f);
	if (r >= 0)
		r = given_file(&f->given, f->elf);
	if (r >= 0)
		r = look_at_all(f);
	vtb_elf_close(f->elf);
	return r;
}

void vtb_blind_places_free(struct vtb_blind_place *places)
{
	for (size_t i = 0; places && places[i].function; i++)
		free(places[i].function);
	free(places);
}

int vtb_blind_code_find(const char *path, bool only_writes, struct vtb_stop *stop, struct vtb_blind_place **ret,
                        struct vtb_error *err)
{
	struct reader f = { .only_writes = only_writes, .stop = stop };
	int r = vtb_call_sites_find_until(path, stop, &f.sites, err);

	r = r == -ECANCELED ? -ETIME : r;
	if (r >= 0 && f.sites.n_sites)
		r = read_file(&f, path, err);
	if (vtb_array_room(&f, places) < 0)
		r = -ENOMEM;
	else
		f.places[f.n_places] = (struct vtb_blind_place){ 0 };
	if (r >= 0 && f.n_places)
		qsort(f.places, f.n_places, sizeof(*f.places), by_name);
	if (r >= 0)
		*ret = f.places;
	else
		vtb_blind_places_free(f.places);
	vtb_call_sites_fini(&f.sites);
	blind_function_fini(&f.function);
	vtb_landings_fini(&f.landings);
	given_fini(&f.given);
	free(f.functions);
	free(f.writable.items);
	return r < 0 ? r : 0;
}
