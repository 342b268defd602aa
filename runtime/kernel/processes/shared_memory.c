/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Waits for a primitive in memory that a forked process has, too: what that process does to it is not seen, so that
 * such a wait is no dead end of this one.
 */
#include <linux/futex.h>

#include "follow.h"
#include "models.h"
#include "base.h"
#include "syscalls.h"

struct asked {
	uint64_t addr;
	bool shared;
};

static void look_at(const struct vtb_map_line *line, void *arg)
{
	struct asked *a = arg;

	a->shared |= line->shared && a->addr >= line->lo && a->addr < line->hi;
}

/* Is the address in a mapping that is shared (MAP_SHARED)? */
static bool is_shared(uint64_t addr)
{
	struct asked a = { .addr = addr };

	vtb_each_mapping(look_at, &a);
	return a.shared;
}

/* Who of them wakes a thread of ours nobody sees. */
bool vtb_shared_futex(const greg_t *g, long *ret)
{
	const int op = (int)g[REG_RSI] & FUTEX_CMD_MASK;
	const bool wakes = op == FUTEX_WAKE || op == FUTEX_WAKE_BITSET;
	long r;

	if (!vtb_children_made || g[REG_RSI] & FUTEX_PRIVATE_FLAG || !is_shared((uint64_t)g[REG_RDI]))
		return true;
	if (!wakes) {
		vtb_children_not_decided();
		return true;
	}
	r = vtb_syscall_make(g);
	if (r > 0 && *ret >= 0)
		*ret += r;
	return true;
}

bool vtb_shared_memory_waits(void)
{
	bool found = false;

	if (!vtb_follow_left() && !vtb_follow_partner())
		return false;
	for (uint32_t i = 0; !found && i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *t = vtb_rt.threads[i];

		found = t->base.state == VTB_T_ALIVE && t->sched.call && is_shared((uint64_t)t->sched.call->obj);
	}
	if (found)
		vtb_failure_end(
		    VTB_V_TIMEOUT, 0, 0, 0,
		    "stopped where a thread waits for something in memory that it shares with a forked process: "
		    "what the other process does to it is not seen");
	return false;
}
