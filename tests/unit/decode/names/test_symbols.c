/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "fixture_run.h"
#include "vtb/symbols.h"

static const char *const fixtures[] = { FIXTURES };
#define N_FIXTURES (sizeof(fixtures) / sizeof(*fixtures))

struct check {
	struct vtb_symbols *symbols;
	char kind;
	size_t seen;
};

/* clang says "short", gcc "short int"; DWARF 4 does not know _Atomic. */
static void simple_type(const char *type, char *buf, size_t size)
{
	char *at;

	if (strncmp(type, "_Atomic ", 8) == 0)
		type += 8;
	snprintf(buf, size, "%s", type);
	at = strstr(buf, "short int");
	if (at)
		memmove(at + 5, at + 9, strlen(at + 9) + 1);
}

static void check_global(struct check *c, const char *path, char **f, size_t n)
{
	struct vtb_leaf leaf;
	char got[256], want[256];

	assert_int_equal(n, 5);
	if (!vtb_symbols_global(c->symbols, path, hex(f[1]), (uint32_t)atoi(f[2]), &leaf))
		fail_msg("%s: no global at %s, expected %s", path, f[1], f[3]);
	if (strcmp(leaf.name, f[3]) != 0)
		fail_msg("%s: %s is called %s, expected %s", path, f[1], leaf.name, f[3]);
	simple_type(leaf.type, got, sizeof(got));
	simple_type(f[4], want, sizeof(want));
	if (*f[4] && strcmp(got, want) != 0)
		fail_msg("%s: %s has type %s, expected %s", path, f[3], leaf.type, f[4]);
	if (*f[4])
		assert_int_equal(leaf.size, atoi(f[2]));
	assert_in_range(hex(f[1]), leaf.object_addr + leaf.offset, leaf.object_addr + leaf.offset + leaf.size - 1);
	assert_true(leaf.offset + leaf.size <= leaf.object_size);
}

static void check_local(struct check *c, const char *path, char **f, size_t n)
{
	struct vtb_leaf leaf;

	assert_int_equal(n, 6);
	if (!vtb_symbols_local(c->symbols, path, hex(f[1]), hex(f[2]), hex(f[3]), (uint32_t)atoi(f[4]), &leaf))
		fail_msg("%s: no local at %s (pc %s, sp %s), expected %s", path, f[3], f[1], f[2], f[5]);
	if (strcmp(leaf.name, f[5]) != 0)
		fail_msg("%s: %s is called %s, expected %s", path, f[3], leaf.name, f[5]);
	assert_int_equal(leaf.object_addr + leaf.offset, hex(f[3]));
}

/* What is asked for again is answered from what is kept: as much as there was room for, and the same. */
static void check_again(struct check *c, const char *path, uint64_t pc)
{
	struct vtb_place first[64], again[64], cut;
	const size_t n = vtb_symbols_chain(c->symbols, path, pc, first, 64);

	memset(again, 0xff, sizeof(again));
	assert_int_equal(vtb_symbols_chain(c->symbols, path, pc, again, 64), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(again[i].function, first[i].function);
		assert_string_equal(again[i].file, first[i].file);
		assert_int_equal(again[i].line, first[i].line);
		assert_int_equal(again[i].function_line, first[i].function_line);
	}
	assert_int_equal(vtb_symbols_chain(c->symbols, path, pc, &cut, 1), 1);
	assert_string_equal(cut.function, first[0].function);
	assert_int_equal(cut.line, first[0].line);
}

/* The place, and the way back from its line to an instruction. */
static void check_place(struct check *c, const char *path, char **f, size_t n)
{
	uint64_t addrs[256], pc = hex(f[1]);
	struct vtb_place place;
	int64_t count;
	bool found = false;

	assert_int_equal(n, 5);
	vtb_symbols_place(c->symbols, path, pc, &place); /* which cuts the chain off, and so is not kept */
	check_again(c, path, pc);
	assert_string_equal(place.function, f[2]);
	assert_int_equal(place.line, atoi(f[3]));
	assert_true(place.function_line > 0 && place.function_line < place.line);
	assert_string_equal(vtb_symbols_source(c->symbols, path, place.file, place.line), f[4]);
	count = vtb_symbols_lines(c->symbols, path, place.function, place.line - place.function_line, addrs, 256);
	assert_in_range(count, 1, 256);
	for (int64_t i = 0; i < count; i++) {
		found |= addrs[i] == pc;
		assert_true(i == 0 || addrs[i - 1] < addrs[i]);
	}
	assert_true(found);
	f[2][strcspn(f[2], "(")] = '\0'; /* without parameters it is still that function */
	assert_int_equal(vtb_symbols_lines(c->symbols, path, f[2], place.line - place.function_line, addrs, 256),
	                 count);
	assert_int_equal(vtb_symbols_lines(c->symbols, path, f[2], place.line - place.function_line, addrs, 0), count);
}

static void check_line(const char *path, char **fields, size_t n, void *arg)
{
	struct check *c = arg;

	if (fields[0][0] != c->kind)
		return;
	c->seen++;
	if (c->kind == 'g')
		check_global(c, path, fields, n);
	else if (c->kind == 'l')
		check_local(c, path, fields, n);
	else
		check_place(c, path, fields, n);
}

static size_t check_all(char kind)
{
	struct check c = { .kind = kind };

	assert_int_equal(vtb_symbols_new(&c.symbols), 0);
	for (size_t i = 0; i < N_FIXTURES; i++) {
		assert_true(fixture_run(fixtures[i], check_line, &c) > 0);
		assert_true(vtb_symbols_has_debug_info(c.symbols, fixtures[i]));
	}
	vtb_symbols_free(c.symbols);
	return c.seen;
}

static void globals_are_named_down_to_the_leaf(void **state)
{
	(void)state;
	assert_true(check_all('g') >= 11 * N_FIXTURES);
}

static void locals_are_found_in_their_frame(void **state)
{
	(void)state;
	assert_true(check_all('l') >= 5 * (N_FIXTURES / 2));
}

static void places_and_lines_lead_to_each_other(void **state)
{
	(void)state;
	assert_true(check_all('p') >= 2 * N_FIXTURES);
}

static void what_is_no_module_has_no_names(void **state)
{
	static const char *const paths[] = { "/nonexistent", "[vdso]", "", "/dev/null", "/etc/passwd", "/" };
	struct vtb_symbols *s;
	struct vtb_place place;
	struct vtb_leaf leaf;
	uint64_t addr;

	(void)state;
	assert_int_equal(vtb_symbols_new(&s), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		vtb_symbols_place(s, paths[i], 0x1000, &place);
		assert_string_equal(place.function, "");
		assert_string_equal(place.file, "");
		assert_int_equal(place.line, 0);
		assert_false(vtb_symbols_global(s, paths[i], 0x1000, 4, &leaf));
		assert_false(vtb_symbols_local(s, paths[i], 0x1000, 0, 0, 4, &leaf));
		assert_false(vtb_symbols_typed(s, paths[i], "int", 4, 0, 4, &leaf));
		assert_false(vtb_symbols_cfa(s, paths[i], 0x1000, 0, &addr));
		assert_int_equal(vtb_symbols_lines(s, paths[i], "main", 0, &addr, 1), -ENOENT);
		assert_int_equal(vtb_symbols_bytes(s, paths[i], 0x1000, &addr, 8), 0);
		assert_false(vtb_symbols_has_debug_info(s, paths[i]));
		assert_string_equal(vtb_symbols_source(s, paths[i], "", 1), "");
		assert_string_equal(vtb_symbols_source(s, paths[i], "nowhere.c", 1), "");
	}
	vtb_symbols_free(s);
}

static void addresses_outside_everything_have_no_names(void **state)
{
	static const uint64_t addrs[] = { 0, 1, 0x7fffffffffffffff, UINT64_MAX };
	struct vtb_symbols *s;
	struct vtb_place place;
	struct vtb_leaf leaf;

	(void)state;
	assert_int_equal(vtb_symbols_new(&s), 0);
	for (size_t i = 0; i < sizeof(addrs) / sizeof(*addrs); i++) {
		vtb_symbols_place(s, fixtures[0], addrs[i], &place);
		assert_int_equal(place.line, 0);
		assert_false(vtb_symbols_global(s, fixtures[0], addrs[i], 4, &leaf));
		assert_false(vtb_symbols_local(s, fixtures[0], addrs[i], 0, addrs[i], 4, &leaf));
	}
	vtb_symbols_free(s);
}

static void types_are_looked_up_as_the_source_writes_them(void **state)
{
	static const struct {
		const char *type, *name;
		uint64_t object, offset;
		uint32_t size;
	} rows[] = {
		{ "struct account", ".balance", 96, 8, 8 },
		{ "const struct account", ".m", 96, 20, 4 },
		{ "struct account", "[1].id", 192, 96, 4 },
		{ "struct account *", "[2]", 24, 16, 8 },
		{ "money", "", 8, 0, 8 },
		{ "unsigned char", "[3]", 8, 3, 1 },
		{ "struct tail", ".text[5]", 4, 9, 1 },
	};
	struct vtb_symbols *s;
	struct vtb_leaf leaf;

	(void)state;
	assert_int_equal(vtb_symbols_new(&s), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!vtb_symbols_typed(s, fixtures[0], rows[i].type, rows[i].object, rows[i].offset, rows[i].size,
		                       &leaf))
			fail_msg("no type %s", rows[i].type);
		assert_string_equal(leaf.name, rows[i].name);
	}
	assert_false(vtb_symbols_typed(s, fixtures[0], "struct nothing", 8, 0, 8, &leaf));
	assert_false(vtb_symbols_typed(s, fixtures[0], "account", 8, 0, 8, &leaf) && strcmp(leaf.name, "") == 0);
	assert_false(vtb_symbols_typed(s, fixtures[0], "", 8, 0, 8, &leaf));
	vtb_symbols_free(s);
}

static void an_unknown_function_has_no_lines(void **state)
{
	struct vtb_symbols *s;
	uint64_t addr;

	(void)state;
	assert_int_equal(vtb_symbols_new(&s), 0);
	assert_int_equal(vtb_symbols_lines(s, fixtures[0], "no_such_function", 1, &addr, 1), -ENOENT);
	assert_int_equal(vtb_symbols_lines(s, fixtures[0], "main", 100000, &addr, 1), 0);
	assert_true(vtb_symbols_lines(s, fixtures[0], "main", 2, &addr, 1) >= 0);
	vtb_symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(globals_are_named_down_to_the_leaf),
		cmocka_unit_test(locals_are_found_in_their_frame),
		cmocka_unit_test(places_and_lines_lead_to_each_other),
		cmocka_unit_test(what_is_no_module_has_no_names),
		cmocka_unit_test(addresses_outside_everything_have_no_names),
		cmocka_unit_test(types_are_looked_up_as_the_source_writes_them),
		cmocka_unit_test(an_unknown_function_has_no_lines),
	};

	return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
