/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library of the program's own keeps the state; it calls back. */
#include "two.h"

void library_set(int value);
void library_look(void (*look)(int));

static void check(int value)
{
	assert(value != 1);
}

static void one(void)
{
	library_set(1);
}

static void two(void)
{
	library_set(2);
}

int main(void)
{
	both();
	library_look(check);
	return 0;
}
