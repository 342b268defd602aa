/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file plain_text.h
 * Texts, without libc: its functions may be interposed by ourselves (hooks/libc/instr_string.c), which come back to the
 * scheduler. Same names, arguments and results as in <string.h>.
 */
#ifndef VTB_RT_TEXT_H
#define VTB_RT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline size_t vtb_text_length(const char *s)
{
	const volatile char *p =
	    s; /* volatile keeps the compiler from finding in a loop the function that it stands for */
	size_t n = 0;

	while (p[n])
		n++;
	return n;
}

static inline int vtb_text_compare(const char *a, const char *b, size_t most)
{
	const volatile unsigned char *p = (const unsigned char *)a, *q = (const unsigned char *)b;

	for (size_t i = 0; i < most; i++)
		if (p[i] != q[i] || !p[i])
			return p[i] - q[i];
	return 0;
}

static inline char *vtb_text_find(const char *s, int c)
{
	const volatile char *p = s;

	for (; *p != (char)c; p++)
		if (!*p)
			return NULL;
	return (char *)(uintptr_t)p;
}
static inline void *vtb_text_move(void *to, const void *from, size_t size)
{
	volatile char *p = to;
	const volatile char *q = from;

	if ((uintptr_t)to <= (uintptr_t)from)
		for (size_t i = 0; i < size; i++)
			p[i] = q[i];
	else
		while (size--)
			p[size] = q[size];
	return to;
}
#undef memmove
#undef strlen
#undef strcmp
#undef strncmp
#undef strchr
#define memmove vtb_text_move
#define strlen vtb_text_length
#define strcmp(a, b) vtb_text_compare(a, b, SIZE_MAX)
#define strncmp vtb_text_compare
#define strchr vtb_text_find

#endif /* VTB_RT_TEXT_H */
