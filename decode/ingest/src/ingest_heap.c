/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Heap blocks and stack frames: names that are equal wherever the memory lies. */
#include "ingest_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/hash.h"

/* How often that happened in this run before now. */
static int64_t count_up(struct vtb_ingest *in, uint64_t key)
{
	uint64_t *n = vtb_map64_put(&in->counts, key, 0);

	return n ? (int64_t)(*n)++ : -ENOMEM;
}

/* Who called main or a thread's function is the runtime: it tells no block from another, and is no line of the user's.
 */
static size_t users_frames(const struct vtb_ingest *in, const uint32_t *sites, size_t n)
{
	while (n > 1 && ingest_is_system(in, sites[n - 1]))
		n--;
	return n;
}

static int64_t add_type(struct vtb_ingest *in, const uint64_t *pcs, const uint32_t *sites, size_t n)
{
	struct alloc_type type = { .site = n ? sites[0] : VTB_NONE, .place = "", .module = "", .type_name = "" };
	const size_t told = users_frames(in, sites, n);

	for (size_t i = 0; i < STACK_SITES; i++)
		type.stack[i] = i < told ? sites[i] : VTB_NONE;
	type.key = ingest_stack_key(in, sites, n);
	ingest_guess_type(in, &type, pcs, sites, n);
	if (!type.place || vtb_array_room(in, types) < 0)
		return -ENOMEM;
	in->types[in->n_types] = type;
	return (int64_t)in->n_types++;
}

static int64_t type_of_stack(struct vtb_ingest *in, const uint64_t *pcs, size_t n_pcs)
{
	uint32_t sites[VTB_REC_EXTRA_MAX];
	const int64_t told = ingest_telling_sites(in, pcs, n_pcs, sites);
	const size_t n = told < 0 ? 0 : (size_t)told;
	uint64_t key = n, known;
	int64_t index;
	int r;

	if (told < 0)
		return told;
	for (size_t i = 0; i < n; i++)
		key = mix(key, sites[i]);
	if (vtb_map64_get(&in->types_by_stack, key, &known))
		return (int64_t)known;
	index = add_type(in, pcs, sites, n);
	if (index < 0)
		return index;
	r = vtb_map64_set(&in->types_by_stack, key, (uint64_t)index);
	return r < 0 ? r : index;
}

/* The allocation type of a stack of pcs, or of one pc if the record has no stack. */
static int64_t alloc_type(struct vtb_ingest *in, const struct vtb_raw_record *rec)
{
	const uint64_t *pcs = rec->n_stack ? rec->stack : &rec->pc;
	const size_t n = rec->n_stack ? rec->n_stack : 1;
	uint64_t key = n, known;

	for (size_t i = 0; i < n; i++)
		key = mix(key, pcs[i]);
	if (!vtb_map64_get(&in->types_by_pcs, key, &known)) {
		const int64_t index = type_of_stack(in, pcs, n);

		if (index < 0 || vtb_map64_set(&in->types_by_pcs, key, (uint64_t)index) < 0)
			return index < 0 ? index : -ENOMEM;
		known = (uint64_t)index;
	}
	return (int64_t)known;
}

int ingest_alloc(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec)
{
	const int64_t type = alloc_type(in, rec);
	const uint64_t size = rec->arg ? rec->arg : 1;
	struct block b = { .kind = BLOCK_HEAP, .thread = thread, .object = VTB_NONE };
	int64_t n;

	if (type < 0 || !rec->addr)
		return type < 0 ? (int)type : 0;
	n = count_up(in, mix(in->types[type].key, thread)); /* two types may differ in system frames only */
	if (n < 0)
		return (int)n;
	b.lo = rec->addr;
	b.hi = rec->addr + (size < 1ull << 47 ? size : 1);
	b.type = (uint32_t)type;
	b.count = (uint32_t)n;
	in->near.bytes = 0;
	n = blocks_add(&in->blocks, &b);
	return n < 0 ? (int)n : 0;
}

/* " (thread 0.1, 2nd)": nothing for main's first. The name must not depend on what else happens in the run. */
static void which_one(const struct vtb_ingest *in, uint32_t thread, uint32_t count, const char *noun, char *buf,
                      size_t size)
{
	static const char *const suffix[] = { "th", "st", "nd", "rd" };
	const uint64_t n = (uint64_t)count + 1;
	const char *path = vtb_thread_path(in->tab, thread);
	const bool main_thread = strcmp(path, "0") == 0;
	const size_t ending = n % 100 / 10 != 1 && n % 10 < 4 ? n % 10 : 0;
	char nth[48] = "";

	if (count)
		snprintf(nth, sizeof(nth), "%" PRIu64 "%s%s", n, suffix[ending], noun);
	if (main_thread && !count)
		buf[0] = '\0';
	else if (main_thread)
		snprintf(buf, size, " (%s)", nth);
	else
		snprintf(buf, size, " (thread %s%s%s)", path, count ? ", " : "", nth);
}

static int64_t add_heap_object(struct vtb_ingest *in, const struct block *b, uint64_t key)
{
	const struct alloc_type *type = &in->types[b->type];
	struct vtb_object x = { .kind = VTB_OBJ_HEAP,
		                .type = ingest_block_type(in, type, b->hi - b->lo),
		                .size = b->hi - b->lo,
		                .key = key,
		                .thread = b->thread,
		                .site = type->site,
		                .loop = b->count };
	char which[512];

	memcpy(x.stack, type->stack, sizeof(x.stack));
	which_one(in, b->thread, b->count, "", which, sizeof(which));
	x.name = vtb_symtab_printf(in->tab, "%s%s", type->place, which);
	return x.name && x.type ? ingest_object(in, &x) : -ENOMEM;
}

/* Blocks are allocated again in every run: their names are made once. */
static int64_t heap_object(struct vtb_ingest *in, struct block *b)
{
	uint64_t key, known;
	int64_t id;

	if (b->object != VTB_NONE)
		return b->object;
	key = mix(mix(mix(in->types[b->type].key, vtb_hash_text(vtb_thread_path(in->tab, b->thread))), b->count),
	          VTB_OBJ_HEAP);
	id = vtb_map64_get(&in->objects, key, &known) ? (int64_t)known : add_heap_object(in, b, key);
	if (id >= 0)
		b->object = (uint32_t)id;
	return id;
}

static int64_t heap_leaf(struct vtb_ingest *in, const struct block *b, uint64_t addr, unsigned class, uint32_t size)
{
	const uint64_t block_size = b->hi - b->lo, offset = addr - b->lo;
	const uint64_t key =
	    mix(mix(mix(b->type + 1ull, block_size), offset), class == CLASS_OTHER ? 8ull + size : class);
	struct heap_leaf leaf;
	uint64_t known;
	int r;

	if (vtb_map64_get(&in->leaves_by_part, key, &known))
		return (int64_t)known;
	r = ingest_block_leaf(in, &in->types[b->type], block_size, offset, class == CLASS_SYNC ? 0 : size, &leaf);
	if (r == 0)
		r = vtb_array_room(in, leaves);
	if (r == 0)
		r = vtb_map64_set(&in->leaves_by_part, key, in->n_leaves);
	if (r < 0)
		return r;
	in->leaves[in->n_leaves] = leaf;
	return (int64_t)in->n_leaves++;
}

uint64_t ingest_heap_rest(struct vtb_ingest *in, const struct block *b, uint64_t addr)
{
	const int64_t index = heap_leaf(in, b, addr, 0, 1);
	const struct heap_leaf *leaf = index < 0 ? NULL : &in->leaves[index];
	const uint64_t offset = addr - b->lo;

	return leaf && *leaf->type && offset - leaf->offset < leaf->size ? leaf->offset + leaf->size - offset : 0;
}

static int64_t sync_in(struct vtb_ingest *in, uint32_t object, uint64_t offset, uint32_t size, const char *name,
                       const char *type)
{
	const struct vtb_object *o = &in->tab->objects[object];
	struct vtb_object x = {
		.kind = VTB_OBJ_SYNC,
		.name = name,
		.type = type,
		.size = size,
		.key = mix(mix(o->key, offset), VTB_OBJ_SYNC),
		.thread = VTB_NONE,
		.site = VTB_NONE,
	};

	memcpy(x.stack, o->stack, sizeof(x.stack)); /* of the block that it lies in */
	return ingest_whole(in, &x);
}

int64_t ingest_heap_variable(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class, uint32_t size)
{
	const int64_t object = heap_object(in, b);
	const uint64_t key = mix(mix((uint64_t)object + 1, addr - b->lo), class == CLASS_OTHER ? 8ull + size : class);
	const struct heap_leaf *leaf;
	int64_t index, var;
	const char *name;
	uint64_t known;
	int r;

	if (object < 0)
		return object;
	if (vtb_map64_get(&in->parts, key, &known))
		return (int64_t)known;
	index = heap_leaf(in, b, addr, class, size);
	if (index < 0)
		return index;
	leaf = &in->leaves[index];
	name = vtb_symtab_printf(in->tab, "%s%s", in->tab->objects[object].name, leaf->suffix);
	if (!name)
		return -ENOMEM;
	var = class == CLASS_SYNC ? sync_in(in, (uint32_t)object, leaf->offset, leaf->size, name, leaf->type)
	                          : ingest_variable(in, (uint32_t)object, leaf->offset, leaf->size, name, leaf->type);
	if (var < 0)
		return var;
	r = vtb_map64_set(&in->parts, key, (uint64_t)var);
	return r < 0 ? r : var;
}

/* Freeing touches the block as a whole; the object's own name stands for it. */
int ingest_free(struct vtb_ingest *in, const struct vtb_raw_record *rec, struct vtb_event *e)
{
	struct block *b = blocks_at(&in->blocks, rec->addr);
	int64_t object, var;

	if (!b || b->kind != BLOCK_HEAP)
		return 0;
	object = heap_object(in, b);
	if (object < 0)
		return (int)object;
	var = ingest_variable(in, (uint32_t)object, 0, (uint32_t)(b->hi - b->lo), in->tab->objects[object].name,
	                      in->tab->objects[object].type);
	if (var < 0)
		return (int)var;
	b->dead = true;
	e->var = (uint32_t)var;
	if (!e->size)
		e->size = b->hi - b->lo < UINT32_MAX ? (uint32_t)(b->hi - b->lo) : UINT32_MAX;
	return 0;
}

static bool find_cfa(struct vtb_ingest *in, const struct vtb_ingest_module *m, const struct vtb_raw_record *rec,
                     uint64_t *ret)
{
	const uint64_t key = mix(m->key, rec->pc - m->base);
	uint64_t above;

	if (vtb_map64_get(&in->frame_sizes, key, &above)) {
		*ret = rec->arg + above;
		return true;
	}
	return vtb_symbols_cfa(in->symbols, m->path, rec->pc - m->base, rec->arg, ret) &&
	       vtb_map64_set(&in->frame_sizes, key, *ret - rec->arg) == 0;
}

int ingest_frame(struct vtb_ingest *in, const struct vtb_raw_record *rec)
{
	const int64_t thread = ingest_thread_of_slot(in, rec->value), site = ingest_site(in, rec->pc);
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, rec->pc);
	struct block b = { .kind = BLOCK_FRAME, .object = VTB_NONE, .pc = rec->pc, .sp = rec->arg };
	int64_t n;

	if (thread < 0 || site < 0)
		return thread < 0 ? (int)thread : (int)site;
	if (!m || !find_cfa(in, m, rec, &b.cfa) || b.cfa <= rec->addr || b.cfa <= rec->arg)
		b.cfa = 0; /* nothing to go by: only the bytes asked about */
	b.lo = b.cfa ? rec->arg : rec->addr;
	b.hi = b.cfa ? b.cfa : rec->addr + 1;
	if (rec->addr - b.lo >= b.hi - b.lo) /* read while its owner ran on: not that frame */
		return 0;
	b.thread = (uint32_t)thread;
	b.type = (uint32_t)site;
	n = count_up(in, mix((uint64_t)thread << 32 | (uint64_t)site, 2));
	if (n < 0)
		return (int)n;
	b.count = (uint32_t)n;
	in->near.bytes = 0;
	n = blocks_add(&in->blocks, &b);
	return n < 0 ? (int)n : 0;
}

static int64_t find_local(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class, uint32_t size)
{
	const struct vtb_site *site = b->type == VTB_NONE ? NULL : &in->tab->sites[b->type];
	const char *function = site && *site->function ? site->function : "a function", *from, *to, *name;
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, b->pc);
	struct vtb_object x = { .kind = VTB_OBJ_STACK, .thread = b->thread, .site = b->type, .stack = { VTB_NONE } };
	struct vtb_leaf leaf = {
		.object = "frame", .object_type = "", .name = "frame", .type = "", .size = size, .object_addr = b->cfa
	};
	char which[512];
	int64_t object;

	which_one(in, b->thread, b->count, " call", which, sizeof(which));
	if (!m || !b->cfa ||
	    !vtb_symbols_local(in->symbols, m->path, b->pc - m->base, b->sp, addr, class == CLASS_SYNC ? 0 : size,
	                       &leaf)) {
		leaf.offset = b->hi - addr; /* from the top of the frame */
		leaf.name = vtb_symtab_printf(in->tab, "frame-%" PRIu64, leaf.offset);
	}
	ingest_bare_function(function, &from, &to);
	x.name = vtb_symtab_printf(in->tab, "%s in %.*s()%s", leaf.object, (int)(to - from), from, which);
	name = vtb_symtab_printf(in->tab, "%s in %.*s()%s", leaf.name, (int)(to - from), from, which);
	if (!x.name || !name)
		return -ENOMEM;
	x.type = leaf.object_type;
	x.size = leaf.object_size;
	x.key = mix(mix(vtb_hash_text(x.name), vtb_hash_text(vtb_thread_path(in->tab, b->thread))), VTB_OBJ_STACK);
	x.key = mix(mix(x.key, vtb_hash_text(function)),
	            b->cfa - leaf.object_addr); /* overloads; blocks with a variable each */
	object = ingest_object(in, &x);
	if (object < 0)
		return object;
	return class == CLASS_SYNC ? sync_in(in, (uint32_t)object, leaf.offset, leaf.size, name, leaf.type)
	                           : ingest_variable(in, (uint32_t)object, leaf.offset, leaf.size, name, leaf.type);
}

/* Functions are called again in every run: DWARF is asked once for each place in a frame. */
int64_t ingest_frame_variable(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class, uint32_t size)
{
	const struct vtb_ingest_module *m = vtb_ingest_module_at(in, b->pc);
	const uint64_t function = mix(mix(m ? m->key : 0, m ? b->pc - m->base : b->pc),
	                              mix(b->type, b->cfa != 0)); /* without a CFA its name is all that counts */
	const uint64_t key =
	    mix(mix(mix(b->thread, b->count), function), mix(b->hi - addr, (uint64_t)size << 3 | class));
	uint64_t known;
	int64_t var;

	if (vtb_map64_get(&in->locals, key, &known))
		return (int64_t)known;
	var = find_local(in, b, addr, class, size);
	if (var >= 0 && vtb_map64_set(&in->locals, key, (uint64_t)var) < 0)
		return -ENOMEM;
	return var;
}
