/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sanitizer's public interface, besides the hooks: what programs call to tell it of their own locks, fibers and
 * benign races. All of
 * it exists (tests/e2e/tsan_symbols.py compares with the sanitizers that are installed), or the loader would not
 * start the program.
 *
 *   a lock was taken, is given back   an operation on a read-write lock. It never waits: the program's own atomics
 *                                     decide who gets it
 *   a lock is about to be taken       nothing: those atomics are seen, and are what is scheduled
 *   an access to an object            a plain access of one byte
 *   all else                          nothing (tsan_ignored.def, tsan_syscalls.def)
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <string.h>

#include "scheduler.h"
#include "instr.h"
#include "base.h"
#include "tsan_interface.h"

#define UNUSED __attribute__((unused))

/* ---- what asks for nothing */

static __attribute__((used)) long nothing(void)
{
	return 0;
}
#define VTB_IGNORED(name)           \
	VTB_EXPORT long name(void); \
	VTB_EXPORT long name(void) __attribute__((alias("nothing")));
#define VTB_TOLD_SYSCALL(name)                           \
	VTB_IGNORED(__sanitizer_syscall_pre_impl_##name) \
	VTB_IGNORED(__sanitizer_syscall_post_impl_##name)
#include "tsan_ignored.def"
#include "tsan_syscalls.def"

bool vtb_tsan_real(void)
{
	const void *first = dlsym(RTLD_DEFAULT, "__tsan_get_current_report");

	return (first && first != (void *)nothing) || dlsym(RTLD_NEXT, "__tsan_get_current_report");
}

/* Programs define these to set the sanitizer up. */
#define OPTIONS(name)                                           \
	VTB_EXPORT const char *name(void);                      \
	VTB_EXPORT __attribute__((weak)) const char *name(void) \
	{                                                       \
		return "";                                      \
	}
OPTIONS(__tsan_default_options)
OPTIONS(__tsan_default_suppressions)

VTB_EXPORT int ThreadSanitizerQuery(const char *what);
VTB_EXPORT int ThreadSanitizerQuery(const char *what)
{
	return !strcmp(what, "pure_happens_before");
}

/* A double, 10.0; this file has no floating point. */
__asm__(".text\n.globl ValgrindSlowdown\n.type ValgrindSlowdown,@function\n"
        "ValgrindSlowdown:\n\tmovl $10, %eax\n\tcvtsi2sd %eax, %xmm0\n\tret\n"
        ".size ValgrindSlowdown, .-ValgrindSlowdown\n");

/* ---- locks of the program's own */

enum { READ_LOCK = 1 << 3, TRY_LOCK = 1 << 4, TRY_LOCK_FAILED = 1 << 5 }; /* of the interface */

static const struct vtb_primitive primitive_annotated = { .name = "lock of the program's own", .local = true };

static void lock_operation(unsigned kind, const void *lock, bool failed, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	struct vtb_call call = { .prim = &primitive_annotated, .kind = (uint8_t)kind, .obj = lock, .pc = pc };

	if (!t)
		return;
	t->base.pc = pc;
	call.value = failed ? EBUSY : 0;
	call.has_value = kind == VTB_E_TRYRDLOCK || kind == VTB_E_TRYWRLOCK;
	if (vtb_rt_controls())
		vtb_ctl_op(t, &call);
	else
		vtb_rec_sync(t, kind, lock, 0, (unsigned)call.value, call.value, 0);
}

VTB_EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth);
VTB_EXPORT void __tsan_mutex_post_lock(void *lock, unsigned flags, int depth UNUSED)
{
	const bool reads = flags & READ_LOCK, tries = flags & (TRY_LOCK | TRY_LOCK_FAILED);
	const unsigned kinds[2][2] = { { VTB_E_WRLOCK, VTB_E_RDLOCK }, { VTB_E_TRYWRLOCK, VTB_E_TRYRDLOCK } };

	lock_operation(kinds[tries][reads], lock, flags & TRY_LOCK_FAILED, VTB_CALLER);
}

VTB_EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
VTB_EXPORT int __tsan_mutex_pre_unlock(void *lock, unsigned flags UNUSED)
{
	lock_operation(VTB_E_RWUNLOCK, lock, false, VTB_CALLER);
	return 1; /* levels of recursion given back, for who takes them again */
}

VTB_EXPORT void AnnotateRWLockAcquired(const char *file, int line, const void *lock, long writes);
VTB_EXPORT void AnnotateRWLockAcquired(const char *file UNUSED, int line UNUSED, const void *lock, long writes)
{
	lock_operation(writes ? VTB_E_WRLOCK : VTB_E_RDLOCK, lock, false, VTB_CALLER);
}

VTB_EXPORT void AnnotateRWLockReleased(const char *file, int line, const void *lock, long writes);
VTB_EXPORT void AnnotateRWLockReleased(const char *file UNUSED, int line UNUSED, const void *lock, long writes UNUSED)
{
	lock_operation(VTB_E_RWUNLOCK, lock, false, VTB_CALLER);
}

#define JAVA_LOCK(name, kind)                                                        \
	VTB_EXPORT void __tsan_java_mutex_##name(uint64_t lock);                     \
	VTB_EXPORT void __tsan_java_mutex_##name(uint64_t lock)                      \
	{                                                                            \
		lock_operation(VTB_E_##kind, (const void *)lock, false, VTB_CALLER); \
	}
JAVA_LOCK(lock, WRLOCK)
JAVA_LOCK(unlock, RWUNLOCK)
JAVA_LOCK(read_lock, RDLOCK)
JAVA_LOCK(read_unlock, RWUNLOCK)

VTB_EXPORT void __tsan_java_mutex_lock_rec(uint64_t lock, int depth);
VTB_EXPORT void __tsan_java_mutex_lock_rec(uint64_t lock, int depth UNUSED)
{
	lock_operation(VTB_E_WRLOCK, (const void *)lock, false, VTB_CALLER);
}

VTB_EXPORT int __tsan_java_mutex_unlock_rec(uint64_t lock);
VTB_EXPORT int __tsan_java_mutex_unlock_rec(uint64_t lock)
{
	lock_operation(VTB_E_RWUNLOCK, (const void *)lock, false, VTB_CALLER);
	return 1;
}

/* ---- accesses */

VTB_EXPORT void *__tsan_external_register_tag(const char *type);
VTB_EXPORT void *__tsan_external_register_tag(const char *type)
{
	return (void *)type; /* any that is not NULL */
}

#define EXTERNAL(name, kind)                                                                  \
	VTB_EXPORT void __tsan_external_##name(void *addr, void *caller, void *tag);          \
	VTB_EXPORT void __tsan_external_##name(void *addr, void *caller, void *tag UNUSED)    \
	{                                                                                     \
		vtb_rt_access(VTB_E_##kind, addr, 0, caller ? (uint64_t)caller : VTB_CALLER); \
	}
EXTERNAL(read, READ)
EXTERNAL(write, WRITE)

#define ACCESS16_PC(name, kind)                                     \
	VTB_EXPORT void __tsan_##name##16_pc(void *addr, void *pc); \
	VTB_EXPORT void __tsan_##name##16_pc(void *addr, void *pc)  \
	{                                                           \
		vtb_rt_access(VTB_E_##kind, addr, 4, (uint64_t)pc); \
	}
ACCESS16_PC(read, READ)
ACCESS16_PC(write, WRITE)

#define UNALIGNED(bits, log2)                                                              \
	VTB_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *from);      \
	VTB_EXPORT uint##bits##_t __sanitizer_unaligned_load##bits(const void *from)       \
	{                                                                                  \
		uint##bits##_t value;                                                      \
		vtb_rt_access(VTB_E_READ, from, log2, VTB_CALLER);                         \
		__builtin_memcpy(&value, from, sizeof(value));                             \
		return value;                                                              \
	}                                                                                  \
	VTB_EXPORT void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value); \
	VTB_EXPORT void __sanitizer_unaligned_store##bits(void *to, uint##bits##_t value)  \
	{                                                                                  \
		vtb_rt_access(VTB_E_WRITE, to, log2, VTB_CALLER);                          \
		__builtin_memcpy(to, &value, sizeof(value));                               \
	}
UNALIGNED(16, 1)
UNALIGNED(32, 2)
UNALIGNED(64, 3)

/* ---- questions */

VTB_EXPORT size_t __sanitizer_get_allocated_size(const void *block);
VTB_EXPORT size_t __sanitizer_get_allocated_size(const void *block)
{
	return block ? malloc_usable_size((void *)block) : 0;
}

VTB_EXPORT int __sanitizer_get_ownership(const void *block);
VTB_EXPORT int __sanitizer_get_ownership(const void *block)
{
	return block != NULL;
}

VTB_EXPORT int __sanitizer_acquire_crash_state(void);
VTB_EXPORT int __sanitizer_acquire_crash_state(void)
{
	static int taken;

	return !__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED);
}

/* No names: the text is empty. */
static void no_text(char *text, size_t size)
{
	if (size)
		*text = 0;
}

VTB_EXPORT void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t size);
VTB_EXPORT void __sanitizer_symbolize_pc(void *pc UNUSED, const char *format UNUSED, char *text, size_t size)
{
	no_text(text, size);
}

VTB_EXPORT void __sanitizer_symbolize_global(void *data, const char *format, char *text, size_t size);
VTB_EXPORT void __sanitizer_symbolize_global(void *data UNUSED, const char *format UNUSED, char *text, size_t size)
{
	no_text(text, size);
}

VTB_EXPORT const char *__tsan_locate_address(uint64_t addr, char *name, size_t size, uint64_t *lo, size_t *n);
VTB_EXPORT const char *__tsan_locate_address(uint64_t addr, char *name, size_t size, uint64_t *lo, size_t *n)
{
	no_text(name, size);
	*lo = addr;
	*n = 0;
	return "other";
}

/* ---- the barrier of the sanitizer's own tests: how many shall come is in the lower half, how often somebody came
 * in the upper one */

VTB_EXPORT void __tsan_testonly_barrier_init(uint64_t *barrier, unsigned count);
VTB_EXPORT void __tsan_testonly_barrier_init(uint64_t *barrier, unsigned count)
{
	*barrier = count;
}

VTB_EXPORT void __tsan_testonly_barrier_wait(uint64_t *barrier);
VTB_EXPORT void __tsan_testonly_barrier_wait(uint64_t *barrier)
{
	const uint64_t came = __atomic_fetch_add(barrier, 1ull << 32, __ATOMIC_SEQ_CST);
	const uint32_t count = (uint32_t)came ? (uint32_t)came : 1;

	while ((__atomic_load_n(barrier, __ATOMIC_SEQ_CST) >> 32) / count == (came >> 32) / count)
		sched_yield();
}
