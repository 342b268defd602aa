/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of a wide access belongs to one named variable. */
#include "ingest_private.h"

/* Bytes from `addr` to the end of the leaf that begins at `start`; 0: nothing is known of it. */
static uint64_t rest_of(const struct vtb_leaf *leaf, uint64_t start, uint64_t addr)
{
	return *leaf->type && leaf->size && addr - start < leaf->size ? start + leaf->size - addr : 0;
}

static uint64_t module_rest(struct vtb_ingest *in, const struct vtb_ingest_module *m, uint64_t addr)
{
	struct vtb_leaf leaf;

	if (!vtb_symbols_global(in->symbols, m->path, addr - m->base, 1, &leaf))
		return 0;
	return rest_of(&leaf, leaf.object_addr + leaf.offset, addr - m->base);
}

static uint64_t frame_rest(struct vtb_ingest *in, const struct block *b, uint64_t addr)
{
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, b->pc);
	struct vtb_leaf leaf;

	if (!m || !b->cfa || !vtb_symbols_local(in->symbols, m->path, b->pc - m->base, b->sp, addr, 1, &leaf))
		return 0;
	return rest_of(&leaf, leaf.object_addr + leaf.offset, addr);
}

uint64_t vtb_ingest_part(struct vtb_ingest *in, uint64_t addr, uint64_t size)
{
	const struct block *b = blocks_at(&in->blocks, addr);
	const struct vtb_ingest_module *m = b ? NULL : vtb_ingest_module_at(in, addr);
	const uint64_t rest = b && b->kind == BLOCK_HEAP ? ingest_heap_rest(in, b, addr)
	                      : b                        ? frame_rest(in, b, addr)
	                      : m                        ? module_rest(in, m, addr)
	                                                 : 0;

	return rest && rest < size ? rest : size;
}
