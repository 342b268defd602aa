/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pb: fewer preemptions first. */
#include "prio.h"

static int64_t cost(const struct vtb_branch *branch, struct vtb_prio_run *run)
{
	(void)run;
	return branch->c;
}

const struct vtb_prio vtb_prio_pb = { .name = "pb", .help = "fewer preemptions first", .cost = cost };
