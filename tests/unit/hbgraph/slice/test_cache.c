/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is kept is read back as it was, or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cache.h"

static char folder[] = "/tmp/vtb-slice-XXXXXX";
static char file[64];

static int make_folder(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof(file), "%s/new/a.slice", folder);
	return 0;
}

static int remove_folder(void **state)
{
	char dir[64];

	(void)state;
	unlink(file);
	snprintf(dir, sizeof(dir), "%s/new", folder);
	rmdir(dir);
	return rmdir(folder);
}

static void write_some(void)
{
	struct kept_site sites[3] = { { 0x1000, 1, 1 }, { 0x1010, 0, 0 }, { 0x2000, 31, 1 } };
	struct kept_essential essentials[1] = { { 0x1234, 1, "calls abort" } };
	const struct kept k = { .sites = sites, .n_sites = 3, .essentials = essentials, .n_essentials = 1 };

	cache_write(file, &k);
}

static void what_is_kept_is_read_back(void **state)
{
	struct kept k = { .n_sites = 0 };

	(void)state;
	assert_false(cache_read(file, &k));
	write_some();
	assert_true(cache_read(file, &k));
	assert_int_equal(k.n_sites, 3);
	assert_int_equal(k.sites[2].addr, 0x2000);
	assert_int_equal(k.sites[2].kinds, 31);
	assert_string_equal(k.essentials[0].what, "calls abort");
	kept_fini(&k);
}

static long read_file(char *bytes, size_t size)
{
	FILE *f = fopen(file, "r");
	long n;

	assert_non_null(f);
	n = (long)fread(bytes, 1, size, f);
	fclose(f);
	return n;
}

static void write_file(const char *bytes, long n)
{
	FILE *f = fopen(file, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, (size_t)n, f), n);
	fclose(f);
}

static void a_file_with_any_byte_changed_or_missing_is_not_read(void **state)
{
	struct kept k = { .n_sites = 0 };
	char bytes[4096];
	long n;

	(void)state;
	write_some();
	n = read_file(bytes, sizeof(bytes));
	assert_true(n > 100);
	for (long i = 0; i < n; i++) {
		bytes[i] ^= 0x41;
		write_file(bytes, n);
		assert_false(cache_read(file, &k));
		bytes[i] ^= 0x41;
		write_file(bytes, i);
		assert_false(cache_read(file, &k));
	}
	write_file(bytes, n);
	assert_true(cache_read(file, &k));
	kept_fini(&k);
}

static void a_home_that_is_not_there_is_not_made(void **state)
{
	char home[64], *kept;

	(void)state;
	unsetenv("XDG_CACHE_HOME");
	snprintf(home, sizeof(home), "%s/home", folder);
	setenv("HOME", home, 1);
	assert_null(cache_file("/proc/self/exe", NULL, ""));
	setenv("HOME", folder, 1);
	kept = cache_file("/proc/self/exe", NULL, "");
	assert_non_null(kept);
	assert_memory_equal(kept, folder, strlen(folder));
	free(kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_home_that_is_not_there_is_not_made),
		cmocka_unit_test(what_is_kept_is_read_back),
		cmocka_unit_test(a_file_with_any_byte_changed_or_missing_is_not_read),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
