/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted was read by code that has no hooks: the last of two writes decides. */
#include "two.h"

#include <stdio.h>
#include <string.h>

static char *text;
static int cells[4] = { 5, 2, 0, 9 };

static void one(void)
{
	text[0] = '1';
	cells[0] = 3;
}

static void two(void)
{
	text[0] = '2';
	cells[0] = 1;
}

#if HOW == 1
static int last(void)
{
	char x;

	__asm__ volatile("movb %1, %0" : "=r"(x) : "m"(text[0]));
	return x;
}
#elif HOW == 2
__attribute__((no_sanitize("thread"), noinline)) static int last(void)
{
	return text[0];
}
#elif HOW == 3
static int last(void)
{
	char *moved = realloc(text, 100000);

	return moved[0];
}
#elif HOW == 4
static int last(void)
{
	return strdup(text)[0];
}
#elif HOW == 5
static int last(void)
{
	char out[8];

	snprintf(out, sizeof(out), "<%s>", text);
	return out[1];
}
#elif HOW == 6
static int by_size(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int last(void)
{
	qsort(cells, 4, sizeof(*cells), by_size);
	return cells[1] == 2 ? '1' : '2';
}
#elif HOW == 7
static int last(void)
{
	int x = 0;

	sscanf(text, "%d", &x);
	return '0' + x;
}
#elif HOW == 8
static int last(void)
{
	FILE *f = tmpfile();

	fwrite(text, 1, 1, f);
	rewind(f);
	return fgetc(f);
}
#endif

int main(void)
{
	text = calloc(4, 1);
	both();
	if (last() == '1')
		abort();
	return 0;
}
