/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * free() as an operation. Freed blocks are kept aside for a while instead of going back to the heap: an access through a
 * stale pointer then still finds the dead block, and is told apart from an access to its next owner.
 */
#include <malloc.h>
#include <string.h>

#include "fast.h"
#include "models.h"
#include "sys.h"

#define KEEP_BLOCKS 16384u
#define KEEP_BYTES (64ull << 20)

extern void *__libc_malloc(size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static struct {
	void *block[KEEP_BLOCKS]; /* ring: oldest at `first` */
	uint32_t first, count;
	uint64_t bytes;
} kept;

/* ---- which memory is dead: one bit for each 16 bytes of the heap, so that an access costs a load when nothing is */

struct vtb_heap vtb_heap;

void vtb_heap_begin(void)
{
	void *block = __libc_malloc(1);

	vtb_heap.lo = ((uint64_t)block & ~0xfffffull) - (64ull << 20); /* blocks from before main may lie below */
	__libc_free(block);
}

static void mark(const void *block, uint64_t size, bool is_dead)
{
	const uint64_t at = (uint64_t)block - vtb_heap.lo, from = at / VTB_HEAP_GRAIN;

	if (at >= VTB_HEAP_SPAN || at + size >= VTB_HEAP_SPAN)
		return;
	for (uint64_t i = from; i < from + size / VTB_HEAP_GRAIN; i++)
		if (is_dead)
			vtb_heap.dead[i / 8] |= (uint8_t)(1u << i % 8);
		else
			vtb_heap.dead[i / 8] &= (uint8_t)~(1u << i % 8);
}

static void release_oldest(void)
{
	void *block = kept.block[kept.first];

	kept.first = (kept.first + 1) % KEEP_BLOCKS;
	kept.count--;
	kept.bytes -= malloc_usable_size(block);
	mark(block, malloc_usable_size(block), false);
	vtb_heap.size = kept.count ? VTB_HEAP_SPAN : 0;
	__libc_free(block);
}

static bool is_kept(const void *block)
{
	for (uint32_t i = 0; i < kept.count; i++)
		if (kept.block[(kept.first + i) % KEEP_BLOCKS] == block)
			return true;
	return false;
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

	if (is_kept(block))
		vtb_ctl_fail(VTB_V_MEMORY, call->pc, "a block was freed twice");
	call->arg = malloc_usable_size(block);
	t->inside++;
	keep(block);
	t->inside--;
}

static const struct vtb_primitive primitive_free = {"free", NULL, free_perform, NULL, true};

void vtb_ctl_free(struct vtb_rt_thread *t, void *block)
{
	vtb_op(t, &primitive_free, VTB_E_FREE, block);
}

void *vtb_ctl_realloc(struct vtb_rt_thread *t, void *block, size_t size)
{
	const size_t old = malloc_usable_size(block);
	void *fresh = size ? __libc_malloc(size) : NULL;

	if (size && !fresh)
		return NULL;
	if (fresh)
		memcpy(fresh, block, old < size ? old : size);
	vtb_ctl_free(t, block);
	return fresh;
}
