/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of libatomic, which compilers call for atomic operations that they do not write out: on 16 bytes (gcc
 * always, but with -fsanitize=thread), on sizes that are no power of two, on larger ones, which the library does under
 * a lock of its own. Each is one operation on the object, as if the compiler had given it a hook; what the library does
 * inside is nobody's business.
 */
#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "instr.h"

struct inside {
	struct vtb_rt_thread *t;
	uint64_t size;
};

static struct inside come(unsigned kind, const volatile void *at, uint64_t size, int order, uint64_t pc)
{
	struct inside in = { vtb_self, size };

	vtb_rt_atomic_begin_of(kind, at, size, order, pc);
	if (in.t)
		in.t->base.inside++;
	return in;
}

static void go(struct inside in, bool cas_failed, int failure_order)
{
	if (in.t)
		in.t->base.inside--;
	vtb_rt_atomic_end_of(in.size, cas_failed, failure_order);
}

/* Their names are those of functions that the compiler knows, with other types. */
#define OURS(ret, name, params)                                     \
	VTB_EXPORT ret libatomic_##name params __asm__("__" #name); \
	VTB_EXPORT ret libatomic_##name params
#define THEIRS(ret, name, params) VTB_BEHIND(ret, call, params, "__" #name)
#define COME(kind, size) const struct inside in = come(VTB_E_ATOMIC_##kind, at, size, order, VTB_CALLER)

/* ---- any size, by pointers */

OURS(void, atomic_load, (size_t size, const volatile void *at, void *ret, int order))
{
	THEIRS(void, atomic_load, (size_t, const volatile void *, void *, int));
	COME(LOAD, size);

	call(size, at, ret, order);
	go(in, false, order);
}

OURS(void, atomic_store, (size_t size, volatile void *at, const void *v, int order))
{
	THEIRS(void, atomic_store, (size_t, volatile void *, const void *, int));
	COME(STORE, size);

	call(size, at, v, order);
	go(in, false, order);
}

OURS(void, atomic_exchange, (size_t size, volatile void *at, const void *v, void *ret, int order))
{
	THEIRS(void, atomic_exchange, (size_t, volatile void *, const void *, void *, int));
	COME(RMW, size);

	call(size, at, v, ret, order);
	go(in, false, order);
}

OURS(bool, atomic_compare_exchange,
     (size_t size, volatile void *at, void *expected, const void *v, int order, int failure_order))
{
	THEIRS(bool, atomic_compare_exchange, (size_t, volatile void *, void *, const void *, int, int));
	COME(RMW, size);
	const bool done = call(size, at, expected, v, order, failure_order);

	go(in, !done, failure_order);
	return done;
}

/* ---- one size, by value */

#define LOAD_STORE(n, T)                                                   \
	OURS(T, atomic_load_##n, (const volatile void *at, int order))     \
	{                                                                  \
		THEIRS(T, atomic_load_##n, (const volatile void *, int));  \
		COME(LOAD, n);                                             \
		const T v = call(at, order);                               \
                                                                           \
		go(in, false, order);                                      \
		return v;                                                  \
	}                                                                  \
	OURS(void, atomic_store_##n, (volatile void *at, T v, int order))  \
	{                                                                  \
		THEIRS(void, atomic_store_##n, (volatile void *, T, int)); \
		COME(STORE, n);                                            \
                                                                           \
		call(at, v, order);                                        \
		go(in, false, order);                                      \
	}

#define CHANGE(n, T, name)                                                 \
	OURS(T, atomic_##name##_##n, (volatile void *at, T v, int order))  \
	{                                                                  \
		THEIRS(T, atomic_##name##_##n, (volatile void *, T, int)); \
		COME(RMW, n);                                              \
		const T r = call(at, v, order);                            \
                                                                           \
		go(in, false, order);                                      \
		return r;                                                  \
	}

#define SET(n)                                                                 \
	OURS(bool, atomic_test_and_set_##n, (volatile void *at, int order))    \
	{                                                                      \
		THEIRS(bool, atomic_test_and_set_##n, (volatile void *, int)); \
		COME(RMW, n);                                                  \
		const bool was = call(at, order);                              \
                                                                               \
		go(in, false, order);                                          \
		return was;                                                    \
	}

#define COMPARE(n, T)                                                                              \
	OURS(bool, atomic_compare_exchange_##n,                                                    \
	     (volatile void *at, void *expected, T v, int order, int failure_order))               \
	{                                                                                          \
		THEIRS(bool, atomic_compare_exchange_##n, (volatile void *, void *, T, int, int)); \
		COME(RMW, n);                                                                      \
		const bool done = call(at, expected, v, order, failure_order);                     \
                                                                                                   \
		go(in, !done, failure_order);                                                      \
		return done;                                                                       \
	}

#define ALL(n, T)                \
	LOAD_STORE(n, T)         \
	CHANGE(n, T, exchange)   \
	CHANGE(n, T, fetch_add)  \
	CHANGE(n, T, fetch_sub)  \
	CHANGE(n, T, fetch_and)  \
	CHANGE(n, T, fetch_or)   \
	CHANGE(n, T, fetch_xor)  \
	CHANGE(n, T, fetch_nand) \
	CHANGE(n, T, add_fetch)  \
	CHANGE(n, T, sub_fetch)  \
	CHANGE(n, T, and_fetch)  \
	CHANGE(n, T, or_fetch)   \
	CHANGE(n, T, xor_fetch)  \
	CHANGE(n, T, nand_fetch) \
	SET(n)                   \
	COMPARE(n, T)

ALL(1, uint8_t)
ALL(2, uint16_t)
ALL(4, uint32_t)
ALL(8, uint64_t)
ALL(16, unsigned __int128)
