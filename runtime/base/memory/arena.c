/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory for the runtime's own records: bumped off chunks, never freed. It is private memory of the process, so a
 * process that is rolled back takes it back, too, as long as the chunk was there before (vtb_rt_alloc_reserve()).
 */
#include "rt.h"
#include "sys.h"

#define CHUNK (1ull << 20)

static char *next VTB_HISTORY, *end VTB_HISTORY;
static uint32_t taken VTB_RUN;

#define CHUNKS_MAX 64u
static struct chunk {
	uint64_t at, size;
} chunks[CHUNKS_MAX] VTB_HISTORY;
static uint32_t n_chunks VTB_HISTORY;

static void lock(void)
{
	while (__atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
		sys3(SYS_sched_yield, 0, 0, 0);
}

void vtb_rt_alloc_reserve(size_t size)
{
	const size_t chunk = size > CHUNK ? (size + 4095) & ~4095ul : CHUNK;

	if (next && (size_t)(end - next) >= size)
		return;
	next = sys_pages(chunk);
	end = next ? next + chunk : NULL;
	if (next && n_chunks < CHUNKS_MAX)
		chunks[n_chunks++] = (struct chunk){ (uint64_t)next, chunk };
}

bool vtb_rt_arena_has(uint64_t addr)
{
	for (uint32_t i = 0; i < n_chunks; i++)
		if (addr - chunks[i].at < chunks[i].size)
			return true;
	return false;
}

void *vtb_rt_alloc_aside(size_t size)
{
	char *p = NULL;

	size = (size + 15) & ~15ul;
	lock();
	vtb_rt_alloc_reserve(size);
	if (next)
		p = end -= size;
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
	return p;
}

void *vtb_rt_alloc(size_t size)
{
	char *p;

	size = (size + 15) & ~15ul;
	lock();
	vtb_rt_alloc_reserve(size);
	p = next;
	if (p)
		next += size;
	__atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
	return p;
}
