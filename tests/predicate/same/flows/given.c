/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is asserted has gone an unusual way, as arguments that no register holds, and in lists of arguments. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#include "flow.h"

#if WAY == 1 /* more arguments than registers */
static char text[64];
static int flow(int v)
{
	snprintf(text, sizeof(text), "%d%d%d%d%d", 0, 0, 0, v, 0);
	return text[3] - '0';
}
#elif WAY == 2 /* and pointers among them that are written through */
static int cells[6];
static int flow(int v)
{
	static char text[] = "0 0 0 0 0 0";

	text[10] = (char)('0' + v);
	if (sscanf(text, "%d %d %d %d %d %d", &cells[0], &cells[1], &cells[2], &cells[3], &cells[4], &cells[5]) != 6)
		return 9;
	return cells[5];
}
#elif WAY == 3 /* a long double */
static char text[64];
static int flow(int v)
{
	snprintf(text, sizeof(text), "%.0Lf", (long double)v);
	return text[0] - '0';
}
#elif WAY == 4 /* more floating point than registers */
static char text[64];
static int flow(int v)
{
	snprintf(text, sizeof(text), "%.0f%.0f%.0f%.0f%.0f%.0f%.0f%.0f%.0f", 0., 0., 0., 0., 0., 0., 0., 0., (double)v);
	return text[8] - '0';
}
#elif WAY == 5 /* text behind a pointer on the stack */
static char text[64], word[2] = "0";
static int flow(int v)
{
	word[0] = (char)('0' + v);
	snprintf(text, sizeof(text), "%d%d%d%s", 0, 0, 0, word);
	return text[3] - '0';
}
#elif WAY == 6 /* a va_list that libc reads */
static char text[64];
KEPT static void put(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
}
static int flow(int v)
{
	static char word[2];

	word[0] = (char)('0' + v);
	put("%d%s%d", 0, word, 0);
	return text[1] - '0';
}
#elif WAY == 7 /* the same, past the registers */
static char text[64];
KEPT static void put(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
}
static int flow(int v)
{
	put("%d%d%d%d%d%d%d", 0, 0, 0, 0, 0, 0, v);
	return text[6] - '0';
}
#endif
