/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hunt_items_args.h"

#include <string.h>

void vtb_hunt_check_items(struct hunt_args *a, struct argp_state *state)
{
	const struct vtb_hunt_items *items = &a->items;

	if (items->results && !items->cluster && !items->list)
		argp_error(state, "--item-results goes with --cluster or --items");
	if (!items->cluster && !items->list)
		return;
	if (a->per_test || a->suite.ctest || a->opts.verify_fix)
		argp_error(state, "--cluster and --items are about one program, and not with --verify-fix");
	if (items->cluster && strncmp(items->cluster, "tcp://", 6) && strncmp(items->cluster, "tls://", 6))
		argp_error(state, "--cluster: \"%s\" is no tcp://HOST:PORT", items->cluster);
	if (a->opts.state_dir)
		argp_error(state, "--state keeps what is run here: it does not go with --cluster and --items");
	a->opts.items = items;
}
