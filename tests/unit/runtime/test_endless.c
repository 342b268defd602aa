/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops with and without a way out, as compilers make them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "endless.c"

static uint8_t code[512];
struct vtb_rt_near vtb_rt_near;

bool vtb_rt_is_code(uint64_t addr)
{
	return addr - (uint64_t)code < sizeof(code);
}

/* These bytes, then a way out wherever one falls or jumps out of them. */
static enum vtb_endless endless(const char *bytes, size_t n)
{
	memset(code, 0xc3, sizeof(code));
	memcpy(code + 64, bytes, n);
	return vtb_endless((uint64_t)code + 64);
}
#define ENDLESS(bytes) endless(bytes, sizeof(bytes) - 1)

static void jumps_on_the_spot_are_endless(void **state)
{
	(void)state;
	assert_int_equal(ENDLESS("\xeb\xfe"), VTB_STUCK);         /* jmp . */
	assert_int_equal(ENDLESS("\xf3\x90\xeb\xfc"), VTB_STUCK); /* pause; jmp */
	assert_true(ENDLESS("\xf3\x90\xf3\x90\xeb\xfa"));
	assert_true(ENDLESS("\xe9\xfb\xff\xff\xff"));
	assert_false(ENDLESS("\xeb\x00")); /* jmp to the next, a ret */
}

static void what_counts_in_registers_or_on_the_stack_is_endless(void **state)
{
	(void)state;
	/* movl $0, 12(%rsp); mov 12(%rsp), %eax; add $1, %eax; mov %eax, 12(%rsp); jmp */
	assert_true(ENDLESS("\xc7\x44\x24\x0c\x00\x00\x00\x00\x8b\x44\x24\x0c\x83\xc0\x01\x89\x44\x24\x0c\xeb\xeb"));
	/* imul $1664525, %eax, %eax; test $64, %al; je 1f; inc %ecx; 1: lea 2(%rbx,%rcx,4), %rdx; jmp */
	assert_true(ENDLESS("\x69\xc0\x0d\x66\x19\x00\xa8\x40\x74\x02\xff\xc1\x48\x8d\x54\x8b\x02\xeb\xed"));
	/* mov $1 << 40, %rax; mov 0x1234(%rip), %ecx; data16 nopw; jmp */
	assert_true(ENDLESS(
	    "\x48\xb8\x00\x00\x00\x00\x00\x01\x00\x00\x8b\x0d\x34\x12\x00\x00\x66\x0f\x1f\x44\x00\x00\xeb\xe8"));
}

static void any_way_out_is_found(void **state)
{
	(void)state;
	assert_false(ENDLESS("\x83\xc0\x01\x74\x02\xeb\xf9"));             /* je out */
	assert_false(ENDLESS("\x85\xc0\x0f\x85\x10\x00\x00\x00\xeb\xf6")); /* jne out, far */
	assert_false(ENDLESS("\xff\xe0"));                                 /* jmp *%rax */
	assert_false(ENDLESS("\xff\xd0\xeb\xfc"));                         /* call *%rax */
	assert_false(ENDLESS("\x0f\x05\xeb\xfc"));                         /* syscall */
	assert_false(ENDLESS("\xc3"));
	assert_false(ENDLESS("\xc5\xf9\x6f\x07\xeb\xfa")); /* a vector instruction: not known */
}

static void of_calls_only_hooks_are_known_to_come_back(void **state)
{
	(void)state;
	vtb_rt_near.all = (struct vtb_rt_span){ 0, 1 };
	assert_false(ENDLESS("\xe8\x00\x01\x00\x00\xeb\xf9"));
	vtb_rt_near.all = (struct vtb_rt_span){ (uint64_t)code + 64 + 5 + 0x100, 1 };
	assert_int_equal(ENDLESS("\xe8\x00\x01\x00\x00\xeb\xf9"),
	                 VTB_NEVER_ENDS); /* it may do something others wait for */
	vtb_rt_near.all = (struct vtb_rt_span){ 0, 1 };
}

static void more_than_can_be_looked_at_is_not_endless(void **state)
{
	char bytes[PLACES_MAX + 2];

	(void)state;
	memset(bytes, 0x90, sizeof(bytes));
	bytes[PLACES_MAX] = (char)0xeb;
	bytes[PLACES_MAX + 1] = (char)(-(int)PLACES_MAX - 2);
	assert_false(endless(bytes, sizeof(bytes)));
	bytes[PLACES_MAX - 2] = (char)0xeb;
	bytes[PLACES_MAX - 1] = (char)-(int)PLACES_MAX;
	assert_true(endless(bytes, sizeof(bytes)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jumps_on_the_spot_are_endless),
		cmocka_unit_test(what_counts_in_registers_or_on_the_stack_is_endless),
		cmocka_unit_test(any_way_out_is_found),
		cmocka_unit_test(of_calls_only_hooks_are_known_to_come_back),
		cmocka_unit_test(more_than_can_be_looked_at_is_not_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
