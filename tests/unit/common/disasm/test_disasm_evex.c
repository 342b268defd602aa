/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What AVX-512 instructions do to memory and general registers, against objdump: every opcode, then every form of
 * address. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm_evex.h"

#define SLOT 16u /* bytes an instruction gets, filled up with nops */

struct code {
	uint8_t *bytes;
	char **text; /* objdump's, by slot; NULL: not an instruction */
	size_t n;
};

static struct code code_new(size_t n)
{
	struct code c = { .bytes = malloc(n * SLOT), .text = calloc(n, sizeof(char *)), .n = n };

	assert_non_null(c.bytes);
	assert_non_null(c.text);
	memset(c.bytes, 0x90, n * SLOT);
	return c;
}

static void code_free(struct code *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->text[i]);
	free(c->text);
	free(c->bytes);
}

/* False: no objdump. */
static bool disassemble(struct code *c)
{
	char path[] = "/tmp/vtb-evex-XXXXXX", command[128], line[512];
	const int fd = mkstemp(path);
	FILE *pipe;
	size_t found = 0;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, c->bytes, c->n * SLOT), c->n * SLOT);
	close(fd);
	snprintf(command, sizeof(command), "LC_ALL=C objdump -D -b binary -m i386:x86-64 --no-show-raw-insn %s 2>&1",
	         path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		unsigned long at;
		int end = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, " %lx:\t%n", &at, &end) < 1 || !end || at % SLOT || at / SLOT >= c->n ||
		    strstr(line, "bad") || strstr(line, ".byte"))
			continue;
		c->text[at / SLOT] = strdup(line + end);
		found++;
	}
	unlink(path);
	return pclose(pipe) == 0 && found > 0;
}

struct memory {
	bool store;
	long disp;
	char base[8], index[8];
	int scale;
};

/* "vmovups %xmm2,0x10(%rdi,%rax,4){%k1}": AT&T writes the destination last. False: no memory operand. */
static bool read_memory(const char *text, struct memory *ret)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL, *from = open;

	if (!close)
		return false;
	*ret = (struct memory){ .scale = 1 };
	while (from > text && from[-1] != ',' && from[-1] != ' ' && from[-1] != '\t' && from[-1] != ':')
		from--;
	ret->disp = from < open ? strtol(from, NULL, 16) : 0;
	if (sscanf(open, "(%%%7[a-z0-9],%%%7[a-z0-9],%d)", ret->base, ret->index, &ret->scale) < 1)
		sscanf(open, "(,%%%7[a-z0-9],%d)", ret->index, &ret->scale);
	ret->store = !strchr(close, ',');
	return true;
}

static void put(struct code *c, size_t i, const uint8_t *bytes, size_t n)
{
	memcpy(c->bytes + i * SLOT, bytes, n);
}

static const uint8_t maps[] = { 1, 2, 3, 5, 6 };
#define FORMS (sizeof(maps) * 4 * 2 * 3 * 2 * 256)

/* The index of a form: its opcode first, the broadcast bit next. */
static void make_form(size_t i, uint8_t *ret)
{
	const size_t opcode = i & 255, broadcast = i >> 8 & 1, length = (i >> 9) % 3, rest = (i >> 9) / 3;
	const uint8_t bytes[] = { 0x62,
		                  (uint8_t)(0xf0 | maps[rest >> 3]),
		                  (uint8_t)((rest & 1) << 7 | 0x7c | (rest >> 1 & 3)),
		                  (uint8_t)(length << 5 | broadcast << 4 | 8),
		                  (uint8_t)opcode,
		                  0x57,
		                  1 };

	memcpy(ret, bytes, sizeof(bytes));
}

static void units_and_directions_are_those_of_every_opcode(void **state)
{
	struct code c = code_new(FORMS);
	unsigned compared = 0, stores = 0, broadcasts = 0;

	(void)state;
	for (size_t i = 0; i < c.n; i++) {
		uint8_t bytes[7];

		make_form(i, bytes);
		put(&c, i, bytes, sizeof(bytes));
	}
	if (!disassemble(&c)) {
		code_free(&c);
		print_message("skipped: there is no objdump\n");
		skip();
	}
	for (size_t i = 0; i < c.n; i++) {
		const bool broadcast = i >> 8 & 1;
		struct memory m, whole;
		struct vtb_ops ops;

		if (!c.text[i] || !read_memory(c.text[i], &m))
			continue;
		/* objdump prints broadcasts of instructions that have none: then with the whole operand's unit */
		if (broadcast && (!c.text[i - 256] || !read_memory(c.text[i - 256], &whole) || whole.disp == m.disp))
			continue;
		if (!evex_decode(c.bytes + i * SLOT, SLOT, 0, &ops) || ops.n_access != 1)
			fail_msg("%s: not decoded", c.text[i]);
		if (ops.op[ops.access[0].operand].value != m.disp || (ops.access[0].mode == OPS_WRITES) != m.store)
			fail_msg("%s: unit %ld, %s", c.text[i], (long)ops.op[ops.access[0].operand].value,
			         ops.access[0].mode == OPS_WRITES ? "writes" : "reads");
		compared++;
		stores += m.store;
		broadcasts += broadcast;
	}
	code_free(&c);
	print_message("%u forms, %u of them stores, %u broadcasts\n", compared, stores, broadcasts);
	assert_true(compared > 2000 && stores > 100 && broadcasts > 500); /* an older objdump knows fewer */
}

static const char *const names[16] = { "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
	                               "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

static const char *name_of(uint8_t reg)
{
	return reg < 16 ? names[reg] : "";
}

/* One of vmovdqu8 to memory, vpcmpeqb, vpaddd, kmovd to memory, at a random address. */
static size_t make_address(uint32_t *random, uint8_t *ret)
{
	static const uint8_t evex[3][3] = { { 1, 3, 0x7f }, { 1, 1, 0x74 }, { 1, 1, 0xfe } };
	const uint32_t r = *random = *random * 1664525u + 1013904223u, s = *random = r * 1664525u + 1013904223u;
	const unsigned kind = r >> 30;
	size_t n = 0;

	if (kind == 3) {
		ret[n++] = 0xc4;
		ret[n++] = (uint8_t)(0x81 | (r >> 8 & 0x60));
		ret[n++] = 0xf9;
		ret[n++] = 0x91;
	} else {
		ret[n++] = 0x62;
		ret[n++] = (uint8_t)((r >> 8 & 0x60) | 0x90 | evex[kind][0]);
		ret[n++] = (uint8_t)(0x7c | evex[kind][1]);
		ret[n++] = (uint8_t)((r & 1 ? 0x20 : 0x40) | 8);
		ret[n++] = evex[kind][2];
	}
	ret[n++] = (uint8_t)(((s >> 28) % 3) << 6 | (s >> 25 & 7));
	for (unsigned i = 0; i < 5; i++) /* sib or displacement, whichever comes */
		ret[n++] = (uint8_t)(s >> (3 * i));
	return n;
}

static void addresses_are_those_of_every_form(void **state)
{
	struct code c = code_new(4000);
	uint32_t random = 7;
	unsigned compared = 0;

	(void)state;
	for (size_t i = 0; i < c.n; i++) {
		uint8_t bytes[SLOT];

		put(&c, i, bytes, make_address(&random, bytes));
	}
	if (!disassemble(&c)) {
		code_free(&c);
		print_message("skipped: there is no objdump\n");
		skip();
	}
	for (size_t i = 0; i < c.n; i++) {
		const struct vtb_ops_operand *op;
		struct memory m;
		struct vtb_ops ops;

		if (!c.text[i] || !read_memory(c.text[i], &m))
			continue;
		if (!evex_decode(c.bytes + i * SLOT, SLOT, i * SLOT, &ops) || ops.n_access != 1)
			fail_msg("%s: not decoded", c.text[i]);
		op = &ops.op[ops.access[0].operand];
		compared++;
		if (!strcmp(m.base, "rip")) { /* objdump tells the target behind a # */
			assert_int_equal((uint32_t)op->value, (uint32_t)strtoul(strchr(c.text[i], '#') + 1, NULL, 16));
			assert_int_equal(op->base, OPS_NO_REG);
			continue;
		}
		if (!strcmp(m.index, "riz"))
			m.index[0] = 0;
		if (strcmp(name_of(op->base), m.base) || strcmp(name_of(op->index), m.index) ||
		    (op->index != OPS_NO_REG && op->scale != m.scale) || op->value != m.disp)
			fail_msg("%s: %s %s %u %lx", c.text[i], name_of(op->base), name_of(op->index), op->scale,
			         (long)op->value);
	}
	code_free(&c);
	assert_true(compared > 3000);
}

static const struct {
	uint8_t bytes[10];
	uint16_t clobbers; /* general registers */
	bool flags;
	uint8_t vector; /* that changes; 255: none of the first 16 */
} effects[] = {
	{ { 0xc5, 0xfb, 0x93, 0xc0 }, 1 << OPS_RAX, false, 255 },           /* kmovd %k0,%eax */
	{ { 0xc5, 0x7b, 0x93, 0xc9 }, 1 << 9, false, 255 },                 /* kmovd %k1,%r9d */
	{ { 0xc5, 0xf8, 0x98, 0xc0 }, 0, true, 255 },                       /* kortestw %k0,%k0 */
	{ { 0x62, 0xc1, 0x7d, 0x08, 0x7e, 0xcb }, 1 << 11, false, 255 },    /* vmovd %xmm17,%r11d */
	{ { 0x62, 0xd3, 0xfd, 0x08, 0x16, 0xc6, 1 }, 1 << 14, false, 255 }, /* vpextrq $1,%xmm0,%r14 */
	{ { 0x62, 0x31, 0x7f, 0x08, 0x2c, 0xd3 }, 1 << 10, false, 255 },    /* vcvttsd2si %xmm19,%r10d */
	{ { 0x62, 0xb1, 0x7d, 0x28, 0x74, 0xcd },
	  0,
	  false,
	  1 }, /* vpcmpeqb: a mask register of that number; harmless */
	{ { 0x62, 0xb1, 0xfd, 0x28, 0x6f, 0xd5 }, 0, false, 2 }, /* vmovdqa64 %ymm21,%ymm2 */
	{ { 0x62, 0xe1, 0xfe, 0x28, 0x7f, 0xdb }, 0, false, 3 }, /* vmovdqu64 %ymm19,%ymm3, store form */
	{ { 0x62, 0xb1, 0x7c, 0x08, 0x2e, 0xc0 }, 0, true, 0 },  /* vucomiss %xmm16,%xmm0 */
};

static void registers_that_change_are_told(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(effects) / sizeof(*effects); i++) {
		struct vtb_ops ops;

		assert_true(evex_decode(effects[i].bytes, SLOT - 6, 0, &ops));
		assert_int_equal(ops.clobbers, effects[i].clobbers);
		assert_int_equal(ops.sets_flags, effects[i].flags);
		assert_int_equal(ops.vclobbers, effects[i].vector == 255 ? 0 : 1u << effects[i].vector);
		assert_int_equal(ops.n_access, 0);
	}
}

static void what_is_not_known_is_not_decoded(void **state)
{
	static const uint8_t scatter[] = { 0x62, 0xf2, 0x7d, 0x49, 0xa0, 0x04, 0x0f, 0x90, 0x90, 0x90 },
	                     cmpccxadd[] = { 0x62, 0xf2, 0x7d, 0x08, 0xe0, 0x07, 0x90, 0x90, 0x90, 0x90 };
	static const uint8_t egpr[] = { 0x62, 0xfc, 0x7c, 0x08, 0x01, 0x07, 0x90, 0x90, 0x90, 0x90 },
	                     add[] = { 0x01, 0x07, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90 };
	struct vtb_ops ops;

	(void)state;
	assert_false(evex_decode(scatter, 10, 0, &ops)); /* stores at many places */
	assert_false(evex_decode(cmpccxadd, 10, 0, &ops));
	assert_false(evex_decode(egpr, 10, 0, &ops));
	assert_false(evex_decode(add, 10, 0, &ops));
	for (size_t n = 0; n < 6; n++)
		assert_false(evex_decode(scatter, n, 0, &ops));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_and_directions_are_those_of_every_opcode),
		cmocka_unit_test(addresses_are_those_of_every_form),
		cmocka_unit_test(registers_that_change_are_told),
		cmocka_unit_test(what_is_not_known_is_not_decoded),
	};

	return cmocka_run_group_tests_name("disasm_evex", tests, NULL, NULL);
}
