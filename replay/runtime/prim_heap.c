/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * free() as an operation. Freed blocks are kept aside for a while instead of going back to the heap: an access through a
 * stale pointer then still finds the dead block, and is told apart from an access to its next owner.
 */
#include <malloc.h>
#include <string.h>

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

static void release_oldest(void)
{
	void *block = kept.block[kept.first];

	kept.first = (kept.first + 1) % KEEP_BLOCKS;
	kept.count--;
	kept.bytes -= malloc_usable_size(block);
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

static const struct vtb_primitive primitive_free = {"free", NULL, free_perform};

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
