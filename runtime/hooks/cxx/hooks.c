/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooks that this library's own code calls; built without hooks. Each goes on to the runtime's, which
 * takes a place in this library for that in the program which called it (../library.c). That a file with hooks has been
 * loaded is told to nobody: by that the runtime knows what the program is built with.
 */
#include <stdint.h>

#include "library.h"

#define HERE __builtin_return_address(0)

void __tsan_init(void);
void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
	vtb_library_enter((uint64_t)caller, (uint64_t)__builtin_frame_address(0));
}

void __tsan_func_exit(void);
void __tsan_func_exit(void)
{
	vtb_library_leave();
}

void __tsan_read_range_pc(void *addr, unsigned long size, void *pc);
void __tsan_write_range_pc(void *addr, unsigned long size, void *pc);

#define ACCESS(kind, size)                                   \
	void __tsan_##kind##size##_pc(void *addr, void *pc); \
	void __tsan_##kind##size(void *addr);                \
	void __tsan_##kind##size(void *addr)                 \
	{                                                    \
		__tsan_##kind##size##_pc(addr, HERE);        \
	}
/* clang-format off */
#define WIDE(kind, name, size) \
	void __tsan_##name(void *addr); \
	void __tsan_##name(void *addr) \
	{ \
		__tsan_##kind##_range_pc(addr, size, HERE); \
	}
#define KINDS(kind) \
	ACCESS(kind, 1) ACCESS(kind, 2) ACCESS(kind, 4) ACCESS(kind, 8) WIDE(kind, kind##16, 16) \
	WIDE(kind, unaligned_##kind##2, 2) WIDE(kind, unaligned_##kind##4, 4) \
	WIDE(kind, unaligned_##kind##8, 8) WIDE(kind, unaligned_##kind##16, 16)
KINDS(read)
KINDS(write)
/* clang-format on */

void __tsan_read_range(void *addr, unsigned long size);
void __tsan_read_range(void *addr, unsigned long size)
{
	__tsan_read_range_pc(addr, size, HERE);
}

void __tsan_write_range(void *addr, unsigned long size);
void __tsan_write_range(void *addr, unsigned long size)
{
	__tsan_write_range_pc(addr, size, HERE);
}

/* A constructor sets the table of virtual functions again and again to what it is. */
void __tsan_vptr_update(void **at, void *value);
void __tsan_vptr_update(void **at, void *value)
{
	if (*at != value)
		__tsan_write8_pc(at, HERE);
}

void __tsan_vptr_read(void **at);
void __tsan_vptr_read(void **at)
{
	__tsan_read8_pc(at, HERE);
}
