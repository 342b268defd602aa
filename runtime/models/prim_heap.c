/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * free() as an operation. Freed blocks are kept aside for a while instead of going back to the heap: an access through
 * a stale pointer then still finds the dead block, and is told apart from an access to its next owner.
 */
#include <malloc.h>
#include <string.h>

#include "base.h"
#include "models.h"
#include "scheduler.h"

#define KEEP_BLOCKS 16384u
#define KEEP_BYTES (64ull << 20)

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static struct {
	void *block[KEEP_BLOCKS]; /* ring: oldest at `first` */
	uint32_t first, count;
	uint64_t bytes;
} kept VTB_HISTORY_RARE; /* but for vtb_heap_kept() */

/* ---- which memory is dead: one bit for each 16 bytes of the heap, so that an access costs a load when nothing is */

void vtb_heap_begin(void)
{
	void *block = __libc_malloc(1);

	vtb_heap.lo = ((uint64_t)block & ~0xfffffull) - (64ull << 20); /* blocks from before main may lie below */
	__libc_free(block);
}

/* A block ends in the middle of a grain, of which the rest is malloc's own. */
static void mark(const void *block, uint64_t size, bool is_dead)
{
	const uint64_t at = (uint64_t)block - vtb_heap.lo, from = at / VTB_HEAP_GRAIN,
	               all = (size + VTB_HEAP_GRAIN - 1) / VTB_HEAP_GRAIN, room = VTB_HEAP_SPAN / VTB_HEAP_GRAIN - from,
	               n = all < room ? all : room;

	if (at >= VTB_HEAP_SPAN)
		return;
	for (uint64_t i = from; i < from + n; i++)
		if (is_dead)
			vtb_heap.dead[i / 8] |= (uint8_t)(1u << i % 8);
		else
			vtb_heap.dead[i / 8] &= (uint8_t) ~(1u << i % 8);
}

/* ---- which addresses may be freed: where a block begins, or what nobody knows better (blocks from before main) */

static bool in_span(const void *block)
{
	return (uint64_t)block - vtb_heap.lo < VTB_HEAP_SPAN;
}

static void mark_start(const void *block, bool begins)
{
	const uint64_t i = ((uint64_t)block - vtb_heap.lo) / VTB_HEAP_GRAIN;

	if (!in_span(block))
		return;
	if (begins)
		vtb_heap.starts[i / 8] |= (uint8_t)(1u << i % 8);
	else
		vtb_heap.starts[i / 8] &= (uint8_t) ~(1u << i % 8);
}

void vtb_ctl_block_is_born(const void *block)
{
	mark_start(block, true);
}

static bool begins(uint64_t i)
{
	return vtb_heap.starts[i / 8] >> i % 8 & 1;
}

#define LOOK_BACK 65536u /* grains: how far before an address its block may begin, to be found */

/* The block that this address lies in but does not begin, or NULL. */
static const void *block_around(const void *address)
{
	const uint64_t at = (uint64_t)address - vtb_heap.lo, last = at / VTB_HEAP_GRAIN;
	const void *block;

	if (!in_span(address) || (at % VTB_HEAP_GRAIN == 0 && begins(last)))
		return NULL;
	for (uint64_t i = last, n = 0; n < LOOK_BACK && i > 0; n++, i--)
		if (begins(i)) {
			block = (const void *)(vtb_heap.lo + i * VTB_HEAP_GRAIN);
			return (uint64_t)address < (uint64_t)block + malloc_usable_size((void *)block) ? block : NULL;
		}
	return NULL;
}

/* In a variable of a module, or on a stack. */
static bool never_allocated(const void *address)
{
	const struct vtb_wire_module *m = (const void *)((const char *)vtb_rt.block + vtb_rt.block->modules.offset);

	if (vtb_rt_some_stack((uint64_t)address))
		for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
			if (vtb_rt.threads[i]->base.state == VTB_T_ALIVE &&
			    vtb_rt_own_stack(vtb_rt.threads[i], (uint64_t)address))
				return true;
	for (uint64_t k = 0; k < vtb_rt.block->modules.used; k++)
		if ((uint64_t)address - m[k].lo < m[k].hi - m[k].lo)
			return true;
	return false;
}

/* As long as there is room in the ring, which blocks are dead says all: vtb_heap. */
struct vtb_state_hash vtb_heap_kept(void)
{
	const bool soon = kept.count > KEEP_BLOCKS / 2 || kept.bytes > KEEP_BYTES / 2;
	struct vtb_state_hash h = { kept.count, kept.bytes };

	for (uint32_t i = 0; soon && i < kept.count; i++)
		vtb_state_step(&h, (uint64_t)kept.block[(kept.first + i) % KEEP_BLOCKS], i);
	return vtb_state_finish(h);
}

void vtb_ctl_gets_address(const struct vtb_rt_thread *t, uint32_t *last)
{
	if (vtb_sched_alone(t))
		return;
	if (*last && *last != t->base.slot + 1u)
		vtb_rt_uncontrolled(VTB_UNC_ADDRESSES);
	*last = t->base.slot + 1u;
}

void vtb_ctl_asks_memory(const struct vtb_rt_thread *t)
{
	static uint32_t last VTB_HISTORY;

	vtb_ctl_gets_address(t, &last);
}

static bool is_kept(const void *block)
{
	for (uint32_t i = 0; i < kept.count; i++)
		if (kept.block[(kept.first + i) % KEEP_BLOCKS] == block)
			return true;
	return false;
}

/* Handed out in this run, and not dead: no need to look further. */
static bool is_alive(const void *block)
{
	const uint64_t at = (uint64_t)block - vtb_heap.lo;

	return in_span(block) && at % VTB_HEAP_GRAIN == 0 && begins(at / VTB_HEAP_GRAIN) &&
	       !vtb_heap_is_dead((uint64_t)block);
}

static const char *why_not_free(const void *block)
{
	if (VTB_LIKELY(is_alive(block)))
		return NULL;
	if (is_kept(block))
		return "a block was freed twice";
	if (block_around(block))
		return "an address inside a block was freed";
	return never_allocated(block) ? "memory was freed that was never allocated" : NULL;
}

static void release_oldest(void)
{
	void *block = kept.block[kept.first];

	kept.first = (kept.first + 1) % KEEP_BLOCKS;
	kept.count--;
	kept.bytes -= malloc_usable_size(block);
	mark(block, malloc_usable_size(block), false);
	mark_start(block, false);
	vtb_heap.size = kept.count ? VTB_HEAP_SPAN : 0;
	__libc_free(block);
}

static void keep(void *block)
{
	const uint64_t size = malloc_usable_size(block);

	while (kept.count && (kept.count == KEEP_BLOCKS || kept.bytes + size > KEEP_BYTES))
		release_oldest();
	kept.block[(kept.first + kept.count++) % KEEP_BLOCKS] = block;
	kept.bytes += size;
	mark(block, size, true);
	vtb_heap.size = VTB_HEAP_SPAN;
}

static void free_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	void *block = (void *)call->obj;

	const char *why = why_not_free(block);

	if (why)
		vtb_failure_end(VTB_V_MEMORY, 0, call->pc, (uint64_t)block, why);
	call->arg = malloc_usable_size(block);
	t->base.inside++;
	keep(block);
	t->base.inside--;
}

static const struct vtb_primitive primitive_free = { "free", NULL, free_perform, NULL, true, NULL };

/* A block that nobody else minds. */
static bool pass_over(struct vtb_rt_thread *t, void *block)
{
	if (!t->base.owned_left || why_not_free(block) ||
	    !vtb_owned_pass_free(t, (uint64_t)block, malloc_usable_size(block), t->base.pc))
		return false;
	t->base.inside++;
	keep(block);
	t->base.inside--;
	return true;
}

void vtb_ctl_free(struct vtb_rt_thread *t, void *block)
{
	if (VTB_UNLIKELY(t->base.owned_left) && pass_over(t, block))
		return;
	vtb_op(t, &primitive_free, VTB_E_FREE, block);
}

bool vtb_ctl_watches_libc(const struct vtb_rt_thread *t)
{
	return vtb_sched.active && vtb_sched.catches && t->base.depth && !vtb_sched.exiting;
}

void *vtb_ctl_realloc(struct vtb_rt_thread *t, void *block, size_t size)
{
	const char *why = why_not_free(block);
	const size_t old = why ? 0 : malloc_usable_size(block);
	void *fresh = size ? __libc_malloc(size) : NULL;

	if (size && !fresh)
		return NULL;
	if (fresh)
		memcpy(fresh, block, old < size ? old : size);
	vtb_ctl_free(t, block);
	return fresh;
}
