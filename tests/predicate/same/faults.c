/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Crashes only: memory that is freed meanwhile, and a pointer that is null for a moment. */
#include "two.h"

static int *volatile pointer;
static volatile int sum;
static int other;

static void one(void)
{
	*(volatile int *)pointer = 1;
	sum = *(volatile int *)pointer;
}

static void two(void)
{
#if HOW == 1
	free(pointer);
#else
	pointer = NULL;
	pointer = &other;
#endif
}

int main(void)
{
	pointer = HOW == 1 ? malloc(sizeof(int)) : &other;
	both();
	return 0;
}
