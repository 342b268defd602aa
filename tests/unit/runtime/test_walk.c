/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whom the walks of the runtime (runtime/sched/points/walk.c) choose: one that can go on, whatever was known of it
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../../runtime/sched/points/walk.c"

#define THREADS 100u

/* What walk.c needs of the rest of the runtime. */
struct vtb_rt vtb_rt;
struct vtb_sched vtb_sched;
static struct vtb_wire_schedule schedule;
static struct vtb_rt_thread threads[THREADS];
static uint64_t slots[VTB_RT_THREADS_MAX / 64];
static char memory[1 << 16] __attribute__((aligned(16)));
static size_t used;

void *vtb_rt_alloc_aside(size_t size)
{
	void *p = memory + used;

	used += (size + 15) & ~15ul;
	return used <= sizeof(memory) ? p : NULL;
}

const uint64_t *vtb_ready_slots(void)
{
	return slots;
}

static uint64_t state = 1;

static uint32_t below(uint32_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(state >> 33) % n;
}

static void let(uint32_t i, bool enabled)
{
	threads[i].sched.enabled = enabled;
	slots[i / 64] = (slots[i / 64] & ~(1ull << i % 64)) | (uint64_t)enabled << i % 64;
}

static void begin(uint32_t policy, struct vtb_call *call)
{
	schedule.policy = (uint8_t)policy;
	vtb_sched.schedule = &schedule;
	used = 0;
	vtb_rt.n_threads = 0;
	for (uint32_t i = 0; i < sizeof(memory); i++)
		memory[i] = 0;
	for (uint32_t i = 0; i < THREADS; i++) {
		threads[i] = (struct vtb_rt_thread){
			.base = { .slot = i, .state = VTB_T_ALIVE, .parent = i ? 0 : VTB_NO_PATH },
			.sched = { .call = call, .path = VTB_NO_PATH },
		};
		vtb_rt.threads[i] = &threads[i];
		let(i, false);
	}
	vtb_walk_begin();
}

/* Threads stop and go on again between two choices, and where a deviation decides they are looked at in between. */
static void one_run(uint32_t policy)
{
	struct vtb_call call = { .kind = VTB_E_READ };

	begin(policy, &call);
	for (uint32_t step = 0; step < 20000; step++) {
		struct vtb_rt_thread *chosen;
		uint32_t at, enabled = 0;

		if (vtb_rt.n_threads < THREADS && !below(100))
			vtb_rt.n_threads++;
		if (!vtb_rt.n_threads)
			continue;
		at = below(vtb_rt.n_threads);
		for (uint32_t i = 0; i < 4; i++) {
			const uint32_t other = below(3) ? at : below(vtb_rt.n_threads);

			let(other, !below(3));
			if (below(2))
				vtb_walk_look_at(&threads[other]);
		}
		chosen = vtb_walk_choose(&threads[below(vtb_rt.n_threads)]);
		for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
			enabled += threads[i].sched.enabled;
		assert_true(enabled ? chosen && chosen->sched.enabled : !chosen);
		if (chosen)
			chosen->sched.ops++;
	}
}

static void pos_chooses_who_can_go_on(void **unused)
{
	(void)unused;
	one_run(VTB_POLICY_POS);
}

static void surw_chooses_who_can_go_on(void **unused)
{
	(void)unused;
	one_run(VTB_POLICY_SURW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pos_chooses_who_can_go_on),
		cmocka_unit_test(surw_chooses_who_can_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
