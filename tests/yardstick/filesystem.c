/* SPDX-License-Identifier: GPL-2.0-or-later */
/* n threads give an inode a block each; from 14 threads on two of them look at the same block first. */
#include "yardstick.h"

#define INODES 32
#define BLOCKS 26

static pthread_mutex_t inode_lock[INODES], block_lock[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static int take_block(int b)
{
	for (;; b = (b + 1) % BLOCKS) {
		int taken;

		pthread_mutex_lock(&block_lock[b]);
		taken = busy[b];
		busy[b] = 1;
		pthread_mutex_unlock(&block_lock[b]);
		if (!taken)
			return b;
	}
}

static void *create(void *arg)
{
	const int i = me(arg) % INODES;

	pthread_mutex_lock(&inode_lock[i]);
	if (!inode[i])
		inode[i] = take_block(i * 2 % BLOCKS) + 1;
	pthread_mutex_unlock(&inode_lock[i]);
	return NULL;
}

int main(int argc, char **argv)
{
	run_all(number(argc, argv), create);
	return 0;
}
