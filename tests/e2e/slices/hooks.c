/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with the hooks that -fsanitize=thread calls; atomics do what they say. */
#include <string.h>

#define EMPTY(name)         \
	void __tsan_##name(void); \
	void __tsan_##name(void)  \
	{                       \
	}
#define SIZES(name) EMPTY(name##1) EMPTY(name##2) EMPTY(name##4) EMPTY(name##8) EMPTY(name##16)
SIZES(read)
SIZES(write)
SIZES(unaligned_read)
SIZES(unaligned_write)
SIZES(volatile_read)
SIZES(volatile_write)
SIZES(unaligned_volatile_read)
SIZES(unaligned_volatile_write)
SIZES(read_write)
EMPTY(init)
EMPTY(func_entry)
EMPTY(func_exit)
EMPTY(read_range)
EMPTY(write_range)

int __tsan_atomic32_fetch_add(volatile int *at, int by, int order);
int __tsan_atomic32_fetch_add(volatile int *at, int by, int order)
{
	(void)order;
	return __atomic_fetch_add(at, by, __ATOMIC_SEQ_CST);
}

void __tsan_atomic32_store(volatile int *at, int value, int order);
void __tsan_atomic32_store(volatile int *at, int value, int order)
{
	(void)order;
	__atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long n);
void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
	return memcpy(to, from, n);
}

void *__tsan_memmove(void *to, const void *from, unsigned long n);
void *__tsan_memmove(void *to, const void *from, unsigned long n)
{
	return memmove(to, from, n);
}

void *__tsan_memset(void *to, int value, unsigned long n);
void *__tsan_memset(void *to, int value, unsigned long n)
{
	return memset(to, value, n);
}
