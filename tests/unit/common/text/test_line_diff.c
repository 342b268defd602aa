/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/line_diff.h"

static void diff_is(const char *a, const char *b, size_t max, const char *expected)
{
	char *diff = vtb_line_diff(a, strlen(a), b, strlen(b), max);

	assert_non_null(diff);
	assert_string_equal(diff, expected);
	free(diff);
}

static void a_unified_diff_says_what_goes_and_comes(void **state)
{
	(void)state;
	diff_is("", "", 100, "");
	diff_is("a\nb\n", "a\nb\n", 100, "");
	diff_is("a\nb\nc\nd\ne\n", "a\nb\nx\nd\ne\n", 100, "@@ -1,5 +1,5 @@\n a\n b\n-c\n+x\n d\n e\n");
	diff_is("", "new\n", 100, "@@ -0,0 +1 @@\n+new\n");
	diff_is("old\n", "", 100, "@@ -1 +0,0 @@\n-old\n");
	diff_is("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "x\n2\n3\n4\n5\n6\n7\n8\ny\n", 100,
	        "@@ -1,3 +1,3 @@\n-1\n+x\n 2\n 3\n@@ -7,3 +7,3 @@\n 7\n 8\n-9\n+y\n");
	diff_is("a", "a\n", 100, "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
}

static void what_does_not_fit_is_counted(void **state)
{
	(void)state;
	diff_is("a\nb\nc\n", "x\ny\nz\n", 3, "@@ -1,3 +1,3 @@\n-a\n-b\n... 4 more lines\n");
}

/* A line of these texts is a letter and its newline. */
static void append(char *to, const char *line)
{
	const size_t n = strlen(to);

	to[n] = line[0];
	to[n + 1] = line[1];
	to[n + 2] = 0;
}

/* Do what the diff says; all of `a` must be where it says. */
static void apply(const char *a, const char *diff, char *to)
{
	const char *at = a;
	size_t line = 0;

	*to = 0;
	while (*diff) {
		const size_t n = strcspn(diff, "\n") + 1;
		unsigned long from, length = 1;

		if (*diff == '@') {
			assert_true(sscanf(diff, "@@ -%lu,%lu", &from, &length) >= 1);
			for (from -= length > 0; line < from; line++, at += 2)
				append(to, at);
		} else if (*diff == '+') {
			append(to, diff + 1);
		} else {
			assert_memory_equal(at, diff + 1, 2);
			if (*diff == ' ')
				append(to, at);
			line++;
			at += 2;
		}
		diff += n;
	}
	strcat(to, at);
}

/* Longest common subsequence by all subsets of the shorter text: at most 8 lines. */
static size_t longest(const char *a, const char *b)
{
	const size_t n = strlen(a) / 2;
	size_t best = 0;

	for (unsigned set = 0; set < 1u << n; set++) {
		const char *at = b;
		size_t met = 0;

		for (size_t i = 0; i < n && at; i++)
			if (set >> i & 1) {
				while (*at && *at != a[2 * i])
					at += 2;
				at = *at ? at + 2 : NULL;
				met++;
			}
		if (at && met > best)
			best = met;
	}
	return best;
}

static void random_text(unsigned *seed, char *to)
{
	const int n = rand_r(seed) % 9;

	for (int i = 0; i < n; i++) {
		to[2 * i] = (char)('a' + rand_r(seed) % 4);
		to[2 * i + 1] = '\n';
	}
	to[2 * n] = 0;
}

static void every_diff_leads_to_the_other_text_by_the_fewest_lines(void **state)
{
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char a[32], b[32], made[64];
		char *diff;
		size_t changed = 0;

		random_text(&seed, a);
		random_text(&seed, b);
		diff = vtb_line_diff(a, strlen(a), b, strlen(b), 1000);
		assert_non_null(diff);
		apply(a, diff, made);
		assert_string_equal(made, b);
		for (const char *at = diff; *at; at += strcspn(at, "\n") + 1)
			changed += *at == '-' || *at == '+';
		assert_int_equal(changed, strlen(a) / 2 + strlen(b) / 2 - 2 * longest(a, b));
		free(diff);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_unified_diff_says_what_goes_and_comes),
		cmocka_unit_test(what_does_not_fit_is_counted),
		cmocka_unit_test(every_diff_leads_to_the_other_text_by_the_fewest_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
