/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "vtb/trace.h"

static void every_kind_is_found_by_its_name(void **state)
{
	int n = 0;

	(void)state;
	for (unsigned kind = 0; kind < 2 * VTB_EVENT_KINDS; kind++) {
		const struct vtb_event_info *info = vtb_event_info(kind);

		if (!info)
			continue;
		assert_int_equal(vtb_event_kind_by_name(info->name), kind);
		assert_int_not_equal(info->family, VTB_FAMILY_NONE);
		n++;
	}
	assert_true(n > 60);
	assert_null(vtb_event_info(0));
	assert_int_equal(vtb_event_kind_by_name("no-such-kind"), -EINVAL);
}

static void every_verdict_is_found_by_its_name(void **state)
{
	(void)state;
	for (int v = 0; v < VTB_VERDICTS; v++)
		assert_int_equal(vtb_verdict_by_name(vtb_verdict_name((enum vtb_verdict)v)), v);
	assert_int_equal(vtb_verdict_by_name("ok"), -EINVAL);
	assert_int_equal(vtb_verdict_exit_code(VTB_V_DEADLOCK), 1);
	assert_int_equal(vtb_verdict_exit_code(VTB_V_NONE), 0);
	assert_int_equal(vtb_verdict_exit_code(VTB_VERDICTS), 3);
	assert_string_equal(vtb_verdict_name(VTB_VERDICTS), "?");
	assert_string_equal(vtb_verdict_text(VTB_VERDICTS), "?");
}

static unsigned edges(unsigned kind, unsigned order, uint64_t value)
{
	struct vtb_event e = { .kind = (uint8_t)kind,
		               .order = (uint8_t)order,
		               .value = value,
		               .flags = VTB_EVF_ACQUIRES | VTB_EVF_RELEASES };

	vtb_event_classify(&e);
	return (e.flags & VTB_EVF_ACQUIRES ? 1 : 0) | (e.flags & VTB_EVF_RELEASES ? 2 : 0);
}

static void atomics_order_by_their_memory_order(void **state)
{
	(void)state;
	assert_int_equal(edges(VTB_E_ATOMIC_LOAD, VTB_ORDER_RELAXED, 0), 0);
	assert_int_equal(edges(VTB_E_ATOMIC_LOAD, VTB_ORDER_CONSUME, 0), 1);
	assert_int_equal(edges(VTB_E_ATOMIC_LOAD, VTB_ORDER_ACQUIRE, 5), 1);
	assert_int_equal(edges(VTB_E_ATOMIC_LOAD, VTB_ORDER_SEQ_CST, 0), 1);
	assert_int_equal(edges(VTB_E_ATOMIC_STORE, VTB_ORDER_RELEASE, 5), 2);
	assert_int_equal(edges(VTB_E_ATOMIC_STORE, VTB_ORDER_RELAXED, 0), 0);
	assert_int_equal(edges(VTB_E_ATOMIC_RMW, VTB_ORDER_ACQUIRE, 0), 1);
	assert_int_equal(edges(VTB_E_ATOMIC_RMW, VTB_ORDER_RELEASE, 0), 2);
	assert_int_equal(edges(VTB_E_ATOMIC_RMW, VTB_ORDER_ACQ_REL, 0), 3);
	assert_int_equal(edges(VTB_E_ATOMIC_CAS_FAIL, VTB_ORDER_SEQ_CST, 0), 1);
	assert_int_equal(edges(VTB_E_FENCE, VTB_ORDER_SEQ_CST, 0), 3);
	assert_int_equal(edges(VTB_E_FENCE, VTB_ORDER_ACQUIRE, 0), 1);
	assert_int_equal(edges(VTB_E_READ, 0, 0), 0);
}

static void a_lock_that_was_not_got_orders_nothing(void **state)
{
	(void)state;
	assert_int_equal(edges(VTB_E_LOCK, 0, 0), 1);
	assert_int_equal(edges(VTB_E_LOCK, 0, EDEADLK), 0);
	assert_int_equal(edges(VTB_E_LOCK, 0, EOWNERDEAD), 1);
	assert_int_equal(edges(VTB_E_TRYLOCK, 0, EBUSY), 0);
	assert_int_equal(edges(VTB_E_TRYLOCK, 0, 0), 1);
	assert_int_equal(edges(VTB_E_TIMEDLOCK, 0, ETIMEDOUT), 0);
	assert_int_equal(edges(VTB_E_TRYRDLOCK, 0, EBUSY), 0);
	assert_int_equal(edges(VTB_E_UNLOCK, 0, 0), 2);
	assert_int_equal(edges(VTB_E_UNLOCK, 0, EPERM), 0);
	assert_int_equal(edges(VTB_E_SEM_WAIT, 0, ETIMEDOUT), 0);
	assert_int_equal(edges(VTB_E_SEM_TRYWAIT, 0, 0), 1);
	assert_int_equal(edges(VTB_E_SEM_POST, 0, 3), 2);
	assert_int_equal(edges(VTB_E_COND_WAKE, 0, ETIMEDOUT), 1); /* owns the mutex all the same */
	assert_int_equal(edges(VTB_E_COND_SIGNAL, 0, 0), 2);
	assert_int_equal(edges(VTB_E_THREAD_JOIN, 0, 0), 1);
	assert_int_equal(edges(200, 0, 0), 0);
}

static struct vtb_event at(unsigned kind, unsigned thread, uint64_t addr, uint32_t size, uint32_t var, unsigned flags)
{
	return (struct vtb_event){ .kind = (uint8_t)kind,
		                   .thread = (uint16_t)thread,
		                   .addr = addr,
		                   .size = size,
		                   .var = var,
		                   .flags = (uint8_t)flags };
}

/* The answer must not depend on which comes first. */
static int overlap(struct vtb_event a, struct vtb_event b)
{
	assert_int_equal(vtb_event_overlap(&a, &b), vtb_event_overlap(&b, &a));
	assert_int_equal(vtb_event_conflict(&a, &b), vtb_event_conflict(&b, &a));
	return vtb_event_overlap(&a, &b);
}

static void exact_addresses_overlap_by_their_bytes(void **state)
{
	(void)state;
	assert_true(overlap(at(VTB_E_READ, 0, 100, 4, 1, 0), at(VTB_E_WRITE, 1, 103, 1, 2, 0)));
	assert_false(overlap(at(VTB_E_READ, 0, 100, 4, 1, 0), at(VTB_E_WRITE, 1, 104, 4, 1, 0)));
	assert_true(overlap(at(VTB_E_READ, 0, UINT64_MAX - 3, 4, 1, 0), at(VTB_E_WRITE, 1, UINT64_MAX, 1, 1, 0)));
	assert_false(overlap(at(VTB_E_READ, 0, UINT64_MAX - 3, 4, 1, 0), at(VTB_E_WRITE, 1, 1, 1, 1, 0)));
	assert_true(
	    overlap(at(VTB_E_FREE, 0, 64, 64, 1, 0), at(VTB_E_LOCK, 1, 100, 0, 2, 0))); /* a mutex in freed memory */
}

static void sync_objects_overlap_by_their_name_if_they_have_one(void **state)
{
	(void)state;
	assert_true(overlap(at(VTB_E_LOCK, 0, 100, 0, 7, 0), at(VTB_E_UNLOCK, 1, 200, 0, 7, 0)));
	assert_false(overlap(at(VTB_E_LOCK, 0, 100, 0, 7, 0), at(VTB_E_UNLOCK, 1, 100, 0, 8, 0)));
	assert_true(overlap(at(VTB_E_LOCK, 0, 100, 0, VTB_NONE, 0), at(VTB_E_UNLOCK, 1, 100, 0, VTB_NONE, 0)));
	assert_false(overlap(at(VTB_E_YIELD, 0, 0, 0, VTB_NONE, 0), at(VTB_E_YIELD, 1, 0, 0, VTB_NONE, 0)));
}

static void unknown_and_symbolic_addresses_overlap_only_as_far_as_is_known(void **state)
{
	(void)state;
	assert_false(overlap(at(VTB_E_WRITE, 0, 0, 4, VTB_NONE, VTB_EVF_ADDR_UNKNOWN),
	                     at(VTB_E_WRITE, 1, 0, 4, VTB_NONE, VTB_EVF_ADDR_UNKNOWN)));
	assert_true(overlap(at(VTB_E_WRITE, 0, 8, 4, 3, VTB_EVF_ADDR_SYMBOLIC),
	                    at(VTB_E_READ, 1, 8, 4, 3, VTB_EVF_ADDR_SYMBOLIC)));
	assert_false(overlap(at(VTB_E_WRITE, 0, 8, 4, 3, VTB_EVF_ADDR_SYMBOLIC),
	                     at(VTB_E_READ, 1, 8, 4, 4, VTB_EVF_ADDR_SYMBOLIC)));
	assert_false(overlap(at(VTB_E_WRITE, 0, 0, 4, 3, VTB_EVF_ADDR_SYMBOLIC),
	                     at(VTB_E_READ, 1, 4, 4, 3, VTB_EVF_ADDR_SYMBOLIC)));
	assert_true(overlap(at(VTB_E_WRITE, 0, 8, 4, 3, VTB_EVF_ADDR_SYMBOLIC), at(VTB_E_READ, 1, 0x7000, 4, 3, 0)));
	assert_false(overlap(at(VTB_E_WRITE, 0, 8, 4, 3, VTB_EVF_ADDR_SYMBOLIC), at(VTB_E_READ, 1, 8, 4, 2, 0)));
}

static void a_conflict_needs_two_threads_and_a_write(void **state)
{
	const struct vtb_event r0 = at(VTB_E_READ, 0, 100, 4, 1, 0), r1 = at(VTB_E_READ, 1, 100, 4, 1, 0);
	const struct vtb_event w0 = at(VTB_E_WRITE, 0, 100, 4, 1, 0), w1 = at(VTB_E_WRITE, 1, 102, 1, 1, 0);
	const struct vtb_event alloc = at(VTB_E_ALLOC, 1, 100, 4, 1, 0), odd = at(255, 1, 100, 4, 1, 0);

	(void)state;
	assert_false(vtb_event_conflict(&r0, &r1));
	assert_true(vtb_event_conflict(&r0, &w1));
	assert_true(vtb_event_conflict(&w0, &w1));
	assert_false(vtb_event_conflict(&r0, &w0));
	assert_false(vtb_event_conflict(&w0, &alloc)); /* handing out memory touches nothing */
	assert_false(vtb_event_conflict(&w0, &odd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_found_by_its_name),
		cmocka_unit_test(every_verdict_is_found_by_its_name),
		cmocka_unit_test(atomics_order_by_their_memory_order),
		cmocka_unit_test(a_lock_that_was_not_got_orders_nothing),
		cmocka_unit_test(exact_addresses_overlap_by_their_bytes),
		cmocka_unit_test(sync_objects_overlap_by_their_name_if_they_have_one),
		cmocka_unit_test(unknown_and_symbolic_addresses_overlap_only_as_far_as_is_known),
		cmocka_unit_test(a_conflict_needs_two_threads_and_a_write),
	};

	return cmocka_run_group_tests_name("event kinds", tests, NULL, NULL);
}
