/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast packets become control flow, in instructions a second of processor time: a stepped recording's packets, each
 * thread's repeated
 * until it is long enough. Usage: bench_pt PROGRAM [ARGUMENTS]. Prints lines for script/bench.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vtb/pt_recording.h"
#include "vtb/recover.h"
#include "vtb/array.h"
#include "vtb/step.h"
#include "vtb/trace.h"

#define BYTES_WANTED (8u << 20)
#define BATCH 64u
#define EVENTS_KEPT 5000000u

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A thread's packets begin and end with tracing off, so copies follow each other like stretches of one trace. */
static uint8_t *repeat(const struct vtb_pt_session *s, size_t *ret_size)
{
	uint8_t *bytes;
	size_t one = 0, size = 0;

	for (size_t i = 0; i < s->n_sources; i++)
		one += s->sources[i].size;
	bytes = malloc(BYTES_WANTED + one);
	while (bytes && one && size < BYTES_WANTED)
		for (size_t i = 0; i < s->n_sources; i++) {
			memcpy(bytes + size, s->sources[i].data, s->sources[i].size);
			size += s->sources[i].size;
		}
	*ret_size = size;
	return bytes;
}

static uint64_t decode(struct vtb_pt_flow *flow, unsigned jobs)
{
	const size_t n = vtb_pt_flow_segments(flow);
	struct vtb_pt_items items[BATCH] = { 0 };
	uint64_t total = 0;

	for (size_t at = 0; at < n; at += BATCH) {
		const size_t take = n - at < BATCH ? n - at : BATCH;

		if (vtb_pt_flow_decode(flow, at, take, jobs, items) < 0)
			exit(1);
		for (size_t i = 0; i < take; i++) {
			total += items[i].instructions;
			if (items[i].n_gaps)
				exit(1);
			vtb_pt_items_clear(&items[i]);
		}
	}
	for (size_t i = 0; i < BATCH; i++)
		vtb_pt_items_fini(&items[i]);
	return total;
}

static void measure(const struct vtb_pt_session *s, const uint8_t *bytes, size_t size, unsigned jobs)
{
	struct vtb_pt_flow *flow;
	double cpu, wall;
	uint64_t n;

	if (vtb_pt_flow_new(bytes, size, NULL, s->image, &flow) < 0)
		exit(1);
	decode(flow, jobs); /* warm: every static instruction once */
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
	wall = seconds(CLOCK_MONOTONIC);
	n = decode(flow, jobs);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	wall = seconds(CLOCK_MONOTONIC) - wall;
	printf("control flow, %u thread%s\t%.0f\tM insn/s/core\t>= 60\n", jobs, jobs > 1 ? "s" : "",
	       (double)n / cpu / 1e6);
	if (jobs > 1)
		printf("control flow, %u threads, elapsed\t%.0f\tM insn/s\t\n", jobs, (double)n / wall / 1e6);
	else
		printf("packets\t%.2f\tbit/insn\t\n", (double)size * 8 / (double)n);
	vtb_pt_flow_free(flow);
}

static int ignore_access(void *arg, const struct vtb_recover_access *access)
{
	(void)arg;
	(void)access;
	return 0;
}

/* The stepped recording itself: all passes count as one. */
static void measure_recovery(struct vtb_pt_recording *rec)
{
	const struct vtb_recover_sink sink = { .access = ignore_access };
	struct vtb_recover_stats stats;
	double cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);

	if (vtb_recover(rec, &sink, &stats, NULL) < 0)
		exit(1);
	cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("control flow and addresses, %u passes\t%.1f\tM insn/s/core\t>= 3\n", stats.passes,
	       (double)stats.instructions / cpu / 1e6);
}

static size_t resident(void)
{
	size_t all = 0, now = 0;
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%zu %zu", &all, &now) != 2)
		now = 0;
	if (file)
		fclose(file);
	return now * 4096;
}

/* What an event costs while the trace is in memory: added one by one, as all readers do. Room that was reserved and not
 * yet used is not there. */
static void measure_memory(void)
{
	const size_t before = resident();
	struct vtb_trace trace;

	vtb_trace_init(&trace);
	for (size_t i = 0; i < EVENTS_KEPT; i++) {
		if (vtb_array_room(&trace, events) < 0)
			exit(1);
		trace.events[trace.n_events++] = (struct vtb_event){ .addr = i, .kind = VTB_E_READ };
	}
	printf("live event\t%.1f\tbytes\t<= 64\n", (double)(resident() - before) / EVENTS_KEPT);
	vtb_trace_fini(&trace);
}

int main(int argc, char **argv)
{
	char dir[] = "/tmp/vtb-bench-XXXXXX", command[128];
	struct vtb_step_opts opts = { .dir = dir, .seed = 1 };
	struct vtb_pt_recording rec;
	struct vtb_step_result result;
	struct vtb_error err = { 0 };
	size_t size;
	uint8_t *bytes;

	if (argc < 2 || !mkdtemp(dir))
		return 2;
	opts.program = argv[1];
	opts.argv = argv + 1;
	if (vtb_step_run(&opts, &result, &err) < 0 || vtb_pt_recording_read(dir, 1, &rec, &err) < 0) {
		fprintf(stderr, "bench_pt: %s\n", err.text);
		return 1;
	}
	bytes = repeat(&rec.session, &size);
	if (!bytes)
		return 1;
	measure(&rec.session, bytes, size, 1);
	measure(&rec.session, bytes, size, 2);
	free(bytes);
	measure_recovery(&rec);
	measure_memory();
	vtb_pt_recording_fini(&rec);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command) != 0;
}
