/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the C library keeps for each thread: errno and the like. Its functions write there without a hook, so a thread
 * that has a pointer to another's looks at what is no operation.
 */
#include <errno.h>
#include <link.h>
#include <pthread.h>

#include "rt.h"

static uint64_t block_at, block_size; /* from a thread's pointer on: as it was there from the start, equal for all */

static int find_block(struct dl_phdr_info *info, size_t size, void *arg)
{
	const uint64_t lo = (uint64_t)info->dlpi_tls_data, own = (uint64_t)&errno;

	(void)size;
	(void)arg;
	for (int i = 0; lo && i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS && own - lo < info->dlpi_phdr[i].p_memsz) {
			block_at = lo - (uint64_t)pthread_self();
			block_size = info->dlpi_phdr[i].p_memsz;
			return 1;
		}
	return 0;
}

void vtb_rt_find_libc_own(void)
{
	dl_iterate_phdr(find_block, NULL);
}

uint64_t vtb_rt_libc_own(const struct vtb_rt_thread *t, uint64_t *ret_end)
{
	const uint64_t lo = (uint64_t)t->base.handle + block_at;

	*ret_end = lo + block_size;
	return lo;
}
