/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bandwidth is used by a thread that does not wait for its allocation. */
#include "../two.h"

static int *bandwidth;

static void *set_up(void *arg)
{
	bandwidth = calloc(1, sizeof(*bandwidth));
	return arg;
}

static void *peer(void *arg)
{
	assert(bandwidth);
	*bandwidth = 1;
	return arg;
}

int main(void)
{
	together(set_up, peer, NULL);
	free(bandwidth);
	return 0;
}
