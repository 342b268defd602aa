/* SPDX-License-Identifier: BSD-2-Clause */
/* The modules of the process, for the block: where each is mapped, its path and its build-id. */
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "rt.h"
#include "sys.h"
#include "plain_text.h"

struct vtb_rt_span vtb_rt_libraries[2];

static uint32_t add_string(const char *text)
{
	struct vtb_wire_area *a = &vtb_rt.block->strings;
	const size_t size = strlen(text) + 1;
	uint64_t at;

	if (!*text)
		return 0;
	at = __atomic_fetch_add(&a->used, size, __ATOMIC_RELAXED);
	if (at + size > a->size) {
		vtb_rt_trouble("the block has no room left for module names");
		return 0;
	}
	memcpy((char *)vtb_rt.block + a->offset + at, text, size);
	return (uint32_t)at;
}

static void find_build_id(const struct dl_phdr_info *info, const ElfW(Phdr) * ph, struct vtb_wire_module *m)
{
	const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;

	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *n = (const void *)p;
		const char *name = p + sizeof(*n), *desc = name + ((n->n_namesz + 3u) & ~3u);

		if (desc + n->n_descsz > end)
			return;
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
			m->build_id_size =
			    n->n_descsz > sizeof(m->build_id) ? (uint16_t)sizeof(m->build_id) : (uint16_t)n->n_descsz;
			memcpy(m->build_id, desc, m->build_id_size);
			return;
		}
		p = desc + ((n->n_descsz + 3u) & ~3u);
	}
}

static struct fixed {
	uint64_t lo, hi;
	bool code; /* it may be executed */
} * fixed;         /* what is not written: a table as large as it takes, since vtb_rt_modules() counts first */
static uint32_t n_fixed, fixed_room;

bool vtb_rt_is_code(uint64_t addr)
{
	for (uint32_t i = 0; i < n_fixed; i++)
		if (fixed[i].code && addr >= fixed[i].lo + 8 && addr < fixed[i].hi)
			return true;
	return false;
}

bool vtb_rt_is_constant(uint64_t addr)
{
	for (uint32_t i = 0; i < n_fixed; i++)
		if (addr - fixed[i].lo < fixed[i].hi - fixed[i].lo)
			return true;
	return false;
}

static uint64_t our_lo, our_hi, unwinder_lo, unwinder_hi, loader_lo, loader_hi;

bool vtb_rt_is_ours(uint64_t addr)
{
	return addr - our_lo < our_hi - our_lo || vtb_rt_in_library(addr);
}

bool vtb_rt_is_unwinder(uint64_t addr)
{
	return addr - unwinder_lo < unwinder_hi - unwinder_lo;
}

/* Those with hooks that are ours. */
static void note_library(const char *path, uint64_t lo, uint64_t hi)
{
	static const char *const names[] = { "/vtb/libvtb-cxx.so", "/vtb/libvtb-omp.so" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const size_t size = strlen(names[i]);

		if (strlen(path) >= size && !strcmp(path + strlen(path) - size, names[i]))
			vtb_rt_libraries[i] = (struct vtb_rt_span){ lo, hi - lo };
	}
}

static bool loaded_late;

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct vtb_wire_area *a = &vtb_rt.block->modules;
	struct vtb_wire_module *table = (void *)((char *)vtb_rt.block + a->offset), m = { 0 };
	char exe[4096];
	const char *path = info->dlpi_name;

	(void)size;
	(void)arg;
	m.late = loaded_late;
	m.base = info->dlpi_addr;
	m.lo = UINT64_MAX;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_LOAD) {
			const uint64_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;

			m.lo = lo < m.lo ? lo : m.lo;
			m.hi = hi > m.hi ? hi : m.hi;
			if (!(ph->p_flags & PF_W) && n_fixed < fixed_room)
				fixed[n_fixed++] = (struct fixed){ lo, hi, ph->p_flags & PF_X };
		} else if (ph->p_type == PT_NOTE) {
			find_build_id(info, ph, &m);
		}
	}
	if ((uint64_t)vtb_rt_is_ours - m.lo < m.hi - m.lo) {
		our_lo = m.lo;
		our_hi = m.hi;
	}
	note_library(path, m.lo, m.hi);
	if ((uint64_t)_Unwind_Resume - m.lo < m.hi - m.lo) {
		unwinder_lo = m.lo;
		unwinder_hi = m.hi;
	}
	if (m.base && m.base == getauxval(AT_BASE)) {
		loader_lo = m.lo;
		loader_hi = m.hi;
	}
	if (!*path && a->used == 0) { /* the first entry is the program itself */
		const long n = sys3(SYS_readlink, (long)"/proc/self/exe", (long)exe, sizeof(exe) - 1);

		exe[n > 0 ? n : 0] = 0;
		path = n > 0 ? exe : (const char *)getauxval(AT_EXECFN); /* no /proc: as it was started */
	}
	if (m.lo >= m.hi)
		return 0;
	if ((a->used + 1) * sizeof(m) > a->size) {
		vtb_rt_trouble("the program has more libraries than the block has room for");
		return 0;
	}
	m.path = add_string(path);
	table[a->used++] = m;
	return 0;
}

static int count_fixed(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		*(uint32_t *)arg += info->dlpi_phdr[i].p_type == PT_LOAD && !(info->dlpi_phdr[i].p_flags & PF_W);
	return 0;
}

static void make_room(void)
{
	uint32_t wanted = 0;

	dl_iterate_phdr(count_fixed, &wanted);
	if (wanted <= fixed_room)
		return;
	fixed = vtb_rt_alloc(wanted * sizeof(*fixed));
	fixed_room = fixed ? wanted : 0;
	if (!fixed)
		vtb_rt_trouble("there is no memory for a list of the program's libraries");
}

static void add_area(const char *name, uint64_t base, uint64_t lo, uint64_t hi)
{
	struct vtb_wire_area *a = &vtb_rt.block->modules;
	struct vtb_wire_module *table = (void *)((char *)vtb_rt.block + a->offset);

	if (lo < hi && (a->used + 1) * sizeof(*table) <= a->size)
		table[a->used++] =
		    (struct vtb_wire_module){ .base = base, .lo = lo, .hi = hi, .path = add_string(name) };
}

/* Main's stack, which each process has elsewhere, and what the kernel puts on it to begin with: pointers to the
 * arguments and to the environment, and further up, at a distance that is drawn, the texts. */
static void add_stack(void)
{
	extern void *__libc_stack_end;
	const uint64_t top = (uint64_t)__libc_stack_end;
	char **const argv = (char **)__libc_stack_end + 1, **end = argv + *(const long *)__libc_stack_end + 1;
	const char *last = end == argv + 1 ? NULL : end[-2];

	for (; *end; end++)
		last = *end > last ? *end : last;
	add_area("[stack]", top, vtb_rt_main_stack(), top);
	add_area("[argv]", (uint64_t)argv, (uint64_t)argv, (uint64_t)(end + 1));
	if (argv[0])
		add_area("[arguments]", (uint64_t)argv[0], (uint64_t)argv[0], (uint64_t)(last + strlen(last) + 1));
}

static uint64_t n_first; /* modules that were there when the list was made */

void vtb_rt_modules(void)
{
	vtb_rt.block->modules.used = 0;
	make_room();
	n_fixed = 0;
	dl_iterate_phdr(add_module, NULL);
	vtb_rt_find_libc_own();
	add_stack();
	n_first = vtb_rt.block->modules.used;
}

/* What of it does not change is not listed: it may be unloaded, and other memory be there. */
void vtb_rt_module_loaded(const char *path, uint64_t at, const void *headers, uint32_t n)
{
	struct dl_phdr_info info = {
		.dlpi_addr = at, .dlpi_name = path, .dlpi_phdr = headers, .dlpi_phnum = (uint16_t)n
	};
	const struct vtb_wire_module *m = (const void *)((const char *)vtb_rt.block + vtb_rt.block->modules.offset);
	const char *strings = (const char *)vtb_rt.block + vtb_rt.block->strings.offset;

	for (uint64_t i = 0; i < vtb_rt.block->modules.used; i++)
		if (m[i].base == at && !strcmp(strings + m[i].path, path)) /* of an earlier run */
			return;
	loaded_late = true;
	add_module(&info, sizeof(info), NULL);
	loaded_late = false;
}

/* ---- where the program called a library */

static const struct vtb_wire_module *among_first(uint64_t addr, uint64_t n)
{
	const struct vtb_wire_module *m = (const void *)((const char *)vtb_rt.block + vtb_rt.block->modules.offset);

	for (uint64_t k = 0; k < n; k++)
		if (addr - m[k].lo < m[k].hi - m[k].lo)
			return &m[k];
	return NULL;
}

static const struct vtb_wire_module *module_of(uint64_t addr)
{
	return among_first(addr, vtb_rt.block->modules.used);
}

struct vtb_wire_module *vtb_rt_module_late(uint64_t addr)
{
	struct vtb_wire_module *m = (void *)((char *)vtb_rt.block + vtb_rt.block->modules.offset);

	for (uint64_t i = n_first; i < vtb_rt.block->modules.used; i++)
		if (addr - m[i].lo < m[i].hi - m[i].lo)
			return &m[i];
	return NULL;
}

bool vtb_rt_is_lasting(uint64_t addr)
{
	return n_first && among_first(addr, n_first);
}

uint64_t vtb_rt_module_offset(uint64_t addr)
{
	const struct vtb_wire_module *m = module_of(addr);

	return m ? addr - m->lo : addr;
}

static bool is_in(const struct vtb_wire_module *m, uint64_t addr)
{
	return m && addr - m->lo < m->hi - m->lo;
}

bool vtb_rt_same_module(uint64_t addr, uint64_t other)
{
	return is_in(module_of(addr), other);
}

/* Is there a call instruction before this address? */
static bool follows_call(const uint8_t *pc)
{
	return pc[-5] == 0xe8 || (pc[-6] == 0xff && pc[-5] == 0x15) || (pc[-2] == 0xff && (pc[-1] & 0xf8) == 0xd0) ||
	       (pc[-3] == 0xff && (pc[-2] & 0x38) == 0x10);
}

static int32_t relative(const uint8_t *at)
{
	int32_t r;

	memcpy(&r, at, sizeof(r));
	return r;
}

/* 0: there is none, so that the bytes before were no call. */
static uint64_t word_at(uint64_t at)
{
	uint64_t word;

	return vtb_rt_peek((const void *)at, sizeof(word), &word) ? word : 0;
}

#define JUMP "\xff\x25"          /* through a word of the linkage table */
#define CALL "\xff\x15"          /* likewise */
#define LANDS "\xf3\x0f\x1e\xfa" /* endbr64 */
#define PLAIN 0xf2               /* bnd, before a jump */

/* Where a stub of the linkage table leads; what is none leads to itself. */
static uint64_t led_to(uint64_t addr)
{
	const uint8_t *at = (const uint8_t *)addr;

	if (!vtb_rt_is_code(addr))
		return addr;
	at += memcmp(at, LANDS, 4) ? 0 : 4;
	at += *at == PLAIN;
	return memcmp(at, JUMP, 2) ? addr : word_at((uint64_t)at + 6 + (uint64_t)(int64_t)relative(at + 2));
}

/* The function that the call instruction before this address calls; 0: it is not told there. */
static uint64_t callee(const uint8_t *pc)
{
	if (pc[-5] == 0xe8)
		return led_to((uint64_t)pc + (uint64_t)(int64_t)relative(pc - 4));
	return memcmp(pc - 6, CALL, 2) ? 0 : word_at((uint64_t)pc + (uint64_t)(int64_t)relative(pc - 4));
}

/* The dynamic loader calls none of them, but leaves return addresses behind when a symbol is looked up. */
static bool is_loader(uint64_t addr)
{
	return addr - loader_lo < loader_hi - loader_lo;
}

#define CALLER_WORDS 48
#define CLOSE 65536u /* most words of a stack are small, or point to it */

#define BODY 512u /* of a function that makes a system call itself */

/* Begins and ends with the hooks of accesses (VTB_ACCESS_HOOK). */
extern const char access_hooks[] __asm__("__start_vtb_access_hooks") __attribute__((weak, visibility("hidden")));
extern const char access_hooks_end[] __asm__("__stop_vtb_access_hooks") __attribute__((weak, visibility("hidden")));

static bool is_access_hook(uint64_t addr)
{
	return addr - (uint64_t)access_hooks < (uint64_t)(access_hooks_end - access_hooks) || vtb_rt_is_near(addr);
}

/* Frames have room that nobody has written to yet: an older call's return address may lie there, before the one looked
 * for. That of a call of the very function that `pc` is in is no such, and that of a hook of an access is one, since
 * none makes a system call; else the first is taken. */
uint64_t vtb_rt_outer_caller(uint64_t pc, const uint64_t *sp)
{
	const struct vtb_wire_module *libc = module_of(pc), *ours = module_of((uint64_t)vtb_rt_outer_caller);
	uint64_t first = 0;

	for (int i = 0; i < CALLER_WORDS; i++)
		if (sp[i] >= CLOSE && sp[i] - ((uint64_t)sp - CLOSE) >= 2ull * CLOSE && !is_in(libc, sp[i]) &&
		    !is_in(ours, sp[i]) && !is_loader(sp[i]) && module_of(sp[i]) && vtb_rt_is_code(sp[i]) &&
		    follows_call((const uint8_t *)sp[i])) {
			const uint64_t called = callee((const uint8_t *)sp[i]);

			if (pc - called < BODY)
				return sp[i];
			first = first || is_access_hook(called) ? first : sp[i];
		}
	return first ? first : pc;
}
