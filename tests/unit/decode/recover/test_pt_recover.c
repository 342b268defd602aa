/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses recovered from packets and log, against the registers that the stepper saw. Wrong is a defect wherever it
 * is; unknown is not, but lock-disciplined programs must come out almost completely in the code that has line
 * information (the program's own).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "one_core.h"
#include "vtb/recover.h"
#include "recover_exec.h"
#include "vtb/step.h"
#include "vtb/symbols.h"

enum class { STACK, GLOBAL, HEAP, CLASSES };
static const char *const class_names[] = { "stack", "global", "heap" };

struct shares {
	uint64_t total, exact, symbolic, wrong;
};

struct check {
	struct vtb_pt_recording rec;
	struct vtb_pt_truth_reader truth[16];
	struct vtb_disasm *decoder;
	struct vtb_symbols *symbols;
	const char *program;
	uint64_t program_lo, program_hi; /* its mappings */
	uint64_t last;                   /* time of the instruction before, in whichever thread */
	unsigned show;                   /* accesses of unknown address to be printed */
	uint64_t early;                  /* instructions that came after one of a later time */
	struct shares own[CLASSES], all;
};

static bool is_system_call(const struct check *c, uint64_t ip)
{
	uint8_t bytes[2] = { 0 };

	vtb_pt_image_read(c->rec.session.image, ip, bytes, sizeof(bytes));
	return bytes[0] == 0x0f && bytes[1] == 0x05;
}

static int take_instruction(void *arg, uint32_t slot, uint64_t ip)
{
	struct check *c = arg;

	assert_int_equal(vtb_pt_truth_next(&c->truth[slot]), 1);
	assert_int_equal(c->truth[slot].ip, ip);
	if (is_system_call(c, ip)) /* its time is when it ended; others may run meanwhile */
		return 0;
	c->early += c->truth[slot].tsc <= c->last;
	c->last = c->truth[slot].tsc;
	return 0;
}

static enum class class_of(const struct check *c, uint32_t slot, uint64_t addr) {
	const uint64_t sp = c->truth[slot].regs[OPS_RSP];

	if (addr + 4096 > sp && addr < sp + 65536) return STACK;
	if (addr >= c->program_lo && addr < c->program_hi) return GLOBAL;
	for (size_t i = 0; i < c->rec.n_maps; i++) if (addr >= c->rec.maps[i].lo && addr < c->rec.maps[i].hi &&
	                                               !strcmp(c->rec.maps[i].path, "[stack]")) return STACK;
	return HEAP;
}

/* The program's own code: crt files and the linkage table have no line. */
static bool is_own(struct check *c, uint64_t ip)
{
	struct vtb_place place;

	if (ip < c->program_lo || ip >= c->program_hi)
		return false;
	vtb_symbols_place(c->symbols, c->program, ip - c->program_lo + vtb_pt_elf_base(c->program), &place);
	return place.line != 0;
}

static void count(struct shares *s, const struct vtb_recover_access *a, uint64_t addr, uint64_t size)
{
	s->total++;
	s->symbolic += a->state == VTB_RECOVER_SYMBOLIC;
	if (a->state != VTB_RECOVER_EXACT)
		return;
	if (a->addr == addr && (!a->size || a->size == size))
		s->exact++;
	else
		s->wrong++;
}

static void show(struct check *c, const struct vtb_recover_access *a, uint64_t addr, uint64_t size)
{
	for (size_t i = 0; i < c->rec.n_maps; i++)
		if (a->ip >= c->rec.maps[i].lo && a->ip < c->rec.maps[i].hi) {
			print_message("%s: slot %u, %s+0x%lx, access %u at 0x%lx, not 0x%lx; %lu bytes, not %lu\n",
			              a->state == VTB_RECOVER_EXACT ? "wrong" : "unknown", a->slot, c->rec.maps[i].path,
			              a->ip - c->rec.maps[i].lo + c->rec.maps[i].offset, a->index, addr,
			              (uint64_t)a->addr, size, (uint64_t)a->size);
			break;
		}
	c->show--;
}

static int take_access(void *arg, const struct vtb_recover_access *a)
{
	struct check *c = arg;
	const struct vtb_pt_truth_reader *t = &c->truth[a->slot];
	struct recover_cpu cpu = { .fs = { t->regs[16], RECOVER_ALL } };
	struct vtb_ops ops;
	uint8_t bytes[16];
	uint64_t addr, size;

	vtb_ops_decode(c->decoder, bytes, vtb_pt_image_read(c->rec.session.image, a->ip, bytes, 15), a->ip, &ops);
	for (unsigned i = 0; i < OPS_GPRS; i++)
		recover_cpu_set(&cpu, i, t->regs[i]);
	if (!recover_address(&cpu, &ops, a->index, &addr))
		return 0; /* gs: not used here */
	size = recover_size(&cpu, &ops, a->index);
	count(&c->all, a, addr, size);
	if (c->show && !a->quiet &&
	    (a->state == VTB_RECOVER_UNKNOWN ||
	     (a->state == VTB_RECOVER_EXACT && (a->addr != addr || (a->size && a->size != size)))))
		show(c, a, addr, size);
	if (is_own(c, a->ip) && !(ops.access[a->index].operand < 3 && ops.op[ops.access[a->index].operand].segment))
		count(&c->own[class_of(c, a->slot, addr)], a, addr, size);
	return 0;
}

static void record(const char *program, const char *rounds, struct vtb_step_opts opts, const char *dir)
{
	char *argv[] = { (char *)(uintptr_t)program, (char *)(uintptr_t)rounds, NULL };
	struct vtb_step_result result;
	struct vtb_error err = { 0 };

	opts.dir = dir;
	opts.program = program;
	opts.argv = argv;
	opts.truth = true;
	if (vtb_step_run(&opts, &result, &err) < 0)
		fail_msg("%s: %s", program, err.text);
	assert_int_equal(result.status, 0);
}

static void open_all(struct check *c, const char *dir, const char *program)
{
	struct vtb_error err = { 0 };

	if (vtb_pt_recording_read(dir, 1, &c->rec, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
	assert_int_equal(vtb_disasm_new(&c->decoder), 0);
	assert_int_equal(vtb_symbols_new(&c->symbols), 0);
	assert_true(c->rec.n_tids <= 16);
	for (uint32_t i = 0; i < c->rec.n_tids; i++)
		assert_int_equal(vtb_pt_truth_open(&c->rec, i, &c->truth[i], NULL), 0);
	c->program = program;
	for (size_t i = 0; i < c->rec.n_maps; i++)
		if (!strcmp(c->rec.maps[i].path, program)) {
			if (!c->program_lo)
				c->program_lo = c->rec.maps[i].lo;
			c->program_hi = c->rec.maps[i].hi + 4096; /* .bss may go on behind */
		}
}

/* Records, recovers and compares. Removes the recording and frees everything: a failed assertion does not come back. */
static struct vtb_recover_stats run(const char *program, const char *rounds, struct vtb_step_opts opts, struct check *c)
{
	const struct vtb_recover_sink sink = { .instruction = take_instruction, .access = take_access, .arg = c };
	struct vtb_recover_stats stats = { 0 };
	struct vtb_error err = { 0 };
	char dir[] = "/tmp/vtb-recover-XXXXXX", command[64];
	int r;

	assert_non_null(mkdtemp(dir));
	record(program, rounds, opts, dir);
	open_all(c, dir, program);
	r = vtb_recover(&c->rec, &sink, &stats, &err);
	vtb_disasm_free(c->decoder);
	vtb_symbols_free(c->symbols);
	vtb_pt_recording_fini(&c->rec);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(r, 0);
	return stats;
}

static void print_shares(const char *name, const char *class, const struct shares *s)
{
	print_message("%s %-6s %7lu accesses, %lu exact, %lu symbolic, %lu wrong\n", name, class, s->total, s->exact,
	              s->symbolic, s->wrong);
}

static void check_path(const char *program, const char *name, const char *rounds, struct vtb_step_opts opts,
                       unsigned percent)
{
	struct check c = { .program = NULL };
	struct vtb_recover_stats stats;

	stats = run(program, rounds, opts, &c);
	for (unsigned i = 0; i < CLASSES; i++) {
		print_shares(name, class_names[i], &c.own[i]);
		assert_true(c.own[i].exact * 100 >= c.own[i].total * percent);
	}
	assert_int_equal(c.all.wrong, 0); /* in libraries, too */
	assert_int_equal(stats.contradictions, 0);
	if (opts.exact_time)
		assert_int_equal(c.early, 0);
	assert_true(c.own[GLOBAL].total + c.own[STACK].total + c.own[HEAP].total > 60); /* compilers differ */
}

static void check(const char *name, const char *rounds, struct vtb_step_opts opts, unsigned percent)
{
	char program[1024];

	snprintf(program, sizeof(program), "%s/%s", PROGRAMS, name);
	if (CASES(20) == 20 || (!strstr(name, "_O0") && strcmp(name, "throws_O2"))) /* 7 s with sanitizers; few paths */
		check_path(program, name, rounds, opts, percent);
}

static void one_lock_and_heap_blocks(void **state)
{
	(void)state;
	check("bank_O0", "8", (struct vtb_step_opts){ .seed = 11 }, 99);
	check("bank_O2", "8", (struct vtb_step_opts){ .seed = 12, .async_every = 60 }, 99);
}

static void pointers_handed_from_thread_to_thread(void **state)
{
	(void)state;
	check("list_O0", "6", (struct vtb_step_opts){ .seed = 13 }, 99);
	check("list_O2", "6", (struct vtb_step_opts){ .seed = 14, .quantum = 5 }, 99);
}

static void string_functions_that_cannot_be_decoded(void **state)
{
	(void)state;
	check("hash_O0", "4", (struct vtb_step_opts){ .seed = 15 }, 99);
	check("hash_O2", "4", (struct vtb_step_opts){ .seed = 16 }, 99);
}

static void cxx_containers_and_virtual_calls(void **state)
{
	(void)state;
	check("ledger_O0", "5", (struct vtb_step_opts){ .seed = 19 }, 99);
	check("ledger_O2", "5", (struct vtb_step_opts){ .seed = 20, .async_every = 200 }, 99);
}

static void conditions_barriers_and_a_signal(void **state)
{
	(void)state;
	check("queue_O0", "6", (struct vtb_step_opts){ .seed = 22 }, 99);
	check("queue_O2", "8", (struct vtb_step_opts){ .seed = 17 }, 99); /* the handler's stack is symbolic */
}

static void exceptions_from_the_throw_to_the_landing_pad(void **state)
{
	(void)state;
	check("jobs_O2", "2", (struct vtb_step_opts){ .seed = 18 }, 99);
	check("throws_O2", "1", (struct vtb_step_opts){ .seed = 23, .async_every = 150 }, 99);
}

static void callbacks_and_text_in_heap_blocks(void **state)
{
	(void)state;
	check("sorted_O2", "1", (struct vtb_step_opts){ .seed = 24, .async_every = 300 }, 99);
}

static void structs_arrays_jumps_and_handlers_on_the_stack(void **state)
{
	(void)state;
	check("frames_O2", "1", (struct vtb_step_opts){ .seed = 25 }, 99);
}

static void memory_in_bulk(void **state)
{
	(void)state;
	check("bulk_O2", "1", (struct vtb_step_opts){ .seed = 26, .quantum = 9 }, 99);
}

static void racing_pointers_are_unknown_rather_than_wrong(void **state)
{
	(void)state;
	for (unsigned seed = 30; seed < 30 + CASES(3); seed++)
		check("race_O2", "15", (struct vtb_step_opts){ .seed = seed, .quantum = 7 }, 0);
}

/* With exact time the values that race are known, and were the order of two accesses wrong, addresses would be. */
static void racing_pointers_are_exact_where_time_is(void **state)
{
	(void)state;
	for (unsigned seed = 30; seed < 30 + CASES(3); seed++)
		check("race_O2", "15",
		      (struct vtb_step_opts){ .seed = seed, .quantum = 7, .exact_time = true, .noise = 9 }, 100);
}

/* ------------------------------------------------------------------ the long set: every compiler, every -O */

static const char *const compilers[2][2] = { { "gcc", "g++" }, { "clang", "clang++" } };
static const char *const flags[] = { "-O0 -fPIE -pie", "-O1 -fno-pie -no-pie", "-O2 -fPIE -pie",
	                             "-O3 -fno-pie -no-pie" };

/* Compiled here rather than by the build, which need not have this many programs. */
static void check_compiled(const char *file, bool cxx, unsigned seed)
{
	const size_t n_flags = sizeof(flags) / sizeof(*flags);

	for (unsigned i = 0; i < 2 * n_flags; i++) {
		char program[] = "/tmp/vtb-compiled-XXXXXX", command[2048], name[128];
		const char *compiler = compilers[i / n_flags][cxx];

		snprintf(command, sizeof(command), "command -v %s >/dev/null", compiler);
		if (system(command) != 0) {
			print_message("skipped: there is no %s\n", compiler);
			continue;
		}
		close(mkstemp(program));
		snprintf(command, sizeof(command), "%s -g -w %s -pthread '%s/%s' -o %s", compiler, flags[i % n_flags],
		         SOURCES, file, program);
		assert_int_equal(system(command), 0);
		snprintf(name, sizeof(name), "%s %s %.3s", file, compiler, flags[i % n_flags]);
		check_path(program, name, "1",
		           (struct vtb_step_opts){ .seed = seed + i, .async_every = i & 1 ? 100 : 0 }, 99);
		unlink(program);
	}
}

static void every_compiler_and_optimisation_of_c(void **state)
{
	static const char *const files[] = {
		"sorted.c", "frames.c", "bulk.c", "bank.c", "list.c", "hash.c", "queue.c"
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++)
		check_compiled(files[i], false, 50 + i);
}

static void every_compiler_and_optimisation_of_cxx(void **state)
{
	static const char *const files[] = { "objects.cc", "jobs.cc", "ledger.cc", "throws.cc" };

	(void)state;
	for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++)
		check_compiled(files[i], true, 70 + i);
}

/* A program of somebody's: what is recovered of it, and whether all of that is right. */
static int check_program(char *argv[])
{
	const char *rounds = argv[2] ? argv[2] : "1";
	const unsigned seed = argv[2] && argv[3] ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	char *path = realpath(argv[1], NULL);
	struct check c = { .show = argv[2] && argv[3] && argv[4] ? (unsigned)strtoul(argv[4], NULL, 10) : 0 };
	struct vtb_recover_stats stats;

	assert_non_null(path);
	stats = run(path, rounds, (struct vtb_step_opts){ .seed = seed, .async_every = 97 }, &c);
	for (unsigned i = 0; i < CLASSES; i++)
		print_shares(argv[1], class_names[i], &c.own[i]);
	print_shares(argv[1], "all", &c.all);
	print_message("%s %lu instructions, %lu times all memory forgotten, %lu racy words, %lu contradictions\n",
	              argv[1], stats.instructions, stats.forgotten, stats.racy_words, stats.contradictions);
	free(path);
	return c.all.wrong || stats.contradictions ? 1 : 0;
}

/* --long: the long set. With arguments (PROGRAM [ARGUMENT [SEED [UNKNOWN ACCESSES TO SHOW]]]) a program of yours is
 * checked instead of those below. */
int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_lock_and_heap_blocks),
		cmocka_unit_test(pointers_handed_from_thread_to_thread),
		cmocka_unit_test(string_functions_that_cannot_be_decoded),
		cmocka_unit_test(cxx_containers_and_virtual_calls),
		cmocka_unit_test(conditions_barriers_and_a_signal),
		cmocka_unit_test(exceptions_from_the_throw_to_the_landing_pad),
		cmocka_unit_test(callbacks_and_text_in_heap_blocks),
		cmocka_unit_test(structs_arrays_jumps_and_handlers_on_the_stack),
		cmocka_unit_test(memory_in_bulk),
		cmocka_unit_test(racing_pointers_are_unknown_rather_than_wrong),
		cmocka_unit_test(racing_pointers_are_exact_where_time_is),
	};
	const struct CMUnitTest longer[] = {
		cmocka_unit_test(every_compiler_and_optimisation_of_c),
		cmocka_unit_test(every_compiler_and_optimisation_of_cxx),
	};

	keep_to_one_core();
	if (argc > 1 && !strcmp(argv[1], "--long"))
		return cmocka_run_group_tests_name("pt_recover_long", longer, NULL, NULL);
	if (argc > 1)
		return check_program(argv);
	return cmocka_run_group_tests_name("pt_recover", tests, NULL, NULL);
}
