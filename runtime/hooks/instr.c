/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooks that gcc and clang emit with -fsanitize=thread: plain accesses, ranges, virtual table pointers, function
 * entry and exit. Each is called before the access takes place. Atomics: instr_atomic.c.
 */
#include <string.h>

#include "base.h"
#include "instr.h"
#include "rewrite.h"
#include "scheduler.h"

static __attribute__((noinline)) void record(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2,
                                             uint64_t pc)
{
	const struct vtb_rec rec = { .addr = addr, .pc = pc, .kind = (uint8_t)kind, .size_log2 = (uint8_t)size_log2 };

	t->base.inside++;
	vtb_rt_put(t, &rec);
	t->base.inside--;
}

/* An access that is not passed over. */
static inline void tell(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2, uint64_t pc)
{
	if (vtb_rt_some_stack(addr) && (vtb_rt.options & VTB_OPT_ACCESSES)) {
		if (!vtb_rt_clear(t, addr))
			vtb_rt_stack_access(t, addr);
		if (vtb_fast_access(t, kind, addr, size_log2, pc, true))
			return;
	}
	t->base.accesses++;
	if (!(vtb_rt.options & VTB_OPT_ACCESSES))
		return;
	if (vtb_rt_controls())
		vtb_ctl_access(t, kind, (const void *)addr, size_log2, pc);
	else
		record(t, kind, addr, size_log2, pc);
}

/* What is not for the fast way: the first access after a decision, those at which one is due, and those to stacks. */
void vtb_rt_access_slowly(struct vtb_rt_thread *t, unsigned kind, uint64_t addr, unsigned size_log2, uint64_t pc)
{
	if (VTB_LIKELY(!t->base.owned_left) || !vtb_owned_pass(t, kind, addr, 1ull << size_log2, pc))
		tell(t, kind, addr, size_log2, pc);
}

static __attribute__((noinline)) void slow_access(unsigned kind, uint64_t addr, unsigned size_log2, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (!t)
		return;
	if (VTB_LIKELY(vtb_sched.calm && !t->base.owned_left && !vtb_rt_some_stack(addr)) &&
	    vtb_ctl_access_calmly(t, kind, (const void *)addr, size_log2, pc))
		t->base.accesses++;
	else
		vtb_rt_access_slowly(t, kind, addr, size_log2, pc);
}

static inline void access_hook(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_self;

	if (t && VTB_UNLIKELY(t->base.owned_left) && !t->base.inside) {
		if (!vtb_owned_pass(t, kind, (uint64_t)addr, 1ull << size_log2, pc))
			slow_access(kind, (uint64_t)addr, size_log2, pc);
		return;
	}
	if (VTB_UNLIKELY(!t || !vtb_fast_access(t, kind, (uint64_t)addr, size_log2, pc, false)))
		slow_access(kind, (uint64_t)addr, size_log2, pc);
}

static void range_hook(unsigned kind, const void *addr, uint64_t size, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	struct vtb_rec rec = { .addr = (uint64_t)addr,
		               .kind = (uint8_t)kind,
		               .size_log2 = VTB_REC_SIZE_IN_ARG,
		               .flags = VTB_REC_ARG,
		               .arg = size };

	if (!t || !size)
		return;
	rec.pc = pc = vtb_rt_blame(t, pc);
	if (VTB_UNLIKELY(t->base.owned_left) && vtb_owned_pass(t, kind, rec.addr, size, pc))
		return;
	if (VTB_UNLIKELY(vtb_sched.stem) && vtb_stretch_range(t, kind, rec.addr))
		return;
	t->base.accesses++;
	if (!(vtb_rt.options & VTB_OPT_ACCESSES))
		return;
	if (vtb_rt_controls()) {
		vtb_ctl_range(t, kind, addr, size, pc);
	} else {
		if (vtb_rt_some_stack(rec.addr))
			vtb_rt_stack_access(t, rec.addr);
		t->base.inside++;
		vtb_rt_put(t, &rec);
		t->base.inside--;
	}
}

void vtb_rt_access(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc)
{
	access_hook(kind, addr, size_log2, pc);
}

void vtb_rt_range(unsigned kind, const void *addr, uint64_t size, uint64_t pc)
{
	range_hook(kind, addr, size, pc);
}

#define ACCESS(name, kind, size_log2)                                   \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr);                 \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr)                  \
	{                                                               \
		access_hook(VTB_E_##kind, addr, size_log2, VTB_CALLER); \
	}
/* libvtb-cxx.so comes here with a place of its own. */
static __attribute__((noinline)) void access_from(unsigned kind, const void *addr, unsigned size_log2, const void *pc)
{
	struct vtb_rt_thread *t = vtb_self;

	access_hook(kind, addr, size_log2, t ? vtb_rt_blame(t, (uint64_t)pc) : (uint64_t)pc);
}

#define ACCESS_PC(name, kind, size_log2)                                                                   \
	VTB_ACCESS_HOOK void __tsan_##name##_pc(void *addr, void *pc);                                     \
	VTB_ACCESS_HOOK void __tsan_##name##_pc(void *addr, void *pc)                                      \
	{                                                                                                  \
		struct vtb_rt_thread *t = vtb_self;                                                        \
                                                                                                           \
		if (!t || !vtb_owned_pass_mine(t, VTB_E_##kind == VTB_E_WRITE, (uint64_t)addr, size_log2)) \
			access_from(VTB_E_##kind, addr, size_log2, pc);                                    \
	}
#define SIZES(prefix, kind) \
	ACCESS(prefix##2, kind, 1) ACCESS(prefix##4, kind, 2) ACCESS(prefix##8, kind, 3) ACCESS(prefix##16, kind, 4)

ACCESS(read1, READ, 0)
SIZES(read, READ)
ACCESS(write1, WRITE, 0)
SIZES(write, WRITE)
SIZES(unaligned_read, READ)
SIZES(unaligned_write, WRITE)
ACCESS(volatile_read1, READ, 0)
SIZES(volatile_read, READ)
ACCESS(volatile_write1, WRITE, 0)
SIZES(volatile_write, WRITE)
SIZES(unaligned_volatile_read, READ)
SIZES(unaligned_volatile_write, WRITE)
ACCESS(vptr_read, READ, 3)
ACCESS_PC(read1, READ, 0)
ACCESS_PC(read2, READ, 1)
ACCESS_PC(read4, READ, 2)
ACCESS_PC(read8, READ, 3)
ACCESS_PC(write1, WRITE, 0)
ACCESS_PC(write2, WRITE, 1)
ACCESS_PC(write4, WRITE, 2)
ACCESS_PC(write8, WRITE, 3)

void vtb_rt_hooks_by_site(void *ret[VTB_SITE_HOOKS])
{
	void *const hooks[2][5] = {
		{ (void *)__tsan_read1, (void *)__tsan_read2, (void *)__tsan_read4, (void *)__tsan_read8,
		  (void *)__tsan_read16 },
		{ (void *)__tsan_write1, (void *)__tsan_write2, (void *)__tsan_write4, (void *)__tsan_write8,
		  (void *)__tsan_write16 },
	};

	for (unsigned write = 0; write < 2; write++)
		for (unsigned i = 0; i < 5; i++)
			ret[VTB_SITE_HOOK(write, i)] = hooks[write][i];
}

/* clang's compound form: `x += 1` is a read and then a write at one place */
#define COMPOUND(name, size_log2)                                      \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr);                \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr)                 \
	{                                                              \
		access_hook(VTB_E_READ, addr, size_log2, VTB_CALLER);  \
		access_hook(VTB_E_WRITE, addr, size_log2, VTB_CALLER); \
	}
COMPOUND(read_write1, 0)
COMPOUND(read_write2, 1)
COMPOUND(read_write4, 2)
COMPOUND(read_write8, 3)
COMPOUND(read_write16, 4)
COMPOUND(unaligned_read_write2, 1)
COMPOUND(unaligned_read_write4, 2)
COMPOUND(unaligned_read_write8, 3)
COMPOUND(unaligned_read_write16, 4)

VTB_ACCESS_HOOK void __tsan_vptr_update(void **vptr, void *value);
VTB_ACCESS_HOOK void __tsan_vptr_update(void **vptr, void *value)
{
	if (*vptr != value) /* constructors set it to what it is, again and again */
		access_hook(VTB_E_WRITE, vptr, 3, VTB_CALLER);
}

#define RANGE(name, kind)                                                   \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr, unsigned long size); \
	VTB_ACCESS_HOOK void __tsan_##name(void *addr, unsigned long size)  \
	{                                                                   \
		range_hook(VTB_E_##kind, addr, size, VTB_CALLER);           \
	}
RANGE(read_range, READ)
RANGE(write_range, WRITE)

VTB_ACCESS_HOOK void __tsan_read_range_pc(void *addr, unsigned long size, void *pc);
VTB_ACCESS_HOOK void __tsan_read_range_pc(void *addr, unsigned long size, void *pc)
{
	range_hook(VTB_E_READ, addr, size, (uint64_t)pc);
}

VTB_ACCESS_HOOK void __tsan_write_range_pc(void *addr, unsigned long size, void *pc);
VTB_ACCESS_HOOK void __tsan_write_range_pc(void *addr, unsigned long size, void *pc)
{
	range_hook(VTB_E_WRITE, addr, size, (uint64_t)pc);
}

/* ---- functions */

VTB_ACCESS_HOOK void __tsan_func_entry(void *caller);
VTB_ACCESS_HOOK void __tsan_func_entry(void *caller)
{
	struct vtb_rt_thread *t = vtb_self;
	const uint64_t sp = (uint64_t)__builtin_frame_address(0) + 16; /* past the saved rbp and our return address */
	struct vtb_rt_frame *f;

	if (VTB_UNLIKELY(!t || t->base.inside)) {
		if (!t && vtb_rt.block && !vtb_rt.begun)
			vtb_rt_early_entry((uint64_t)caller, sp);
		return;
	}
	while (t->base.depth && t->base.depth <= t->base.frames_room && t->base.frames[t->base.depth - 1].sp <= sp)
		t->base.depth--; /* left by longjmp or an exception without their exit hook */
	if (VTB_LIKELY(t->base.depth < t->base.frames_room) ||
	    (t->base.depth == t->base.frames_room && vtb_rt_frames_grow(t))) {
		f = &t->base.frames[t->base.depth];
		f->caller = (uint64_t)caller;
		f->pc = VTB_CALLER;
		f->sp = sp;
		f->shown = 0;
	}
	t->base.depth++;
}

VTB_ACCESS_HOOK void __tsan_func_exit(void);
VTB_ACCESS_HOOK void __tsan_func_exit(void)
{
	struct vtb_rt_thread *t = vtb_self;

	if (VTB_LIKELY(t && !t->base.inside && t->base.depth)) {
		if (VTB_UNLIKELY(t->base.written_word != NULL) && t->base.written_log2 >= VTB_WRITTEN_OWN)
			vtb_note_written(t); /* what comes next may lie there */
		t->base.depth--;
	} else if (VTB_UNLIKELY(!t && vtb_rt.block && !vtb_rt.begun)) {
		vtb_rt_early_exit();
	}
}

/* Called by a constructor of every instrumented module, before or after ours. */
VTB_EXPORT void __tsan_init(void);
VTB_EXPORT void __tsan_init(void)
{
	vtb_rt.hooks |= VTB_HOOK_TSAN | VTB_HOOK_FUNCS;
	if (vtb_rt.block)
		vtb_rt.block->hooks |= vtb_rt.hooks;
}
