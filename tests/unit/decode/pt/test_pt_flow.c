/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets written by libipt's encoder over a handful of machine code, decoded by vtb/pt.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>

#include "pt_build.h"
#include "vtb/pt.h"

/*
 * 1000 loop: nop
 * 1001       jne loop
 * 1003       call f          (1010)
 * 1008       syscall
 * 100a       jmp loop
 * 1010 f:    nop
 * 1011       ret
 */
static const uint8_t code_bytes[] = {
	0x90, 0x75, 0xfd, 0xe8, 0x08, 0, 0, 0, 0x0f, 0x05, 0xeb, 0xf4, 0xcc, 0xcc, 0xcc, 0xcc, 0x90, 0xc3,
};
#define BASE 0x1000u

struct fixture {
	struct pt_build b;
	struct vtb_pt_image *image;
	struct vtb_pt_flow *flow;
	struct vtb_pt_items *items;
	size_t n;
};

static int begin(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	pt_begin(&f->b);
	if (vtb_pt_image_new(&f->image) < 0 ||
	    vtb_pt_image_add_bytes(f->image, code_bytes, sizeof(code_bytes), BASE, NULL) < 0)
		return -1;
	*state = f;
	return 0;
}

static int end(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < f->n; i++)
		vtb_pt_items_fini(&f->items[i]);
	free(f->items);
	vtb_pt_flow_free(f->flow);
	vtb_pt_image_free(f->image);
	pt_end(&f->b);
	free(f);
	return 0;
}

static void decode_size(struct fixture *f, size_t size, unsigned jobs)
{
	assert_int_equal(vtb_pt_flow_new(f->b.bytes, size, NULL, f->image, &f->flow), 0);
	f->n = vtb_pt_flow_segments(f->flow);
	f->items = calloc(f->n + 1, sizeof(*f->items));
	assert_int_equal(vtb_pt_flow_decode(f->flow, 0, f->n, jobs, f->items), 0);
}

static void decode(struct fixture *f)
{
	decode_size(f, pt_size(&f->b), 1);
}

static size_t count(const struct vtb_pt_items *items, enum vtb_pt_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n_items; i++)
		n += items->items[i].kind == kind;
	return n;
}

static const struct vtb_pt_item *find(const struct vtb_pt_items *items, enum vtb_pt_kind kind)
{
	for (size_t i = 0; i < items->n_items; i++)
		if (items->items[i].kind == kind)
			return &items->items[i];
	return NULL;
}

static void branch_packets_steer_the_flow_and_a_system_call_ends_it(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, 0);
	pt_pge(&f->b, BASE);
	pt_tnt(&f->b, "1101"); /* twice round the loop, then the call returns (compressed) */
	pt_ip(&f->b, ppt_tip_pgd, 0);
	decode(f);
	assert_int_equal(f->n, 1);
	/* nop jne, nop jne, nop jne, call, nop, ret, syscall */
	assert_int_equal(f->items[0].instructions, 10);
	assert_int_equal(f->items[0].n_gaps, 0);
	assert_int_equal(find(&f->items[0], VTB_PT_TIME)->value, 100);
	assert_int_equal(find(&f->items[0], VTB_PT_ENABLED)->value, BASE);
	assert_int_equal(count(&f->items[0], VTB_PT_DISABLED), 1);
}

static void an_interrupt_stops_before_its_address(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "1");
	pt_ip(&f->b, ppt_fup, BASE + 1);
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_tsc(&f->b, 200);
	pt_pge(&f->b, BASE + 1);
	pt_tnt(&f->b, "0");
	decode(f);
	assert_int_equal(find(&f->items[0], VTB_PT_ASYNC)->value, BASE + 1);
	assert_int_equal(find(&f->items[0], VTB_PT_DISABLED)->value, 100);
	assert_int_equal(find(&f->items[0], VTB_PT_ENABLED)->value, BASE + 1);
	assert_int_equal(f->items[0].instructions, 4); /* nop jne nop | jne */
}

static void segments_join_without_repeating_or_losing_an_instruction(void **state)
{
	struct fixture *f = *state;
	uint64_t total = 0;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "11");
	pt_psb(&f->b, 110, BASE + 1); /* in the middle of a block, after its nop */
	pt_tnt(&f->b, "1");
	pt_psb(&f->b, 120, BASE); /* between two blocks */
	pt_tnt(&f->b, "01");
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_psb(&f->b, 130, 0); /* tracing is off */
	pt_pge(&f->b, BASE + 10);
	pt_tnt(&f->b, "1");
	decode(f);
	assert_int_equal(f->n, 4);
	for (size_t i = 0; i < f->n; i++) {
		assert_int_equal(f->items[i].n_gaps, 0);
		assert_int_equal(f->items[i].joins, i < 3);
		total += f->items[i].instructions;
	}
	assert_int_equal(f->items[0].instructions, 5); /* nop jne nop jne nop */
	assert_int_equal(f->items[1].instructions, 1); /* jne */
	assert_int_equal(f->items[2].instructions, 6); /* nop jne call nop ret syscall */
	assert_int_equal(total, 15);
}

static void a_join_that_does_not_fit_is_a_gap(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "1");
	pt_psb(&f->b, 110, BASE + 0x10);
	pt_tnt(&f->b, "1");
	decode(f);
	assert_false(f->items[0].joins);
	assert_int_equal(f->items[0].n_gaps, 1);
	assert_int_equal(f->items[0].gaps[0].kind, VTB_PT_GAP_JOIN);
	assert_int_equal(f->items[0].gaps[0].resume, vtb_pt_flow_offset(f->flow, 1));
}

static void an_address_without_code_costs_the_rest_of_its_segment_only(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "0");
	pt_ip(&f->b, ppt_tip, 0x5000); /* ret to an unmapped address */
	pt_tnt(&f->b, "1");
	pt_psb(&f->b, 110, BASE);
	pt_tnt(&f->b, "1");
	decode(f);
	assert_int_equal(f->items[0].n_gaps, 1);
	assert_int_equal(f->items[0].gaps[0].kind, VTB_PT_GAP_UNMAPPED);
	assert_int_equal(f->items[0].gaps[0].ip, 0x5000);
	assert_int_equal(f->items[0].gaps[0].tsc, 100);
	assert_int_equal(f->items[0].gaps[0].resume, vtb_pt_flow_offset(f->flow, 1));
	assert_int_equal(f->items[0].instructions, 5); /* nop jne call nop ret */
	assert_int_equal(f->items[1].instructions, 2);
}

/* The packets lead to a jump to itself, and more follow that it never takes. */
static void a_loop_that_no_packet_ends_is_a_gap(void **state)
{
	static const uint8_t jump_to_itself[] = { 0xeb, 0xfe };
	struct fixture *f = *state;

	assert_int_equal(vtb_pt_image_add_bytes(f->image, jump_to_itself, sizeof(jump_to_itself), 0x5000, NULL), 0);
	pt_psb(&f->b, 100, 0);
	pt_pge(&f->b, BASE);
	pt_tnt(&f->b, "0");
	pt_ip(&f->b, ppt_tip, 0x5000);
	pt_tnt(&f->b, "1");
	pt_psb(&f->b, 110, BASE);
	pt_tnt(&f->b, "1");
	decode(f);
	assert_int_equal(f->items[0].n_gaps, 1);
	assert_int_equal(f->items[0].gaps[0].kind, VTB_PT_GAP_DECODE);
	assert_int_equal(f->items[0].gaps[0].resume, vtb_pt_flow_offset(f->flow, 1));
	assert_int_equal(f->items[0].instructions, 0); /* since tracing was switched on */
	assert_int_equal(count(&f->items[0], VTB_PT_BLOCK), 0);
	assert_int_equal(count(&f->items[0], VTB_PT_ENABLED), 1);
	assert_int_equal(f->items[1].instructions, 2);
}

/* Bytes mean something else there, and the program is not of that kind. */
static void code_that_is_not_64_bit_code_is_a_gap(void **state)
{
	struct fixture *f = *state;
	struct pt_packet mode = { .type = ppt_mode };

	mode.payload.mode.leaf = pt_mol_exec;
	mode.payload.mode.bits.exec.csd = 1;
	pt_psb(&f->b, 100, 0);
	pt_put(&f->b, mode);
	pt_ip(&f->b, ppt_tip_pge, BASE);
	pt_tnt(&f->b, "0");
	pt_psb(&f->b, 110, BASE);
	pt_tnt(&f->b, "1");
	decode(f);
	assert_int_equal(f->items[0].n_gaps, 1);
	assert_int_equal(f->items[0].instructions, 0);
	assert_int_equal(f->items[0].gaps[0].resume, vtb_pt_flow_offset(f->flow, 1));
	assert_int_equal(f->items[1].instructions, 2);
}

static void an_overflow_is_a_gap_and_the_flow_goes_on_behind_it(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "1");
	pt_simple(&f->b, ppt_ovf);
	pt_ip(&f->b, ppt_fup, BASE + 3);
	pt_tnt(&f->b, "1");
	pt_ip(&f->b, ppt_tip_pgd, 0);
	decode(f);
	assert_int_equal(f->items[0].n_gaps, 1);
	assert_int_equal(f->items[0].gaps[0].kind, VTB_PT_GAP_OVERFLOW);
	assert_int_equal(f->items[0].gaps[0].ip, BASE + 3);
	assert_true(f->items[0].instructions >= 6); /* nop jne | call nop ret syscall */
}

static void several_threads_decode_the_same_items_as_one(void **state)
{
	struct fixture *f = *state;
	struct vtb_pt_items again[64] = { { 0 } };

	for (unsigned i = 0; i < 64; i++) {
		pt_psb(&f->b, 100 + i, BASE);
		for (unsigned k = 0; k < 50; k++)
			pt_tnt(&f->b,
			       k == i ? "0"
			              : "111111"); /* one leaves the loop without a packet for the return: an error */
	}
	decode_size(f, pt_size(&f->b), 4);
	assert_int_equal(f->n, 64);
	assert_int_equal(vtb_pt_flow_decode(f->flow, 0, 40, 1, again), 0);
	assert_int_equal(vtb_pt_flow_decode(f->flow, 40, 24, 3, again + 40), 0);
	for (unsigned i = 0; i < 64; i++) {
		assert_int_equal(again[i].n_items, f->items[i].n_items);
		assert_memory_equal(again[i].items, f->items[i].items, again[i].n_items * sizeof(*again[i].items));
		assert_int_equal(again[i].n_gaps, f->items[i].n_gaps);
		vtb_pt_items_fini(&again[i]);
	}
}

static void buffers_without_a_sync_point_give_nothing(void **state)
{
	struct fixture *f = *state;

	pt_psb(&f->b, 100, BASE);
	decode_size(f, 15, 1); /* a PSB cut short */
	assert_int_equal(f->n, 0);
	vtb_pt_flow_free(f->flow);
	free(f->items);
	decode_size(f, 0, 1);
	assert_int_equal(f->n, 0);
	assert_int_equal(vtb_pt_flow_decode(f->flow, 0, 1, 1, f->items), -EINVAL);
}

static void every_truncation_and_every_flipped_byte_is_survived(void **state)
{
	struct fixture *f = *state;
	size_t size;

	pt_psb(&f->b, 100, BASE);
	pt_tnt(&f->b, "1101");
	pt_ip(&f->b, ppt_tip_pgd, 0);
	pt_tsc(&f->b, 105);
	pt_pge(&f->b, BASE);
	pt_psb(&f->b, 110, BASE);
	pt_tnt(&f->b, "11");
	size = pt_size(&f->b);
	for (size_t i = 0; i < size * 2; i++) {
		const uint8_t keep = f->b.bytes[i / 2];

		if (i & 1)
			f->b.bytes[i / 2] ^= 0x55;
		decode_size(f, i & 1 ? size : i / 2, 1);
		for (size_t k = 0; k < f->n; k++) {
			assert_true(f->items[k].instructions < 100);
			vtb_pt_items_fini(&f->items[k]);
		}
		vtb_pt_flow_free(f->flow);
		free(f->items);
		f->b.bytes[i / 2] = keep;
	}
	decode(f);
}

static void instructions_are_classified_and_followed(void **state)
{
	struct fixture *f = *state;
	struct vtb_pt_code *code;
	int64_t i;

	assert_int_equal(vtb_pt_code_new(f->image, &code), 0);
	i = vtb_pt_code_at(code, BASE + 1);
	assert_true(i >= 0);
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->class, VTB_PT_COND);
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->target, BASE);
	i = vtb_pt_code_next(code, (uint32_t)i);
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->class, VTB_PT_CALL);
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->target, BASE + 0x10);
	i = vtb_pt_code_next(code, (uint32_t)vtb_pt_code_next(code, (uint32_t)i));
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->class, VTB_PT_RETURN);
	i = vtb_pt_code_at(code, BASE + 8);
	assert_int_equal(vtb_pt_code_insn(code, (uint32_t)i)->class, VTB_PT_FAR);
	assert_int_equal(vtb_pt_code_at(code, 0x5000), -VTB_E_DESYNC);
	vtb_pt_code_free(code);
}

static void a_later_mapping_hides_what_it_covers(void **state)
{
	struct fixture *f = *state;
	const uint8_t ones[4] = { 1, 1, 1, 1 };
	uint8_t got[32];

	assert_int_equal(vtb_pt_image_add_bytes(f->image, ones, 4, BASE + 4, NULL), 0);
	assert_int_equal(vtb_pt_image_read(f->image, BASE, got, sizeof(got)), sizeof(code_bytes));
	assert_memory_equal(got, code_bytes, 4);
	assert_memory_equal(got + 4, ones, 4);
	assert_memory_equal(got + 8, code_bytes + 8, sizeof(code_bytes) - 8);
	assert_int_equal(vtb_pt_image_read(f->image, BASE - 1, got, 4), 0);
	assert_int_equal(vtb_pt_image_add_file(f->image, "/no/such/file", 0, 4, BASE + 8, NULL), 0);
	assert_int_equal(vtb_pt_image_read(f->image, BASE + 6, got, 8), 2);
	assert_int_equal(vtb_pt_image_add_bytes(f->image, ones, 4, UINT64_MAX - 1, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(branch_packets_steer_the_flow_and_a_system_call_ends_it, begin, end),
		cmocka_unit_test_setup_teardown(an_interrupt_stops_before_its_address, begin, end),
		cmocka_unit_test_setup_teardown(segments_join_without_repeating_or_losing_an_instruction, begin, end),
		cmocka_unit_test_setup_teardown(a_join_that_does_not_fit_is_a_gap, begin, end),
		cmocka_unit_test_setup_teardown(an_address_without_code_costs_the_rest_of_its_segment_only, begin, end),
		cmocka_unit_test_setup_teardown(a_loop_that_no_packet_ends_is_a_gap, begin, end),
		cmocka_unit_test_setup_teardown(code_that_is_not_64_bit_code_is_a_gap, begin, end),
		cmocka_unit_test_setup_teardown(an_overflow_is_a_gap_and_the_flow_goes_on_behind_it, begin, end),
		cmocka_unit_test_setup_teardown(several_threads_decode_the_same_items_as_one, begin, end),
		cmocka_unit_test_setup_teardown(buffers_without_a_sync_point_give_nothing, begin, end),
		cmocka_unit_test_setup_teardown(every_truncation_and_every_flipped_byte_is_survived, begin, end),
		cmocka_unit_test_setup_teardown(instructions_are_classified_and_followed, begin, end),
		cmocka_unit_test_setup_teardown(a_later_mapping_hides_what_it_covers, begin, end),
	};

	return cmocka_run_group_tests_name("pt_flow", tests, NULL, NULL);
}
