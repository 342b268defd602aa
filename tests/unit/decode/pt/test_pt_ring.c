/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The hardware recorder without the hardware: a made-up driver directory, made-up ring buffers, and its file read back.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <sys/mman.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_data.h"
#include "pt_build.h"
#include "pt_event.h"
#include "pt_file.h"
#include "pt_recorder.h"
#include "vtb/pt_record_hw.h"
#include "vtb/pt_session.h"

static void write_file(const char *dir, const char *name, const char *text)
{
	char command[512];

	snprintf(command, sizeof(command),
	         "mkdir -p $(dirname %s/bus/event_source/devices/intel_pt/%s) && echo '%s' "
	         ">%s/bus/event_source/devices/intel_pt/%s",
	         dir, name, text, dir, name);
	assert_int_equal(system(command), 0);
}

static void make_sys(char *dir)
{
	static const char *const files[][2] = { { "type", "8" },
		                                { "format/pt", "config:0" },
		                                { "format/tsc", "config:10" },
		                                { "format/noretcomp", "config:11" },
		                                { "format/mtc", "config:9" },
		                                { "format/cyc", "config:1" },
		                                { "format/branch", "config:13" },
		                                { "format/mtc_period", "config:14-17" },
		                                { "format/psb_period", "config:24-27" },
		                                { "caps/mtc", "1" },
		                                { "caps/psb_cyc", "1" },
		                                { "caps/mtc_periods", "249" },
		                                { "caps/psb_periods", "3f" },
		                                { "max_nonturbo_ratio", "24" },
		                                { "tsc_art_ratio", "168:2" } };

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		write_file(dir, files[i][0], files[i][1]);
}

static void the_events_are_those_that_perf_itself_would_open(void **state)
{
	char dir[] = "/tmp/vtb-sys-XXXXXX", command[64];
	struct perf_event_attr pt, side;
	struct pt_driver d;

	(void)state;
	make_sys(dir);
	assert_int_equal(pt_driver_read(dir, &d, NULL), 0);
	pt_event_attrs(&d, &pt, &side);
	assert_int_equal(pt.type, 8);
	assert_int_equal(pt.config, 0x300e601); /* perf 4.14 on a Skylake with these capabilities */
	assert_true(pt.exclude_kernel && pt.inherit && pt.enable_on_exec && pt.sample_id_all);
	assert_true(side.mmap2 && side.task && side.context_switch && side.comm_exec);
	write_file(dir, "caps/mtc", "0");
	write_file(dir, "caps/psb_cyc", "0");
	assert_int_equal(pt_driver_read(dir, &d, NULL), 0);
	pt_event_attrs(&d, &pt, &side);
	assert_int_equal(pt.config, 0x2401); /* a Broadwell: no MTC, no choice of PSB distance */
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(pt_driver_read(dir, &d, NULL), -ENOENT);
}

struct collected {
	uint8_t bytes[4096];
	uint64_t size, first_offset;
	unsigned calls;
};

static int collect(void *arg, const void *bytes, uint64_t size, uint64_t offset)
{
	struct collected *c = arg;

	if (!c->calls++)
		c->first_offset = offset;
	memcpy(c->bytes + c->size, bytes, size);
	c->size += size;
	return 0;
}

static void put_record(uint8_t *ring, uint64_t at, uint16_t size, uint8_t fill)
{
	uint8_t bytes[64];
	const struct perf_event_header h = { .type = 1, .size = size };

	memset(bytes, fill, sizeof(bytes));
	memcpy(bytes, &h, sizeof(h));
	for (unsigned i = 0; i < size; i++)
		ring[(at + i) & 255] = bytes[i];
}

static void records_are_read_over_the_ring_s_end(void **state)
{
	struct perf_event_mmap_page page = { .data_tail = 240, .data_head = 240 + 24 + 32 };
	uint8_t data[256] __attribute__((aligned(8)));
	struct pt_ring ring = { .page = &page, .data = data, .data_size = sizeof(data) };
	struct collected c = { .size = 0 };

	(void)state;
	put_record(data, 240, 24, 0xaa); /* 16 bytes at the end, 8 at the beginning */
	put_record(data, 264, 32, 0xbb);
	assert_int_equal(pt_ring_records(&ring, collect, &c), 2);
	assert_int_equal(c.size, 56);
	for (unsigned i = 8; i < 24; i++)
		assert_int_equal(c.bytes[i], 0xaa);
	assert_int_equal(c.bytes[55], 0xbb);
	assert_int_equal(page.data_tail, page.data_head);
	assert_int_equal(pt_ring_records(&ring, collect, &c), 0);
	page.data_head += 16;
	memset(data, 0, sizeof(data)); /* a record of size 0 would never end */
	assert_int_equal(pt_ring_records(&ring, collect, &c), -EIO);
}

static void a_full_trace_is_read_piece_by_piece(void **state)
{
	struct perf_event_mmap_page page = { .aux_tail = 900, .aux_head = 1100 };
	uint8_t aux[1024];
	struct pt_ring ring = { .page = &page, .aux = aux, .aux_size = sizeof(aux) };
	struct collected c = { .size = 0 };

	(void)state;
	for (unsigned i = 0; i < sizeof(aux); i++)
		aux[i] = (uint8_t)(i / 4);
	assert_int_equal(pt_ring_aux(&ring, collect, &c), 200);
	assert_int_equal(c.first_offset, 900);
	assert_int_equal(c.bytes[123], 1023 / 4);
	assert_int_equal(c.bytes[124], 0);
	assert_int_equal(page.aux_tail, 1100);
	assert_int_equal(pt_ring_aux(&ring, collect, &c), 0);
	page.aux_head = 1100 + 2048; /* more than the ring holds: not possible */
	assert_int_equal(pt_ring_aux(&ring, collect, &c), -EIO);
}

static void a_snapshot_begins_with_the_oldest_byte(void **state)
{
	struct perf_event_mmap_page page = { .aux_head = 100 };
	uint8_t aux[1024] = { 0 };
	struct pt_ring ring = { .page = &page, .aux = aux, .aux_size = sizeof(aux), .overwrite = true };
	struct collected c = { .size = 0 };

	(void)state;
	memset(aux, 1, 100);
	assert_int_equal(pt_ring_aux(&ring, collect, &c), 100); /* not once round yet */
	memset(aux + 100, 2, sizeof(aux) - 100);
	c = (struct collected){ .size = 0 };
	assert_int_equal(pt_ring_aux(&ring, collect, &c), 1024);
	assert_int_equal(c.bytes[0], 2);
	assert_int_equal(c.bytes[1023], 1);
}

static void the_file_is_read_back_by_the_perf_data_reader(void **state)
{
	const struct pt_driver d = { .type = 8,
		                     .tsc_bit = 1 << 10,
		                     .mtc_bit = 1 << 9,
		                     .mtc_freq_bits = 0xf << 14,
		                     .max_nonturbo_ratio = 24,
		                     .tsc_ctc_n = 168,
		                     .tsc_ctc_d = 2 };
	const uint64_t ids[2][2] = { { 11, 12 }, { 13, 14 } };
	const uint64_t *both[2] = { ids[0], ids[1] };
	const struct pt_cpu_id cpu = { 6, 85, 4 };
	const struct pt_clock clock = { 31, 1076264588, 77 };
	struct perf_event_attr attrs[2];
	struct vtb_perf_data data = { 0 };
	struct vtb_error err = { 0 };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t time;
		uint32_t cpu, res;
		uint64_t id;
	} sw = { .h = { .type = PERF_RECORD_SWITCH, .size = sizeof(sw) },
		 .pid = 5,
		 .tid = 6,
		 .time = 1000,
		 .cpu = 1,
		 .id = 13 };
	char *bytes = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&bytes, &size);

	(void)state;
	pt_event_attrs(&d, &attrs[0], &attrs[1]);
	attrs[0].config |= 3 << 14;
	assert_int_equal(pt_file_begin(file, &d, attrs, both, 2, &cpu, &clock, false), 0);
	assert_int_equal(pt_file_record(file, &sw, sizeof(sw)), 0);
	assert_int_equal(pt_file_trace(file, "12345", 5, 4096, 1), 0);
	fclose(file);
	assert_int_equal(vtb_perf_read_bytes(bytes, size, &data, &err), 0);
	assert_true(data.has_pt && data.pipe && data.per_cpu && !data.snapshot);
	assert_int_equal(data.cpu.model, 85);
	assert_int_equal(data.cpu.mtc_freq, 3);
	assert_int_equal(data.cpu.cpuid_15_ebx, 168);
	assert_int_equal(data.clock.zero, 77);
	assert_int_equal(data.n_attrs, 2);
	assert_int_equal(data.n_switches, 1);
	assert_int_equal(data.switches[0].id.tid, 6);
	assert_int_equal(data.switches[0].id.cpu, 1);
	assert_int_equal(data.n_chunks, 1);
	assert_int_equal(data.chunks[0].size, 8);
	assert_int_equal(data.chunks[0].offset, 4096);
	assert_int_equal(data.chunks[0].cpu, 1);
	assert_memory_equal(data.chunks[0].data, "12345\0\0\0", 8);
	vtb_perf_fini(&data);
	free(bytes);
}

/* ------------------------------------------------------------------ what the kernel could not store */

/* Threads that the packets of a PSB with tracing off between them belong to do not matter here: what counts is what is
 * decoded and what is lost. */
static size_t make_packets(uint8_t *ret, unsigned n_psbs)
{
	struct pt_build b;
	size_t size;

	pt_begin(&b);
	for (unsigned i = 0; i < n_psbs; i++) {
		pt_simple(&b, ppt_psb);
		pt_simple(&b, ppt_psbend);
		for (unsigned k = 0; k < 3 + i; k++)
			pt_simple(&b, ppt_pad); /* no multiple of 8 */
	}
	size = pt_size(&b);
	memcpy(ret, b.bytes, size);
	pt_end(&b);
	return size;
}

struct piece {
	uint64_t from, to; /* bytes of the packets; a hole before it is lost */
	uint64_t flags;    /* of the AUX record that ends with it */
};

/* A recording of one CPU whose packets were read in these pieces, at `base` of the stream; returns how much of it is
 * lost. */
static uint64_t losses_of(const uint8_t *packets, const struct piece *pieces, size_t n, uint64_t base,
                          size_t *ret_syncs)
{
	const struct pt_driver d = { .type = 8, .tsc_bit = 1 << 10 };
	const uint64_t ids[2][1] = { { 11 }, { 13 } };
	const uint64_t *both[2] = { ids[0], ids[1] };
	const struct pt_cpu_id cpu = { 6, 85, 4 };
	const struct pt_clock clock = { 31, 1076264588, 77 };
	const struct vtb_pt_session_opts opts = { .jobs = 1 };
	struct perf_event_attr attrs[2];
	struct vtb_pt_session session;
	struct vtb_error err = { 0 };
	char path[] = "/tmp/vtb-aux-XXXXXX";
	const int fd = mkstemp(path);
	FILE *file = fdopen(fd, "wb");
	uint64_t errors;

	assert_non_null(file);
	pt_event_attrs(&d, &attrs[0], &attrs[1]);
	assert_int_equal(pt_file_begin(file, &d, attrs, both, 1, &cpu, &clock, false), 0);
	for (size_t i = 0; i < n; i++) {
		struct {
			struct perf_event_header h;
			uint64_t offset, size, flags;
			uint32_t pid, tid;
			uint64_t time;
			uint32_t cpu, res;
			uint64_t id;
		} aux = { .h = { .type = PERF_RECORD_AUX, .size = sizeof(aux) },
			  .offset = base + pieces[i].from,
			  .size = pieces[i].to - pieces[i].from,
			  .flags = pieces[i].flags,
			  .pid = 5,
			  .tid = 5,
			  .time = 1000 + i,
			  .id = 11 };

		assert_int_equal(pt_file_record(file, &aux, sizeof(aux)), 0);
		assert_int_equal(pt_file_trace(file, packets + pieces[i].from, aux.size, aux.offset, 0), 0);
	}
	fclose(file);
	assert_int_equal(vtb_pt_session_perf(path, &opts, &session, &err), 0);
	errors = session.errors;
	*ret_syncs = session.n_syncs;
	vtb_pt_session_fini(&session);
	unlink(path);
	return errors;
}

static void pieces_of_any_length_are_put_together(void **state)
{
	uint8_t packets[512];
	const size_t size = make_packets(packets, 4);
	size_t syncs, whole;

	(void)state;
	assert_int_equal(losses_of(packets, &(struct piece){ 0, size, 0 }, 1, 4096, &whole), 0);
	for (size_t a = 1; a + 1 < size; a++) { /* wherever the buffer was read, its end included */
		const struct piece pieces[] = { { 0, a, 0 },
			                        { a, a + (size - a) / 2, 0 },
			                        { a + (size - a) / 2, size, 0 } };

		assert_int_equal(losses_of(packets, pieces, 3, 4096 - a, &syncs), 0);
		assert_int_equal(syncs, whole);
	}
}

static void what_was_not_stored_is_lost_at_its_place(void **state)
{
	uint8_t packets[512];
	const size_t size = make_packets(packets, 4), second = make_packets(packets, 1),
	             third = make_packets(packets, 2);
	size_t syncs;

	(void)state;
	make_packets(packets, 4);
	for (unsigned k = 0; k < 2; k++) {
		const uint64_t flag = k ? PERF_AUX_FLAG_PARTIAL : PERF_AUX_FLAG_TRUNCATED;
		const struct piece one[] = { { 0, second, flag }, { second, size, 0 } },
		                   two[] = { { 0, second, flag }, { second, third, flag }, { third, size, 0 } };

		assert_int_equal(losses_of(packets, one, 2, 0, &syncs), 1);
		assert_int_equal(losses_of(packets, two, 3, 8, &syncs), 2);
	}
	/* a piece that was never read, without any flag */
	assert_int_equal(
	    losses_of(packets, (const struct piece[]){ { 0, second, 0 }, { third, size, 0 } }, 2, 0, &syncs), 1);
	/* harmless flags */
	assert_int_equal(
	    losses_of(packets, (const struct piece[]){ { 0, second, PERF_AUX_FLAG_COLLISION }, { second, size, 0 } }, 2,
	              0, &syncs),
	    0);
}

static void rings_are_read_up_to_their_very_end(void **state)
{
	struct perf_event_mmap_page page = { 0 };
	uint8_t data[256] __attribute__((aligned(8))), aux[256];
	struct pt_ring ring = {
		.page = &page, .data = data, .data_size = sizeof(data), .aux = aux, .aux_size = sizeof(aux)
	};
	uint64_t head = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(aux); i++)
		aux[i] = (uint8_t)i;
	for (unsigned i = 0; i < 600; i++) { /* every position of the stream's head in both rings, full ones included */
		const uint64_t n = 1 + i * 7 % sizeof(aux);
		struct collected c = { .size = 0 };

		page.aux_head = head + n;
		assert_int_equal(pt_ring_aux(&ring, collect, &c), n);
		assert_int_equal(c.first_offset, head);
		for (uint64_t k = 0; k < n; k++)
			assert_int_equal(c.bytes[k], (uint8_t)(head + k));
		head += n;
		assert_int_equal(page.aux_tail, head);
	}
	for (unsigned i = 0; i < 200; i++) {
		const uint16_t size = (uint16_t)(8 + i * 8 % 56);
		struct collected c = { .size = 0 };

		put_record(data, page.data_head, size, (uint8_t)i);
		page.data_head += size;
		assert_int_equal(pt_ring_records(&ring, collect, &c), 1);
		assert_int_equal(c.size, size);
		assert_int_equal(page.data_tail, page.data_head);
	}
	page.data_head += sizeof(data); /* as full as can be: nothing but records of 64 bytes */
	for (unsigned i = 0; i < 4; i++)
		put_record(data, page.data_tail + 64 * i, 64, 9);
	assert_int_equal(pt_ring_records(&ring, collect, &(struct collected){ .size = 0 }), 4);
}

/* ------------------------------------------------------------------ the recorder on a kernel of our own */

#define FAKE_CPUS 2
#define PAGE 4096u

static struct fake {
	unsigned opened, closed, disabled, enabled;
	size_t aux_limit; /* larger mappings are refused, as beyond the locked-memory limit */
	int aux_prot;
	void *base[16], *aux[16]; /* by descriptor */
	size_t aux_size[16];
	unsigned mapped;
} fake;

static int fake_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	assert_true(attr->size == sizeof(*attr) && attr->enable_on_exec && attr->inherit && pid == 0 && group == -1 &&
	            cpu < FAKE_CPUS);
	return (int)++fake.opened; /* descriptors 1, 2: PT and sideband of processor 0; 3, 4: of 1 */
}

static void *fake_map(size_t size, int prot, int fd, off_t offset)
{
	void *at;

	if (offset && size > fake.aux_limit) {
		errno = EPERM;
		return MAP_FAILED;
	}
	at = calloc(1, size);
	assert_non_null(at);
	fake.mapped++;
	if (offset) {
		fake.aux[fd] = at;
		fake.aux_size[fd] = size;
		fake.aux_prot = prot;
	} else {
		fake.base[fd] = at;
	}
	return at;
}

static int fake_unmap(void *at, size_t size)
{
	(void)size;
	free(at);
	fake.mapped--;
	return 0;
}

/* Stopping the events is what makes the kernel hand over the last bytes. */
static int fake_control(int fd, unsigned long request, void *arg)
{
	struct perf_event_mmap_page *page = fake.base[fd];

	if (request == PERF_EVENT_IOC_ID) {
		*(uint64_t *)arg = (uint64_t)fd + 100;
	} else if (request == PERF_EVENT_IOC_DISABLE) {
		uint8_t *aux = fake.aux[fd];

		fake.disabled++;
		memset(aux, fd, fake.aux_size[fd]);
		aux[0] = 0x77;
		aux[1] = (uint8_t)fake.disabled; /* each time something else */
		page->aux_head = fake.aux_prot & PROT_WRITE
		                     ? 16
		                     : 1; /* a ring that has gone round: only the position in it is known */
	} else if (request == PERF_EVENT_IOC_ENABLE) {
		fake.enabled++;
	}
	return 0;
}

static int fake_close(int fd)
{
	(void)fd;
	fake.closed++;
	return 0;
}

static long fake_cpus(void)
{
	return FAKE_CPUS;
}

static const struct pt_sys fake_kernel = { fake_open, fake_map, fake_unmap, fake_control, fake_close, fake_cpus };
static const struct pt_driver fake_driver = { .type = 8, .tsc_bit = 1 << 10, .pt_bit = 1, .branch_bit = 1 << 13 };

/* The perf.data file `path`; it is removed. */
static void read_back(const char *path, struct vtb_perf_data *ret, char **ret_bytes)
{
	struct vtb_error err = { 0 };
	FILE *file = fopen(path, "rb");
	long size;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	*ret_bytes = malloc((size_t)size);
	assert_int_equal(fread(*ret_bytes, 1, (size_t)size, file), size);
	fclose(file);
	unlink(path);
	*ret = (struct vtb_perf_data){ 0 };
	assert_int_equal(vtb_perf_read_bytes(*ret_bytes, (size_t)size, ret, &err), 0);
}

static void record_and_read(bool snapshot, struct vtb_perf_data *ret, char **ret_bytes)
{
	char path[] = "/tmp/vtb-recorder-XXXXXX";
	struct pt_recorder *rec = NULL;
	struct vtb_error err = { 0 };

	close(mkstemp(path));
	assert_int_equal(pt_recorder_new(&fake_kernel, &fake_driver, snapshot, &rec, &err), 0);
	assert_int_equal(pt_recorder_file(rec, path, &err), 0);
	assert_int_equal(pt_recorder_start(rec, &err), 0);
	assert_true(pt_recorder_finish(rec) > 0);
	pt_recorder_free(rec);
	read_back(path, ret, ret_bytes);
}

static void all_processors_are_recorded_up_to_their_last_byte(void **state)
{
	struct vtb_perf_data data;
	char *bytes;

	(void)state;
	fake = (struct fake){ .aux_limit = 64 * PAGE }; /* less than is asked for at first */
	record_and_read(false, &data, &bytes);
	assert_int_equal(fake.opened, 2 * FAKE_CPUS);
	assert_int_equal(fake.closed, 2 * FAKE_CPUS);
	assert_int_equal(fake.disabled, FAKE_CPUS);
	assert_int_equal(fake.mapped, 0);
	assert_int_equal(fake.aux_size[1], 64 * PAGE);
	assert_true(fake.aux_prot & PROT_WRITE);
	assert_false(data.snapshot);
	assert_int_equal(data.n_chunks, FAKE_CPUS);
	for (unsigned i = 0; i < FAKE_CPUS; i++) {
		assert_int_equal(data.chunks[i].cpu, i);
		assert_int_equal(data.chunks[i].size, 16);
		assert_int_equal(data.chunks[i].data[0], 0x77);
		assert_int_equal(data.chunks[i].data[15], 2 * i + 1);
	}
	vtb_perf_fini(&data);
	free(bytes);
}

static void a_snapshot_holds_each_ring_oldest_byte_first(void **state)
{
	struct vtb_perf_data data;
	char *bytes;

	(void)state;
	fake = (struct fake){ .aux_limit = SIZE_MAX };
	record_and_read(true, &data, &bytes);
	assert_false(fake.aux_prot & PROT_WRITE);
	assert_true(data.snapshot);
	assert_int_equal(data.n_chunks, FAKE_CPUS);
	assert_int_equal(data.chunks[1].size, fake.aux_size[3]);
	assert_int_equal(data.chunks[1].data[0], 2); /* stopped second; the oldest byte */
	assert_int_equal(data.chunks[1].data[1], 3);
	assert_int_equal(data.chunks[1].data[data.chunks[1].size - 1], 0x77);
	vtb_perf_fini(&data);
	free(bytes);
}

/* Two dumps while it runs, then the end: three files, each with the rings as they were and a sideband of its own. */
static void a_snapshot_is_dumped_on_demand_and_goes_on(void **state)
{
	char dir[] = "/tmp/vtb-dump-XXXXXX", path[64];
	struct pt_recorder *rec = NULL;
	struct vtb_error err = { 0 };
	struct vtb_perf_data data;
	char *bytes;

	(void)state;
	fake = (struct fake){ .aux_limit = SIZE_MAX };
	assert_non_null(mkdtemp(dir));
	assert_int_equal(pt_recorder_new(&fake_kernel, &fake_driver, true, &rec, &err), 0);
	snprintf(path, sizeof(path), "%s/perf.data", dir);
	assert_int_equal(pt_recorder_file(rec, path, &err), 0);
	assert_int_equal(pt_recorder_dump(rec, dir), -EINVAL); /* nothing runs yet */
	assert_int_equal(pt_recorder_start(rec, &err), 0);
	assert_int_equal(pt_recorder_dump(rec, "/nonexistent"), -ENOENT);
	assert_int_equal(pt_recorder_dump(rec, dir), 1);
	assert_int_equal(fake.enabled, 2 * FAKE_CPUS); /* trace and sideband go on */
	assert_int_equal(pt_recorder_dump(rec, dir), 2);
	assert_true(pt_recorder_finish(rec) > 0);
	pt_recorder_free(rec);
	assert_int_equal(fake.disabled, 3 * FAKE_CPUS);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), i < 2 ? "%s/dump-%u.data" : "%s/perf.data", dir, i + 1);
		read_back(path, &data, &bytes);
		assert_true(data.has_pt && data.snapshot);
		assert_int_equal(data.n_attrs, 2);
		assert_int_equal(data.n_chunks, FAKE_CPUS);
		for (unsigned k = 0; k < FAKE_CPUS; k++)
			assert_int_equal(data.chunks[k].data[0], i * FAKE_CPUS + k + 1);
		vtb_perf_fini(&data);
		free(bytes);
	}
	assert_int_equal(rmdir(dir), 0); /* and nothing else */
}

static void too_little_lockable_memory_is_an_error_that_names_the_limit(void **state)
{
	struct pt_recorder *rec = NULL;
	struct vtb_error err = { 0 };

	(void)state;
	fake = (struct fake){ .aux_limit = 4 * PAGE };
	assert_int_equal(pt_recorder_new(&fake_kernel, &fake_driver, false, &rec, &err), -VTB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "locked-memory"));
	assert_int_equal(fake.mapped, 0);
	assert_int_equal(fake.closed, fake.opened);
}

static void what_is_missing_is_said_exactly(void **state)
{
	struct vtb_error err = { 0 };

	(void)state;
	assert_int_equal(pt_event_why(EACCES, false, &err), -VTB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "perf_event_paranoid"));
	pt_event_why(EPERM, true, &err);
	assert_non_null(strstr(err.text, "locked-memory"));
	pt_event_why(EBUSY, false, &err);
	assert_non_null(strstr(err.text, "in use"));
	if (access("/sys/bus/event_source/devices/intel_pt", F_OK) == 0)
		return; /* this machine has it: whatever it says is right here */
	err.text[0] = 0;
	assert_int_equal(vtb_pt_available(&err), -VTB_E_UNSUPPORTED);
	assert_non_null(strstr(err.text, "Intel PT"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_events_are_those_that_perf_itself_would_open),
		cmocka_unit_test(records_are_read_over_the_ring_s_end),
		cmocka_unit_test(a_full_trace_is_read_piece_by_piece),
		cmocka_unit_test(a_snapshot_begins_with_the_oldest_byte),
		cmocka_unit_test(the_file_is_read_back_by_the_perf_data_reader),
		cmocka_unit_test(pieces_of_any_length_are_put_together),
		cmocka_unit_test(what_was_not_stored_is_lost_at_its_place),
		cmocka_unit_test(rings_are_read_up_to_their_very_end),
		cmocka_unit_test(all_processors_are_recorded_up_to_their_last_byte),
		cmocka_unit_test(a_snapshot_holds_each_ring_oldest_byte_first),
		cmocka_unit_test(a_snapshot_is_dumped_on_demand_and_goes_on),
		cmocka_unit_test(too_little_lockable_memory_is_an_error_that_names_the_limit),
		cmocka_unit_test(what_is_missing_is_said_exactly),
	};

	return cmocka_run_group_tests_name("pt_ring", tests, NULL, NULL);
}
