/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which variables are worth watching: made-up accesses of this very program's instructions, and files as the QEMU
 * plugin writes them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/accesses.h"
#include "vtb/qemu_record.h"
#include "vtb/symbols.h"

static long one_writer[4], two_writers[4], only_read[4], private_one[4];

/* An instruction of ours that touches memory through a register other than the stack's: where does not matter, only
 * that it is one. */
__attribute__((noinline)) static void touch(volatile long *p)
{
	*p = 1;
}

struct fixture {
	struct vtb_accesses *a;
	struct vtb_symbols *symbols;
	char program[1024];
	uint64_t bias, pc; /* of the store in touch(), in the file */
};

static uint64_t find_bias(const char *program)
{
	char line[1200];
	FILE *file = fopen("/proc/self/maps", "r");
	uint64_t lo = 0;

	while (!lo && file && fgets(line, sizeof(line), file))
		if (strstr(line, program))
			lo = strtoull(line, NULL, 16);
	if (file)
		fclose(file);
	assert_true(lo != 0);
	return lo;
}

static void begin(struct fixture *f)
{
	const ssize_t n = readlink("/proc/self/exe", f->program, sizeof(f->program) - 1);

	f->program[n > 0 ? n : 0] = 0;
	f->bias = find_bias(f->program);
	f->pc = (uint64_t)(uintptr_t)touch - f->bias;
	touch(&only_read[0]);
	assert_int_equal(vtb_symbols_new(&f->symbols), 0);
	assert_int_equal(vtb_accesses_new(f->program, f->bias, &f->a), 0);
}

static void end(struct fixture *f)
{
	vtb_accesses_free(f->a);
	vtb_symbols_free(f->symbols);
}

/* Does an instruction begin at touch() + offset that reaches out? Found by trying: the choice leaves the others out. */
static uint64_t outward_pc(struct fixture *f)
{
	const struct vtb_accessed *v;

	for (uint64_t pc = f->pc; pc < f->pc + 32; pc++) {
		struct vtb_accesses *a;
		int64_t n;

		assert_int_equal(vtb_accesses_new(f->program, f->bias, &a), 0);
		for (uint32_t t = 0; t < 2; t++)
			assert_int_equal(
			    vtb_accesses_add(a, &(struct vtb_one_access){ .pc = pc,
			                                                  .addr = (uint64_t)(uintptr_t)two_writers,
			                                                  .thread = t,
			                                                  .size = 8,
			                                                  .writes = true }),
			    0);
		n = vtb_accesses_choose(a, f->symbols, NULL, 4, &v);
		vtb_accesses_free(a);
		if (n == 1)
			return pc;
	}
	fail_msg("no instruction of touch() stores through a register");
	return 0;
}

static void add(struct fixture *f, uint64_t pc, const long *at, uint32_t thread, bool writes)
{
	const struct vtb_one_access a = {
		.pc = pc, .addr = (uint64_t)(uintptr_t)at, .thread = thread, .size = 8, .writes = writes
	};

	assert_int_equal(vtb_accesses_add(f->a, &a), 0);
}

static void what_two_threads_write_comes_first(void **state)
{
	const struct vtb_accessed *v;
	struct fixture f;
	uint64_t pc;

	(void)state;
	begin(&f);
	pc = outward_pc(&f);
	add(&f, pc, &two_writers[1], 0, true);
	add(&f, pc, &two_writers[1], 1, true);
	assert_int_equal(vtb_accesses_choose(f.a, f.symbols, NULL, 4, &v), 1);
	assert_string_equal(v[0].name, "two_writers[1]");
	assert_int_equal(v[0].writers, 2);
	assert_int_equal(v[0].n_pcs, 1);
	assert_true(v[0].pcs[0] == pc);
	add(&f, pc, &one_writer[0], 0, true); /* the same instruction: one variable with the other */
	assert_int_equal(vtb_accesses_choose(f.a, f.symbols, NULL, 4, &v), 1);
	end(&f);
}

static void what_nobody_shares_is_not_worth_watching(void **state)
{
	const struct vtb_accessed *v;
	struct fixture f;
	uint64_t pc;

	(void)state;
	begin(&f);
	pc = outward_pc(&f);
	add(&f, pc, &only_read[0], 0, false);
	add(&f, pc, &only_read[0], 1, false);
	add(&f, pc, &private_one[0], 1, true);
	assert_int_equal(vtb_accesses_choose(f.a, f.symbols, NULL, 4, &v), 0);
	assert_int_equal(vtb_accesses_choose(f.a, f.symbols, "private_one", 4, &v), 1); /* unless it is asked for */
	assert_int_equal(vtb_accesses_choose(f.a, f.symbols, "private", 4, &v), 0);
	end(&f);
}

static void write_file(const char *dir, const char *name, const struct vtb_qemu_header *h,
                       const struct vtb_qemu_access *a, size_t n)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "wb");
	assert_non_null(file);
	fwrite(h, sizeof(*h), 1, file);
	fwrite(a, sizeof(*a), n, file);
	fclose(file);
}

static void files_of_the_plugin_are_read_and_damaged_ones_refused(void **state)
{
	char dir[] = "/tmp/vtb-accesses-XXXXXX", command[64], program[1024] = "";
	struct vtb_qemu_header h = { .magic = VTB_QEMU_MAGIC,
		                     .version = VTB_QEMU_VERSION,
		                     .header_size = sizeof(h),
		                     .code_lo = 0x401000,
		                     .code_hi = 0x402000 };
	const struct vtb_qemu_access rows[] = { { .ip = 0x401010 | 1ull << 63, .addr = 0x404000 },
		                                { .ip = 0x777000, .addr = 0x404000 } };
	struct vtb_accesses *a = NULL;
	struct vtb_error err = { 0 };

	(void)state;
	assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(vtb_accesses_read(dir, program, &a, &err), -VTB_E_FORMAT); /* none there */
	write_file(dir, "vcpu-0-0.qacc", &h, rows, 2);
	assert_int_equal(vtb_accesses_read(dir, program, &a, &err), 0);
	vtb_accesses_free(a);
	h.version = 2;
	write_file(dir, "vcpu-0-0.qacc", &h, rows, 2);
	assert_int_equal(vtb_accesses_read(dir, program, &a, &err), -VTB_E_VERSION);
	h.version = VTB_QEMU_VERSION;
	h.header_size = 8;
	write_file(dir, "vcpu-0-0.qacc", &h, rows, 0);
	assert_int_equal(vtb_accesses_read(dir, program, &a, &err), -VTB_E_FORMAT);
	h.magic[0] = 'x';
	write_file(dir, "vcpu-0-0.qacc", &h, rows, 0);
	assert_int_equal(vtb_accesses_read(dir, program, &a, &err), -VTB_E_FORMAT);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_two_threads_write_comes_first),
		cmocka_unit_test(what_nobody_shares_is_not_worth_watching),
		cmocka_unit_test(files_of_the_plugin_are_read_and_damaged_ones_refused),
	};

	return cmocka_run_group_tests_name("accesses", tests, NULL, NULL);
}
