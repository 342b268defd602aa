/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who can go on from now on is told in few records (runtime/sched/run_records.c): read back, they say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../runtime/sched/run_records.c"

#define THREADS 600u
#define WORDS 65536u
#define FACTS 20000u

/* What run_records.c needs of the rest of the runtime. */
struct vtb_rt vtb_rt;
struct vtb_sched vtb_sched;

void vtb_stretch_finish(void)
{
}

uint64_t *vtb_rt_put(struct vtb_rt_thread *t, const struct vtb_rec *rec)
{
	(void)t;
	(void)rec;
	vtb_sched.stream.end = vtb_sched.stream.next;
	return NULL;
}

uint32_t vtb_rt_stack(const struct vtb_rt_thread *t, uint64_t pc, uint64_t *pcs, uint32_t max)
{
	(void)t;
	(void)pc;
	(void)pcs;
	(void)max;
	return 0;
}

static struct vtb_wire_slot slot;
static struct vtb_rt_thread *threads[THREADS];
static uint64_t words[WORDS];

/* In the order in which they were said. */
struct said {
	unsigned kind;
	uint64_t slot, arg;
};
static struct said said[FACTS];

static void begin(void)
{
	for (uint32_t i = 0; i < THREADS && !threads[i]; i++) {
		threads[i] = calloc(1, sizeof(*threads[i]));
		assert_non_null(threads[i]);
		threads[i]->base.slot = i;
	}
	vtb_sched = (struct vtb_sched){ .slot = &slot, .running = threads[0], .events = (const char *)words };
	vtb_sched.stream.next = words;
	vtb_sched.stream.end = words + WORDS;
	vtb_sched_fact(VTB_E_YIELD, threads[0], 0, 0, 0, 0);
}

/* What the records say, one thread at a time. */
static size_t read_back(struct said *ret, size_t max)
{
	const size_t all = slot.events_used / 8;
	size_t n = 0;

	for (size_t at = 0, used; at < all; at += used) {
		const uint64_t *w = words + at;
		const unsigned kind = w[0] >> 8 & 255;

		used = 2 + (w[0] >> 4 & 15);
		assert_true(at + used <= all);
		if (kind != VTB_E_BLOCK && kind != VTB_E_UNBLOCK)
			continue;
		assert_true(used >= 4 && n < max);
		ret[n++] = (struct said){ kind, w[2], w[3] };
		assert_int_equal(used > 4, (w[0] & VTB_REC_STACK) != 0);
		for (size_t i = 4; i < used; i++)
			for (uint64_t slots = w[i]; slots; slots >>= 16) {
				assert_true(slots & 0xffff && n < max);
				ret[n++] = (struct said){ kind, (slots & 0xffff) - 1, w[3] };
			}
	}
	return n;
}

static void what_is_told_is_what_was_said(void **state)
{
	static struct said told[FACTS];
	uint64_t random = 1;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		size_t n = 0;
		unsigned kind = VTB_E_BLOCK;
		uint64_t arg = 0;

		begin();
		for (uint32_t i = 0; i < 900; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			if (random >> 60 == 0)
				kind = kind == VTB_E_BLOCK ? VTB_E_UNBLOCK : VTB_E_BLOCK;
			if ((random >> 48 & 63) == 1)
				arg = random >> 40 & 0x1ff;
			if ((random >> 48 & 63) == 2) /* something else is told in between, */
				vtb_sched_fact(VTB_E_YIELD, vtb_sched.running, 0, 0, 0, 0);
			if ((random >> 48 & 63) == 3) /* or another thread goes on */
				vtb_sched.running = threads[random >> 32 & 255];
			said[n] = (struct said){ kind, (random >> 33) % THREADS, arg };
			vtb_sched_tell_ready(kind, threads[said[n].slot], arg);
			n++;
		}
		assert_int_equal(read_back(told, FACTS), n);
		assert_memory_equal(told, said, n * sizeof(*told));
	}
}

static void many_that_say_the_same_take_little_room(void **state)
{
	(void)state;
	begin();
	for (uint32_t i = 0; i < THREADS; i++)
		vtb_sched_tell_ready(VTB_E_UNBLOCK, threads[i], 0);
	assert_true(slot.events_used / 8 < THREADS / 2);
}

static void without_room_nothing_is_written_past_the_end(void **state)
{
	(void)state;
	begin();
	vtb_sched.stream.end = words + 40;
	words[40] = 0x1234;
	for (uint32_t i = 0; i < THREADS; i++)
		vtb_sched_tell_ready(VTB_E_BLOCK, threads[i], i / 3);
	assert_int_equal(words[40], 0x1234);
	assert_true(slot.events_used <= 40 * 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_told_is_what_was_said),
		cmocka_unit_test(many_that_say_the_same_take_little_room),
		cmocka_unit_test(without_room_nothing_is_written_past_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
