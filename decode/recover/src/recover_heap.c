/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the allocator does to memory, as its log entries tell: the contents of blocks that are handed out, moved and
 * given back. */
#include "recover_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COPIED_MAX (1u << 20) /* of longer blocks that move, what is behind is not known */
#define FREED_MIN 32u         /* of a block whose size is not known: the allocator's links */
#define CHUNK 32u

static bool is_heap(uint16_t function)
{
	return function >= VTB_PT_FN_MALLOC && function <= VTB_PT_FN_MEMALIGN;
}

static uint64_t size_asked(const struct heap_call *call)
{
	switch (call->function) {
	case VTB_PT_FN_MALLOC:
		return call->args[0];
	case VTB_PT_FN_CALLOC:
		return call->args[0] * call->args[1];
	case VTB_PT_FN_REALLOC:
	case VTB_PT_FN_ALIGNED_ALLOC:
	case VTB_PT_FN_MEMALIGN:
		return call->args[1];
	default:
		return 0;
	}
}

/* Size of a block that is in use; 0: not known. */
static uint64_t size_of(const struct recover_run *run, uint64_t block)
{
	uint64_t size = 0;

	return vtb_map64_get(&run->blocks, block, &size) ? size : 0;
}

static void set_size(struct recover_run *run, uint64_t block, uint64_t size)
{
	if (vtb_map64_set(&run->blocks, block, size) < 0)
		run->error = -ENOMEM;
}

/* realloc may move: what the block holds now. */
static void keep_contents(struct recover_thread *t, uint64_t block)
{
	uint64_t n = size_of(t->run, block);
	struct heap_call *h = &t->heap;

	n = n > COPIED_MAX ? COPIED_MAX : n;
	free(h->bytes);
	h->n = 0;
	h->bytes = n ? calloc(n / CHUNK + 1, CHUNK + sizeof(uint32_t)) : NULL; /* the bytes, then the masks */
	if (!h->bytes) {
		t->run->error = n ? -ENOMEM : t->run->error;
		return;
	}
	h->known = (uint32_t *)(void *)(h->bytes + (n / CHUNK + 1) * CHUNK);
	h->n = n;
	for (uint64_t i = 0; i < n; i += CHUNK)
		h->known[i / CHUNK] = recover_memory_read(&t->run->memory, t->cpu.stamp, block + i,
		                                          n - i < CHUNK ? (unsigned)(n - i) : CHUNK, h->bytes + i);
}

static void restore_contents(struct recover_thread *t, uint64_t block, uint64_t size)
{
	const struct heap_call *h = &t->heap;
	const uint64_t n = h->n < size ? h->n : size;

	for (uint64_t i = 0; i < n; i += CHUNK)
		recover_memory_write(&t->run->memory, t->cpu.stamp, block + i,
		                     n - i < CHUNK ? (unsigned)(n - i) : CHUNK, h->bytes + i, h->known[i / CHUNK]);
	recover_memory_forget(&t->run->memory, t->cpu.stamp, block + n, size - n);
}

/* All of a freed block may be written by the allocator, sooner or later: links, the headers of blocks that it is cut
 * into. */
static void give_back(struct recover_thread *t, uint64_t block)
{
	const uint64_t size = size_of(t->run, block);

	recover_memory_forget(&t->run->memory, t->cpu.stamp, block, size > FREED_MIN ? size : FREED_MIN);
	set_size(t->run, block, 0);
}

static void called(struct recover_thread *t, const struct vtb_pt_log *log)
{
	t->heap.function = log->function;
	memcpy(t->heap.args, log->regs, sizeof(t->heap.args));
	if (log->function == VTB_PT_FN_FREE && log->regs[0])
		give_back(t, log->regs[0]);
	else if (log->function == VTB_PT_FN_REALLOC)
		keep_contents(t, log->regs[0]);
}

static void returned_reallocated(struct recover_thread *t, uint64_t block, uint64_t size)
{
	const uint64_t old = t->heap.args[0], before = old ? size_of(t->run, old) : 0;

	if (block == old && before && size > before)
		recover_memory_forget(&t->run->memory, t->cpu.stamp, block + before, size - before);
	else if (block != old)
		restore_contents(t, block, size);
	if (old && block != old)
		give_back(t, old);
}

/* A block was handed out: its contents are the allocator's, zeros, or what realloc copied. */
static void returned(struct recover_thread *t, uint64_t block)
{
	const uint64_t size = size_asked(&t->heap);

	if (t->heap.function == VTB_PT_FN_POSIX_MEMALIGN) {
		recover_memory_forget(&t->run->memory, t->cpu.stamp, t->heap.args[0], 8);
		return;
	}
	if (!block || !size)
		return;
	if (t->heap.function == VTB_PT_FN_REALLOC)
		returned_reallocated(t, block, size);
	else if (t->heap.function == VTB_PT_FN_CALLOC)
		recover_memory_fill(&t->run->memory, t->cpu.stamp, block, size, 0);
	else
		recover_memory_forget(&t->run->memory, t->cpu.stamp, block, size);
	set_size(t->run, block, size);
}

void recover_heap_log(struct recover_thread *t, const struct vtb_pt_log *log)
{
	if (is_heap(log->function) && log->phase == VTB_PT_PHASE_ENTRY)
		called(t, log);
	else if (is_heap(log->function) && log->phase == VTB_PT_PHASE_RETURN)
		returned(t, log->regs[0]);
}
