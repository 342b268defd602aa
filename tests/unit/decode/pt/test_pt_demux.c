/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One CPU's packets dealt out to threads by context switches: certain owners get them, uncertain ones a gap. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "pt_build.h"
#include "vtb/pt_session.h"

/* 1000: nop; 1001: syscall; 1003: jmp 1000 */
static const uint8_t code_bytes[] = { 0x90, 0x0f, 0x05, 0xeb, 0xfb };
#define BASE 0x1000u

struct fixture {
	struct pt_build b;
	struct vtb_pt_session s;
	struct vtb_pt_run runs[8];
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	pt_begin(&f->b);
	if (vtb_pt_image_new(&f->s.image) < 0 ||
	    vtb_pt_image_add_bytes(f->s.image, code_bytes, sizeof(code_bytes), BASE, NULL) < 0)
		return -1;
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	vtb_pt_session_fini(&f->s);
	pt_end(&f->b);
	free(f);
	return 0;
}

/* Two instructions of user code: nop, syscall. */
static void stretch(struct fixture *f)
{
	pt_pge(&f->b, BASE);
	pt_ip(&f->b, ppt_tip_pgd, 0);
}

static void run(struct fixture *f, uint32_t tid, uint64_t in, uint64_t out)
{
	struct vtb_pt_run *runs = realloc(f->s.runs, (f->s.n_runs + 1) * sizeof(*runs));

	assert_non_null(runs);
	f->s.runs = runs;
	f->s.runs[f->s.n_runs++] = (struct vtb_pt_run){ .in = in, .out = out, .cpu = 3, .tid = tid };
	f->s.cap_runs = f->s.n_runs;
}

static void deal(struct fixture *f, uint32_t tid)
{
	f->s.sources = calloc(1, sizeof(*f->s.sources));
	f->s.n_sources = f->s.cap_sources = 1;
	f->s.sources[0] = (struct vtb_pt_source){
		.data = f->b.bytes, .size = pt_size(&f->b), .cpu = tid == VTB_PT_NONE ? 3 : VTB_PT_NONE, .tid = tid
	};
	assert_int_equal(vtb_pt_session_deal(&f->s, 2, NULL), 0);
}

static const struct vtb_pt_thread *thread(const struct fixture *f, uint32_t tid)
{
	for (size_t i = 0; i < f->s.n_threads; i++)
		if (f->s.threads[i].tid == tid)
			return &f->s.threads[i];
	return NULL;
}

/* Read the thread to its end; count instructions and gaps. */
static void read_all(struct fixture *f, uint32_t tid, uint64_t *ret_instructions, uint64_t *ret_gaps)
{
	struct vtb_pt_reader *reader;
	const struct vtb_pt_gap *gap;
	struct vtb_pt_item item;

	*ret_instructions = *ret_gaps = 0;
	assert_non_null(thread(f, tid));
	assert_int_equal(vtb_pt_reader_new(&f->s, (size_t)(thread(f, tid) - f->s.threads), 1, &reader), 0);
	while (vtb_pt_reader_next(reader, &item, &gap) > 0) {
		*ret_instructions += item.kind == VTB_PT_BLOCK ? item.n : 0;
		*ret_gaps += item.kind == VTB_PT_GAP;
	}
	vtb_pt_reader_free(reader);
}

static void a_stretch_with_a_time_inside_belongs_to_who_ran_then(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	run(f, 7, 0, 250);
	run(f, 9, 250, 1000);
	pt_psb(&f->b, 100, 0);
	pt_pge(&f->b, BASE); /* begins after 100, a clock packet says 200 before it ends */
	pt_tsc(&f->b, 200);
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_tsc(&f->b, 300);
	stretch(f);
	pt_tsc(&f->b, 400);
	deal(f, VTB_PT_NONE);
	read_all(f, 7, &n, &gaps);
	assert_int_equal(n, 2);
	assert_int_equal(gaps, 0);
	read_all(f, 9, &n, &gaps);
	assert_int_equal(n, 2);
	assert_int_equal(gaps, 0);
	assert_int_equal(f->s.unowned, 0);
}

static void a_stretch_that_two_threads_could_have_run_is_given_to_none(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	run(f, 7, 0, 250);
	run(f, 9, 250, 1000);
	pt_psb(&f->b, 200, 0);
	stretch(f); /* somewhere between 200 and 300; the switch is at 250 */
	pt_tsc(&f->b, 300);
	deal(f, VTB_PT_NONE);
	assert_int_equal(f->s.instructions, 2);
	assert_int_equal(f->s.unowned, 2);
	for (uint32_t tid = 7; tid <= 9; tid += 2) {
		read_all(f, tid, &n, &gaps);
		assert_int_equal(n, 0);
		assert_int_equal(gaps, 1);
	}
}

static void the_idle_task_does_not_make_an_owner_uncertain(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	run(f, 7, 0, 250);
	run(f, 0, 250, 1000);
	pt_psb(&f->b, 200, 0);
	stretch(f);
	pt_tsc(&f->b, 300);
	deal(f, VTB_PT_NONE);
	read_all(f, 7, &n, &gaps);
	assert_int_equal(n, 2);
	assert_null(thread(f, 0));
}

static void loss_concerns_every_thread_that_ran_meanwhile_and_no_other(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	run(f, 7, 0, 150);
	run(f, 9, 150, 250);
	run(f, 11, 900, 1000);
	pt_psb(&f->b, 100, 0);
	pt_pge(&f->b, 0x7777); /* no code there: lost up to the next PSB, at 200 */
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_psb(&f->b, 200, BASE);
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_tsc(&f->b, 210);
	deal(f, VTB_PT_NONE);
	read_all(f, 7, &n, &gaps);
	assert_int_equal(n, 0);
	assert_int_equal(gaps, 1);
	read_all(f, 9, &n, &gaps);
	assert_int_equal(n, 2); /* the PSB's own time is inside its stretch */
	assert_int_equal(gaps, 1);
	assert_null(thread(f, 11));
}

static void a_stretch_goes_on_over_segments(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	run(f, 7, 0, 1000);
	pt_psb(&f->b, 100, BASE);
	pt_psb(&f->b, 110, BASE + 1);
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_tsc(&f->b, 210);
	deal(f, VTB_PT_NONE);
	read_all(f, 7, &n, &gaps);
	assert_int_equal(n, 2);
	assert_int_equal(gaps, 0);
	assert_int_equal(f->s.n_syncs, 1);
}

static void the_buffer_of_one_thread_is_its_own(void **state)
{
	struct fixture *f = *state;
	uint64_t n, gaps;

	pt_psb(&f->b, 100, 0);
	stretch(f);
	pt_pge(&f->b, 0x7777);
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_psb(&f->b, 200, 0);
	stretch(f);
	deal(f, 42);
	read_all(f, 42, &n, &gaps);
	assert_int_equal(n, 4);
	assert_int_equal(gaps, 1);
	assert_int_equal(f->s.n_threads, 1);
	assert_int_equal(f->s.n_syncs, 2);
	assert_int_equal(f->s.syncs[0].instructions, 2);
	assert_int_equal(f->s.errors, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_stretch_with_a_time_inside_belongs_to_who_ran_then, begin, end),
		cmocka_unit_test_setup_teardown(a_stretch_that_two_threads_could_have_run_is_given_to_none, begin, end),
		cmocka_unit_test_setup_teardown(the_idle_task_does_not_make_an_owner_uncertain, begin, end),
		cmocka_unit_test_setup_teardown(loss_concerns_every_thread_that_ran_meanwhile_and_no_other, begin, end),
		cmocka_unit_test_setup_teardown(a_stretch_goes_on_over_segments, begin, end),
		cmocka_unit_test_setup_teardown(the_buffer_of_one_thread_is_its_own, begin, end),
	};

	return cmocka_run_group_tests_name("pt_demux", tests, NULL, NULL);
}
