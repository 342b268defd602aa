/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file ingest_private.h
 * What the files ingest*.c share.
 *
 * Two kinds of memory. What lives as long as the table of names: modules, sites, allocation types, objects, variables
 * and the maps that find them again. What lives as long as one run: heap blocks, frames, thread slots, counts. Between
 * them stands a direct-mapped cache from addresses to variables, whose entries carry the generation of the block they
 * lie in; and for large blocks a table by offset (memory/tables.h).
 */
#ifndef VTB_INGEST_PRIVATE_H
#define VTB_INGEST_PRIVATE_H

#include "memory/blocks.h"
#include "memory/tables.h"
#include "vtb/map64.h"
#include "vtb/ingest_records.h"
#include "vtb/symbols.h"

#define CACHE_BITS 14u     /* at first */
#define CACHE_BITS_MAX 20u /* 24 MB */
#define STACK_SITES 8u     /* of struct vtb_object */

/* Classes of access, part of what a variable is asked for by. */
enum { CLASS_SIZE_MAX = 4, CLASS_SYNC = 5, CLASS_OTHER = 6, CLASS_IO = 7 };

/* Where and with which stack blocks are allocated: one type per distinct stack. */
struct alloc_type {
	uint64_t key; /* equal across runs */
	uint32_t stack[STACK_SITES];
	uint32_t site;         /* first frame outside the standard library, of those with a line if there are any */
	const char *place;     /* "list_new() at list.c:31" */
	const char *module;    /* path, for look-ups of the type */
	const char *type_name; /* guessed, "" none */
	uint64_t type_size;
	bool shared;     /* std::make_shared: counts come before the object */
	bool open_ended; /* sizeof(x) + n: an object with a tail, not an array */
	bool several;    /* new x[n]: may have a count in front */
};

struct heap_leaf {
	const char *suffix, *type; /* "->next" */
	uint64_t offset;
	uint32_t size;
};

struct cache_cell {
	uint64_t key;        /* ingest_key(); 0 free */
	uint64_t generation; /* of the block; for what lies in no block: of the last change of all blocks */
	uint32_t var;
	uint32_t block; /* NO_BLOCK: a module, for ever; NO_BLOCK - 1: unknown memory */
};
#define UNKNOWN_BLOCK (NO_BLOCK - 1)

/* A thread as one bit among the first 128. */
typedef uint64_t slot_bits __attribute__((vector_size(16)));
#define FEW_SLOTS 256u

struct stack_area {
	uint64_t lo, hi;
	uint32_t thread;
};

/* The part of a large block whose table was asked last: loops stay in one. */
struct near_table {
	uint64_t lo, bytes; /* 0 bytes: none */
	uint32_t *vars;     /* as in struct table */
	unsigned class;
};

struct vtb_ingest {
	struct vtb_symtab *tab;
	struct vtb_symbols *symbols;
	struct vtb_stop *stop;       /* borrowed, may be NULL */
	const struct vtb_stem *stem; /* likewise: controlled runs are read without it */
	bool valid_kind[256];

	struct vtb_ingest_module *modules; /* sorted by lo */
	size_t n_modules, cap_modules;
	struct vtb_ingest_module *areas; /* memory with a name that is of no file: "[stack]"; few, without an id */
	size_t n_areas, cap_areas;
	struct vtb_map64 module_ids;     /* key -> module id */
	struct vtb_map64 breaks;         /* pcs that are no return addresses (tier break) */
	struct vtb_map64 sites;          /* module << 48 | offset -> site id */
	struct vtb_map64 pcs;            /* runtime pc -> site id, for this layout of modules */
	struct vtb_map64 objects;        /* object key -> id */
	struct vtb_map64 globals;        /* module, place, class -> variable id: spares DWARF */
	struct vtb_map64 variables;      /* object, offset, size -> id */
	struct vtb_map64 parts;          /* object, exact offset, class -> id: spares the search for the leaf */
	struct vtb_map64 types_by_stack; /* hash of site ids -> index in types */
	struct vtb_map64 types_by_pcs;   /* hash of runtime pcs -> index in types, for this layout of modules */
	struct vtb_map64 leaves_by_part; /* type, block size, offset, class -> index in leaves */
	struct vtb_map64 frame_sizes;    /* module, pc -> CFA - sp: every activation of a function looks alike */
	struct vtb_map64
	    locals;   /* thread, activation, pc, place in the frame, class -> variable id; unknown memory too */
	size_t usual; /* events of the controlled run before */
	struct vtb_map64 threads; /* thread id -> variable id of its handle */
	struct alloc_type *types;
	size_t n_types, cap_types;
	bool *systems; /* by module id: ingest_is_system() */
	size_t n_systems, cap_systems;
	struct heap_leaf *leaves;
	size_t n_leaves, cap_leaves;
	struct cache_cell *cache;
	uint32_t cache_bits, cache_missed; /* since it became so large */
	struct tables tables;              /* variables of large heap blocks, which are not in the cache */
	uint64_t last_pc;                  /* the look-up before: loops stay at one place */
	uint32_t last_site;

	/* one run */
	struct blocks blocks;
	struct near_table near;  /* void as soon as there is another block */
	struct vtb_map64 counts; /* (thread, allocation type or function) -> how often */
	uint32_t *slots;         /* slot -> thread id, VTB_NONE unknown */
	size_t n_slots, cap_slots;
	slot_bits bits[FEW_SLOTS]; /* [slot + 1]: that thread, or nothing */
	struct stack_area *stacks; /* recordings: where stacks lie */
	size_t n_stacks, cap_stacks;
	bool named; /* threads have the names that this run gave them */
};

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	a = (a ^ a >> 31) * 0xbf58476d1ce4e5b9u + b;
	a = (a ^ a >> 29) * 0x94d049bb133111ebu;
	return a ^ a >> 32;
}

/* ---- ingest_names.c: ids for names */
/** The site of a pc as it stands in records; VTB_NONE for 0 and for places outside all modules. Returns >= 0 or an
 * error. */
int64_t ingest_site_slow(struct vtb_ingest *in, uint64_t pc);
/** The site of what is no access: in tiers watch and break a call may return to an instruction at which accesses are
 * seen, and is another place. */
int64_t ingest_return_site(struct vtb_ingest *in, uint64_t pc);
/** The object with x->key, added if it is new. */
int64_t ingest_object(struct vtb_ingest *in, const struct vtb_object *x);
/** The variable at (object, offset, size), added if it is new. */
int64_t ingest_variable(struct vtb_ingest *in, uint32_t object, uint64_t offset, uint32_t size, const char *name,
                        const char *type);
/** An object that is one variable: threads, streams, the clock. */
int64_t ingest_whole(struct vtb_ingest *in, const struct vtb_object *x);
int64_t ingest_env(struct vtb_ingest *in, const char *name);
int64_t ingest_thread_handle(struct vtb_ingest *in, uint32_t thread);
/** Take over what the table holds already. */
int ingest_seed(struct vtb_ingest *in);

static inline int64_t ingest_site(struct vtb_ingest *in, uint64_t pc)
{
	uint64_t id;

	if (pc == in->last_pc)
		return in->last_site;
	if (!vtb_map64_get(&in->pcs, pc, &id)) {
		const int64_t r = ingest_site_slow(in, pc);

		if (r < 0)
			return r;
		id = (uint64_t)r;
	}
	in->last_pc = pc;
	in->last_site = (uint32_t)id;
	return (int64_t)id;
}

/* ---- ingest_address.c: from an address to a variable */
int64_t ingest_address_slow(struct vtb_ingest *in, uint64_t addr, unsigned class, uint32_t size);
void ingest_forget_addresses(struct vtb_ingest *in);
int64_t ingest_stream(struct vtb_ingest *in, uint64_t file_or_fd);

static inline struct cache_cell *ingest_cell(struct vtb_ingest *in, uint64_t key)
{
	return &in->cache[(key * 0x9e3779b97f4a7c15u) >> (64 - in->cache_bits)];
}

#define KEY_SIZE_SHIFT 51 /* addresses of programs have 47 bits */

/* Are places like this one in the cache? Sizes differ within CLASS_OTHER: the key has them, up to what it has room for.
 */
static inline bool ingest_caches(uint64_t addr, unsigned class, uint32_t size)
{
	return class != CLASS_OTHER || (size < 1u << (64 - KEY_SIZE_SHIFT) && !(addr >> (KEY_SIZE_SHIFT - 3)));
}

static inline uint64_t ingest_key(uint64_t addr, unsigned class, uint32_t size)
{
	return addr << 3 | class | (class == CLASS_OTHER ? (uint64_t)size << KEY_SIZE_SHIFT : 0);
}

/* Where the variable stands in the table asked last, NULL: not there. */
static inline uint32_t *ingest_near(const struct vtb_ingest *in, uint64_t addr, unsigned class)
{
	const uint64_t at = addr - in->near.lo;

	return at < in->near.bytes && class == in->near.class && !(at & ((1u << class) - 1))
	           ? &in->near.vars[at >> class]
	           : NULL;
}

static inline int64_t ingest_address(struct vtb_ingest *in, uint64_t addr, unsigned class, uint32_t size)
{
	const uint32_t *near = ingest_near(in, addr, class);
	const uint64_t key = ingest_key(addr, class, size);
	const struct cache_cell *c = ingest_cell(in, key);

	if (near && *near)
		return *near - 1;
	if (c->key == key && ingest_caches(addr, class, size)) {
		if (c->block == NO_BLOCK)
			return c->var;
		if (c->block == UNKNOWN_BLOCK
		        ? c->generation == in->blocks.generation
		        : c->block < in->blocks.n_items && in->blocks.items[c->block].generation == c->generation)
			return c->var;
	}
	return ingest_address_slow(in, addr, class, size);
}

/* ---- ingest_heap.c: blocks and frames */
int ingest_alloc(struct vtb_ingest *in, uint32_t thread, const struct vtb_raw_record *rec);
/** Set var (the block as a whole) and, if the record does not tell, size. */
int ingest_free(struct vtb_ingest *in, const struct vtb_raw_record *rec, struct vtb_event *e);
int ingest_frame(struct vtb_ingest *in, const struct vtb_raw_record *rec);
int64_t ingest_heap_variable(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class, uint32_t size);
/** Bytes from `addr` to the end of the named part of the block that holds it; 0: it has no known parts. */
uint64_t ingest_heap_rest(struct vtb_ingest *in, const struct block *b, uint64_t addr);
int64_t ingest_frame_variable(struct vtb_ingest *in, struct block *b, uint64_t addr, unsigned class, uint32_t size);

/* ---- ingest_type.c */
/** Fill site, place, module and the guessed type from the stack of runtime pcs. */
void ingest_guess_type(struct vtb_ingest *in, struct alloc_type *type, const uint64_t *pcs, const uint32_t *sites,
                       size_t n);
/** The function's name without its return type and parameters: [*from, *to). */
void ingest_bare_function(const char *name, const char **from, const char **to);
bool ingest_in_library(const struct vtb_place *place);
/** Sites of the innermost frames: STACK_SITES, and more as long as all are a library's, which calls deeply where
 * nothing is inlined. Returns how many, or an error. */
int64_t ingest_telling_sites(struct vtb_ingest *in, const uint64_t *pcs, size_t n, uint32_t sites[VTB_REC_EXTRA_MAX]);
/** A place in what calls and is called by programs: the C and C++ libraries, our own. */
bool ingest_is_system(const struct vtb_ingest *in, uint32_t site);
/** Hash of a stack that is the same in every run and recording: of the program's innermost frames, up to where a system
 * library called it. */
uint64_t ingest_stack_key(const struct vtb_ingest *in, const uint32_t *stack, size_t n);

/* ---- ingest_guess.c */
struct ingest_guess {
	struct vtb_ingest *in;
	struct alloc_type *type; /* what is guessed goes there, into type_name, type_size and the flags */
	uint64_t addr;           /* in the type's module, of the call */
	const char *function;    /* around the line, for names that mean something there only; "" unknown */
	bool wrapped;            /* the line calls what calls the allocator, perhaps for something of its own */
};
/** From the name of a function of the library that makes it: "std::__new_allocator<T>::allocate". */
bool ingest_guess_function(const struct ingest_guess *g, const char *function);
/** From the source line that asks for it. */
bool ingest_guess_line(const struct ingest_guess *g, const char *text);
/** Does the line give its caller what the allocator gives it, and say nothing of its type? */
bool ingest_hands_on(const struct ingest_guess *g, const char *text);
/** Does the line call the function by its name? Else by a macro, perhaps for something of that macro's own. */
bool ingest_calls(const char *text, const char *function);

/* ---- ingest_leaf.c */
/** What a block of the size holds: "account", "account [4]"; "": the guess does not fit. NULL: no memory. */
const char *ingest_block_type(struct vtb_ingest *in, const struct alloc_type *type, uint64_t block_size);
/** The smallest part at the offset, by its place if the guess does not fit. 0 or -ENOMEM. */
int ingest_block_leaf(struct vtb_ingest *in, const struct alloc_type *type, uint64_t block_size, uint64_t offset,
                      uint32_t size, struct heap_leaf *leaf);

/* ---- ingest_event.c: one record to one event */
int64_t ingest_thread_of_slot(struct vtb_ingest *in, uint64_t slot);

/* ---- ingest_outcome.c: how a run ended */
/** Fill x->outcome; `fail_site`: where the program failed, if the outcome does not say. 0 or an error. */
int ingest_outcome(struct vtb_ingest *in, struct vtb_exec *x, const struct vtb_wire_outcome *w, uint32_t fail_site,
                   struct vtb_error *err);

#endif /* VTB_INGEST_PRIVATE_H */
