/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file fail_alloc.h For tests linked with WRAP malloc calloc realloc: the n-th call from now fails (0: none does). */
#ifndef FAIL_ALLOC_H
#define FAIL_ALLOC_H

#include <stdlib.h>

static long fail_in;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);

static inline int fails_now(void)
{
	return fail_in && --fail_in == 0;
}

void *__wrap_malloc(size_t n)
{
	return fails_now() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails_now() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
	return fails_now() ? NULL : __real_realloc(p, n);
}

#endif /* FAIL_ALLOC_H */
