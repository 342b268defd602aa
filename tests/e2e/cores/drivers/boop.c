/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that one at a time may open: tested, then marked. */
#include "../two.h"

static int opened, users;

static void *open_device(void *arg)
{
	if (!opened) {
		opened = 1;
		__atomic_add_fetch(&users, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

int main(void)
{
	together(open_device, open_device, NULL);
	assert(users == 1);
	return 0;
}
