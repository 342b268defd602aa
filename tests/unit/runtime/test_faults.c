/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults are noticed (runtime/engines/faults.c), with the kernel's ring, where that is allowed, and without. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../../runtime/engines/faults.c"

#define PAGES 64u

struct vtb_rt vtb_rt;
struct vtb_catching vtb_catching;

static char *some_pages(void)
{
	char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	madvise(pages, PAGES * PAGE, MADV_NOHUGEPAGE);
	vtb_faults_any();
	return pages;
}

/* The first one is the only one to be noticed, by whomever it was taken. */
static void notice_all(void)
{
	char *pages = some_pages();
	const int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	for (uint32_t i = 0; i < PAGES; i++) {
		char *at = pages + i * PAGE;

		vtb_faults_any();
		assert_false(vtb_faults_any());
		if (i % 2)
			*(volatile char *)at = 1;
		else
			assert_int_equal(read(zeros, at, 1), 1);
		assert_true(vtb_faults_any());
		assert_false(vtb_faults_any());
		*(volatile char *)at = 2;
		assert_false(vtb_faults_any());
	}
	close(zeros);
	munmap(pages, PAGES * PAGE);
}

static void by_ring(void **state)
{
	(void)state;
	vtb_rt.lacks = 0;
	assert_true(vtb_faults_begin());
	if (!F->ring)
		skip();               /* not allowed here */
	for (int i = 0; i < 100; i++) /* more records than the ring has room for */
		notice_all();
	assert_non_null(F->ring);
}

static void by_count(void **state)
{
	(void)state;
	vtb_rt.lacks = VTB_LACKS_RING;
	assert_true(vtb_faults_begin());
	assert_null(F->ring);
	notice_all();
}

/* A ring that stands still: it is given up when the kernel has counted what it does not show. */
static void without_trust(void **state)
{
	const struct perf_event_mmap_page *still = sys_pages(2 * PAGE); /* it is unmapped */
	char *pages;
	bool seen = false;

	(void)state;
	vtb_rt.lacks = VTB_LACKS_RING;
	assert_true(vtb_faults_begin());
	pages = some_pages();
	F->ring = still;
	*(volatile char *)pages = 1;
	vtb_faults_by_call();
	assert_true(vtb_faults_any()); /* after a call it is asked */
	assert_ptr_equal(F->ring, still);
	*(volatile char *)(pages + PAGE) = 1;
	for (uint32_t i = 0; i < UNASKED_MAX && !seen; i++)
		seen = vtb_faults_any();
	assert_true(seen);
	assert_null(F->ring);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_ring),
		cmocka_unit_test(by_count),
		cmocka_unit_test(without_trust),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
