/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooks that this library's own code calls; built without hooks. Where its functions begin and end is told, as by
 * libvtb-cxx.so. What they touch is not: of their own data nothing concerns the program, since operations that are told
 * order all of it; what they touch of the program's they tell themselves (vtb_library_reads()). That the former is so
 * is tested with a build that has libvtb-cxx.so's hooks and tells all of it (tests/e2e/openmp.py).
 */
#include <stdint.h>

#include "library.h"

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

#define NOTHING(name)        \
	void name(void *at); \
	void name(void *at)  \
	{                    \
		(void)at;    \
	}
/* clang-format off */
#define SIZES(kind) \
	NOTHING(__tsan_##kind##1) NOTHING(__tsan_##kind##2) NOTHING(__tsan_##kind##4) NOTHING(__tsan_##kind##8) \
	NOTHING(__tsan_##kind##16) NOTHING(__tsan_unaligned_##kind##2) NOTHING(__tsan_unaligned_##kind##4) \
	NOTHING(__tsan_unaligned_##kind##8) NOTHING(__tsan_unaligned_##kind##16) NOTHING(__tsan_##kind##_range)
SIZES(read)
SIZES(write)
/* clang-format on */
