/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library of the program's own keeps the state; it calls back. Its function log() is not that of libm. */
#include "two.h"

void library_set(int value);
void library_look(void (*look)(int));
void log(int value);

static int x;

static void check(int value)
{
	assert(value != 1);
}

static void one(void)
{
	x = 1;
	if (HOW == 1)
		library_set(1);
}

static void two(void)
{
	x = 2;
	if (HOW == 1)
		library_set(2);
}

int main(void)
{
	both();
	if (HOW == 2)
		log(x);
	library_look(check);
	return 0;
}
