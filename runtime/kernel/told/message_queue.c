/* SPDX-License-Identifier: BSD-2-Clause */
/* POSIX message queues: until when a call waits, and which calls are refused before they would wait. */
#include <mqueue.h>

#include "base.h"
#include "syscalls.h"

static bool is_timed(const greg_t *g)
{
	return g[REG_RAX] == SYS_mq_timedsend || g[REG_RAX] == SYS_mq_timedreceive;
}

static const struct timespec *until(const greg_t *g)
{
	return (const struct timespec *)g[REG_R8];
}

uint64_t vtb_mq_deadline(const greg_t *g)
{
	return is_timed(g) && until(g) ? vtb_time_at(CLOCK_REALTIME, until(g)) : 0;
}

/* Too long a message, too small a buffer, and what is no time. */
bool vtb_mq_refuses(const greg_t *g)
{
	const uint64_t size = (uint64_t)g[REG_RDX];
	struct mq_attr has;

	if (!is_timed(g) || sys3(SYS_mq_getsetattr, g[REG_RDI], 0, (long)&has) < 0)
		return false;
	return (until(g) && !vtb_time_is_valid(until(g))) ||
	       (g[REG_RAX] == SYS_mq_timedsend ? size > (uint64_t)has.mq_msgsize : size < (uint64_t)has.mq_msgsize);
}
