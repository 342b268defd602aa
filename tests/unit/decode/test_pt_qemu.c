/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to see the accesses of an unmodified program that know nothing of each other: QEMU's translator, and the stepped registers
 * through our operand decoder. For the program's own file they must name the same instructions, directions, sizes and, for its own data,
 * addresses, equally often. Skipped (77) without qemu-x86_64.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recover_exec.h"
#include "vtb/qemu_record.h"
#include "vtb/step.h"

/* An access with addresses relative to the program's file: comparable between runs. */
struct seen {
	uint64_t ip, addr; /* addr UINT64_MAX: outside the file (stack, heap: elsewhere in every run) */
	uint8_t size, writes;
};

struct list {
	struct seen *items;
	size_t n, cap;
};

/* QEMU makes a vector access from accesses of 8 bytes: so does this. */
static void add(struct list *l, uint64_t base, uint64_t end, uint64_t ip, uint64_t addr, unsigned size, bool writes)
{
	for (; size > 8; addr += 8, size -= 8)
		add(l, base, end, ip, addr, 8, writes);
	if (l->n == l->cap) {
		l->cap = l->cap ? l->cap * 2 : 1024;
		l->items = realloc(l->items, l->cap * sizeof(*l->items));
		assert_non_null(l->items);
	}
	memset(&l->items[l->n], 0, sizeof(l->items[l->n]));
	l->items[l->n].ip = ip - base;
	l->items[l->n].addr = addr >= base && addr < end ? addr - base : UINT64_MAX;
	l->items[l->n].size = (uint8_t)size;
	l->items[l->n++].writes = writes;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct seen));
}

static void take_file(struct list *l, const char *dir, const char *name, uint64_t text, uint64_t span)
{
	struct vtb_qemu_header h;
	struct vtb_qemu_access a;
	char path[1024];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(&h, sizeof(h), 1, file), 1);
	assert_int_equal(h.lost, 0);
	while (fread(&a, sizeof(a), 1, file) == 1)
		if (vtb_qemu_ip(&a) >= h.code_lo && vtb_qemu_ip(&a) < h.code_hi)
			add(l, h.code_lo - text, h.code_lo - text + span, vtb_qemu_ip(&a), a.addr, vtb_qemu_size(&a), vtb_qemu_writes(&a));
	fclose(file);
}

static void run_qemu(struct list *l, const char *program, uint64_t text, uint64_t span)
{
	char dir[] = "/tmp/vtb-qemu-XXXXXX", command[2048];
	struct dirent *d;
	DIR *files;

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "qemu-x86_64 -plugin %s,dir=%s %s 3 >/dev/null", QEMU_PLUGIN, dir, program);
	assert_int_equal(system(command), 0);
	files = opendir(dir);
	while ((d = readdir(files)))
		if (d->d_name[0] == 'v')
			take_file(l, dir, d->d_name, text, span);
	closedir(files);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* Where the program lay, and what of it was code: its executable mapping begins `*ret_text` into it. */
static void find_program(const struct vtb_pt_recording *rec, const char *program, uint64_t *ret_base, uint64_t *ret_text, uint64_t *ret_text_end, uint64_t *ret_span)
{
	*ret_base = 0;
	for (size_t i = 0; i < rec->n_maps; i++) {
		const struct vtb_pt_map *m = &rec->maps[i];

		if (strcmp(m->path, program))
			continue;
		if (!*ret_base)
			*ret_base = m->lo;
		if (m->perms[2] == 'x') {
			*ret_text = m->lo - *ret_base;
			*ret_text_end = m->hi;
		}
		*ret_span = m->hi + 4096 - *ret_base;
	}
	assert_true(*ret_base != 0);
}

static void take_step(struct list *l, struct vtb_pt_recording *rec, uint64_t base, uint64_t text, uint64_t text_end, uint64_t span)
{
	struct ops_decoder *decoder;

	assert_int_equal(ops_decoder_new(&decoder), 0);
	for (uint32_t slot = 0; slot < rec->n_tids; slot++) {
		struct vtb_pt_truth_reader t;

		assert_int_equal(vtb_pt_truth_open(rec, slot, &t, NULL), 0);
		while (vtb_pt_truth_next(&t) > 0) {
			struct recover_cpu cpu = { .fs = { t.regs[16], RECOVER_ALL } };
			struct ops ops;
			uint8_t bytes[16];

			if (t.ip < base + text || t.ip >= text_end)
				continue;
			ops_decode(decoder, bytes, vtb_pt_image_read(rec->session.image, t.ip, bytes, 15), t.ip, &ops);
			for (unsigned i = 0; i < OPS_GPRS; i++)
				recover_cpu_set(&cpu, i, t.regs[i]);
			for (unsigned i = 0; i < ops.n_access; i++) {
				uint64_t addr;

				assert_true(recover_address(&cpu, &ops, i, &addr));
				if (ops.access[i].mode & OPS_READS)
					add(l, base, base + span, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i), false);
				if (ops.access[i].mode & OPS_WRITES)
					add(l, base, base + span, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i), true);
			}
		}
	}
	ops_decoder_free(decoder);
}

static void compare_program(const char *name)
{
	char dir[] = "/tmp/vtb-qstep-XXXXXX", program[1024], command[64];
	char *argv[] = { program, (char *)(uintptr_t)"3", NULL };
	struct vtb_step_opts opts = { .dir = dir, .program = program, .argv = argv, .truth = true, .seed = 5 };
	struct vtb_step_result result;
	struct vtb_pt_recording rec;
	struct vtb_error err = { 0 };
	struct list stepped = { 0 }, emulated = { 0 };
	uint64_t base, text = 0, text_end = 0, span = 0;

	snprintf(program, sizeof(program), "%s/%s", PROGRAMS, name);
	assert_non_null(mkdtemp(dir));
	if (vtb_step_run(&opts, &result, &err) < 0 || vtb_pt_recording_read(dir, 1, &rec, &err) < 0)
		fail_msg("%s", err.text);
	find_program(&rec, program, &base, &text, &text_end, &span);
	take_step(&stepped, &rec, base, text, text_end, span);
	run_qemu(&emulated, program, text, span);
	print_message("%s: %zu accesses stepped, %zu emulated\n", name, stepped.n, emulated.n);
	assert_true(stepped.n > 100);
	qsort(stepped.items, stepped.n, sizeof(*stepped.items), compare);
	qsort(emulated.items, emulated.n, sizeof(*emulated.items), compare);
	for (size_t i = 0; i < stepped.n && i < emulated.n; i++)
		if (compare(&stepped.items[i], &emulated.items[i]))
			fail_msg("access %zu: stepped at %#llx address %#llx size %u write %u, emulated at %#llx address %#llx size %u write %u", i, (unsigned long long)stepped.items[i].ip, (unsigned long long)stepped.items[i].addr, stepped.items[i].size, stepped.items[i].writes, (unsigned long long)emulated.items[i].ip, (unsigned long long)emulated.items[i].addr, emulated.items[i].size, emulated.items[i].writes);
	assert_int_equal(stepped.n, emulated.n);
	vtb_pt_recording_fini(&rec);
	free(stepped.items);
	free(emulated.items);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void unoptimised_code_accesses_the_same(void **state)
{
	(void)state;
	compare_program("bank_O0");
}

static void optimised_code_accesses_the_same(void **state)
{
	(void)state;
	compare_program("bank_O2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unoptimised_code_accesses_the_same),
		cmocka_unit_test(optimised_code_accesses_the_same),
	};

	setenv("LD_BIND_NOW", "1", 1); /* two threads that bind a function at the same time do it twice */
	if (system("command -v qemu-x86_64 >/dev/null") != 0) {
		printf("no qemu-x86_64: skipped\n");
		return 77;
	}
	return cmocka_run_group_tests_name("pt_qemu", tests, NULL, NULL);
}
