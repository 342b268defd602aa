/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Life of an ingest, and the modules of the process. */
#include "ingest_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"
#include "wire_view.h"

int vtb_ingest_new(struct vtb_symtab *tab, struct vtb_symbols *symbols, struct vtb_ingest **ret)
{
	struct vtb_ingest *in = calloc(1, sizeof(*in));
	int r = -ENOMEM;

	if (!in)
		return -ENOMEM;
	in->tab = tab;
	in->symbols = symbols;
	blocks_init(&in->blocks);
	for (unsigned kind = 0; kind < VTB_EVENT_KINDS; kind++)
		in->valid_kind[kind] = vtb_event_info(kind) != NULL;
	in->cache_bits = CACHE_BITS;
	in->cache = calloc(1u << CACHE_BITS, sizeof(*in->cache));
	if (in->cache)
		r = ingest_seed(in);
	if (r < 0) {
		vtb_ingest_free(in);
		return r;
	}
	in->last_site = VTB_NONE; /* of pc 0 */
	*ret = in;
	return 0;
}

int vtb_ingest_named(struct vtb_ingest *in)
{
	return ingest_seed(in);
}

void vtb_ingest_free(struct vtb_ingest *in)
{
	struct vtb_map64 *maps[15];
	size_t n = 0;

	if (!in)
		return;
	maps[n++] = &in->module_ids;
	maps[n++] = &in->breaks;
	maps[n++] = &in->sites;
	maps[n++] = &in->pcs;
	maps[n++] = &in->objects;
	maps[n++] = &in->variables;
	maps[n++] = &in->parts;
	maps[n++] = &in->types_by_stack;
	maps[n++] = &in->types_by_pcs;
	maps[n++] = &in->leaves_by_part;
	maps[n++] = &in->frame_sizes;
	maps[n++] = &in->locals;
	maps[n++] = &in->globals;
	maps[n++] = &in->threads;
	maps[n++] = &in->counts;
	while (n > 0)
		vtb_map64_fini(maps[--n]);
	blocks_fini(&in->blocks);
	tables_fini(&in->tables);
	free(in->modules);
	free(in->areas);
	free(in->types);
	free(in->systems);
	free(in->leaves);
	free(in->cache);
	free(in->slots);
	free(in->stacks);
	free(in);
}

void vtb_ingest_begin_run(struct vtb_ingest *in)
{
	blocks_clear(&in->blocks);
	in->near.bytes = 0;
	in->blocks.generation++; /* unknown memory of the run before is not that of this one */
	vtb_map64_clear(&in->counts);
	memset(in->bits, 0, (in->n_slots < FEW_SLOTS ? in->n_slots + 1 : FEW_SLOTS) * sizeof(*in->bits));
	in->n_slots = 0;
	in->n_stacks = 0;
	for (size_t i = 0; in->named && i < in->tab->n_threads; i++)
		in->tab->threads[i].name = ""; /* of a thread is told what this run calls it */
	in->named = false;
}

/* Where a module lies now; its name is older. */
static int64_t intern_module(struct vtb_ingest *in, const struct vtb_wire_module *w, const char *path,
                             uint64_t *ret_key)
{
	struct vtb_module m = { .path = path,
		                .build_id_size = w->build_id_size,
		                .late = w->late,
		                .base = w->base,
		                .lo = w->lo,
		                .hi = w->hi };
	uint64_t known;
	int64_t id;
	int r;

	memcpy(m.build_id, w->build_id, w->build_id_size);
	*ret_key = vtb_hash_seed(m.build_id, m.build_id_size, vtb_hash_text(path));
	if (vtb_map64_get(&in->module_ids, *ret_key, &known)) {
		in->tab->modules[known].base = w->base;
		in->tab->modules[known].lo = w->lo;
		in->tab->modules[known].hi = w->hi;
		return (int64_t)known;
	}
	r = vtb_symbols_expect(in->symbols, &m);
	if (r < 0)
		return r;
	id = vtb_symtab_add_module(in->tab, &m);
	if (id < 0)
		return id;
	r = vtb_map64_set(&in->module_ids, *ret_key, (uint64_t)id);
	return r < 0 ? r : id;
}

static int compare_modules(const void *x, const void *y)
{
	const struct vtb_ingest_module *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static int take_area(struct vtb_ingest *in, const struct vtb_wire_module *w, const char *name)
{
	const char *kept = vtb_symtab_string(in->tab, name);

	if (!kept || vtb_array_room(in, areas) < 0)
		return -ENOMEM;
	in->areas[in->n_areas++] = (struct vtb_ingest_module){
		.lo = w->lo, .hi = w->hi, .base = w->base, .id = VTB_NONE, .path = kept, .key = vtb_hash_text(kept)
	};
	return 0;
}

static int take_modules(struct vtb_ingest *in, const struct wire_view *view)
{
	in->n_modules = in->n_areas = 0;
	for (size_t i = 0; i < view->n_modules; i++) {
		const struct vtb_wire_module *w = &view->modules[i];
		struct vtb_ingest_module m = { .lo = w->lo, .hi = w->hi, .base = w->base };
		int64_t id;

		if (w->lo >= w->hi) /* an entry that the runtime was still filling in */
			continue;
		if (wire_string(view, w->path)[0] == '[') {
			if (take_area(in, w, wire_string(view, w->path)) < 0)
				return -ENOMEM;
			continue;
		}
		id = intern_module(in, w, wire_string(view, w->path), &m.key);
		if (id < 0)
			return (int)id;
		m.id = (uint32_t)id;
		m.path = in->tab->modules[id].path;
		if (vtb_array_room(in, modules) < 0)
			return -ENOMEM;
		in->modules[in->n_modules++] = m;
	}
	if (in->n_modules)
		qsort(in->modules, in->n_modules, sizeof(*in->modules), compare_modules);
	return 0;
}

int vtb_ingest_modules(struct vtb_ingest *in, const void *block, size_t size, struct vtb_error *err)
{
	struct wire_view view;
	int r = wire_view(block, size, "process block", &view, err);

	if (r < 0)
		return r;
	r = take_modules(in, &view);
	vtb_map64_clear(&in->breaks);
	for (size_t i = 0; r == 0 && i < view.n_breaks; i++)
		r = vtb_map64_set(&in->breaks, view.breaks[i].pc, 0);
	vtb_map64_clear(&in->pcs);
	vtb_map64_clear(&in->types_by_pcs);
	in->last_pc = 0;
	in->last_site = VTB_NONE;
	ingest_forget_addresses(in);
	return r < 0 ? vtb_error_set(err, r, NULL, 0, "cannot take over the modules") : 0;
}
