/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captures of real processors, kept outside the project: $VTB_PT_TRACES, else ../shared/pt-traces beside the source.
 * Skipped (77) where they are absent. The expected figures are those of the captures' own README.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perf_data.h"
#include "vtb/pt_session.h"

static char traces[512];

static void *slurp(const char *name, size_t *ret_size)
{
	char path[1024];
	FILE *f;
	long size;
	void *bytes;

	snprintf(path, sizeof(path), "%s/%s", traces, name);
	f = fopen(path, "rb");
	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	rewind(f);
	bytes = malloc((size_t)size);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	fclose(f);
	*ret_size = (size_t)size;
	return bytes;
}

static void add_elf(struct vtb_pt_session *s, const char *name)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", traces, name);
	assert_int_equal(vtb_pt_image_new(&s->image), 0);
	assert_int_equal(vtb_pt_image_add_elf(s->image, path, 0x400000, NULL), 0);
}

static void add_source(struct vtb_pt_session *s, const char *name, uint32_t cpu, uint32_t tid)
{
	size_t size;

	s->sources = realloc(s->sources, (s->n_sources + 1) * sizeof(*s->sources));
	s->sources[s->n_sources] = (struct vtb_pt_source){ .owned = slurp(name, &size), .cpu = cpu, .tid = tid };
	s->sources[s->n_sources].data = s->sources[s->n_sources].owned;
	s->sources[s->n_sources++].size = size;
}

static void one_thread_stepped_by_a_debugger(void **state)
{
	struct vtb_pt_session s = { .cpu = { .family = 6, .model = 79, .stepping = 1 } };

	(void)state;
	add_elf(&s, "lldb-single/a.out");
	add_source(&s, "lldb-single/3842849.trace", VTB_PT_NONE, 3842849);
	assert_int_equal(vtb_pt_session_deal(&s, 2, NULL), 0);
	assert_int_equal(s.n_syncs, 1);
	assert_int_equal(s.syncs[0].offset, 0xf38);
	assert_int_equal(s.instructions, 21);
	assert_int_equal(s.errors, 0);
	assert_int_equal(s.threads[0].instructions, 21);
	vtb_pt_session_fini(&s);
}

/* The raw switch records of the capture carry thread and time only; the CPU is the file's. */
static void add_switches(struct vtb_pt_session *s, const char *name, uint32_t cpu)
{
	const struct vtb_perf_clock clock = { .shift = 31, .mult = 1076264588, .zero = 18433473881008870804ull };
	struct vtb_perf_data d = { 0 };
	size_t size;
	void *bytes = slurp(name, &size);
	struct vtb_pt_run run = { .cpu = cpu, .tid = VTB_PT_NONE };

	assert_int_equal(vtb_perf_read_records(bytes, size, PERF_SAMPLE_TID | PERF_SAMPLE_TIME, &d, NULL), 0);
	for (size_t i = 0; i < d.n_switches; i++) {
		const uint64_t tsc = vtb_perf_tsc(&clock, d.switches[i].id.time);

		if (!d.switches[i].out) {
			run.tid = d.switches[i].id.tid;
			run.in = tsc;
			continue;
		}
		run.tid = d.switches[i].id.tid;
		run.out = tsc;
		s->runs = realloc(s->runs, (s->n_runs + 1) * sizeof(*s->runs));
		s->runs[s->n_runs++] = run;
	}
	s->cap_runs = s->n_runs;
	vtb_perf_fini(&d);
	free(bytes);
}

static uint64_t instructions_of(const struct vtb_pt_session *s, uint32_t tid)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (s->threads[i].tid == tid)
			return s->threads[i].instructions;
	return 0;
}

static bool ran(const struct vtb_pt_session *s, uint32_t tid, uint64_t in, uint64_t out)
{
	for (size_t i = 0; i < s->n_runs; i++)
		if (s->runs[i].tid == tid && s->runs[i].in == in && s->runs[i].out == out)
			return true;
	return false;
}

static void several_threads_are_told_apart_by_context_switches(void **state)
{
	struct vtb_pt_session s = { .cpu = { .family = 6, .model = 85, .stepping = 4 } };

	(void)state;
	add_elf(&s, "lldb-multi-core/modules/m.out");
	add_source(&s, "lldb-multi-core/cores/45.intelpt_trace", 45, VTB_PT_NONE);
	add_source(&s, "lldb-multi-core/cores/51.intelpt_trace", 51, VTB_PT_NONE);
	s.cap_sources = s.n_sources;
	add_switches(&s, "lldb-multi-core/cores/45.perf_context_switch_trace", 45);
	add_switches(&s, "lldb-multi-core/cores/51.perf_context_switch_trace", 51);
	assert_true(ran(&s, 3497497, 40450073715097575ull, 40450075477820383ull));
	assert_true(ran(&s, 3497496, 40450075477621505ull, 40450075477704372ull));
	assert_int_equal(vtb_pt_session_deal(&s, 2, NULL), 0);
	assert_int_equal(s.n_syncs, 4);
	assert_int_equal(s.syncs[0].offset, 0x2b0);
	assert_int_equal(s.syncs[0].instructions, 61825);
	assert_int_equal(s.syncs[1].offset, 0x439);
	assert_int_equal(s.syncs[1].instructions, 0);
	assert_int_equal(s.syncs[2].offset, 0xbb9);
	assert_int_equal(s.syncs[2].instructions, 0);
	assert_int_equal(s.syncs[3].offset, 0x1331);
	assert_int_equal(s.syncs[3].instructions, 19521);
	assert_int_equal(instructions_of(&s, 3497497), 61825); /* bar */
	assert_int_equal(instructions_of(&s, 3497496), 19521); /* foo */
	assert_int_equal(s.unowned, 0);
	assert_int_equal(s.errors, 4); /* two without code, and the stray newline at the end of each file */
	vtb_pt_session_fini(&s);
}

/* The program lay in its builder's home: a tree of links that both readers accept. */
static void make_symfs(char *dir, size_t size)
{
	char path[1024], to[1024];

	snprintf(dir, size, "/tmp/vtb-symfs-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "mkdir -p %s/home/joerg/git/hase/tests/bin/control_flow", dir);
	assert_int_equal(system(path), 0);
	snprintf(path, sizeof(path), "%s/home/joerg/git/hase/tests/bin/control_flow/control_flow", dir);
	snprintf(to, sizeof(to), "%s/hase-control-flow/control_flow", traces);
	assert_int_equal(symlink(to, path), 0);
}

static void remove_symfs(const char *dir)
{
	char command[1024];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static uint64_t *addresses_of(struct vtb_pt_session *s, size_t *ret_n)
{
	uint64_t *ips = calloc(s->instructions + 1, sizeof(*ips));
	struct vtb_pt_reader *reader;
	struct vtb_pt_code *code;
	struct vtb_pt_item item;
	const struct vtb_pt_gap *gap;
	size_t n = 0;

	assert_int_equal(vtb_pt_reader_new(s, 0, 2, &reader), 0);
	assert_int_equal(vtb_pt_code_new(s->image, &code), 0);
	while (vtb_pt_reader_next(reader, &item, &gap) > 0) {
		int64_t at = item.kind == VTB_PT_BLOCK ? vtb_pt_code_at(code, item.value) : -1;

		for (uint32_t i = 0; item.kind == VTB_PT_BLOCK && i < item.n; i++) {
			assert_true(at >= 0);
			ips[n++] = vtb_pt_code_insn(code, (uint32_t)at)->ip;
			at = i + 1 < item.n ? vtb_pt_code_next(code, (uint32_t)at) : -1;
		}
	}
	vtb_pt_code_free(code);
	vtb_pt_reader_free(reader);
	*ret_n = n;
	return ips;
}

static void a_perf_data_file_decodes_as_perf_itself_decodes_it(void **state)
{
	struct vtb_pt_session s;
	struct vtb_error err;
	struct vtb_pt_session_opts opts = { .jobs = 2 };
	char symfs[64], command[2048], path[1024], line[256];
	uint64_t *ips;
	size_t n, same = 0;
	FILE *perf;

	(void)state;
	make_symfs(symfs, sizeof(symfs));
	opts.symfs = symfs;
	snprintf(path, sizeof(path), "%s/hase-control-flow/perf.data.1", traces);
	assert_int_equal(vtb_pt_session_perf(path, &opts, &s, &err), 0);
	assert_int_equal(s.instructions, 956);
	assert_int_equal(s.errors, 0);
	assert_int_equal(s.n_syncs, 1);
	assert_int_equal(s.syncs[0].offset, 0);
	assert_int_equal(vtb_pt_flow_segments(s.sources[0].flow), 10);
	assert_int_equal(s.unowned, 0);
	ips = addresses_of(&s, &n);
	assert_int_equal(n, 956);
	assert_int_equal(ips[n - 1], 0x4009f5);          /* the system call before the core dump's 0x4009f7 */
	if (system("command -v perf >/dev/null") == 0) { /* an independent decoder */
		snprintf(command, sizeof(command), "perf script -i %s --itrace=i1ie --symfs %s -F ip 2>/dev/null", path,
		         symfs);
		perf = popen(command, "r");
		assert_non_null(perf);
		while (fgets(line, sizeof(line), perf)) {
			assert_true(same < n);
			assert_int_equal(strtoull(line, NULL, 16), ips[same]);
			same++;
		}
		pclose(perf);
		assert_int_equal(same, 956);
	}
	free(ips);
	vtb_pt_session_fini(&s);
	remove_symfs(symfs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread_stepped_by_a_debugger),
		cmocka_unit_test(several_threads_are_told_apart_by_context_switches),
		cmocka_unit_test(a_perf_data_file_decodes_as_perf_itself_decodes_it),
	};
	const char *dir = getenv("VTB_PT_TRACES");

	snprintf(traces, sizeof(traces), "%s", dir ? dir : VTB_SOURCE_DIR "/../shared/pt-traces");
	if (access(traces, R_OK) != 0) {
		printf("no captures at %s: skipped\n", traces);
		return 77;
	}
	return cmocka_run_group_tests_name("pt_traces", tests, NULL, NULL);
}
