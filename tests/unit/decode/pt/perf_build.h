/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file perf_build.h
 * A small perf.data file, put together in memory: every kind of record that is read, and what reading it must give.
 */
#ifndef TESTS_PERF_BUILD_H
#define TESTS_PERF_BUILD_H

#include <linux/perf_event.h>
#include <string.h>

#include "perf_data.h"

#define SAMPLE_TYPE (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)
#define PT_TYPE 8u

struct file {
	uint8_t bytes[8192];
	size_t size;
	size_t record; /* where the open record begins */
};

static inline void put(struct file *f, const void *p, size_t n)
{
	assert_true(f->size + n <= sizeof(f->bytes));
	memcpy(f->bytes + f->size, p, n);
	f->size += n;
}

static inline void put32(struct file *f, uint32_t v)
{
	put(f, &v, 4);
}

static inline void put64(struct file *f, uint64_t v)
{
	put(f, &v, 8);
}

static inline void begin_record(struct file *f, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	f->record = f->size;
	put(f, &h, sizeof(h));
}

static inline void end_record(struct file *f)
{
	const uint16_t size = (uint16_t)(f->size - f->record);

	memcpy(f->bytes + f->record + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/* The trailer of sample_id_all. */
static inline void put_id(struct file *f, uint32_t pid, uint32_t tid, uint64_t time, uint32_t cpu)
{
	put32(f, pid);
	put32(f, tid);
	put64(f, time);
	put32(f, cpu);
	put32(f, 0);
	put64(f, 77); /* identifier */
}

static inline void put_records(struct file *f)
{
	const uint64_t info[] = {
		1, PT_TYPE, 0, 1, 1000, 1, 1 << 10, 1 << 11, 1, 0, 1, 1 << 9, 0xf << 14, 168, 2, 2, 24
	};
	const uint8_t trace[8] = { 0 };

	begin_record(f, 70, 0); /* AUXTRACE_INFO */
	put(f, info, sizeof(info));
	end_record(f);
	begin_record(f, PERF_RECORD_MMAP2, 0);
	put32(f, 10);
	put32(f, 10);
	put64(f, 0x400000);
	put64(f, 0x1000);
	put64(f, 0x2000);
	put64(f, 0);
	put64(f, 0);
	put64(f, 0);
	put32(f, 5);
	put32(f, 2);
	put(f, "/bin/prog\0\0\0\0\0\0", 16);
	put_id(f, 10, 10, 2000, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_ITRACE_START, 0);
	put32(f, 10);
	put32(f, 10);
	put_id(f, 10, 10, 2001, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put32(f, 10);
	put32(f, 10);
	put(f, "prog\0\0\0", 8);
	put_id(f, 10, 10, 1999, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_FORK, 0);
	put32(f, 10);
	put32(f, 10);
	put32(f, 11);
	put32(f, 10);
	put64(f, 2002);
	put_id(f, 10, 10, 2002, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_SWITCH_CPU_WIDE, PERF_RECORD_MISC_SWITCH_OUT);
	put32(f, 0);
	put32(f, 0);
	put_id(f, 10, 10, 3000, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_SWITCH, 0);
	put_id(f, 10, 11, 3500, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_AUX, 0);
	put64(f, 0);
	put64(f, 8);
	put64(f, PERF_AUX_FLAG_TRUNCATED);
	put_id(f, 10, 10, 4000, 1);
	end_record(f);
	begin_record(f, PERF_RECORD_LOST, 0);
	put64(f, 1);
	put64(f, 5);
	put_id(f, 10, 10, 4000, 1);
	end_record(f);
	begin_record(f, 71, 0); /* AUXTRACE */
	put64(f, sizeof(trace));
	put64(f, 0);
	put64(f, 0);
	put32(f, 3);
	put32(f, 10);
	put32(f, 1);
	put32(f, 0);
	end_record(f);
	put(f, trace, sizeof(trace));
	begin_record(f, 68, 0); /* FINISHED_ROUND, of no interest */
	end_record(f);
}

static inline struct perf_event_attr attr(void)
{
	return (struct perf_event_attr){ .type = PT_TYPE,
		                         .size = sizeof(struct perf_event_attr),
		                         .config = 3 << 14,
		                         .sample_type = SAMPLE_TYPE,
		                         .sample_id_all = 1 };
}

static inline void make_pipe(struct file *f)
{
	const struct perf_event_attr a = attr();

	put(f, "PERFILE2", 8);
	put64(f, 16);
	begin_record(f, 64, 0); /* HEADER_ATTR */
	put(f, &a, sizeof(a));
	put64(f, 77);
	end_record(f);
	begin_record(f, 80, 0); /* HEADER_FEATURE: CPUID */
	put64(f, 9);
	put32(f, 24);
	put(f, "GenuineIntel,6,85,4\0\0\0\0", 24);
	end_record(f);
	put_records(f);
}

/* A file with the records given. */
static inline void make_file_of(struct file *f, const struct file *records)
{
	const struct perf_event_attr a = attr();
	uint64_t header[13] = { 0, 104, sizeof(a) + 16 };
	size_t text;

	memcpy(header, "PERFILE2", 8);
	f->size = sizeof(header);
	put64(f, 77);
	header[3] = f->size;
	put(f, &a, sizeof(a));
	put64(f, 104);
	put64(f, 8);
	header[4] = f->size - header[3];
	header[5] = f->size;
	put(f, records->bytes, records->size);
	header[6] = f->size - header[5];
	text = f->size + 16; /* the feature table has one entry: CPUID */
	put64(f, text);
	put64(f, 28);
	put32(f, 24);
	put(f, "GenuineIntel,6,85,4\0\0\0\0", 24);
	header[9] = 1 << 9;
	memcpy(f->bytes, header, sizeof(header));
}

static inline void make_file(struct file *f)
{
	struct file records = { .size = 0 };

	put_records(&records);
	make_file_of(f, &records);
}

static inline void check(const struct vtb_perf_data *d)
{
	assert_true(d->has_pt);
	assert_true(d->per_cpu);
	assert_false(d->snapshot);
	assert_int_equal(d->cpu.family, 6);
	assert_int_equal(d->cpu.model, 85);
	assert_int_equal(d->cpu.stepping, 4);
	assert_int_equal(d->cpu.mtc_freq, 3);
	assert_int_equal(d->cpu.nom_freq, 24);
	assert_int_equal(d->cpu.cpuid_15_ebx, 168);
	assert_int_equal(d->cpu.cpuid_15_eax, 2);
	assert_int_equal(d->clock.zero, 1000);
	assert_int_equal(d->n_mmaps, 1);
	assert_string_equal(d->mmaps[0].path, "/bin/prog");
	assert_true(d->mmaps[0].executable);
	assert_int_equal(d->mmaps[0].offset, 0x2000);
	assert_int_equal(d->n_tasks, 3);
	assert_int_equal(d->tasks[0].kind, VTB_PERF_EXEC); /* told last, happened first */
	assert_int_equal(d->tasks[2].tid, 11);
	assert_int_equal(d->n_switches, 2);
	assert_true(d->switches[0].out);
	assert_int_equal(d->switches[0].id.cpu, 1);
	assert_int_equal(d->switches[1].id.tid, 11);
	assert_int_equal(d->switches[1].id.time, 3500);
	assert_int_equal(d->n_auxes, 1);
	assert_int_equal(d->n_lost, 5);
	assert_int_equal(d->n_chunks, 1);
	assert_int_equal(d->chunks[0].size, 8);
	assert_int_equal(d->chunks[0].idx, 3);
}

#endif /* TESTS_PERF_BUILD_H */
