/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ways to see the accesses of an unmodified program that know nothing of each other: QEMU's translator, and the
 * stepped registers through our operand decoder. For the program's own file they must name the same instructions,
 * directions, sizes and, for its own data, addresses, equally often. Skipped (77) without qemu-x86_64.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
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
			add(l, h.code_lo - text, h.code_lo - text + span, vtb_qemu_ip(&a), a.addr, vtb_qemu_size(&a),
			    vtb_qemu_writes(&a));
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
static void find_program(const struct vtb_pt_recording *rec, const char *program, uint64_t *ret_base,
                         uint64_t *ret_text, uint64_t *ret_text_end, uint64_t *ret_span)
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

static void take_step(struct list *l, struct vtb_pt_recording *rec, uint64_t base, uint64_t text, uint64_t text_end,
                      uint64_t span)
{
	struct vtb_disasm *decoder;

	assert_int_equal(vtb_disasm_new(&decoder), 0);
	for (uint32_t slot = 0; slot < rec->n_tids; slot++) {
		struct vtb_pt_truth_reader t;

		assert_int_equal(vtb_pt_truth_open(rec, slot, &t, NULL), 0);
		while (vtb_pt_truth_next(&t) > 0) {
			struct recover_cpu cpu = { .fs = { t.regs[16], RECOVER_ALL } };
			struct vtb_ops ops;
			uint8_t bytes[16];

			if (t.ip < base + text || t.ip >= text_end)
				continue;
			vtb_ops_decode(decoder, bytes, vtb_pt_image_read(rec->session.image, t.ip, bytes, 15), t.ip,
			               &ops);
			for (unsigned i = 0; i < OPS_GPRS; i++)
				recover_cpu_set(&cpu, i, t.regs[i]);
			for (unsigned i = 0; i < ops.n_access; i++) {
				uint64_t addr;

				assert_true(recover_address(&cpu, &ops, i, &addr));
				if (ops.access[i].mode & OPS_READS)
					add(l, base, base + span, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i),
					    false);
				if (ops.access[i].mode & OPS_WRITES)
					add(l, base, base + span, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i),
					    true);
			}
		}
	}
	vtb_disasm_free(decoder);
}

static void compare_program(const char *name)
{
	char dir[] = "/tmp/vtb-qstep-XXXXXX", program[1024], command[64];
	char *argv[] = { program, (char *)(uintptr_t) "3", NULL };
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
			fail_msg("access %zu: stepped at %#llx address %#llx size %u write %u, emulated at %#llx "
			         "address %#llx size %u write %u",
			         i, (unsigned long long)stepped.items[i].ip, (unsigned long long)stepped.items[i].addr,
			         stepped.items[i].size, stepped.items[i].writes,
			         (unsigned long long)emulated.items[i].ip, (unsigned long long)emulated.items[i].addr,
			         emulated.items[i].size, emulated.items[i].writes);
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

/* ------------------------------------------------------------------ the C library */

/*
 * Both runs choose the SSE2 variants of the string functions (what they choose otherwise depends on the processor, and
 * Capstone 4 cannot decode all of it). Compared is what a function of a program with one thread makes the C library do:
 * before and after, the two differ in what the kernel tells the loader. Addresses count where they lie in the library's
 * own data.
 */
#define TUNABLES                                                                                                   \
	"glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512CD,-AVX512DQ,-AVX512ER,-AVX512PF,-AVX2,-AVX,-ERMS,-" \
	"FSRM,-SSE4_2,-SSE4_1,-SSSE3,-BMI2,-MOVBE,-RTM,-LZCNT,-BMI1,"                                              \
	"Prefer_No_AVX512_Probing,-AVX_Fast_Unaligned_Load,-Prefer_PMINUB_for_stringop"

struct window {
	uint64_t lo, hi; /* work() */
	uint64_t libc, libc_code_lo, libc_code_hi, libc_end;
};

/* Every access from the first of work() to its last, of code in the library. */
struct filter {
	struct window w;
	struct list *into;
	size_t keep; /* entries up to the last access of work() */
	bool inside;
};

static void filter_one(struct filter *f, uint64_t ip, uint64_t addr, unsigned size, bool writes)
{
	if (ip >= f->w.lo && ip < f->w.hi) {
		f->inside = true;
		f->keep = f->into->n;
	} else if (f->inside && ip >= f->w.libc_code_lo && ip < f->w.libc_code_hi) {
		add(f->into, f->w.libc, f->w.libc_end, ip, addr, size, writes);
	}
}

static void find_library(const struct vtb_pt_recording *rec, struct window *w)
{
	for (size_t i = 0; i < rec->n_maps; i++) {
		const struct vtb_pt_map *m = &rec->maps[i];

		if (!strstr(m->path, "/libc.so") && !strstr(m->path, "/libc-"))
			continue;
		if (!w->libc)
			w->libc = m->lo;
		if (m->perms[2] == 'x') {
			w->libc_code_lo = m->lo;
			w->libc_code_hi = m->hi;
		}
		w->libc_end = m->hi;
	}
	assert_true(w->libc && w->libc_code_lo);
}

/* Symbol of the program by nm: address in the file and size. */
static void find_work(const char *program, uint64_t *ret_lo, uint64_t *ret_hi)
{
	char command[1200], line[256];
	unsigned long lo = 0, size = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "nm -S %s | grep ' work$'", program);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof(line), pipe));
	assert_int_equal(sscanf(line, "%lx %lx", &lo, &size), 2);
	pclose(pipe);
	*ret_lo = lo;
	*ret_hi = lo + size;
}

static uint64_t printed_address(const char *path)
{
	char line[128] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(line, sizeof(line), file));
	fclose(file);
	return strtoull(line, NULL, 16);
}

static void step_library(const char *program, struct list *l, struct window *w, uint64_t *ret_getpid)
{
	char dir[] = "/tmp/vtb-lib-XXXXXX", command[96], out[64];
	char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t) "10", NULL };
	struct vtb_step_opts opts = { .dir = dir, .program = program, .argv = argv, .truth = true, .seed = 5 };
	struct filter f = { .into = l };
	struct vtb_step_result result;
	struct vtb_pt_recording rec;
	struct vtb_error err = { 0 };
	struct vtb_disasm *decoder;
	struct vtb_pt_truth_reader t;
	uint64_t base, text, text_end, span;
	int saved = dup(1), fd;

	assert_non_null(mkdtemp(dir));
	snprintf(out, sizeof(out), "%s/out", dir);
	fd = creat(out, 0600);
	dup2(fd, 1); /* the program writes there */
	if (vtb_step_run(&opts, &result, &err) < 0 || vtb_pt_recording_read(dir, 1, &rec, &err) < 0)
		fail_msg("%s", err.text);
	dup2(saved, 1);
	close(fd);
	close(saved);
	*ret_getpid = printed_address(out);
	find_program(&rec, program, &base, &text, &text_end, &span);
	find_library(&rec, w);
	f.w = *w;
	f.w.lo += base;
	f.w.hi += base;
	assert_int_equal(vtb_disasm_new(&decoder), 0);
	assert_int_equal(vtb_pt_truth_open(&rec, 0, &t, NULL), 0);
	while (vtb_pt_truth_next(&t) > 0) {
		struct recover_cpu cpu = { .fs = { t.regs[16], RECOVER_ALL } };
		struct vtb_ops ops;
		uint8_t bytes[16];

		vtb_ops_decode(decoder, bytes, vtb_pt_image_read(rec.session.image, t.ip, bytes, 15), t.ip, &ops);
		for (unsigned i = 0; i < OPS_GPRS; i++)
			recover_cpu_set(&cpu, i, t.regs[i]);
		for (unsigned i = 0; i < ops.n_access; i++) {
			uint64_t addr;

			if (!recover_address(&cpu, &ops, i, &addr))
				continue;
			if (ops.access[i].mode & OPS_READS)
				filter_one(&f, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i), false);
			if (ops.access[i].mode & OPS_WRITES)
				filter_one(&f, t.ip, addr, (unsigned)recover_size(&cpu, &ops, i), true);
		}
	}
	l->n = f.keep;
	vtb_disasm_free(decoder);
	vtb_pt_recording_fini(&rec);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void emulate_library(const char *program, struct list *l, struct window w, uint64_t text, uint64_t getpid_offset)
{
	char dir[] = "/tmp/vtb-libq-XXXXXX", command[2400], path[128];
	struct filter f = { .into = l };
	struct vtb_qemu_header h;
	struct vtb_qemu_access a;
	uint64_t shift;
	FILE *file;

	assert_non_null(mkdtemp(dir));
	snprintf(command, sizeof(command), "qemu-x86_64 -cpu qemu64 -plugin %s,dir=%s %s 10 >%s/out", QEMU_PLUGIN, dir,
	         program, dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	shift = printed_address(path) - getpid_offset - w.libc;
	snprintf(path, sizeof(path), "%s/vcpu-0-0.qacc", dir);
	file = fopen(path, "rb");
	assert_non_null(file);
	assert_int_equal(fread(&h, sizeof(h), 1, file), 1);
	f.w = (struct window){ w.lo + h.code_lo - text, w.hi + h.code_lo - text, w.libc + shift,
		               w.libc_code_lo + shift,  w.libc_code_hi + shift,  w.libc_end + shift };
	while (fread(&a, sizeof(a), 1, file) == 1)
		filter_one(&f, vtb_qemu_ip(&a), a.addr, vtb_qemu_size(&a), vtb_qemu_writes(&a) != 0);
	fclose(file);
	l->n = f.keep;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static uint64_t text_of(const char *program)
{
	char command[1200], line[256];
	unsigned long text = 0;
	FILE *pipe;

	snprintf(command, sizeof(command), "readelf -lW %s | awk '/LOAD/ && /R E/ { print $3; exit }'", program);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	assert_non_null(fgets(line, sizeof(line), pipe));
	text = strtoul(line, NULL, 16);
	pclose(pipe);
	return text;
}

static void the_c_library_accesses_the_same(void **state)
{
	struct list stepped = { 0 }, emulated = { 0 };
	struct window w = { 0 };
	char program[1024];
	uint64_t address;

	(void)state;
	setenv("GLIBC_TUNABLES", TUNABLES, 1);
	snprintf(program, sizeof(program), "%s/strings_O2", PROGRAMS);
	find_work(program, &w.lo, &w.hi);
	step_library(program, &stepped, &w, &address);
	emulate_library(program, &emulated, w, text_of(program), address - w.libc);
	unsetenv("GLIBC_TUNABLES");
	print_message("libc: %zu accesses stepped, %zu emulated\n", stepped.n, emulated.n);
	assert_true(stepped.n > 2000);
	qsort(stepped.items, stepped.n, sizeof(*stepped.items), compare);
	qsort(emulated.items, emulated.n, sizeof(*emulated.items), compare);
	for (size_t i = 0; i < stepped.n && i < emulated.n; i++)
		if (compare(&stepped.items[i], &emulated.items[i]))
			fail_msg("access %zu: stepped at libc+%#llx address %#llx size %u write %u, emulated at "
			         "libc+%#llx address %#llx size %u write %u",
			         i, (unsigned long long)stepped.items[i].ip, (unsigned long long)stepped.items[i].addr,
			         stepped.items[i].size, stepped.items[i].writes,
			         (unsigned long long)emulated.items[i].ip, (unsigned long long)emulated.items[i].addr,
			         emulated.items[i].size, emulated.items[i].writes);
	assert_int_equal(stepped.n, emulated.n);
	free(stepped.items);
	free(emulated.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unoptimised_code_accesses_the_same),
		cmocka_unit_test(optimised_code_accesses_the_same),
		cmocka_unit_test(the_c_library_accesses_the_same),
	};

	setenv("LD_BIND_NOW", "1", 1); /* two threads that bind a function at the same time do it twice */
	if (system("command -v qemu-x86_64 >/dev/null") != 0) {
		printf("no qemu-x86_64: skipped\n");
		return 77;
	}
	return cmocka_run_group_tests_name("pt_qemu", tests, NULL, NULL);
}
