/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooks for C11, C++ and __sync atomics. Record mode wants stamps in the order in which the operations took effect:
 * a striped lock makes the operation and its stamp one. Control mode runs one thread at a time and needs no lock.
 */
#include "base.h"
#include "instr.h"
#include "scheduler.h"

#define STRIPES 256u
static struct {
	uint32_t taken;
	char pad[60];
} stripes[STRIPES];

static uint32_t *stripe_of(const volatile void *addr)
{
	return &stripes[((uint64_t)addr >> 3) * 0x9e3779b97f4a7c15ull >> 56].taken;
}

/* Bytes behind those that the operation is told with. */
static uint64_t sum_of(const volatile uint8_t *at, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum = (sum ^ at[i]) * 0x9e3779b97f4a7c15ull;
	return sum;
}

/* Only what has a changed value is news to others. */
static VTB_ALWAYS_INLINE void look(const struct vtb_call *call, uint64_t behind, uint64_t *ret)
{
	ret[0] = vtb_rt_load((uint64_t)call->obj, call->size_log2);
	ret[1] = call->size_log2 > 3 ? vtb_rt_load((uint64_t)call->obj + 8, 3) : 0;
	if (behind)
		ret[1] ^= sum_of((const volatile uint8_t *)call->obj + (1u << call->size_log2), behind);
}

static __attribute__((noinline)) bool is_passed_over(struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return vtb_owned_pass(t, call->kind, (uint64_t)call->obj, 1ull << call->size_log2, call->pc);
}

/* Between this and end() the caller carries it out. What `op` says is read from there again: to be kept it would take
 * room in the frame that is left as it was in most runs, and by stacks endless loops are told. */
static VTB_ALWAYS_INLINE void begin_in(struct vtb_rt_thread *t, struct vtb_atomic_op *op, bool may_pass,
                                       uint64_t behind)
{
	if (!(vtb_rt.options & VTB_OPT_ACCESSES))
		return;
	if (may_pass && VTB_UNLIKELY(t->base.owned_left) && is_passed_over(t, &op->call))
		return;
	op->t = t;
	t->base.accesses++;
	if (vtb_rt_some_stack((uint64_t)op->call.obj))
		vtb_rt_stack_access(t, (uint64_t)op->call.obj);
	if (vtb_rt_controls()) {
		vtb_ctl_arrive(t, &op->call);
		look(&op->call, behind, op->before);
		return;
	}
	t->base.inside++; /* a signal handler in here must not wait for the stripe */
	while (__atomic_exchange_n(stripe_of(op->call.obj), 1, __ATOMIC_ACQUIRE))
		sys3(SYS_sched_yield, 0, 0, 0);
}

static inline struct vtb_call call_of(unsigned kind, const volatile void *addr, unsigned size_log2, int order,
                                      uint64_t pc)
{
	return (struct vtb_call){ .kind = (uint8_t)kind,
		                  .obj = (const void *)addr,
		                  .size_log2 = (uint8_t)size_log2,
		                  .order = (uint8_t)(order & 7),
		                  .pc = pc };
}

static void begin(struct vtb_atomic_op *op, unsigned kind, const volatile void *addr, unsigned size_log2, int order,
                  uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	op->t = NULL;
	op->call = call_of(kind, addr, size_log2, order, pc);
	if (t)
		begin_in(t, op, true, 0);
}

/* What may come to something else by a deviation is always told. */
static void begin_weak(struct vtb_atomic_op *op, const volatile void *addr, unsigned size_log2, int order, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	op->t = NULL;
	op->call = call_of(VTB_E_ATOMIC_RMW, addr, size_log2, order, pc);
	if (t)
		begin_in(t, op, false, 0);
}

static VTB_ALWAYS_INLINE void end_in(struct vtb_atomic_op *op, unsigned kind, uint64_t value, uint64_t behind)
{
	struct vtb_rec rec;

	if (!op->t)
		return;
	op->call.kind = (uint8_t)kind; /* a compare-exchange knows only now */
	op->call.value = value;
	op->call.has_value = true;
	if (vtb_rt_controls()) {
		uint64_t now[2];

		look(&op->call, behind, now);
		op->call.same = now[0] == op->before[0] && now[1] == op->before[1];
		vtb_ctl_done(op->t, &op->call);
		vtb_ctl_check_alive(&op->call);
		return;
	}
	rec = (struct vtb_rec){ .addr = (uint64_t)op->call.obj,
		                .pc = op->call.pc,
		                .kind = op->call.kind,
		                .order = op->call.order,
		                .size_log2 = op->call.size_log2,
		                .flags = VTB_REC_VALUE | VTB_REC_STAMP,
		                .value = value };
	vtb_rt_put(op->t, &rec);
	__atomic_store_n(stripe_of(op->call.obj), 0, __ATOMIC_RELEASE);
	op->t->base.inside--;
}

static void end(struct vtb_atomic_op *op, unsigned kind, uint64_t value)
{
	end_in(op, kind, value, 0);
}

/* A weak compare-exchange may fail although the value is the expected one: a deviation of the schedule. */
static bool fails_for_no_reason(struct vtb_atomic_op *op)
{
	return op->t && vtb_rt_controls() && vtb_ctl_cas_fails(op->t);
}

/* Operations themselves: always sequentially consistent, which every weaker order allows. */
#define LOAD(a) __atomic_load_n(a, __ATOMIC_SEQ_CST)
#define STORE(a, v) __atomic_store_n(a, v, __ATOMIC_SEQ_CST)
#define CAS(a, expected, v) __atomic_compare_exchange_n(a, expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define ATOMIC_LOAD_STORE(bits, T, log2)                                                 \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_load(const volatile T *a, int order);    \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_load(const volatile T *a, int order)     \
	{                                                                                \
		struct vtb_atomic_op op;                                                 \
		T v;                                                                     \
		begin(&op, VTB_E_ATOMIC_LOAD, a, log2, order, VTB_CALLER);               \
		v = LOAD##bits(a);                                                       \
		end(&op, VTB_E_ATOMIC_LOAD, (uint64_t)v);                                \
		return v;                                                                \
	}                                                                                \
	VTB_ACCESS_HOOK void __tsan_atomic##bits##_store(volatile T *a, T v, int order); \
	VTB_ACCESS_HOOK void __tsan_atomic##bits##_store(volatile T *a, T v, int order)  \
	{                                                                                \
		struct vtb_atomic_op op;                                                 \
		begin(&op, VTB_E_ATOMIC_STORE, a, log2, order, VTB_CALLER);              \
		STORE##bits(a, v);                                                       \
		end(&op, VTB_E_ATOMIC_STORE, (uint64_t)v);                               \
	}

/* Read-modify-write in terms of compare-exchange, so that all widths share one form. */
#define ATOMIC_RMW(bits, T, log2, name, expression)                                    \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_##name(volatile T *a, T v, int order); \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_##name(volatile T *a, T v, int order)  \
	{                                                                              \
		struct vtb_atomic_op op;                                               \
		T old, fresh;                                                          \
		begin(&op, VTB_E_ATOMIC_RMW, a, log2, order, VTB_CALLER);              \
		old = LOAD##bits(a);                                                   \
		do                                                                     \
			fresh = (T)(expression);                                       \
		while (!CAS##bits(a, &old, fresh));                                    \
		end(&op, VTB_E_ATOMIC_RMW, (uint64_t)fresh);                           \
		return old;                                                            \
	}

#define ATOMIC_CAS(bits, T, log2, name, weak)                                                                         \
	VTB_ACCESS_HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile T *a, T *expected, T v, int order, \
	                                                                  int failure_order);                         \
	VTB_ACCESS_HOOK int __tsan_atomic##bits##_compare_exchange_##name(volatile T *a, T *expected, T v, int order, \
	                                                                  int failure_order)                          \
	{                                                                                                             \
		struct vtb_atomic_op op;                                                                              \
		T seen = *expected;                                                                                   \
		bool done;                                                                                            \
		if (weak)                                                                                             \
			begin_weak(&op, a, log2, order, VTB_CALLER);                                                  \
		else                                                                                                  \
			begin(&op, VTB_E_ATOMIC_RMW, a, log2, order, VTB_CALLER);                                     \
		if (weak && fails_for_no_reason(&op)) {                                                               \
			seen = LOAD##bits(a);                                                                         \
			done = false;                                                                                 \
		} else {                                                                                              \
			done = CAS##bits(a, &seen, v);                                                                \
		}                                                                                                     \
		if (!done)                                                                                            \
			op.call.order = (uint8_t)(failure_order & 7);                                                 \
		op.call.arg = weak && done;                                                                           \
		end(&op, done ? VTB_E_ATOMIC_RMW : VTB_E_ATOMIC_CAS_FAIL, (uint64_t)(done ? v : seen));               \
		if (!done)                                                                                            \
			*expected = seen;                                                                             \
		return done;                                                                                          \
	}

#define ATOMIC_CAS_VAL(bits, T, log2)                                                                           \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v, int order, \
	                                                             int failure_order);                        \
	VTB_ACCESS_HOOK T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v, int order, \
	                                                             int failure_order)                         \
	{                                                                                                       \
		struct vtb_atomic_op op;                                                                        \
		bool done;                                                                                      \
		begin(&op, VTB_E_ATOMIC_RMW, a, log2, order, VTB_CALLER);                                       \
		done = CAS##bits(a, &expected, v);                                                              \
		if (!done)                                                                                      \
			op.call.order = (uint8_t)(failure_order & 7);                                           \
		end(&op, done ? VTB_E_ATOMIC_RMW : VTB_E_ATOMIC_CAS_FAIL, (uint64_t)(done ? v : expected));     \
		return expected;                                                                                \
	}

#define ATOMIC(bits, T, log2)                             \
	ATOMIC_LOAD_STORE(bits, T, log2)                  \
	ATOMIC_RMW(bits, T, log2, exchange, v)            \
	ATOMIC_RMW(bits, T, log2, fetch_add, old + v)     \
	ATOMIC_RMW(bits, T, log2, fetch_sub, old - v)     \
	ATOMIC_RMW(bits, T, log2, fetch_and, old &v)      \
	ATOMIC_RMW(bits, T, log2, fetch_or, old | v)      \
	ATOMIC_RMW(bits, T, log2, fetch_xor, old ^ v)     \
	ATOMIC_RMW(bits, T, log2, fetch_nand, ~(old & v)) \
	ATOMIC_CAS(bits, T, log2, strong, false)          \
	ATOMIC_CAS(bits, T, log2, weak, true)             \
	ATOMIC_CAS_VAL(bits, T, log2)

#define LOAD8 LOAD
#define LOAD16 LOAD
#define LOAD32 LOAD
#define LOAD64 LOAD
#define STORE8 STORE
#define STORE16 STORE
#define STORE32 STORE
#define STORE64 STORE
#define CAS8 CAS
#define CAS16 CAS
#define CAS32 CAS
#define CAS64 CAS

ATOMIC(8, uint8_t, 0)
ATOMIC(16, uint16_t, 1)
ATOMIC(32, uint32_t, 2)
ATOMIC(64, uint64_t, 3)

/* 16 bytes: cmpxchg16b, without libatomic. The record's value is the low half. */
typedef unsigned __int128 wide;

static bool cas_wide(volatile wide *a, wide *expected, wide v)
{
	uint64_t lo = (uint64_t)*expected, hi = (uint64_t)(*expected >> 64);
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
	                 : "=@ccz"(done), "+m"(*a), "+a"(lo), "+d"(hi)
	                 : "b"((uint64_t)v), "c"((uint64_t)(v >> 64))
	                 : "memory");
	*expected = (wide)hi << 64 | lo;
	return done;
}

static wide load_wide(const volatile wide *a)
{
	wide v = 0;

	cas_wide((volatile wide *)a, &v, 0); /* writes 0 over 0, or reads */
	return v;
}

static void store_wide(volatile wide *a, wide v)
{
	wide old = load_wide(a);

	while (!cas_wide(a, &old, v))
		;
}

#define LOAD128 load_wide
#define STORE128 store_wide
#define CAS128 cas_wide

ATOMIC(128, wide, 4)

static void fence(int order, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	const struct vtb_rec rec = { .kind = VTB_E_FENCE,
		                     .pc = pc,
		                     .order = (uint8_t)(order & 7),
		                     .flags = vtb_rt_controls() ? 0 : VTB_REC_STAMP };

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!t)
		return;
	t->base.inside++;
	vtb_rt_put(t, &rec);
	t->base.inside--;
}

void vtb_rt_fence(int order, uint64_t pc)
{
	fence(order, pc);
}

/* ---- pads, and libraries: the operation is between two calls */

static bool is_there(uint64_t addr, unsigned size_log2)
{
	uint64_t value;

	return size_log2 > 3 || vtb_rt_load_if(addr, size_log2, &value);
}

void vtb_rt_atomic_begin(unsigned kind, const volatile void *addr, unsigned size_log2, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!t || t->hooks.padded_depth++)
		return;
	t->hooks.padded.t = NULL;
	if (!vtb_rt_enter() || !is_there((uint64_t)addr, size_log2)) /* it will not fault with the stripe taken */
		return;
	t->hooks.padded.call = call_of(kind, addr, size_log2, vtb_rt_machine_order(kind), pc);
	begin_in(t, &t->hooks.padded, true, 0);
}

void vtb_rt_atomic_end(bool cas_failed)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_atomic_op *op = t ? &t->hooks.padded : NULL;

	if (!op || !t->hooks.padded_depth || --t->hooks.padded_depth || !op->t)
		return;
	end(op, cas_failed ? VTB_E_ATOMIC_CAS_FAIL : op->call.kind,
	    vtb_rt_load((uint64_t)op->call.obj, op->call.size_log2));
}

VTB_ACCESS_HOOK void __tsan_atomic_thread_fence(int order);
VTB_ACCESS_HOOK void __tsan_atomic_thread_fence(int order)
{
	fence(order, VTB_CALLER);
}

VTB_ACCESS_HOOK void __tsan_atomic_signal_fence(int order);
VTB_ACCESS_HOOK void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The largest size that can be told, and is not larger. */
static unsigned told_log2(uint64_t size)
{
	return size >= 16 ? 4 : size ? 31u - (unsigned)__builtin_clz((unsigned)size) : 0;
}

static uint64_t behind_of(uint64_t size, unsigned size_log2)
{
	return size > 1ull << size_log2 ? size - (1ull << size_log2) : 0;
}

void vtb_rt_atomic_begin_of(unsigned kind, const volatile void *addr, uint64_t size, int order, uint64_t pc)
{
	const unsigned size_log2 = told_log2(size);
	struct vtb_rt_thread *t = vtb_self;

	if (!t || t->hooks.padded_depth++)
		return;
	t->hooks.padded.t = NULL;
	if (!vtb_rt_enter())
		return;
	t->hooks.padded.call = call_of(kind, addr, size_log2, order, pc);
	begin_in(t, &t->hooks.padded, true, behind_of(size, size_log2));
}

void vtb_rt_atomic_end_of(uint64_t size, bool cas_failed, int failure_order)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_atomic_op *op = t ? &t->hooks.padded : NULL;

	if (!op || !t->hooks.padded_depth || --t->hooks.padded_depth || !op->t)
		return;
	if (cas_failed)
		op->call.order = (uint8_t)(failure_order & 7);
	end_in(op, cas_failed ? VTB_E_ATOMIC_CAS_FAIL : op->call.kind,
	       vtb_rt_load((uint64_t)op->call.obj, op->call.size_log2), behind_of(size, op->call.size_log2));
}
