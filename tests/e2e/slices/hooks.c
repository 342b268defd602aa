/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library with the hooks that -fsanitize=thread calls; atomics do what they say. Accesses go to the file ACCESSES,
 * where that is set: it is a shared mapping, so that what was written is there however the program ends. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROWS 65536u

struct row {
	uint64_t addr, place, size; /* the hook's return address, in the file */
	uint32_t writes, thread;
};

static struct row *rows;
static uint32_t n_rows, n_threads;
static __thread uint32_t thread;

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("ACCESSES");
	const int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0600) : -1;
	void *map = fd >= 0 && !ftruncate(fd, ROWS * sizeof(*rows))
	                ? mmap(NULL, ROWS * sizeof(*rows), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
	                : MAP_FAILED;

	if (map != MAP_FAILED)
		rows = map;
	if (fd >= 0)
		close(fd);
}

static void note(const volatile void *at, unsigned long size, int writes, const void *from)
{
	Dl_info info;
	uint32_t row;

	if (!rows || !dladdr(from, &info) || (row = __atomic_fetch_add(&n_rows, 1, __ATOMIC_RELAXED)) >= ROWS)
		return;
	if (!thread)
		thread = __atomic_add_fetch(&n_threads, 1, __ATOMIC_RELAXED);
	rows[row] = (struct row){ (uint64_t)(uintptr_t)at, (uint64_t)((uintptr_t)from - (uintptr_t)info.dli_fbase), size,
		                  (uint32_t)writes, thread };
}

#define HERE __builtin_return_address(0)
#define HOOK(name, size, writes)          \
	void __tsan_##name(void *at);     \
	void __tsan_##name(void *at)      \
	{                                 \
		note(at, size, writes, HERE); \
	}
#define SIZES(name, writes) \
	HOOK(name##1, 1, writes)    \
	HOOK(name##2, 2, writes)    \
	HOOK(name##4, 4, writes)    \
	HOOK(name##8, 8, writes)    \
	HOOK(name##16, 16, writes)
#define EMPTY(name)               \
	void __tsan_##name(void); \
	void __tsan_##name(void)  \
	{                         \
	}
SIZES(read, 0)
SIZES(write, 1)
SIZES(unaligned_read, 0)
SIZES(unaligned_write, 1)
SIZES(volatile_read, 0)
SIZES(volatile_write, 1)
SIZES(unaligned_volatile_read, 0)
SIZES(unaligned_volatile_write, 1)
SIZES(read_write, 1)
HOOK(vptr_read, 8, 0)
EMPTY(init)
EMPTY(func_entry)
EMPTY(func_exit)

void __tsan_vptr_update(void *at, void *to);
void __tsan_vptr_update(void *at, void *to)
{
	(void)to;
	note(at, 8, 1, HERE);
}

void __tsan_read_range(void *at, unsigned long size);
void __tsan_read_range(void *at, unsigned long size)
{
	note(at, size, 0, HERE);
}

void __tsan_write_range(void *at, unsigned long size);
void __tsan_write_range(void *at, unsigned long size)
{
	note(at, size, 1, HERE);
}

int __tsan_atomic32_fetch_add(volatile int *at, int by, int order);
int __tsan_atomic32_fetch_add(volatile int *at, int by, int order)
{
	(void)order;
	note(at, 4, 1, HERE);
	return __atomic_fetch_add(at, by, __ATOMIC_SEQ_CST);
}

void __tsan_atomic32_store(volatile int *at, int value, int order);
void __tsan_atomic32_store(volatile int *at, int value, int order)
{
	(void)order;
	note(at, 4, 1, HERE);
	__atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

void *__tsan_memcpy(void *to, const void *from, unsigned long n);
void *__tsan_memcpy(void *to, const void *from, unsigned long n)
{
	note(from, n, 0, HERE);
	note(to, n, 1, HERE);
	return memcpy(to, from, n);
}

void *__tsan_memmove(void *to, const void *from, unsigned long n);
void *__tsan_memmove(void *to, const void *from, unsigned long n)
{
	note(from, n, 0, HERE);
	note(to, n, 1, HERE);
	return memmove(to, from, n);
}

void *__tsan_memset(void *to, int value, unsigned long n);
void *__tsan_memset(void *to, int value, unsigned long n)
{
	note(to, n, 1, HERE);
	return memset(to, value, n);
}
