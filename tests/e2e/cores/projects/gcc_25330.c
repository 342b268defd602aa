/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last owner is told by a count that two give up at once. */
#include "../two.h"

static int owners = 2, disposed;

static void *give_up(void *arg)
{
	if (__atomic_load_n(&owners, __ATOMIC_SEQ_CST) == 1)
		__atomic_add_fetch(&disposed, 1, __ATOMIC_SEQ_CST);
	else
		__atomic_sub_fetch(&owners, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	together(give_up, give_up, NULL);
	assert(disposed == 1);
	return 0;
}
