/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover_contracts.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/elf_file.h"
#include "vtb/landing.h"
#include "vtb/map64.h"

static const struct {
	const char *name;
	struct recover_contract contract;
} named[] = {
	{ "memcpy", { CONTRACT_DEST, 0 } },
	{ "memmove", { CONTRACT_DEST, 0 } },
	{ "__memcpy_chk", { CONTRACT_DEST, 0 } },
	{ "__memmove_chk", { CONTRACT_DEST, 0 } },
	{ "mempcpy", { CONTRACT_DEST_END, 0 } },
	{ "__mempcpy", { CONTRACT_DEST_END, 0 } },
	{ "memset", { CONTRACT_SET, 0 } },
	{ "__memset_chk", { CONTRACT_SET, 0 } },
	{ "strcpy", { CONTRACT_STRCPY, 0 } },
	{ "__strcpy_chk", { CONTRACT_STRCPY, 0 } },
	{ "__stpcpy_chk", { CONTRACT_STPCPY, 0 } },
	{ "__mempcpy_chk", { CONTRACT_DEST_END, 0 } },
	{ "__strcat_chk", { CONTRACT_STRCAT, 0 } },
	{ "__strncat_chk", { CONTRACT_STRCAT, RECOVER_TO_COUNT } },
	{ "__strncpy_chk", { CONTRACT_STRNCPY, 0 } },
	{ "stpcpy", { CONTRACT_STPCPY, 0 } },
	{ "__stpcpy", { CONTRACT_STPCPY, 0 } },
	{ "strlen", { CONTRACT_STRLEN, 0 } },
	{ "strcat", { CONTRACT_STRCAT, 0 } },
	{ "strncat", { CONTRACT_STRCAT, RECOVER_TO_COUNT } },
	{ "strncpy", { CONTRACT_STRNCPY, 0 } },
	{ "stpncpy", { CONTRACT_STRNCPY, RECOVER_DISTANCE } },
	{ "strcmp", { CONTRACT_COMPARE, RECOVER_TO_NUL } },
	{ "strncmp", { CONTRACT_COMPARE, RECOVER_TO_NUL | RECOVER_TO_COUNT } },
	{ "strcasecmp", { CONTRACT_READS, 0 } },
	{ "strncasecmp", { CONTRACT_READS, 0 } },
	{ "memcmp", { CONTRACT_COMPARE, RECOVER_TO_COUNT } },
	{ "bcmp", { CONTRACT_COMPARE, RECOVER_TO_COUNT | RECOVER_EQUALITY } },
	{ "__memcmpeq", { CONTRACT_COMPARE, RECOVER_TO_COUNT | RECOVER_EQUALITY } },
	{ "strchr", { CONTRACT_FIND, RECOVER_TO_NUL } },
	{ "index", { CONTRACT_FIND, RECOVER_TO_NUL } },
	{ "strrchr", { CONTRACT_FIND, RECOVER_TO_NUL | RECOVER_LAST } },
	{ "rindex", { CONTRACT_FIND, RECOVER_TO_NUL | RECOVER_LAST } },
	{ "strchrnul", { CONTRACT_FIND, RECOVER_TO_NUL | RECOVER_OR_END } },
	{ "memchr", { CONTRACT_FIND, RECOVER_TO_COUNT } },
	{ "memrchr", { CONTRACT_FIND, RECOVER_TO_COUNT | RECOVER_LAST } },
	{ "rawmemchr", { CONTRACT_FIND, 0 } },
	{ "__rawmemchr", { CONTRACT_FIND, 0 } },
	{ "strnlen", { CONTRACT_FIND, RECOVER_TO_NUL | RECOVER_TO_COUNT | RECOVER_OR_END | RECOVER_DISTANCE } },
	{ "strstr", { CONTRACT_READS, 0 } },
	{ "strspn", { CONTRACT_READS, 0 } },
	{ "strcspn", { CONTRACT_READS, 0 } },
	{ "strpbrk", { CONTRACT_READS, 0 } },
	{ "wcslen", { CONTRACT_READS, 0 } },
	{ "wmemchr", { CONTRACT_READS, 0 } },
	{ "strcoll", { CONTRACT_READS, 0 } },
	{ "printf", { CONTRACT_READS, 0 } },
	{ "fprintf", { CONTRACT_READS, 0 } },
	{ "vprintf", { CONTRACT_READS, 0 } },
	{ "vfprintf", { CONTRACT_READS, 0 } },
	{ "puts", { CONTRACT_READS, 0 } },
	{ "putchar", { CONTRACT_READS, 0 } },
	{ "fputs", { CONTRACT_READS, 0 } },
	{ "fputc", { CONTRACT_READS, 0 } },
	{ "putc", { CONTRACT_READS, 0 } },
	{ "fwrite", { CONTRACT_READS, 0 } },
	{ "fflush", { CONTRACT_READS, 0 } },
	{ "perror", { CONTRACT_READS, 0 } },
	{ "__printf_chk", { CONTRACT_READS, 0 } },
	{ "__fprintf_chk", { CONTRACT_READS, 0 } },
	{ "atoi", { CONTRACT_READS, 0 } },
	{ "atol", { CONTRACT_READS, 0 } },
	{ "atoll", { CONTRACT_READS, 0 } },
	{ "getenv", { CONTRACT_READS, 0 } },
	{ "signal", { CONTRACT_READS, 0 } },
	{ "snprintf", { CONTRACT_PRINTS_N, 0 } },
	{ "vsnprintf", { CONTRACT_PRINTS_N, 0 } },
	{ "__snprintf_chk", { CONTRACT_PRINTS_N, 0 } },
	{ "__vsnprintf_chk", { CONTRACT_PRINTS_N, 0 } },
	{ "sprintf", { CONTRACT_PRINTS, 0 } },
	{ "vsprintf", { CONTRACT_PRINTS, 0 } },
	{ "__sprintf_chk", { CONTRACT_PRINTS, 0 } },
	{ "__vsprintf_chk", { CONTRACT_PRINTS, 0 } },
	{ "fgets", { CONTRACT_BUFFER, 0 } },
	{ "malloc", { CONTRACT_HEAP, 0 } },
	{ "calloc", { CONTRACT_HEAP, 0 } },
	{ "realloc", { CONTRACT_HEAP, 0 } },
	{ "free", { CONTRACT_HEAP, 0 } },
	{ "aligned_alloc", { CONTRACT_HEAP, 0 } },
	{ "posix_memalign", { CONTRACT_HEAP, 0 } },
	{ "memalign", { CONTRACT_HEAP, 0 } },
	{ "pthread_create", { CONTRACT_OBJECT, 8 } },
	{ "exit", { CONTRACT_READS, 0 } },
	{ "abort", { CONTRACT_READS, 0 } },
	{ "__assert_fail", { CONTRACT_READS, 0 } },
	{ "pthread_exit", { CONTRACT_READS, 0 } },
	{ "_exit", { CONTRACT_READS, 0 } },
	{ "__cxa_atexit", { CONTRACT_AT_EXIT, 0 } },
	{ "__cxa_thread_atexit_impl", { CONTRACT_AT_THREAD_EXIT, 0 } },
	{ "pthread_detach", { CONTRACT_READS, 0 } },
	{ "pthread_join", { CONTRACT_RESULT, 8 } },
	{ "pthread_mutex_lock", { CONTRACT_OBJECT, 40 } },
	{ "pthread_mutex_trylock", { CONTRACT_OBJECT, 40 } },
	{ "pthread_mutex_timedlock", { CONTRACT_OBJECT, 40 } },
	{ "pthread_mutex_unlock", { CONTRACT_OBJECT, 40 } },
	{ "pthread_mutex_init", { CONTRACT_OBJECT, 40 } },
	{ "pthread_mutex_destroy", { CONTRACT_OBJECT, 40 } },
	{ "pthread_spin_lock", { CONTRACT_OBJECT, 4 } },
	{ "pthread_spin_trylock", { CONTRACT_OBJECT, 4 } },
	{ "pthread_spin_unlock", { CONTRACT_OBJECT, 4 } },
	{ "pthread_rwlock_rdlock", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_wrlock", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_tryrdlock", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_trywrlock", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_unlock", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_init", { CONTRACT_OBJECT, 56 } },
	{ "pthread_rwlock_destroy", { CONTRACT_OBJECT, 56 } },
	{ "pthread_cond_signal", { CONTRACT_OBJECT, 48 } },
	{ "pthread_cond_broadcast", { CONTRACT_OBJECT, 48 } },
	{ "pthread_cond_init", { CONTRACT_OBJECT, 48 } },
	{ "pthread_cond_destroy", { CONTRACT_OBJECT, 48 } },
	{ "pthread_cond_wait", { CONTRACT_OBJECT, 48 } },
	{ "pthread_cond_timedwait", { CONTRACT_OBJECT, 48 } },
	{ "sem_wait", { CONTRACT_OBJECT, 32 } },
	{ "sem_trywait", { CONTRACT_OBJECT, 32 } },
	{ "sem_timedwait", { CONTRACT_OBJECT, 32 } },
	{ "sem_post", { CONTRACT_OBJECT, 32 } },
	{ "sem_init", { CONTRACT_OBJECT, 32 } },
	{ "sem_destroy", { CONTRACT_OBJECT, 32 } },
	{ "pthread_barrier_wait", { CONTRACT_OBJECT, 32 } },
	{ "pthread_barrier_init", { CONTRACT_OBJECT, 32 } },
	{ "pthread_barrier_destroy", { CONTRACT_OBJECT, 32 } },
	{ "setjmp", { CONTRACT_SETJMP, 200 } },
	{ "_setjmp", { CONTRACT_SETJMP, 200 } },
	{ "__sigsetjmp", { CONTRACT_SETJMP, 200 } },
	{ "longjmp", { CONTRACT_LONGJMP, 0 } },
	{ "_longjmp", { CONTRACT_LONGJMP, 0 } },
	{ "siglongjmp", { CONTRACT_LONGJMP, 0 } },
	{ "__longjmp_chk", { CONTRACT_LONGJMP, 0 } },
	{ "__cxa_finalize", { CONTRACT_READS, 0 } },
	{ "__cxa_get_globals", { CONTRACT_PRIVATE, 0 } },
	{ "__cxa_get_globals_fast", { CONTRACT_PRIVATE, 0 } },
	{ "_Unwind_DeleteException", { CONTRACT_DELETES, 0 } },
	{ "_Unwind_RaiseException", { CONTRACT_RAISES, 0 } },
	{ "_Unwind_Resume", { CONTRACT_RAISES, 0 } },
	{ "_Unwind_Resume_or_Rethrow", { CONTRACT_RAISES, 0 } },
	{ "_Unwind_ForcedUnwind", { CONTRACT_RAISES, 0 } },
};

struct range {
	uint64_t lo, hi;
};

/* A word of the linkage tables, and whose address it holds once it is bound. */
struct bound {
	uint64_t slot, which;
};

struct recover_contracts {
	bool data_known; /* the recording holds the contents of memory at its start */
	struct bound *bounds;
	size_t n_bounds, cap_bounds;
	struct vtb_map64 by_ip;       /* address -> index in named */
	struct vtb_map64 by_slot;     /* address of a slot -> index in named */
	struct vtb_map64 by_resolver; /* address of an IFUNC's resolver -> index in named */
	struct range *loaders, *unwinders, *libcs, *cxxs, *runtimes;
	struct vtb_landings landings;
	size_t n_loaders, cap_loaders, n_unwinders, cap_unwinders, n_libcs, cap_libcs, n_cxxs, cap_cxxs, n_runtimes,
	    cap_runtimes;
	int error;
};

static bool in_ranges(const struct range *ranges, size_t n, uint64_t ip)
{
	for (size_t i = 0; i < n; i++)
		if (ip >= ranges[i].lo && ip < ranges[i].hi)
			return true;
	return false;
}

bool recover_contract_is_loader(const struct recover_contracts *c, uint64_t ip)
{
	return in_ranges(c->loaders, c->n_loaders, ip);
}

bool recover_contract_is_system(const struct recover_contracts *c, uint64_t ip)
{
	return recover_contract_is_loader(c, ip) || in_ranges(c->runtimes, c->n_runtimes, ip) ||
	       in_ranges(c->libcs, c->n_libcs, ip) || in_ranges(c->unwinders, c->n_unwinders, ip);
}

bool recover_contract_is_cxx(const struct recover_contracts *c, uint64_t ip)
{
	return in_ranges(c->cxxs, c->n_cxxs, ip);
}

/* What is printed into memory is worth knowing: strings are copied, searched and measured afterwards. */
static bool is_print(const struct recover_contract *contract)
{
	return contract->kind == CONTRACT_PRINTS || contract->kind == CONTRACT_PRINTS_N;
}

const struct recover_contract *recover_contract_at(const struct recover_contracts *c, uint64_t ip)
{
	static const struct recover_contract runtime = {
		.kind = CONTRACT_READS
	}; /* ours: it writes to memory of its own */
	static const struct recover_contract loader = { .kind = CONTRACT_LOADER },
	                                     unwinder = { .kind = CONTRACT_UNWINDER };
	uint64_t i;

	if (vtb_map64_get(&c->by_ip, ip, &i))
		return c->data_known && is_print(&named[i].contract) ? NULL : &named[i].contract;
	if (in_ranges(c->unwinders, c->n_unwinders, ip))
		return &unwinder;
	if (in_ranges(c->runtimes, c->n_runtimes, ip))
		return &runtime;
	return recover_contract_is_loader(c, ip) ? &loader : NULL;
}

void recover_contract_learn(struct recover_contracts *c, uint64_t slot, uint64_t target)
{
	uint64_t i, known;

	if (vtb_map64_get(&c->by_slot, slot, &i) && in_ranges(c->libcs, c->n_libcs, target) &&
	    !vtb_map64_get(&c->by_ip, target, &known))
		if (vtb_map64_set(&c->by_ip, target, i) < 0)
			c->error = -ENOMEM;
}

static bool find_name(const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (!strcmp(named[i].name, name)) {
			*ret = i;
			return true;
		}
	return false;
}

/* ------------------------------------------------------------------ the mapped files */

/* One module while its tables are read. */
struct module {
	struct recover_contracts *c;
	struct vtb_elf *elf;
	uint64_t bias;
	bool defines; /* functions that have a contract: the C library, the unwinder, the C++ library, our runtime */
};

static void set(struct module *m, struct vtb_map64 *map, uint64_t key, uint64_t value)
{
	if (vtb_map64_set(map, key, value) < 0)
		m->c->error = -ENOMEM;
}

static void set_slot(struct module *m, uint64_t offset, uint64_t which)
{
	set(m, &m->c->by_slot, offset + m->bias, which);
	if (vtb_array_room(m->c, bounds) < 0)
		m->c->error = -ENOMEM;
	else
		m->c->bounds[m->c->n_bounds++] = (struct bound){ offset + m->bias, which };
}

static void take_symbols(struct module *m, const struct vtb_elf_section *table)
{
	struct vtb_elf_symbol symbol;

	for (size_t i = 0; m->defines && vtb_elf_symbol(m->elf, table, i, &symbol); i++) {
		uint64_t which;

		if (!symbol.defined || !find_name(symbol.name, &which))
			continue;
		if (symbol.type == STT_FUNC)
			set(m, &m->c->by_ip, symbol.addr + m->bias, which);
		else if (symbol.type == STT_GNU_IFUNC)
			set(m, &m->c->by_resolver, symbol.addr + m->bias, which);
	}
}

static void take_relocations(struct module *m, const struct vtb_elf_section *table)
{
	struct vtb_elf_relocation relocation;

	for (size_t i = 0; vtb_elf_relocation(m->elf, table, i, &relocation); i++) {
		uint64_t which;

		switch (relocation.type) {
		case R_X86_64_JUMP_SLOT:
		case R_X86_64_GLOB_DAT:
			if (find_name(relocation.symbol.name, &which))
				set_slot(m, relocation.addr, which);
			break;
		case R_X86_64_IRELATIVE:
			if (vtb_map64_get(&m->c->by_resolver, (uint64_t)relocation.addend + m->bias, &which))
				set_slot(m, relocation.addr, which);
			break;
		default:
			break;
		}
	}
}

static void for_sections(struct module *m, unsigned a, unsigned b,
                         void (*take)(struct module *, const struct vtb_elf_section *))
{
	struct vtb_elf_section section;

	for (size_t i = 0; vtb_elf_section(m->elf, i, &section); i++)
		if (section.type == a || section.type == b)
			take(m, &section);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_runtime(const char *name)
{
	return !strncmp(name, "libvtb-rt", 9);
}

static void take_module(struct recover_contracts *c, const struct vtb_pt_map *map)
{
	const char *name = base_name(map->path);
	struct module m = { .c = c,
		            .defines = is_runtime(name) || !strncmp(name, "libgcc_s", 8) ||
		                       !strncmp(name, "libstdc++", 9) || !strncmp(name, "libc.", 5) ||
		                       !strncmp(name, "libc-", 5) || !strncmp(name, "libpthread", 10) };

	if (vtb_elf_open(map->path, &m.elf, NULL) < 0) /* a recording may name anything */
		return;
	m.bias = map->lo - vtb_elf_base(m.elf);
	for_sections(&m, SHT_DYNSYM, SHT_SYMTAB, take_symbols);
	for_sections(&m, SHT_RELA, SHT_RELA, take_relocations);
	vtb_elf_close(m.elf);
}

/* Add a range to the list `name` of *c. */
#define ADD_RANGE(c, name, range)                             \
	do {                                                  \
		if (vtb_array_room(c, name) < 0)              \
			(c)->error = -ENOMEM;                 \
		else                                          \
			(c)->name[(c)->n_##name++] = (range); \
	} while (0)

static void take_code(struct recover_contracts *c, const struct vtb_pt_map *map)
{
	const char *name = base_name(map->path);
	const struct range range = { map->lo, map->hi };

	if (!strncmp(name, "ld-", 3))
		ADD_RANGE(c, loaders, range);
	else if (!strncmp(name, "libgcc_s", 8))
		ADD_RANGE(c, unwinders, range);
	else if (!strncmp(name, "libstdc++", 9))
		ADD_RANGE(c, cxxs, range);
	else if (is_runtime(name))
		ADD_RANGE(c, runtimes, range);
	else if (!strncmp(name, "libc.", 5) || !strncmp(name, "libc-", 5) || !strncmp(name, "libpthread", 10) ||
	         !strcmp(name, "[vdso]"))
		ADD_RANGE(c, libcs, range);
}

/* The file's mappings, of which the i-th is the first. */
static void take_landings(struct recover_contracts *c, const struct vtb_pt_recording *rec, size_t i)
{
	uint64_t hi = rec->maps[i].hi;

	for (size_t k = 0; k < i; k++)
		if (rec->maps[k].lo == rec->maps[i].lo && !strcmp(rec->maps[k].path, rec->maps[i].path))
			return; /* a later snapshot of the same */
	for (size_t k = i + 1; k < rec->n_maps; k++)
		if (rec->maps[k].lo >= hi && !strcmp(rec->maps[k].path, rec->maps[i].path))
			hi = rec->maps[k].hi;
	if (vtb_landings_add(&c->landings, rec->maps[i].path, rec->maps[i].lo, hi) < 0)
		c->error = -ENOMEM;
}

/* Slots that were bound before the recording began: whatever jumps there, and however, reaches that function. */
static void take_bound(struct recover_contracts *c, const struct vtb_pt_recording *rec)
{
	for (size_t i = 0; i < c->n_bounds; i++)
		for (size_t k = 0; k < rec->n_data; k++)
			if (vtb_pt_chunk_holds(&rec->data[k], c->bounds[i].slot, 8)) {
				uint64_t target;

				memcpy(&target, rec->data[k].data + (c->bounds[i].slot - rec->data[k].addr), 8);
				recover_contract_learn(c, c->bounds[i].slot, target);
				break;
			}
}

bool recover_contract_landing(const struct recover_contracts *c, uint64_t ret, uint64_t *ret_pad, uint64_t *ret_args)
{
	return vtb_landing_find(&c->landings, ret, ret_pad, ret_args) > 0;
}

int recover_contracts_new(const struct vtb_pt_recording *rec, struct recover_contracts **ret)
{
	struct recover_contracts *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	for (size_t i = 0; i < rec->n_maps; i++) {
		if (rec->maps[i].perms[2] == 'x')
			take_code(c, &rec->maps[i]);
		if (rec->maps[i].path[0] == '/' && rec->maps[i].offset == 0) {
			take_module(c, &rec->maps[i]);
			take_landings(c, rec, i);
		}
	}
	take_bound(c, rec);
	c->data_known = rec->n_data > 0;
	if (c->error < 0) {
		const int r = c->error;

		recover_contracts_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void recover_contracts_free(struct recover_contracts *c)
{
	if (!c)
		return;
	free(c->bounds);
	vtb_map64_fini(&c->by_ip);
	vtb_map64_fini(&c->by_slot);
	vtb_map64_fini(&c->by_resolver);
	vtb_landings_fini(&c->landings);
	free(c->loaders);
	free(c->unwinders);
	free(c->libcs);
	free(c->cxxs);
	free(c->runtimes);
	free(c);
}
