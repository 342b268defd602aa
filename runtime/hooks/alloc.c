/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The heap: who got which block from where, and when it went back. Memory itself comes from glibc's own entry points,
 * which need no look-up and so work before our constructor.
 *
 * Calls from inside libc (stdio buffers, ...) are not recorded: they are not the program's. In control mode they are,
 * if it is known which function of the program called libc: a block that getline() moves may be one that others still
 * use. libc may hold a lock of its own meanwhile; whoever waits for that does so in the model of futexes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "instr_libc.h"
#include "models.h"
#include "scheduler.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static uint64_t libc_lo, libc_hi;

static int find_libc(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uint64_t inside = (uint64_t)__libc_malloc;
	uint64_t lo = UINT64_MAX, hi = 0;

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD) {
			const uint64_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

			lo = at < lo ? at : lo;
			hi = at + info->dlpi_phdr[i].p_memsz > hi ? at + info->dlpi_phdr[i].p_memsz : hi;
		}
	if (inside < lo || inside >= hi)
		return 0;
	libc_lo = lo;
	libc_hi = hi;
	return 1;
}

__attribute__((constructor(101))) static void start(void)
{
	dl_iterate_phdr(find_libc, NULL);
}

static inline bool of_libc(uint64_t pc)
{
	return pc - libc_lo < libc_hi - libc_lo;
}

/* What libc, its loader and its modules do within a step of libc's is no operation. */
static inline struct vtb_rt_thread *watched(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (VTB_UNLIKELY(t && t->kernel.step == VTB_STEP_ANY))
		return NULL;
	return t && of_libc(pc) && !(vtb_rt_controls() && vtb_ctl_watches_libc(t)) ? NULL : t;
}

/* A block that libc takes or gives back is the program's matter from the function on that called libc. */
static inline uint64_t seen_from(const struct vtb_rt_thread *t, uint64_t pc)
{
	return of_libc(pc) ? t->base.frames[vtb_rt_frames_stored(t) - 1].pc : vtb_rt_blame(t, pc);
}

/* ---- blocks from before main: constructors of global objects. They are told when main begins. The first of them are
 * told with stacks. */

static struct early {
	void *block;
	size_t size;
	uint32_t n_pcs;
	uint64_t pcs[VTB_RT_STACK_DEPTH];
} first_early[VTB_EARLY_ROOM], *early = first_early;
static uint32_t n_early, early_room = VTB_EARLY_ROOM;

static bool is_early(uint64_t pc)
{
	return VTB_UNLIKELY(vtb_rt.mode == VTB_MODE_OFF) && vtb_rt.block && !vtb_rt.begun &&
	       pc - libc_lo >= libc_hi - libc_lo;
}

static void early_block(void *block, size_t size, uint64_t pc)
{
	struct early *table =
	    block ? vtb_limit_grow(early, &early_room, n_early, sizeof(*early), VTB_LIMIT_EARLY) : NULL;

	if (!table)
		return;
	early = table;
	table += n_early++;
	table->block = block;
	table->size = size;
	table->pcs[0] = pc;
	table->n_pcs = 1;
	if (n_early <= VTB_EARLY_ROOM)
		table->n_pcs = vtb_rt_early_stack(pc, table->pcs, VTB_RT_STACK_DEPTH);
}

static void early_free(const void *block)
{
	for (uint32_t i = n_early; block && i-- > 0;)
		if (early[i].block == block) {
			early[i] = early[--n_early];
			return;
		}
}

void vtb_rt_tell_early_blocks(struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < n_early; i++) {
		const struct vtb_rec rec = { .addr = (uint64_t)early[i].block,
			                     .pc = early[i].pcs[0],
			                     .kind = VTB_E_ALLOC,
			                     .flags = (uint8_t)(VTB_REC_ARG | (vtb_rt_controls() ? 0 : VTB_REC_STAMP)),
			                     .arg = early[i].size,
			                     .pcs = early[i].pcs,
			                     .n_pcs = early[i].n_pcs };

		vtb_rt_put(t, &rec);
	}
}

static void *handed_out(void *block, size_t size, uint64_t pc)
{
	struct vtb_rt_thread *t = block ? watched(pc) : NULL;
	uint64_t pcs[VTB_RT_STACK_DEPTH];
	struct vtb_rec rec = {
		.addr = (uint64_t)block, .pc = pc, .kind = VTB_E_ALLOC, .flags = VTB_REC_ARG, .arg = size, .pcs = pcs
	};

	if (block && vtb_rt_controls())
		vtb_ctl_block_is_born(block);
	if (!t) {
		if (is_early(pc))
			early_block(block, size, pc);
		return block;
	}
	if (vtb_rt_controls())
		vtb_ctl_asks_memory(t);
	rec.pc = pc = seen_from(t, pc);
	t->base.inside++;
	if (!vtb_rt_controls()) {
		rec.flags |= VTB_REC_STAMP;
	}
	rec.n_pcs = vtb_rt_stack(t, pc, pcs, VTB_RT_STACK_DEPTH);
	if (VTB_UNLIKELY(t->base.owned_left))
		vtb_owned_put(t, &rec);
	else
		vtb_rt_put(t, &rec);
	t->base.inside--;
	return block;
}

static void give_back(void *block, uint64_t pc)
{
	struct vtb_rt_thread *t = block ? watched(pc) : NULL;

	if (!t) {
		if (is_early(pc))
			early_free(block);
		__libc_free(block);
		return;
	}
	t->base.pc = seen_from(t, pc);
	if (vtb_rt_controls()) {
		vtb_ctl_free(t, block);
		return;
	}
	vtb_rec_sync(t, VTB_E_FREE, block, 0, 0, 0, 0);
	t->base.inside++;
	__libc_free(block);
	t->base.inside--;
}

void *vtb_rt_malloc(size_t size, uint64_t pc)
{
	return handed_out(__libc_malloc(size), size, pc);
}

VTB_EXPORT void *malloc(size_t size)
{
	return handed_out(__libc_malloc(size), size, VTB_CALLER);
}

VTB_EXPORT void *calloc(size_t count, size_t size)
{
	return handed_out(__libc_calloc(count, size), count * size, VTB_CALLER);
}

VTB_EXPORT void free(void *block)
{
	give_back(block, VTB_CALLER);
}

/* The block may move: for others it is a free and an allocation. */
static void *move(void *block, size_t size, uint64_t pc)
{
	struct vtb_rt_thread *t = watched(pc);
	void *fresh;

	if (!block)
		return handed_out(__libc_malloc(size), size, pc);
	if (!t) {
		fresh = __libc_realloc(block, size);
		if (is_early(pc)) {
			early_free(block);
			early_block(fresh, size, pc);
		}
		return fresh;
	}
	t->base.pc = seen_from(t, pc);
	if (vtb_rt_controls())
		return handed_out(vtb_ctl_realloc(t, block, size), size, pc);
	vtb_rec_sync(t, VTB_E_FREE, block, 0, 0, 0, 0);
	t->base.inside++;
	fresh = __libc_realloc(block, size);
	t->base.inside--;
	return handed_out(fresh, size, pc);
}

VTB_EXPORT void *realloc(void *block, size_t size)
{
	return move(block, size, VTB_CALLER);
}

VTB_EXPORT void *reallocarray(void *block, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return move(block, bytes, VTB_CALLER);
}

VTB_EXPORT void *memalign(size_t alignment, size_t size)
{
	return handed_out(__libc_memalign(alignment, size), size, VTB_CALLER);
}

VTB_EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	return handed_out(__libc_memalign(alignment, size), size, VTB_CALLER);
}

VTB_EXPORT int posix_memalign(void **ret, size_t alignment, size_t size)
{
	const int saved = errno;
	void *block;

	if (alignment < sizeof(void *) || (alignment & (alignment - 1)))
		return EINVAL;
	block = __libc_memalign(alignment, size);
	errno = saved;
	if (!block)
		return ENOMEM;
	block = handed_out(block, size, VTB_CALLER);
	vtb_rt_hand_over(ret, &block, sizeof(block), VTB_CALLER);
	return 0;
}

/* ---- C++: interposed themselves, so that the caller is the program and not the standard library */

VTB_EXPORT void *_Znwm(size_t size);
VTB_EXPORT void *_Znwm(size_t size)
{
	void *block = __libc_malloc(size);

	return block ? handed_out(block, size, VTB_CALLER) : vtb_real._Znwm(size); /* new-handlers, bad_alloc */
}

VTB_EXPORT void *_Znam(size_t size);
VTB_EXPORT void *_Znam(size_t size)
{
	void *block = __libc_malloc(size);

	return block ? handed_out(block, size, VTB_CALLER) : vtb_real._Znwm(size);
}

VTB_EXPORT void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag);
VTB_EXPORT void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag)
{
	(void)tag;
	return handed_out(__libc_malloc(size), size, VTB_CALLER);
}

VTB_EXPORT void *_ZnamRKSt9nothrow_t(size_t size, const void *tag);
VTB_EXPORT void *_ZnamRKSt9nothrow_t(size_t size, const void *tag)
{
	(void)tag;
	return handed_out(__libc_malloc(size), size, VTB_CALLER);
}

VTB_EXPORT void *_ZnwmSt11align_val_t(size_t size, size_t alignment);
VTB_EXPORT void *_ZnwmSt11align_val_t(size_t size, size_t alignment)
{
	void *block = __libc_memalign(alignment, size);

	return block ? handed_out(block, size, VTB_CALLER) : vtb_real._ZnwmSt11align_val_t(size, alignment);
}

VTB_EXPORT void *_ZnamSt11align_val_t(size_t size, size_t alignment);
VTB_EXPORT void *_ZnamSt11align_val_t(size_t size, size_t alignment)
{
	void *block = __libc_memalign(alignment, size);

	return block ? handed_out(block, size, VTB_CALLER) : vtb_real._ZnwmSt11align_val_t(size, alignment);
}

#define DELETE(name, params)                  \
	VTB_EXPORT void name params;          \
	VTB_EXPORT void name params           \
	{                                     \
		give_back(block, VTB_CALLER); \
	}
#define UNUSED __attribute__((unused))
DELETE(_ZdlPv, (void *block))
DELETE(_ZdaPv, (void *block))
DELETE(_ZdlPvm, (void *block, size_t size UNUSED))
DELETE(_ZdaPvm, (void *block, size_t size UNUSED))
DELETE(_ZdlPvRKSt9nothrow_t, (void *block, const void *tag UNUSED))
DELETE(_ZdaPvRKSt9nothrow_t, (void *block, const void *tag UNUSED))
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t alignment UNUSED))
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t alignment UNUSED))
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t size UNUSED, size_t alignment UNUSED))
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t size UNUSED, size_t alignment UNUSED))
