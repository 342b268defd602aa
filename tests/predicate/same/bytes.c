/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A byte of a word, copied before it is looked at. */
#include "two.h"

#include <string.h>

static union {
	long word;
	char bytes[8];
} both_ways;
static char copy[8];

static void one(void)
{
	both_ways.word = 0x0101010101010101;
}

static void two(void)
{
	both_ways.bytes[3] = 7;
}

int main(void)
{
	both();
	memcpy(copy, both_ways.bytes, 8);
	assert(copy[3] != 1);
	return 0;
}
