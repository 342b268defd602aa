/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backend pt: the processor records control flow (DIR/perf.data, written by a thread of ours while the program runs), the preloaded runtime
 * records synchronisation and allocation as for backend rt.
 *
 * The events are opened on this thread before the program is started: it inherits them, its exec switches them on, and everything that it
 * and its threads do lands in the buffers of the CPUs, which stay with us.
 */
#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend.h"
#include "pt_event.h"
#include "pt_file.h"
#include "vtb/pt_record_hw.h"

#define DATA_PAGES 64u       /* sideband of one CPU: 256 KiB */
#define AUX_PAGES 1024u      /* trace of one CPU: 4 MiB, halved until the limit allows it */
#define AUX_PAGES_MIN 16u
#define DRAIN_MSEC 20
#define CPUS_MAX 4096u

struct cpu {
	int fd, side_fd;
	uint32_t number;
	void *base, *aux;
	size_t base_size, aux_size;
	struct pt_ring ring;
	struct pt_recorder *recorder;
};

struct pt_recorder {
	struct pt_driver driver;
	struct perf_event_attr attrs[2];
	struct cpu *cpus;
	size_t n_cpus;
	FILE *file;
	pthread_t thread;
	bool running;
	atomic_bool stop;
	atomic_int error;
	uint64_t trace_bytes;
};

static int open_event(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* ------------------------------------------------------------------ is it there? */

static bool has_hypervisor(void)
{
	unsigned a, b, c = 0, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (c >> 31 & 1);
}

static bool cpu_has_pt(bool *ret_intel)
{
	unsigned a = 0, b = 0, c = 0, d = 0;
	char vendor[12];

	__get_cpuid(0, &a, &b, &c, &d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	*ret_intel = !memcmp(vendor, "GenuineIntel", 12);
	b = 0;
	__get_cpuid_count(7, 0, &a, &b, &c, &d);
	return b >> 25 & 1;
}

static int why_no_driver(struct vtb_error *err)
{
	const char *in_vm = has_hypervisor() ? "; this is a virtual machine: its host may have it" : "";
	bool intel;
	const bool has = cpu_has_pt(&intel);

	if (!intel)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0, "this processor has no Intel PT (it is not an Intel one)%s; use --backend=step or --backend=rt", in_vm);
	if (!has)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0, "this processor does not offer Intel PT%s; use --backend=step or --backend=rt", in_vm);
	return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0, "the processor has Intel PT, but the kernel has no driver for it (CONFIG_CPU_SUP_INTEL, perf events)");
}

/* Try it on this thread. */
static int try_event(const struct pt_driver *driver, struct vtb_error *err)
{
	struct perf_event_attr pt, side;
	struct perf_event_mmap_page *page;
	const long page_size = sysconf(_SC_PAGESIZE);
	int fd, r = 0;

	pt_event_attrs(driver, &pt, &side);
	pt.inherit = 0;
	fd = open_event(&pt, 0, -1, -1);
	if (fd < 0)
		return pt_event_why(errno, false, err);
	page = mmap(NULL, (size_t)(2 * page_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		r = pt_event_why(errno, true, err);
	} else {
		void *aux;

		page->aux_offset = (uint64_t)(2 * page_size);
		page->aux_size = AUX_PAGES_MIN * (uint64_t)page_size;
		aux = mmap(NULL, page->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)page->aux_offset);
		if (aux == MAP_FAILED)
			r = pt_event_why(errno, true, err);
		else
			munmap(aux, page->aux_size);
		munmap(page, (size_t)(2 * page_size));
	}
	close(fd);
	return r;
}

int vtb_pt_available(struct vtb_error *err)
{
	struct pt_driver driver;

	if (pt_driver_read("/sys", &driver, NULL) < 0)
		return why_no_driver(err);
	return try_event(&driver, err);
}

static int check(const struct vtb_target *target, struct vtb_error *err)
{
	(void)target;
	return vtb_pt_available(err);
}

/* ------------------------------------------------------------------ buffers */

static int map_cpu(struct cpu *c, uint64_t page_size, struct vtb_error *err)
{
	struct perf_event_mmap_page *page;

	c->base_size = (1 + DATA_PAGES) * page_size;
	c->base = mmap(NULL, c->base_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->base == MAP_FAILED) {
		c->base = NULL;
		return pt_event_why(errno, true, err);
	}
	page = c->base;
	for (uint64_t pages = AUX_PAGES; pages >= AUX_PAGES_MIN && !c->aux; pages /= 2) {
		page->aux_offset = c->base_size;
		page->aux_size = c->aux_size = pages * page_size;
		c->aux = mmap(NULL, c->aux_size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, (off_t)c->base_size);
		if (c->aux == MAP_FAILED)
			c->aux = NULL;
	}
	if (!c->aux)
		return pt_event_why(errno, true, err);
	c->ring = (struct pt_ring){ .page = page, .data = (uint8_t *)c->base + page_size, .data_size = DATA_PAGES * page_size, .aux = c->aux, .aux_size = c->aux_size };
	return 0;
}

static int open_cpu(struct pt_recorder *rec, struct cpu *c, struct vtb_error *err)
{
	int r;

	c->recorder = rec;
	c->fd = open_event(&rec->attrs[0], 0, (int)c->number, -1);
	if (c->fd < 0)
		return pt_event_why(errno, false, err);
	r = map_cpu(c, (uint64_t)sysconf(_SC_PAGESIZE), err);
	if (r < 0)
		return r;
	c->side_fd = open_event(&rec->attrs[1], 0, (int)c->number, -1);
	if (c->side_fd < 0 || ioctl(c->side_fd, PERF_EVENT_IOC_SET_OUTPUT, c->fd) < 0)
		return pt_event_why(errno, false, err);
	return 0;
}

static int open_cpus(struct pt_recorder *rec, struct vtb_error *err)
{
	const long n = sysconf(_SC_NPROCESSORS_CONF);

	rec->cpus = calloc(n > 0 && n <= (long)CPUS_MAX ? (size_t)n : 1, sizeof(*rec->cpus));
	if (!rec->cpus)
		return -ENOMEM;
	for (long i = 0; i < n && i < (long)CPUS_MAX; i++) {
		struct cpu *c = &rec->cpus[rec->n_cpus];
		int r;

		*c = (struct cpu){ .fd = -1, .side_fd = -1, .number = (uint32_t)i };
		r = open_cpu(rec, c, err);
		rec->n_cpus++; /* counted in any case, so that it is closed */
		if (r < 0)
			return r;
	}
	return 0;
}

static void close_recorder(struct pt_recorder *rec)
{
	for (size_t i = 0; i < rec->n_cpus; i++) {
		struct cpu *c = &rec->cpus[i];

		if (c->aux)
			munmap(c->aux, c->aux_size);
		if (c->base)
			munmap(c->base, c->base_size);
		if (c->side_fd >= 0)
			close(c->side_fd);
		if (c->fd >= 0)
			close(c->fd);
	}
	if (rec->file)
		fclose(rec->file);
	free(rec->cpus);
	free(rec);
}

/* ------------------------------------------------------------------ draining */

static int write_record(void *arg, const void *bytes, uint64_t size, uint64_t offset)
{
	(void)offset;
	return pt_file_record(arg, bytes, size);
}

static int write_trace(void *arg, const void *bytes, uint64_t size, uint64_t offset)
{
	struct cpu *c = arg;

	c->recorder->trace_bytes += size;
	return pt_file_trace(c->recorder->file, bytes, size, offset, c->number);
}

static int drain(struct pt_recorder *rec)
{
	int64_t r = 0;

	for (size_t i = 0; r >= 0 && i < rec->n_cpus; i++) {
		r = pt_ring_records(&rec->cpus[i].ring, write_record, rec->file);
		if (r >= 0)
			r = pt_ring_aux(&rec->cpus[i].ring, write_trace, &rec->cpus[i]);
	}
	return r < 0 ? (int)r : 0;
}

static void *drain_loop(void *arg)
{
	struct pt_recorder *rec = arg;
	const struct timespec nap = { .tv_nsec = DRAIN_MSEC * 1000000L };

	while (!atomic_load(&rec->stop) && atomic_load(&rec->error) == 0) {
		const int r = drain(rec);

		if (r < 0)
			atomic_store(&rec->error, r);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

/* ------------------------------------------------------------------ the backend */

static struct pt_cpu_id cpu_id(void)
{
	unsigned a = 0, b, c, d;
	struct pt_cpu_id id;

	__get_cpuid(1, &a, &b, &c, &d);
	id.family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
	id.model = (a >> 4 & 15) | (a >> 12 & 0xf0);
	id.stepping = a & 15;
	return id;
}

static int begin_file(struct pt_recorder *rec)
{
	const struct perf_event_mmap_page *page = rec->cpus[0].base;
	struct pt_clock clock = { 0 };
	const struct pt_cpu_id id = cpu_id();
	uint64_t *ids = calloc(2 * rec->n_cpus, sizeof(*ids));
	const uint64_t *both[2] = { ids, ids ? ids + rec->n_cpus : NULL };
	int r = 0;

	if (!ids)
		return -ENOMEM;
	if (page->cap_user_time_zero)
		clock = (struct pt_clock){ .shift = page->time_shift, .mult = page->time_mult, .zero = page->time_zero };
	for (size_t i = 0; r >= 0 && i < rec->n_cpus; i++)
		if (ioctl(rec->cpus[i].fd, PERF_EVENT_IOC_ID, &ids[i]) < 0 || ioctl(rec->cpus[i].side_fd, PERF_EVENT_IOC_ID, &ids[rec->n_cpus + i]) < 0)
			r = -errno;
	if (r >= 0)
		r = pt_file_begin(rec->file, &rec->driver, rec->attrs, both, rec->n_cpus, &id, &clock, false);
	free(ids);
	return r;
}

/* The runtime logs synchronisation and allocation only: the accesses come from the packets. */
static struct vtb_record_opts sync_only(const struct vtb_run *run)
{
	struct vtb_record_opts opts = *run->opts;

	opts.sync_only = true;
	return opts;
}

static int prepare(struct vtb_run *run, struct vtb_error *err)
{
	const struct vtb_record_opts *keep = run->opts;
	const struct vtb_record_opts opts = sync_only(run);
	struct pt_recorder *rec = calloc(1, sizeof(*rec));
	char path[PATH_MAX + 16];
	int r;

	if (!rec)
		return -ENOMEM;
	run->state = rec;
	r = pt_driver_read("/sys", &rec->driver, err);
	if (r < 0)
		return r;
	pt_event_attrs(&rec->driver, &rec->attrs[0], &rec->attrs[1]);
	r = open_cpus(rec, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/perf.data", run->temp);
	rec->file = fopen(path, "wbe");
	r = rec->file ? begin_file(rec) : -errno;
	if (r < 0)
		return vtb_error_set(err, r, path, 0, "cannot write: %s", vtb_strerror(r));
	run->opts = &opts;
	r = vtb_backend_rt.prepare(run, err);
	run->opts = keep;
	return r;
}

static int start(struct vtb_run *run, struct vtb_error *err)
{
	struct pt_recorder *rec = run->state;
	const int r = pthread_create(&rec->thread, NULL, drain_loop, rec);

	if (r != 0)
		return vtb_error_set(err, -r, NULL, 0, "cannot start a thread: %s", strerror(r));
	rec->running = true;
	return vtb_backend_rt.start(run, err);
}

static void stop_draining(struct pt_recorder *rec)
{
	if (!rec->running)
		return;
	atomic_store(&rec->stop, true);
	pthread_join(rec->thread, NULL);
	rec->running = false;
}

static int finish(struct vtb_run *run, struct vtb_record_result *res, struct vtb_error *err)
{
	struct pt_recorder *rec = run->state;
	int r;

	stop_draining(rec);
	r = atomic_load(&rec->error);
	if (r >= 0)
		r = drain(rec); /* what came after the last look */
	if (fclose(rec->file) != 0 && r >= 0)
		r = -errno;
	rec->file = NULL;
	if (r < 0)
		return vtb_error_set(err, r, run->dir, 0, "the trace could not be written completely: %s", vtb_strerror(r));
	r = vtb_backend_rt.finish(run, res, err);
	res->bytes += rec->trace_bytes;
	return r;
}

static void poll_progress(struct vtb_run *run, struct vtb_record_progress *p)
{
	vtb_backend_rt.poll(run, p);
}

static void release(struct vtb_run *run)
{
	struct pt_recorder *rec = run->state;

	if (rec) {
		stop_draining(rec);
		close_recorder(rec);
	}
	run->state = NULL;
	vtb_backend_rt.release(run);
}

const struct vtb_backend vtb_backend_pt = {
	.name = "pt",
	.help = "Intel PT: the processor records control flow of any program; needs an Intel processor and permission",
	.check = check,
	.prepare = prepare,
	.start = start,
	.poll = poll_progress,
	.finish = finish,
	.release = release,
};
