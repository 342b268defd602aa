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

#include "alone.h"
#include "file_functions.h"
#include "given.h"
#include "blind_site.h"
#include "blind_step.h"
#include "vtb/array.h"
#include "vtb/elf_file.h"

struct reader {
	struct vtb_call_sites sites;
	struct blind_ranges writable;
	struct blind_function function;
	struct vtb_landings landings;
	struct given given;
	struct file_functions functions;
	bool only_writes;
	struct vtb_stop *stop;
	struct vtb_blind_place *places;
	size_t n_places, cap_places;
	struct blind_sites sites_found;
	struct blind_sites sites_given; /* of this function, in the place that it was given */
	struct blind_sites
	    sites_filled;          /* likewise of those that give it back: they may but fill it for their caller */
	bool filled_in_sites;      /* all of these are there */
	bool shared;               /* some caller's place is not its own */
	uint64_t found;            /* address of the instruction */
	bool in_sites;             /* all that were found in this function are among the sites, so far */
	struct alones unexplained; /* those of this function of which no hook can have told */
	uint32_t moves;            /* of inline assembler, for all that is known (alone.h) */
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
	const bool moves = vtb_elf_header(f->functions.elf)->type != ET_EXEC;
	int r = 0;

	for (size_t i = 0; r >= 0 && vtb_elf_section(f->functions.elf, i, &s); i++) {
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

/* ---- one function */

/* Where a site of this access goes; NULL: it is not blind. */
static struct blind_sites *judge(struct reader *f, const struct blind_insn *in, const struct vtb_ops_access *a)
{
	const uint8_t mode = f->only_writes ? a->mode & OPS_WRITES : a->mode;
	const uint8_t size = a->size ? a->size : 1;
	struct blind_value at;
	bool given;

	if (!mode || !blind_address(&f->function, &in->ops, a, &at) || blind_own(&f->function.values, at) ||
	    blind_is_told(&f->function.now, at, size, mode))
		return NULL;
	given = given_touch(&f->given, &f->function, in, at);
	if (!blind_is_explained(&f->function.now, size, mode) &&
	    alone_add(&f->unexplained, &f->function, in, at, given) < 0)
		f->function.values.failed = true;
	if (given)
		return &f->sites_given;
	f->found = f->found ? f->found : in->addr;
	return &f->sites_found;
}

static int add_site(struct reader *f, struct blind_sites *to, const struct blind_insn *in)
{
	uint64_t size = 0;
	const uint8_t *code = file_code_from(&f->functions, in->addr, &size);
	const int r = blind_sites_add(to, f->function.disasm, code, size, in->addr);

	f->in_sites &= r != 0;
	return r;
}

static int see(void *arg, const struct blind_insn *in)
{
	struct reader *f = arg;
	struct blind_sites *to = NULL;
	int r = 0;

	for (uint32_t i = 0; i < in->ops.n_access; i++) {
		struct blind_sites *sites = judge(f, in, &in->ops.access[i]);

		to = sites ? sites : to;
	}
	if (to)
		r = add_site(f, to, in);
	if (r >= 0)
		r = alone_see(&f->unexplained, &f->function, in);
	return r < 0 ? r : given_see(&f->given, &f->function, in);
}

static bool is_lent(struct reader *f, const struct blind_insn *in, const struct vtb_ops_access *a)
{
	struct blind_value at;

	return a->mode && blind_address(&f->function, &in->ops, a, &at) && blind_own(&f->function.values, at) &&
	       !blind_is_told(&f->function.now, at, a->size ? a->size : 1, a->mode) &&
	       blind_is_lent(&f->function, at, a->size ? a->size : 1);
}

/* Once more through a function with blind accesses: to its own places they count, too, if hooks tell of these
 * elsewhere. */
static int see_lent(void *arg, const struct blind_insn *in)
{
	struct reader *f = arg;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < in->ops.n_access; i++)
		if (is_lent(f, in, &in->ops.access[i]))
			r = add_site(f, &f->sites_found, in);
	return r < 0 ? r : 0;
}

/* In what is sorted by name; the same function may be named twice for different reasons. */
static int name(struct reader *f, size_t function, uint64_t addr, bool in_sites)
{
	const struct vtb_elf_symbol *s = &f->functions.items[function];
	char *copy;
	int r;

	for (size_t i = 0; i < f->n_places; i++)
		if (f->places[i].entry == s->addr && !strcmp(f->places[i].function, s->name)) {
			f->places[i].in_sites &= in_sites;
			return 0;
		}
	r = vtb_array_room(f, places);
	copy = r < 0 ? NULL : strdup(s->name);
	if (!copy)
		return -ENOMEM;
	f->places[f->n_places++] = (struct vtb_blind_place){ copy, s->addr, addr, in_sites };
	return 0;
}

static int name_given(void *arg, size_t function, uint64_t addr)
{
	struct reader *f = arg;

	f->shared = true;
	return name(f, function, addr, f->filled_in_sites);
}

#define SHORT 64u /* instructions */

/* Code that has no hooks, and goes round, may compute. */
static bool goes_once(const struct blind_function *f)
{
	for (size_t i = 0; i < f->n_insns; i++) {
		const struct blind_insn *in = &f->insns[i];

		if (in->hidden || ((in->flow == BLIND_BRANCH || in->flow == BLIND_JUMP) && in->target != SIZE_MAX &&
		                   f->blocks[in->target].first <= i))
			return false;
	}
	return f->n_insns <= SHORT;
}

static bool has_hooks(const struct blind_function *f)
{
	for (size_t i = 0; i < f->n_insns; i++)
		if (f->insns[i].tell)
			return true;
	return false;
}

/* Is the function that was read one that the compiler of hooks has had, or one that costs little? `first`: its first
 * site. In a file without atomic instructions it takes accesses of which no hook can have told, and code among that of
 * a compiler of hooks. */
static bool may_have_hooks(const struct reader *f, const struct vtb_elf_symbol *s, size_t first)
{
	if (blind_sites_atomic(&f->sites_found, first) || blind_sites_atomic(&f->sites_given, 0))
		return true;
	if (has_hooks(&f->function))
		return f->sites.atomics || f->unexplained.n_items;
	return goes_once(&f->function) &&
	       (f->sites.atomics || file_functions_among_hooks(&f->functions, s->addr, &f->sites));
}

static int look_at(struct reader *f, size_t function)
{
	const struct vtb_elf_symbol *s = &f->functions.items[function];
	const size_t first = f->sites_found.n_items;
	struct blind_piece pieces[FILE_PIECES];
	const size_t n = file_functions_pieces(&f->functions, s, pieces);
	bool hooked;
	int r;

	if (!n)
		return 0;
	f->found = 0;
	f->in_sites = true;
	f->unexplained.n_items = f->unexplained.n_uses = 0;
	f->sites_given.n_items = 0;
	given_begin(&f->given, s->addr, function);
	r = blind_function_read(&f->function, pieces, n, s->addr);
	if (r == 0)
		r = blind_function_walk(&f->function, see, f);
	if (r < 0)
		return r;
	hooked = r == 0 && may_have_hooks(f, s, first);
	f->moves |= hooked ? alone_moves(&f->unexplained, f->given.keeps || !has_hooks(&f->function)) : 0;
	if (!hooked) {
		f->sites_found.n_items = first;
		f->sites_given.n_items = 0;
		f->in_sites = false;
	}
	if (r > 0) /* what is not understood may do anything */
		return name(f, function, s->addr, false);
	r = given_end(&f->given);
	if (r == 0 && f->given.writes) {
		r = blind_sites_append(&f->sites_filled, &f->sites_given);
		f->filled_in_sites &= f->in_sites;
	} else if (r > 0) {
		r = blind_sites_append(&f->sites_found, &f->sites_given);
		f->found = f->found ? f->found : f->given.writes;
	}
	if (r < 0 || !f->found)
		return r;
	if (r >= 0 && f->function.n_lent && f->in_sites)
		r = blind_function_walk(&f->function, see_lent, f);
	return r < 0 ? r : name(f, function, f->found, f->in_sites);
}

static int look_at_all(struct reader *f)
{
	int r = file_functions_find(&f->functions);

	if (r >= 0 && !f->functions.n_items) {
		r = vtb_array_room(f, places);
		if (r >= 0) {
			f->places[0] = (struct vtb_blind_place){ .function = strdup("") };
			f->n_places = f->places[0].function != NULL;
		}
		return r;
	}
	for (size_t i = 0; r >= 0 && i < f->functions.n_items; i++)
		r = f->stop && vtb_stop_due(f->stop) ? -ETIME : look_at(f, i);
	if (r >= 0)
		r = given_judge(&f->given, name_given, f);
	return r >= 0 && f->shared ? blind_sites_append(&f->sites_found, &f->sites_filled) : r;
}

static int by_name(const void *a, const void *b)
{
	const struct vtb_blind_place *x = a, *y = b;
	const int order = strcmp(x->function, y->function);

	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static int read_file(struct reader *f, const char *path, struct vtb_error *err)
{
	int r = vtb_elf_open(path, &f->functions.elf, err);

	f->function.sites = &f->sites;
	f->function.stop = f->stop;
	f->function.values.writable = &f->writable;
	f->function.landings = &f->landings;
	if (r >= 0)
		r = vtb_disasm_new(&f->function.disasm);
	if (r >= 0)
		r = vtb_landings_add(&f->landings, path, vtb_elf_base(f->functions.elf), UINT64_MAX);
	if (r >= 0)
		r = find_writable(f);
	if (r >= 0)
		r = given_file(&f->given, f->functions.elf);
	if (r >= 0)
		r = look_at_all(f);
	vtb_elf_close(f->functions.elf);
	return r;
}

void vtb_blind_code_fini(struct vtb_blind_code *code)
{
	for (size_t i = 0; code->places && code->places[i].function; i++)
		free(code->places[i].function);
	free(code->places);
	free(code->sites);
	*code = (struct vtb_blind_code){ 0 };
}

static void finish(struct reader *f)
{
	if (!f->sites.atomics && !alone_meet(f->moves)) /* what compilers leave out is not worth its costs by itself */
		f->sites_found.n_items = 0;
	f->places[f->n_places] = (struct vtb_blind_place){ 0 };
	if (f->n_places)
		qsort(f->places, f->n_places, sizeof(*f->places), by_name);
	blind_sites_settle(&f->sites_found);
	for (size_t i = 0; i < f->n_places; i++)
		f->places[i].in_sites &= f->sites_found.n_items > 0;
}

#define CALLS_MOST 32768u /* of hooks: to look through more would take a second and longer */

bool vtb_blind_code_gets_hooks(const struct vtb_call_sites *sites)
{
	return sites->atomics || sites->n_tells <= CALLS_MOST;
}

int vtb_blind_code_find(const char *path, bool only_writes, struct vtb_stop *stop, struct vtb_blind_code *ret,
                        struct vtb_error *err)
{
	struct reader f = { .only_writes = only_writes, .stop = stop, .filled_in_sites = true };
	int r = vtb_call_sites_find_until(path, stop, &f.sites, err);

	r = r == -ECANCELED ? -ETIME : r;
	if (r >= 0 && f.sites.n_sites)
		r = read_file(&f, path, err);
	if (vtb_array_room(&f, places) < 0)
		r = -ENOMEM;
	else
		finish(&f);
	*ret = (struct vtb_blind_code){ f.places, f.sites_found.items, f.sites_found.n_items };
	if (r < 0)
		vtb_blind_code_fini(ret);
	vtb_call_sites_fini(&f.sites);
	blind_function_fini(&f.function);
	vtb_landings_fini(&f.landings);
	given_fini(&f.given);
	alone_fini(&f.unexplained);
	free(f.sites_given.items);
	free(f.sites_filled.items);
	file_functions_fini(&f.functions);
	free(f.writable.items);
	return r < 0 ? r : 0;
}
