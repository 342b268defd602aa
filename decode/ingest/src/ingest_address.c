/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an address to a variable. */
#include "ingest_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/hash.h"

#define FDS_MAX 0x10000u /* a smaller "address" of a stream is a file descriptor */
#define FD_KINDS (VTB_IO_OF_PIPE | VTB_IO_OF_SOCKETS)
#define PAGE 4096u

void ingest_forget_addresses(struct vtb_ingest *in)
{
	memset(in->cache, 0, sizeof(*in->cache) << in->cache_bits);
}

/* As many places were looked for in vain as it has cells: a larger one holds them. Without memory this one stays. */
static void grow_cache(struct vtb_ingest *in)
{
	struct cache_cell *larger = calloc(2u << in->cache_bits, sizeof(*larger));

	in->cache_missed = 0;
	if (!larger)
		return;
	free(in->cache);
	in->cache = larger;
	in->cache_bits++;
}

/* A synchronisation object is an object of its own: named like the memory it lives in. */
static int64_t sync_variable(struct vtb_ingest *in, uint64_t memory_key, uint64_t offset, const char *name,
                             const char *type, uint32_t size)
{
	const struct vtb_object x = {
		.kind = VTB_OBJ_SYNC,
		.name = name,
		.type = type,
		.size = size,
		.key = mix(mix(memory_key, offset), VTB_OBJ_SYNC),
		.thread = VTB_NONE,
		.site = VTB_NONE,
		.stack = { VTB_NONE },
	};

	return ingest_whole(in, &x);
}

/* The variable of a leaf in the object *x; x->key is set. */
static int64_t leaf_variable(struct vtb_ingest *in, const struct vtb_object *x, unsigned class,
                             const struct vtb_leaf *leaf)
{
	int64_t object;

	if (class == CLASS_SYNC)
		return sync_variable(in, x->key, leaf->offset, leaf->name, leaf->type, leaf->size);
	object = ingest_object(in, x);
	return object < 0 ? object
	                  : ingest_variable(in, (uint32_t)object, leaf->offset, leaf->size, leaf->name, leaf->type);
}

/* Without DWARF: the ELF symbol, else the module. */
static bool elf_leaf(struct vtb_ingest *in, const struct vtb_ingest_module *m, uint64_t addr, uint32_t size,
                     struct vtb_leaf *ret)
{
	const char *name, *base = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
	uint64_t start = 0, whole = 0;

	*ret = (struct vtb_leaf){ .object_type = "", .type = "", .size = size };
	if (!vtb_symbols_elf(in->symbols, m->path, addr, &name, &start, &whole))
		name = base;
	ret->object = name;
	ret->object_addr = start;
	ret->object_size = whole;
	ret->offset = addr - start;
	ret->name = ret->offset ? vtb_symtab_printf(in->tab, "%s+0x%" PRIx64, name, ret->offset) : name;
	return ret->name;
}

static int64_t find_global(struct vtb_ingest *in, const struct vtb_ingest_module *m, uint64_t file_addr, unsigned class,
                           uint32_t size)
{
	struct vtb_leaf leaf;
	struct vtb_object x = { .kind = VTB_OBJ_GLOBAL, .thread = VTB_NONE, .site = VTB_NONE, .stack = { VTB_NONE } };

	if (!vtb_symbols_global(in->symbols, m->path, file_addr, class == CLASS_SYNC ? 0 : size, &leaf) &&
	    !elf_leaf(in, m, file_addr, size, &leaf))
		return -ENOMEM;
	x.name = leaf.object;
	x.type = leaf.object_type;
	x.size = leaf.object_size;
	x.key = mix(mix(m->key, vtb_hash_text(leaf.object)), leaf.object_addr);
	return leaf_variable(in, &x, class, &leaf);
}

/* DWARF is asked once for each place of a module. */
static int64_t module_variable(struct vtb_ingest *in, const struct vtb_ingest_module *m, uint64_t addr, unsigned class,
                               uint32_t size)
{
	const uint64_t file_addr = addr - m->base, key = mix(mix(m->key, file_addr), (uint64_t)size << 3 | class);
	uint64_t known;
	int64_t var;

	if (vtb_map64_get(&in->globals, key, &known))
		return (int64_t)known;
	var = find_global(in, m, file_addr, class, size);
	if (var >= 0 && vtb_map64_set(&in->globals, key, (uint64_t)var) < 0)
		return -ENOMEM;
	return var;
}

static const struct stack_area *stack_at(const struct vtb_ingest *in, uint64_t addr)
{
	for (size_t i = 0; i < in->n_stacks; i++)
		if (addr - in->stacks[i].lo < in->stacks[i].hi - in->stacks[i].lo)
			return &in->stacks[i];
	return NULL;
}

static const struct vtb_ingest_module *area_at(const struct vtb_ingest *in, uint64_t addr)
{
	for (size_t i = 0; i < in->n_areas; i++)
		if (addr - in->areas[i].lo < in->areas[i].hi - in->areas[i].lo)
			return &in->areas[i];
	return NULL;
}

/* "[argv]+0x8", "[stack]-0x1c0" */
static const char *in_area(struct vtb_ingest *in, const struct vtb_ingest_module *area, uint64_t addr)
{
	const bool below = addr < area->base;

	return vtb_symtab_printf(in->tab, "%s%c0x%" PRIx64, area->path, below ? '-' : '+',
	                         below ? area->base - addr : addr - area->base);
}

static int64_t find_unknown(struct vtb_ingest *in, const struct stack_area *stack, const struct vtb_ingest_module *area,
                            uint64_t addr, unsigned class, uint32_t size)
{
	struct vtb_object x = { .kind = VTB_OBJ_MAPPING, .thread = VTB_NONE, .site = VTB_NONE, .stack = { VTB_NONE } };
	struct vtb_leaf leaf = { .type = "", .size = size };

	if (stack) {
		x.kind = VTB_OBJ_STACK;
		x.thread = stack->thread;
		x.name = vtb_symtab_printf(in->tab, "stack of thread %s", vtb_thread_path(in->tab, x.thread));
		leaf.offset = stack->hi - addr; /* counted from the top: equal wherever the stack lies */
		leaf.name = x.name ? vtb_symtab_printf(in->tab, "%s-0x%" PRIx64, x.name, leaf.offset) : NULL;
	}
	if (area) {
		x.name = area->path;
		leaf.offset = addr - area->lo;
		leaf.name = in_area(in, area, addr);
	}
	if (!x.name) {
		x.name = vtb_symtab_printf(in->tab, "memory at 0x%" PRIx64, addr & ~(uint64_t)(PAGE - 1));
		leaf.offset = addr % PAGE;
		leaf.name = vtb_symtab_printf(in->tab, "memory at 0x%" PRIx64, addr);
	}
	if (!x.name || !leaf.name)
		return -ENOMEM;
	x.key = mix(vtb_hash_text(x.name), x.kind);
	return leaf_variable(in, &x, class, &leaf);
}

/* A thread's stack outside all known frames, or memory that nobody told us of. Met in every run: names are put together
 * once. */
static int64_t unknown_variable(struct vtb_ingest *in, uint64_t addr, unsigned class, uint32_t size)
{
	const struct stack_area *stack = stack_at(in, addr);
	const struct vtb_ingest_module *area = stack ? NULL : area_at(in, addr);
	const uint64_t place = stack  ? mix(stack->thread + 1u, stack->hi - addr)
	                       : area ? mix(area->key, addr - area->base)
	                              : mix(0, addr),
	               key = mix(mix(VTB_OBJ_MAPPING, place), (uint64_t)size << 3 | class);
	uint64_t known;
	int64_t var;

	if (vtb_map64_get(&in->locals, key, &known))
		return (int64_t)known;
	var = find_unknown(in, stack, area, addr, class, size);
	return var >= 0 && vtb_map64_set(&in->locals, key, (uint64_t)var) < 0 ? -ENOMEM : var;
}

/* "poll of socket 5, pipe 6" */
static const char *poll_name(struct vtb_ingest *in, uint64_t payload)
{
	static const char *const what[] = { "", "fd", "pipe", "socket", "eventfd", "timer", "fd", "fd" };
	char text[96] = "poll of ";
	size_t at = strlen(text);

	for (unsigned i = 0; i < VTB_IO_POLL_MAX; i++) {
		const unsigned one = (unsigned)(payload >> 10 * i) & 1023;

		if (one >> 7)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s %u", i ? ", " : "", what[one >> 7],
			                       one & 127);
	}
	if (payload >> 10 * VTB_IO_POLL_MAX)
		snprintf(text + at, sizeof(text) - at, "%sothers", at > strlen("poll of ") ? " and " : "");
	else if (at == strlen("poll of "))
		snprintf(text, sizeof(text), "poll of nothing");
	return vtb_symtab_string(in->tab, text);
}

static const char *setting_name(struct vtb_ingest *in, uint64_t signal)
{
	const char *name = sigabbrev_np((int)signal);

	if (!signal)
		return "settings of the process";
	return name ? vtb_symtab_printf(in->tab, "action of SIG%s", name)
	            : vtb_symtab_printf(in->tab, "action of signal %" PRIu64, signal);
}

/* NULL: *ret_thread is an error. */
static const char *of_thread(struct vtb_ingest *in, const char *what, uint64_t slot, int64_t *ret_thread)
{
	*ret_thread = ingest_thread_of_slot(in, slot);
	return *ret_thread < 0 ? NULL
	                       : vtb_symtab_printf(in->tab, "%s of thread %s", what,
	                                           vtb_thread_path(in->tab, (uint32_t)*ret_thread));
}

static int64_t named_object(struct vtb_ingest *in, uint64_t addr)
{
	const uint64_t payload = addr & ((1ull << VTB_IO_KIND_SHIFT) - 1);
	const char *name;
	int64_t thread = 0;

	switch (addr >> VTB_IO_KIND_SHIFT & 31) {
	case VTB_IO_POLL:
		name = poll_name(in, payload);
		break;
	case VTB_IO_EPOLL:
		name = vtb_symtab_printf(in->tab, "epoll %" PRIu64, payload);
		break;
	case VTB_IO_FILE_LOCK:
		name = vtb_symtab_printf(in->tab, "lock of fd %" PRIu64, payload);
		break;
	case VTB_IO_SEMAPHORES:
		name = vtb_symtab_printf(in->tab, "semaphore set %" PRIu64, payload);
		break;
	case VTB_IO_QUEUE:
		name = vtb_symtab_printf(in->tab, "message queue %" PRIu64, payload);
		break;
	case VTB_IO_FILES:
		name = "the file system";
		break;
	case VTB_IO_THREAD_NAME:
		name = of_thread(in, "name", payload, &thread);
		break;
	case VTB_IO_PROCESSORS:
		name = of_thread(in, "processors", payload, &thread);
		break;
	case VTB_IO_SETTING:
		name = setting_name(in, payload);
		break;
	case VTB_IO_NUMBERS:
		name = "numbers of descriptors";
		break;
	case VTB_IO_TIMERS:
		name = "timers";
		break;
	case VTB_IO_SIGNALS:
		name = "signals that are pending";
		break;
	default:
		name = "child process";
	}
	return name ? ingest_env(in, name) : thread < 0 ? thread : -ENOMEM;
}

/* Where the variable stands in a table; NULL: of such places there is none. */
static uint32_t *table_place(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class)
{
	const uint64_t bytes = b->hi - b->lo;
	const struct table *table;

	if (b->kind != BLOCK_HEAP || bytes < TABLE_LEAST || class > CLASS_SIZE_MAX || b->object == VTB_NONE)
		return NULL;
	table = tables_of(&in->tables, b->object, class, bytes);
	if (!table)
		return NULL;
	in->near =
	    (struct near_table){ .lo = b->lo, .bytes = bytes >> class << class, .vars = table->vars, .class = class };
	return ingest_near(in, addr, class);
}

int64_t ingest_address_slow(struct vtb_ingest *in, uint64_t addr, unsigned class, uint32_t size)
{
	struct cache_cell c = { .key = ingest_key(addr, class, size), .block = NO_BLOCK };
	const struct vtb_ingest_module *m;
	uint32_t *place;
	struct block *b;
	int64_t var;

	if (!addr)
		return VTB_NONE;
	if (addr & VTB_IO_NAMED)
		return named_object(in, addr);
	b = blocks_at(&in->blocks, addr);
	place = b ? table_place(in, b, addr, class) : NULL;
	if (place && *place)
		return *place - 1;
	m = b ? NULL : vtb_ingest_module_at(in, addr);
	if (b) {
		c.block = (uint32_t)(b - in->blocks.items);
		c.generation = b->generation;
		var = b->kind == BLOCK_HEAP ? ingest_heap_variable(in, b, addr, class, size)
		                            : ingest_frame_variable(in, b, addr, class, size);
	} else if (m) {
		var = module_variable(in, m, addr, class, size);
	} else {
		c.block = UNKNOWN_BLOCK;
		c.generation = in->blocks.generation;
		var = unknown_variable(in, addr, class, size);
	}
	if (var < 0)
		return var;
	if (place) {
		*place = (uint32_t)var + 1;
		return var;
	}
	c.var = (uint32_t)var;
	if (++in->cache_missed >> in->cache_bits && in->cache_bits < CACHE_BITS_MAX)
		grow_cache(in);
	if (ingest_caches(addr, class, size))
		*ingest_cell(in, c.key) = c;
	return var;
}

static char *descriptor_name(uint64_t object, char *buf, size_t size)
{
	if (object & VTB_IO_OF_SOCKETS)
		snprintf(buf, size, "the sockets");
	else
		snprintf(buf, size, "%sfd %" PRIu64, object & VTB_IO_OF_PIPE ? "the pipe of " : "", object % FDS_MAX);
	return buf;
}

/* Streams: a descriptor, or a FILE by the name of the object it is. */
int64_t ingest_stream(struct vtb_ingest *in, uint64_t file_or_fd)
{
	static const char *const fds[] = { "stdin", "stdout", "stderr" };
	static const struct {
		const char *symbol, *name;
	} files[] = { { "_IO_2_1_stdin_", "stdin" }, { "_IO_2_1_stdout_", "stdout" }, { "_IO_2_1_stderr_", "stderr" } };
	const uint64_t key = file_or_fd << 3 | CLASS_IO;
	struct cache_cell *c = ingest_cell(in, key);
	const struct vtb_ingest_module *m;
	const char *name = NULL;
	uint64_t start, size;
	char text[32];
	int64_t var;

	if (c->key == key && c->block == NO_BLOCK)
		return c->var;
	if (file_or_fd & VTB_IO_NAMED) {
		var = named_object(in, file_or_fd);
	} else if ((file_or_fd & ~(uint64_t)FD_KINDS) < FDS_MAX) {
		var =
		    ingest_env(in, file_or_fd < 3 ? fds[file_or_fd] : descriptor_name(file_or_fd, text, sizeof(text)));
	} else {
		m = vtb_ingest_module_at(in, file_or_fd);
		if (!m || !vtb_symbols_elf(in->symbols, m->path, file_or_fd - m->base, &name, &start, &size))
			return ingest_address(in, file_or_fd, CLASS_SYNC,
			                      0); /* a FILE on the heap: named by its block */
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
			if (strcmp(name, files[i].symbol) == 0)
				name = files[i].name;
		var = ingest_env(in, name);
	}
	if (var >= 0)
		*c = (struct cache_cell){ .key = key, .var = (uint32_t)var, .block = NO_BLOCK };
	return var;
}
