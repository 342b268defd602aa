/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pt_recorder.h"

#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pt_file.h"

#define DATA_PAGES 64u  /* sideband of one CPU: 256 KiB */
#define AUX_PAGES 1024u /* trace of one CPU: 4 MiB, halved until the limit allows it */
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
	const struct pt_sys *sys;
	bool snapshot;
	struct pt_driver driver;
	struct perf_event_attr attrs[2];
	struct cpu *cpus;
	size_t n_cpus;
	FILE *file;
	FILE *trace_file; /* where trace goes: `file`, or a dump */
	unsigned n_dumps;
	pthread_mutex_t busy; /* reading the buffers, writing the files */
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

static void *map(size_t size, int prot, int fd, off_t offset)
{
	return mmap(NULL, size, prot, MAP_SHARED, fd, offset);
}

static int control(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg);
}

static long cpus(void)
{
	return sysconf(_SC_NPROCESSORS_CONF);
}

const struct pt_sys pt_sys_kernel = {
	.open_event = open_event, .map = map, .unmap = munmap, .control = control, .close = close, .cpus = cpus
};

/* Try it on this thread. */
int pt_recorder_try(const struct pt_sys *sys, const struct pt_driver *driver, struct vtb_error *err)
{
	struct perf_event_attr pt, side;
	struct perf_event_mmap_page *page;
	const long page_size = sysconf(_SC_PAGESIZE);
	int fd, r = 0;

	pt_event_attrs(driver, &pt, &side);
	pt.inherit = 0;
	fd = sys->open_event(&pt, 0, -1, -1);
	if (fd < 0)
		return pt_event_why(errno, false, err);
	page = sys->map((size_t)(2 * page_size), PROT_READ | PROT_WRITE, fd, 0);
	if (page == MAP_FAILED) {
		r = pt_event_why(errno, true, err);
	} else {
		void *aux;

		page->aux_offset = (uint64_t)(2 * page_size);
		page->aux_size = AUX_PAGES_MIN * (uint64_t)page_size;
		aux = sys->map(page->aux_size, PROT_READ | PROT_WRITE, fd, (off_t)page->aux_offset);
		if (aux == MAP_FAILED)
			r = pt_event_why(errno, true, err);
		else
			sys->unmap(aux, page->aux_size);
		sys->unmap(page, (size_t)(2 * page_size));
	}
	sys->close(fd);
	return r;
}

/* ------------------------------------------------------------------ buffers */

/* A ring that we may not write to is one that the kernel overwrites: the snapshot. */
static int map_cpu(const struct pt_recorder *rec, struct cpu *c, uint64_t page_size, struct vtb_error *err)
{
	struct perf_event_mmap_page *page;

	c->base_size = (1 + DATA_PAGES) * page_size;
	c->base = rec->sys->map(c->base_size, PROT_READ | PROT_WRITE, c->fd, 0);
	if (c->base == MAP_FAILED) {
		c->base = NULL;
		return pt_event_why(errno, true, err);
	}
	page = c->base;
	for (uint64_t pages = AUX_PAGES; pages >= AUX_PAGES_MIN && !c->aux; pages /= 2) {
		page->aux_offset = c->base_size;
		page->aux_size = c->aux_size = pages * page_size;
		c->aux = rec->sys->map(c->aux_size, rec->snapshot ? PROT_READ : PROT_READ | PROT_WRITE, c->fd,
		                       (off_t)c->base_size);
		if (c->aux == MAP_FAILED)
			c->aux = NULL;
	}
	if (!c->aux)
		return pt_event_why(errno, true, err);
	c->ring = (struct pt_ring){ .page = page,
		                    .data = (uint8_t *)c->base + page_size,
		                    .data_size = DATA_PAGES * page_size,
		                    .aux = c->aux,
		                    .aux_size = c->aux_size,
		                    .overwrite = rec->snapshot };
	return 0;
}

static int open_cpu(struct pt_recorder *rec, struct cpu *c, struct vtb_error *err)
{
	int r;

	c->recorder = rec;
	c->fd = rec->sys->open_event(&rec->attrs[0], 0, (int)c->number, -1);
	if (c->fd < 0)
		return pt_event_why(errno, false, err);
	r = map_cpu(rec, c, (uint64_t)sysconf(_SC_PAGESIZE), err);
	if (r < 0)
		return r;
	c->side_fd = rec->sys->open_event(&rec->attrs[1], 0, (int)c->number, -1);
	if (c->side_fd < 0 || rec->sys->control(c->side_fd, PERF_EVENT_IOC_SET_OUTPUT, (void *)(intptr_t)c->fd) < 0)
		return pt_event_why(errno, false, err);
	return 0;
}

static int open_cpus(struct pt_recorder *rec, struct vtb_error *err)
{
	const long n = rec->sys->cpus();

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

static void stop_draining(struct pt_recorder *rec)
{
	if (!rec->running)
		return;
	atomic_store(&rec->stop, true);
	pthread_join(rec->thread, NULL);
	rec->running = false;
}

void pt_recorder_free(struct pt_recorder *rec)
{
	if (!rec)
		return;
	stop_draining(rec);
	for (size_t i = 0; i < rec->n_cpus; i++) {
		struct cpu *c = &rec->cpus[i];

		if (c->aux)
			rec->sys->unmap(c->aux, c->aux_size);
		if (c->base)
			rec->sys->unmap(c->base, c->base_size);
		if (c->side_fd >= 0)
			rec->sys->close(c->side_fd);
		if (c->fd >= 0)
			rec->sys->close(c->fd);
	}
	if (rec->file)
		fclose(rec->file);
	pthread_mutex_destroy(&rec->busy);
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
	return pt_file_trace(c->recorder->trace_file, bytes, size, offset, c->number);
}

/* `last`: the events have stopped. A snapshot's rings are read then only. */
static int drain(struct pt_recorder *rec, bool last)
{
	int64_t r = 0;

	for (size_t i = 0; r >= 0 && i < rec->n_cpus; i++) {
		r = pt_ring_records(&rec->cpus[i].ring, write_record, rec->file);
		if (r >= 0 && (last || !rec->snapshot))
			r = pt_ring_aux(&rec->cpus[i].ring, write_trace, &rec->cpus[i]);
	}
	return r < 0 ? (int)r : 0;
}

static void *drain_loop(void *arg)
{
	struct pt_recorder *rec = arg;
	const struct timespec nap = { .tv_nsec = DRAIN_MSEC * 1000000L };

	while (!atomic_load(&rec->stop) && atomic_load(&rec->error) == 0) {
		int r;

		pthread_mutex_lock(&rec->busy);
		r = drain(rec, false);
		pthread_mutex_unlock(&rec->busy);
		if (r < 0)
			atomic_store(&rec->error, r);
		nanosleep(&nap, NULL);
	}
	return NULL;
}

/* ------------------------------------------------------------------ dumps */

static void switch_events(const struct pt_recorder *rec, unsigned long request)
{
	for (size_t i = 0; i < rec->n_cpus; i++)
		rec->sys->control(rec->cpus[i].fd, request, NULL);
}

/* What the file holds so far, the sideband from the beginning: without it nobody knows what ran when. */
static int copy_so_far(const struct pt_recorder *rec, FILE *to)
{
	uint8_t buf[65536];
	off_t at = 0;
	ssize_t n;

	if (fflush(rec->file) != 0)
		return -errno;
	while ((n = pread(fileno(rec->file), buf, sizeof(buf), at)) > 0) {
		if (fwrite(buf, 1, (size_t)n, to) != (size_t)n)
			return -EIO;
		at += n;
	}
	return n < 0 ? -errno : 0;
}

static int dump_to(struct pt_recorder *rec, FILE *to)
{
	int r = drain(rec, false);

	if (r >= 0)
		r = copy_so_far(rec, to);
	rec->trace_file = to;
	if (r >= 0)
		r = drain(rec, true);
	rec->trace_file = rec->file;
	return r;
}

/* Switching on again includes the thread that opened the events: ours. The sideband is switched on there, too, so that
 * its flow has an owner. */
int pt_recorder_dump(struct pt_recorder *rec, const char *dir)
{
	char path[PATH_MAX + 32];
	FILE *to;
	int r;

	if (!rec->snapshot || !rec->running)
		return -EINVAL;
	snprintf(path, sizeof(path), "%s/dump-%u.data", dir, rec->n_dumps + 1);
	to = fopen(path, "wbe");
	if (!to)
		return -errno;
	pthread_mutex_lock(&rec->busy);
	switch_events(rec, PERF_EVENT_IOC_DISABLE);
	r = dump_to(rec, to);
	for (size_t i = 0; i < rec->n_cpus; i++)
		rec->sys->control(rec->cpus[i].side_fd, PERF_EVENT_IOC_ENABLE, NULL);
	switch_events(rec, PERF_EVENT_IOC_ENABLE);
	pthread_mutex_unlock(&rec->busy);
	if (fclose(to) != 0 && r >= 0)
		r = -errno;
	if (r < 0) {
		unlink(path);
		return r;
	}
	return (int)++rec->n_dumps;
}

/* ------------------------------------------------------------------ whole */

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
		clock =
		    (struct pt_clock){ .shift = page->time_shift, .mult = page->time_mult, .zero = page->time_zero };
	for (size_t i = 0; r >= 0 && i < rec->n_cpus; i++)
		if (rec->sys->control(rec->cpus[i].fd, PERF_EVENT_IOC_ID, &ids[i]) < 0 ||
		    rec->sys->control(rec->cpus[i].side_fd, PERF_EVENT_IOC_ID, &ids[rec->n_cpus + i]) < 0)
			r = -errno;
	if (r >= 0)
		r = pt_file_begin(rec->file, &rec->driver, rec->attrs, both, rec->n_cpus, &id, &clock, rec->snapshot);
	free(ids);
	return r;
}

int pt_recorder_new(const struct pt_sys *sys, const struct pt_driver *driver, bool snapshot, struct pt_recorder **ret,
                    struct vtb_error *err)
{
	struct pt_recorder *rec = calloc(1, sizeof(*rec));
	int r;

	if (!rec)
		return -ENOMEM;
	rec->sys = sys;
	rec->driver = *driver;
	rec->snapshot = snapshot;
	pthread_mutex_init(&rec->busy, NULL);
	pt_event_attrs(&rec->driver, &rec->attrs[0], &rec->attrs[1]);
	r = open_cpus(rec, err);
	if (r < 0) {
		pt_recorder_free(rec);
		return r;
	}
	*ret = rec;
	return 0;
}

int pt_recorder_file(struct pt_recorder *rec, const char *path, struct vtb_error *err)
{
	int r;

	rec->file = rec->trace_file = fopen(path, "w+be");
	r = rec->file ? begin_file(rec) : -errno;
	return r < 0 ? vtb_error_set(err, r, path, 0, "cannot write: %s", vtb_strerror(r)) : 0;
}

int pt_recorder_start(struct pt_recorder *rec, struct vtb_error *err)
{
	const int r = pthread_create(&rec->thread, NULL, drain_loop, rec);

	if (r != 0)
		return vtb_error_set(err, -r, NULL, 0, "cannot start a thread: %s", strerror(r));
	rec->running = true;
	return 0;
}

int64_t pt_recorder_finish(struct pt_recorder *rec)
{
	int r;

	stop_draining(rec);
	switch_events(rec, PERF_EVENT_IOC_DISABLE); /* so that the kernel hands over what it still has */
	r = atomic_load(&rec->error);
	if (r >= 0)
		r = drain(rec, true); /* what came after the last look, or the snapshot */
	if (rec->file && fclose(rec->file) != 0 && r >= 0)
		r = -errno;
	rec->file = NULL;
	return r < 0 ? r : (int64_t)rec->trace_bytes;
}
