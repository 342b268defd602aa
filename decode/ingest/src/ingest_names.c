/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ids: equal names get equal ids, in every run. */
#include "ingest_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/disasm.h"
#include "vtb/hash.h"
#include "vtb/user_sources.h"

#define NO_MODULE 0xffffu

const struct vtb_ingest_module *vtb_ingest_module_at(const struct vtb_ingest *in, uint64_t addr)
{
	size_t lo = 0, hi = in->n_modules;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (in->modules[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && addr < in->modules[lo - 1].hi ? &in->modules[lo - 1] : NULL;
}

/* Is the pc an instruction itself rather than a return address? */
static bool is_exact_pc(const struct vtb_ingest *in, uint64_t pc)
{
	uint64_t ignored;

	return vtb_map64_get(&in->breaks, pc, &ignored);
}

int vtb_ingest_exact_pc(struct vtb_ingest *in, uint64_t pc)
{
	return is_exact_pc(in, pc) ? 0 : vtb_map64_set(&in->breaks, pc, 1);
}

static void fill_instruction(struct vtb_ingest *in, const struct vtb_ingest_module *m, struct vtb_site *site,
                             struct vtb_instruction *insn)
{
	struct vtb_disasm *d = NULL;
	uint8_t code[16];
	const size_t n = vtb_symbols_bytes(in->symbols, m->path, site->offset, code, sizeof(code));

	if (n && vtb_disasm_new(&d) == 0 && vtb_disasm_one(d, code, n, site->offset, insn) > 0)
		site->instruction = insn->text;
	vtb_disasm_free(d);
}

static void fill_place(struct vtb_ingest *in, const char *path, const struct vtb_place *place, struct vtb_site *site)
{
	site->function = place->function;
	site->file = place->file;
	site->line = place->line;
	site->function_line = place->function_line;
	site->text = vtb_symbols_source(in->symbols, path, place->file, place->line);
	site->text_hash = vtb_hash_text(site->text);
}

static int64_t add_site(struct vtb_ingest *in, const struct vtb_ingest_module *m, bool exact, uint64_t offset)
{
	struct vtb_site site = { .module = m ? m->id : VTB_NONE, .offset = offset };
	struct vtb_instruction insn;
	struct vtb_place place;

	if (m) {
		vtb_symbols_place(in->symbols, m->path, exact ? offset : offset - 1, &place);
		fill_place(in, m->path, &place, &site);
	}
	if (m && exact) /* a return address would show the call of a hook */
		fill_instruction(in, m, &site, &insn);
	return vtb_symtab_add_site(in->tab, &site);
}

#define RETURNS (UINT64_C(1) << 47) /* of a key: where a call returns to, and an instruction is watched, too */

static uint64_t site_key(uint32_t module, uint64_t offset)
{
	return (uint64_t)module << 48 | (offset & (RETURNS - 1));
}

int64_t ingest_return_site(struct vtb_ingest *in, uint64_t pc)
{
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, pc);
	uint64_t of_break, known;
	int64_t id;
	int r;

	if (!m || !vtb_map64_get(&in->breaks, pc, &of_break) || of_break)
		return ingest_site(in, pc);
	if (vtb_map64_get(&in->sites, site_key(m->id, pc - m->base) | RETURNS, &known))
		return (int64_t)known;
	id = add_site(in, m, false, pc - m->base);
	r = id < 0 ? (int)id : vtb_map64_set(&in->sites, site_key(m->id, pc - m->base) | RETURNS, (uint64_t)id);
	return r < 0 ? r : id;
}

int64_t ingest_site_slow(struct vtb_ingest *in, uint64_t pc)
{
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, pc);
	const uint64_t offset = m ? pc - m->base : pc;
	const uint64_t key = site_key(m ? m->id : NO_MODULE, offset);
	uint64_t known;
	int64_t id = VTB_NONE;
	int r;

	if (!pc)
		return VTB_NONE;
	if (m && vtb_map64_get(&in->sites, key, &known)) {
		id = (int64_t)known;
	} else if (m) {
		id = add_site(in, m, is_exact_pc(in, pc), offset);
		if (id < 0)
			return id;
		r = vtb_map64_set(&in->sites, key, (uint64_t)id);
		if (r < 0)
			return r;
	}
	r = vtb_map64_set(&in->pcs, pc, (uint64_t)id);
	return r < 0 ? r : id;
}

int64_t ingest_object(struct vtb_ingest *in, const struct vtb_object *x)
{
	uint64_t known;
	int64_t id;
	int r;

	if (vtb_map64_get(&in->objects, x->key, &known))
		return (int64_t)known;
	id = vtb_symtab_add_object(in->tab, x);
	if (id < 0)
		return id;
	r = vtb_map64_set(&in->objects, x->key, (uint64_t)id);
	return r < 0 ? r : id;
}

static uint64_t variable_key(uint32_t object, uint64_t offset, uint32_t size)
{
	return mix(mix(object + 1ull, offset), size);
}

int64_t ingest_variable(struct vtb_ingest *in, uint32_t object, uint64_t offset, uint32_t size, const char *name,
                        const char *type)
{
	const struct vtb_variable x = { .object = object, .offset = offset, .size = size, .name = name, .type = type };
	const uint64_t key = variable_key(object, offset, size);
	uint64_t known;
	int64_t id;
	int r;

	if (vtb_map64_get(&in->variables, key, &known))
		return (int64_t)known;
	id = vtb_symtab_add_variable(in->tab, &x);
	if (id < 0)
		return id;
	r = vtb_map64_set(&in->variables, key, (uint64_t)id);
	return r < 0 ? r : id;
}

int64_t ingest_whole(struct vtb_ingest *in, const struct vtb_object *x)
{
	const int64_t object = ingest_object(in, x);

	return object < 0 ? object : ingest_variable(in, (uint32_t)object, 0, (uint32_t)x->size, x->name, x->type);
}

int64_t ingest_env(struct vtb_ingest *in, const char *name)
{
	const struct vtb_object x = {
		.kind = VTB_OBJ_ENV,
		.name = name,
		.key = mix(vtb_hash_text(name), VTB_OBJ_ENV),
		.thread = VTB_NONE,
		.site = VTB_NONE,
		.stack = { VTB_NONE },
	};

	return ingest_whole(in, &x);
}

static int64_t new_handle(struct vtb_ingest *in, uint32_t thread)
{
	struct vtb_object x = { .kind = VTB_OBJ_THREAD, .thread = thread, .site = VTB_NONE, .stack = { VTB_NONE } };
	const char *path = vtb_thread_path(in->tab, thread);
	int64_t id;
	int r;

	x.key = mix(vtb_hash_text(path), VTB_OBJ_THREAD);
	x.name = vtb_symtab_printf(in->tab, "thread %s", path);
	if (!x.name)
		return -ENOMEM;
	id = ingest_whole(in, &x);
	if (id < 0)
		return id;
	r = vtb_map64_set(&in->threads, thread, (uint64_t)id);
	return r < 0 ? r : id;
}

int64_t ingest_thread_handle(struct vtb_ingest *in, uint32_t thread)
{
	uint64_t known;

	return vtb_map64_get(&in->threads, thread, &known) ? (int64_t)known : new_handle(in, thread);
}

static uint64_t module_key(const struct vtb_module *m)
{
	return vtb_hash_seed(m->build_id, m->build_id_size, vtb_hash_text(m->path));
}

/* Of two sites at one place that which shows an instruction is of accesses. */
static int seed_site(struct vtb_ingest *in, const struct vtb_site *site, uint64_t id)
{
	const uint64_t key = site_key(site->module, site->offset);
	const bool exact = site->instruction && *site->instruction;
	uint64_t other;
	int r = 0;

	if (site->module == VTB_NONE)
		return 0;
	if (!vtb_map64_get(&in->sites, key, &other))
		return vtb_map64_set(&in->sites, key, id);
	if (exact)
		r = vtb_map64_set(&in->sites, key, id);
	return r < 0 ? r : vtb_map64_set(&in->sites, key | RETURNS, exact ? other : id);
}

int ingest_seed(struct vtb_ingest *in)
{
	const struct vtb_symtab *tab = in->tab;
	int r = 0;

	for (size_t i = 0; r == 0 && i < tab->n_modules; i++)
		r = vtb_map64_set(&in->module_ids, module_key(&tab->modules[i]), i);
	for (size_t i = 0; r == 0 && i < tab->n_sites; i++)
		r = seed_site(in, &tab->sites[i], i);
	for (size_t i = 0; r == 0 && i < tab->n_objects; i++)
		r = vtb_map64_set(&in->objects, tab->objects[i].key, i);
	for (size_t i = 0; r == 0 && i < tab->n_variables; i++) {
		const struct vtb_variable *v = &tab->variables[i];

		r = vtb_map64_set(&in->variables, variable_key(v->object, v->offset, v->size), i);
	}
	return r;
}

/* ---- whose line it is */

#define LINKS_MAX 32u /* functions inlined into each other at one place */

/* The innermost function that is the user's, of those into which the place was inlined; where it is at that. */
static int find_user(struct vtb_ingest *in, uint32_t id)
{
	const struct vtb_site *site = &in->tab->sites[id];
	const char *path = site->module < in->tab->n_modules ? in->tab->modules[site->module].path : NULL;
	const bool exact = site->instruction[0];
	struct vtb_site user = { .module = site->module, .offset = site->offset };
	struct vtb_place links[LINKS_MAX];
	size_t n, i = 0;
	int64_t r;

	if (!path)
		return 0;
	n = vtb_symbols_chain(in->symbols, path, exact ? site->offset : site->offset - 1, links, LINKS_MAX);
	while (i < n && !vtb_source_is_users(NULL, path, &links[i]))
		i++;
	if (!i || i == n)
		return 0;
	fill_place(in, path, &links[i], &user);
	r = vtb_symtab_add_site(in->tab, &user);
	if (r < 0)
		return (int)r;
	in->tab->sites[id].user = (uint32_t)r + 1;
	return 0;
}

int vtb_ingest_users(struct vtb_ingest *in)
{
	const size_t n = in->tab->n_sites;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = find_user(in, (uint32_t)i);
	return r == -VTB_E_LIMIT ? 0 : r;
}
