/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call sites of hooks, in one program linked in several ways, against what objdump prints of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vtb/call_sites.h"

#define LIMIT 4096

/* "__tsan_unaligned_read16" at text: its VTB_SITE_HOOK(); -1: another function. */
static int hook_in(const char *text)
{
	static const struct {
		const char *name;
		int log2;
	} sizes[] = { { "16", 4 }, { "1", 0 }, { "2", 1 }, { "4", 2 }, { "8", 3 } };
	const char *name = strstr(text, "<__tsan_");
	bool write;

	if (!name)
		return -1;
	name += strlen("<__tsan_");
	if (!strncmp(name, "unaligned_", 10))
		name += 10;
	if (!strncmp(name, "volatile_", 9))
		name += 9;
	write = !strncmp(name, "write", 5);
	if (!write && strncmp(name, "read", 4))
		return -1;
	name += write ? 5 : 4;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const size_t n = strlen(sizes[i].name);

		if (!strncmp(name, sizes[i].name, n) && (name[n] == '@' || name[n] == '>'))
			return (int)VTB_SITE_HOOK(write, sizes[i].log2);
	}
	return -1;
}

/* Calls and jumps to hooks as objdump sees them. */
static size_t by_objdump(const char *path, struct vtb_wire_site *sites)
{
	char command[4352], line[1024];
	size_t n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn -j .text '%s' 2>/dev/null", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		const char *call = strstr(line, "call"), *jump = strstr(line, "jmp");
		const int hook = call || jump ? hook_in(line) : -1;

		if (hook >= 0 && n < LIMIT)
			sites[n++] = (struct vtb_wire_site){ .addr = strtoull(line, NULL, 16),
				                             .hook = (uint16_t)hook,
				                             .call = call != NULL };
	}
	pclose(f);
	return n;
}

static void agrees(const char *name)
{
	static struct vtb_wire_site expected[LIMIT];
	struct vtb_call_sites sites;
	struct vtb_error err = { 0 };
	char path[4096];
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", TARGETS, name);
	n = by_objdump(path, expected);
	if (vtb_call_sites_find(path, &sites, &err) < 0)
		fail_msg("%s", err.text);
	assert_true(n > 10);
	assert_int_equal(sites.skipped, 0);
	assert_int_equal(sites.n_sites, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(sites.sites[i].addr, expected[i].addr);
		assert_int_equal(sites.sites[i].hook, expected[i].hook);
		assert_int_equal(sites.sites[i].call, expected[i].call);
		assert_int_equal(sites.sites[i].on, 1);
		assert_true(sites.sites[i].length >= 5);
	}
	vtb_call_sites_fini(&sites);
}

static void a_position_independent_program_shows_all_its_calls(void **state)
{
	(void)state;
	agrees("sites-pie");
}

static void so_does_one_at_a_fixed_address(void **state)
{
	(void)state;
	agrees("sites-fixed");
}

static void calls_through_a_word_of_memory_are_found(void **state)
{
	(void)state;
	agrees("sites-noplt");
}

static void calls_by_marked_targets_are_found(void **state)
{
	(void)state;
	agrees("sites-cet");
}

static void without_symbols_functions_come_from_the_unwind_table(void **state)
{
	(void)state;
	agrees("sites-stripped");
}

static void a_program_without_hooks_has_no_sites(void **state)
{
	struct vtb_call_sites sites;

	(void)state;
	assert_int_equal(vtb_call_sites_find(TARGETS "/plain", &sites, NULL), 0);
	assert_int_equal(sites.n_sites, 0);
	vtb_call_sites_fini(&sites);
}

static void what_is_no_program_has_none_and_what_is_not_there_is_an_error(void **state)
{
	struct vtb_call_sites sites;

	(void)state;
	assert_int_equal(vtb_call_sites_find("/etc/passwd", &sites, NULL), 0);
	assert_int_equal(sites.n_sites, 0);
	assert_int_equal(vtb_call_sites_find("/dev/null", &sites, NULL), -VTB_E_FORMAT); /* no file is waited for */
	assert_true(vtb_call_sites_find(TARGETS "/not-there", &sites, NULL) < 0);
}

static void when_the_time_is_over_it_is_given_up_and_nothing_kept(void **state)
{
	struct vtb_stop over = { .deadline = 1 }; /* a second after the machine was started */
	struct vtb_call_sites sites;

	(void)state;
	assert_int_equal(vtb_call_sites_find(TARGETS "/plain", &sites, NULL), 0); /* what is kept is another file's */
	vtb_call_sites_fini(&sites);
	assert_int_equal(vtb_call_sites_find_until(TARGETS "/sites-pie", &over, &sites, NULL), -ECANCELED);
	assert_int_equal(vtb_call_sites_find(TARGETS "/sites-pie", &sites, NULL), 0);
	assert_true(sites.n_sites > 0);
	vtb_call_sites_fini(&sites);
}

/* Cut anywhere, changed anywhere: an error or fewer sites, never a crash. */
static void damaged_files_do_no_harm(void **state)
{
	static char bytes[1 << 20];
	char path[] = "/tmp/vtb-sites-XXXXXX";
	FILE *f = fopen(TARGETS "/sites-pie", "re");
	const int fd = mkstemp(path);
	size_t n;

	(void)state;
	assert_non_null(f);
	assert_true(fd >= 0);
	n = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	srand(1);
	for (int i = 0; i < 60; i++) {
		struct vtb_call_sites sites = { 0 };
		const size_t at = (size_t)rand() % n, size = i % 2 ? n : at;
		const char was = bytes[at];

		bytes[at] = (char)rand();
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bytes, size, 0), (ssize_t)size);
		bytes[at] = was;
		if (vtb_call_sites_find(path, &sites, NULL) >= 0)
			vtb_call_sites_fini(&sites);
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_position_independent_program_shows_all_its_calls),
		cmocka_unit_test(so_does_one_at_a_fixed_address),
		cmocka_unit_test(calls_through_a_word_of_memory_are_found),
		cmocka_unit_test(calls_by_marked_targets_are_found),
		cmocka_unit_test(without_symbols_functions_come_from_the_unwind_table),
		cmocka_unit_test(a_program_without_hooks_has_no_sites),
		cmocka_unit_test(when_the_time_is_over_it_is_given_up_and_nothing_kept),
		cmocka_unit_test(what_is_no_program_has_none_and_what_is_not_there_is_an_error),
		cmocka_unit_test(damaged_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
