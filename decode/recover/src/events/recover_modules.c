/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maps of a recording with packets, as the modules of a process block: what vtb_ingest_modules() reads. */
#include "events_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/wire.h"

struct table {
	uint8_t *block;
	struct vtb_wire_header *header;
	struct vtb_wire_module *modules;
	size_t n;
};

static int make_table(const struct vtb_pt_recording *rec, struct table *t)
{
	const size_t all = VTB_WIRE_MODULES_MAX * sizeof(*t->modules);
	size_t strings = 1;
	struct vtb_wire_header *h;

	for (size_t i = 0; i < rec->n_maps; i++)
		strings += strlen(rec->maps[i].path) + 1;
	t->block = calloc(1, sizeof(*h) + all + strings + 8);
	if (!t->block)
		return -ENOMEM;
	t->header = h = (struct vtb_wire_header *)(void *)t->block;
	t->modules = (struct vtb_wire_module *)(void *)(t->block + sizeof(*h));
	memcpy(h->magic, VTB_WIRE_MAGIC, sizeof(h->magic));
	h->version = VTB_WIRE_VERSION;
	h->header_size = sizeof(*h);
	h->mode = VTB_MODE_RECORD;
	h->modules = (struct vtb_wire_area){ sizeof(*h), all, 0 };
	h->strings = (struct vtb_wire_area){ sizeof(*h) + all, strings, 1 };
	h->block_size = h->strings.offset + strings;
	return 0;
}

/* Lengthen the module that the map belongs to. Is it one whose beginning is known? */
static bool belongs(struct table *t, const struct vtb_pt_map *map, bool first)
{
	bool known = false;

	for (size_t k = 0; k < t->n; k++) {
		struct vtb_wire_module *m = &t->modules[k];
		const bool same = !strcmp((char *)t->block + t->header->strings.offset + m->path, map->path);

		known |= same && first;
		if (same && map->hi > m->hi && map->lo >= m->lo)
			m->hi = map->hi;
		else if (!map->path[0] && m->hi == map->lo && map->perms[1] == 'w') /* .bss */
			m->hi = map->hi;
	}
	return known;
}

static void add_module(struct table *t, const struct vtb_pt_recording *rec, const struct vtb_pt_map *map)
{
	const struct vtb_pt_build *build = vtb_pt_recording_build(rec, map->path);
	struct vtb_wire_area *strings = &t->header->strings;
	struct vtb_wire_module *m = &t->modules[t->n++];

	*m = (struct vtb_wire_module){ .lo = map->lo, .hi = map->hi, .path = (uint32_t)strings->used };
	m->base = map->lo - vtb_pt_elf_base(map->path);
	if (build) {
		m->build_id_size = (uint16_t)build->id_size;
		memcpy(m->build_id, build->id, build->id_size);
	}
	memcpy(t->block + strings->offset + strings->used, map->path, strlen(map->path) + 1);
	strings->used += strlen(map->path) + 1;
}

int recovered_modules(struct recovered *ev, struct vtb_error *err)
{
	const struct vtb_pt_recording *rec = ev->rec;
	struct table t = { 0 };
	int r = make_table(rec, &t);

	if (r < 0)
		return r;
	for (size_t i = 0; i < rec->n_maps && t.n < VTB_WIRE_MODULES_MAX; i++) {
		const struct vtb_pt_map *map = &rec->maps[i];
		const bool first = map->path[0] == '/' && map->offset == 0;

		if (!belongs(&t, map, first) && first)
			add_module(&t, rec, map);
	}
	t.header->modules.used = t.n;
	r = vtb_ingest_modules(ev->in, t.block, t.header->block_size, err);
	free(t.block);
	return r;
}
