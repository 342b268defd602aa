/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the thread that makes the runs taken a page fault? Only then can there be pages that no run has changed before
 * (dirty.c). To ask the kernel costs a short run a tenth to a seventh of its time, so it is asked to tell by itself:
 *
 *   ring   at each fault the kernel writes a record into memory that it shares with us (perf_event_open), the newest
 *          over the oldest. If its head stands where it stood there was none: no system call.
 *   count  getrusage(). Where the ring is not allowed, or does not show faults in the middle of system calls; and after
 *          a system call of the run, since a few of these write to memory by its physical address. Now and then it is
 *          looked at beside the ring, which is given up if it has missed a fault.
 */
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "base.h"
#include "engines.h"

#define PAGE 4096ul
#define UNASKED_MAX 256u /* looks at the ring between two at the count */

/* In shared memory. */
static struct faults {
	const struct perf_event_mmap_page *ring; /* NULL: there is none */
	uint64_t head;
	long count;
	uint32_t unasked;
	bool by_call;
} * F;

static bool counted(void)
{
	struct rusage usage;
	long count;

	sys3(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0);
	count = usage.ru_minflt + usage.ru_majflt;
	if (count == F->count)
		return false;
	F->count = count;
	return true;
}

/* By this thread: nothing else need be waited for. */
static bool told(void)
{
	const uint64_t head = *(const volatile __u64 *)&F->ring->data_head;

	if (head == F->head)
		return false;
	F->head = head;
	return true;
}

/* Readable only, so that the kernel writes on when it is full. It lasts as long as the mapping. */
static const struct perf_event_mmap_page *open_ring(void)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.size = sizeof(attr),
		.sample_period = 1,
	};
	const long fd = sys6(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC, 0);
	const void *ring;

	if (fd < 0)
		return NULL;
	ring = vtb_own_pages(2 * PAGE, PROT_READ, MAP_SHARED, (int)fd);
	sys3(SYS_close, fd, 0, 0);
	return ring;
}

/* A fault of the thread itself, and one in the middle of a system call. */
static bool ring_tells(void)
{
	char *pages = sys_pages(2 * PAGE);
	bool both;

	if (!pages)
		return false;
	told();
	*(volatile char *)pages = 1;
	both = told();
	sys3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)(pages + PAGE), 0);
	both = told() && both;
	sys3(SYS_munmap, (long)pages, 2 * PAGE, 0);
	return both;
}

static void give_up_ring(void)
{
	sys3(SYS_munmap, (long)F->ring, 2 * PAGE, 0);
	F->ring = NULL;
}

bool vtb_faults_begin(void)
{
	F = vtb_shared_pages(sizeof(*F));
	if (!F)
		return false;
	F->ring = vtb_rt.lacks & VTB_LACKS_RING || vtb_catching.filtered ? NULL : open_ring();
	if (F->ring && !ring_tells())
		give_up_ring();
	return true;
}

bool vtb_faults_any(void)
{
	const bool seen = F->ring && told(), asks = !F->ring || seen || F->by_call;
	bool any;

	if (!asks && ++F->unasked < UNASKED_MAX)
		return false;
	F->unasked = 0;
	F->by_call = false;
	any = counted();
	if (any && !asks)
		give_up_ring();
	return any || seen;
}

void vtb_faults_by_call(void)
{
	if (F)
		F->by_call = true;
}
