/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backend rt: libvtb-rt.so in the program, which runs freely and writes its events itself. */
#include "backend.h"
#include "vtb/call_sites.h"
#include "vtb/records.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRINGS_BYTES (4u << 20)

/* Where the program calls hooks, for the runtime to shorten the way; without it all is recorded, too, but slower. */
static int make_block(struct vtb_run *run, const char *path, struct vtb_error *err)
{
	struct vtb_block_layout layout = { .modules = VTB_WIRE_MODULES_MAX,
		                           .threads = VTB_WIRE_THREADS_MAX,
		                           .strings = STRINGS_BYTES };
	struct vtb_call_sites sites = { 0 };
	int r;

	if (!run->opts->sync_only && vtb_call_sites_find(run->target->image, &sites, NULL) >= 0 &&
	    sites.n_sites <= VTB_WIRE_SITES_MAX)
		layout.sites = (uint32_t)sites.n_sites;
	r = vtb_block_create(path, &layout, &run->block, err);
	if (r >= 0 && layout.sites) {
		memcpy((char *)run->block.header + run->block.areas.sites.offset, sites.sites,
		       sites.n_sites * sizeof(*sites.sites));
		run->block.header->sites.used = sites.n_sites;
	}
	vtb_call_sites_fini(&sites);
	return r;
}

static int prepare(struct vtb_run *run, struct vtb_error *err)
{
	char path[PATH_MAX + 16];
	int r;

	snprintf(path, sizeof(path), "%s/process.vtb", run->temp);
	r = make_block(run, path, err);
	if (r < 0)
		return r;
	run->block.header->mode = VTB_MODE_RECORD;
	run->block.header->options = VTB_OPT_VALUES | VTB_OPT_REAL_TIME | (run->opts->sync_only ? 0 : VTB_OPT_ACCESSES);
	run->block.header->max_bytes = run->opts->max_bytes;
	return 0;
}

static int start(struct vtb_run *run, struct vtb_error *err)
{
	struct vtb_runtime_paths runtime;
	char path[PATH_MAX + 16];
	struct vtb_launch launch = {
		.target = run->target,
		.argv = run->opts->argv,
		.runtime = &runtime,
		.block_fd = -1,
		.block_path = path,
		.stdio = { -1, -1, -1 },
		.fds = { -1 },
		.foreground = true,
	};
	int r = vtb_runtime_find(&runtime, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/process.vtb", run->dir);
	r = vtb_launch_start(&launch, &run->child, err);
	vtb_runtime_paths_fini(&runtime);
	return r;
}

static bool is_event_file(const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(name, "thread-", 7) && n > 5 && !strcmp(name + n - 5, ".vtbe");
}

/* An event file: what is stored where it belongs, and what is in its tail. */
struct event_file {
	struct vtb_stream_header header;
	uint64_t stored, in_tail;
	uint64_t *tail; /* owned; NULL: none */
};

/* False if it makes no sense, or there is no memory. */
static bool read_file(int fd, struct event_file *f)
{
	struct vtb_stream_header *h = &f->header;
	struct stat st;

	*f = (struct event_file){ .tail = NULL };
	if (pread(fd, h, sizeof(*h), 0) != sizeof(*h) || memcmp(h->magic, VTB_STREAM_MAGIC, sizeof(h->magic)) ||
	    fstat(fd, &st) < 0 || h->which > 1 || h->header_size > (uint64_t)st.st_size)
		return false;
	f->stored = h->tail ? h->stored[h->which].bytes : h->used;
	if (f->stored > (uint64_t)st.st_size - h->header_size || (uint64_t)h->tail + h->tail_size > h->header_size)
		return false;
	if (!h->tail)
		return true;
	f->tail = malloc(h->tail_size + 1ul);
	if (f->tail && pread(fd, f->tail, h->tail_size, h->tail) == (ssize_t)h->tail_size)
		f->in_tail = vtb_records_in_tail(h, f->tail);
	return f->tail && f->in_tail != UINT64_MAX;
}

/* The process has ended: its tail goes where it belongs, and what lies behind is cut off. If that fails, readers find
 * the tail where it is. */
static void settle_file(int fd, struct event_file *f)
{
	struct vtb_stream_header *h = &f->header;

	if (f->in_tail && pwrite(fd, f->tail, f->in_tail, (off_t)(h->header_size + f->stored)) != (ssize_t)f->in_tail)
		return;
	h->used = f->stored + f->in_tail;
	h->tail = h->tail_size = h->which = h->more = 0;
	memset(h->stored, 0, sizeof(h->stored));
	if (pwrite(fd, h, sizeof(*h), 0) == sizeof(*h) && ftruncate(fd, (off_t)(h->header_size + h->used)) < 0)
		return; /* left longer than need be: no harm */
}

/* Sum of the event files; with `trim`, each gets its final form. */
static uint64_t event_bytes(const char *dir_name, bool trim)
{
	DIR *dir = opendir(dir_name);
	struct dirent *d;
	uint64_t sum = 0;

	while (dir && (d = readdir(dir))) {
		struct event_file f;
		int fd = is_event_file(d->d_name)
		             ? openat(dirfd(dir), d->d_name, (trim ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW)
		             : -1;

		if (fd < 0)
			continue;
		if (read_file(fd, &f)) {
			sum += f.stored + f.in_tail;
			if (trim && f.stored + f.in_tail)
				settle_file(fd, &f);
		}
		free(f.tail);
		close(fd);
	}
	if (dir)
		closedir(dir);
	return sum;
}

static void poll_progress(struct vtb_run *run, struct vtb_record_progress *p)
{
	vtb_block_threads(&run->block, &p->threads);
	p->bytes = event_bytes(run->dir, false);
}

/* One sentence on what is missing, the weightiest reason first. */
static void say_what_is_missing(const struct vtb_run *run, struct vtb_record_result *res)
{
	const struct vtb_wire_header *h = run->block.header;

	if (!res->attached)
		snprintf(res->note, sizeof(res->note),
		         "nothing was recorded: the runtime did not come to life in the program (did it start another "
		         "program, or change LD_PRELOAD?)");
	else if (h->trouble[0])
		snprintf(res->note, sizeof(res->note), "the runtime cannot work fully here: %.*s",
		         (int)sizeof(h->trouble) - 1, h->trouble);
	else if (res->hooks & VTB_HOOK_REAL_TSAN)
		snprintf(res->note, sizeof(res->note),
		         "only synchronisation was recorded: the real sanitizer runtime was loaded as well and got the "
		         "memory accesses");
	else if (res->lost)
		snprintf(res->note, sizeof(res->note),
		         "%llu events were not stored (limit or full disk); the recording says where",
		         (unsigned long long)res->lost);
	else if (run->target->script && !res->threads)
		snprintf(res->note, sizeof(res->note), "%s", run->target->advice);
	else if (run->opts->sync_only)
		snprintf(res->note, sizeof(res->note), "only synchronisation was recorded, as asked");
	else if (!(res->hooks & (VTB_HOOK_TSAN | VTB_HOOK_PADS)))
		snprintf(res->note, sizeof(res->note),
		         "only synchronisation was recorded, no memory accesses: build the program with "
		         "-fsanitize=thread (any gcc; clang: and -shared-libsan) or with `vtb cc`");
	else if (run->target->advice[0])
		snprintf(res->note, sizeof(res->note), "%s", run->target->advice);
}

static int finish(struct vtb_run *run, struct vtb_record_result *res, struct vtb_error *err)
{
	const struct vtb_wire_header *h = run->block.header;
	char compact[PATH_MAX + 32], path[PATH_MAX + 16];
	int r;

	res->attached = h->pid != 0;
	res->hooks = h->hooks;
	res->uncontrolled = h->uncontrolled;
	res->accesses = h->accesses;
	res->lost = h->lost;
	vtb_block_threads(&run->block, &res->threads);
	res->bytes = event_bytes(run->dir, true);
	say_what_is_missing(run, res);
	snprintf(path, sizeof(path), "%s/process.vtb", run->dir);
	snprintf(compact, sizeof(compact), "%s/process.vtb.new", run->dir);
	r = vtb_block_write_compact(&run->block, compact, err);
	if (r >= 0 && rename(compact, path) < 0)
		r = vtb_error_set(err, -errno, path, 0, "cannot write the process block: %s", vtb_strerror(-errno));
	return r;
}

static void release(struct vtb_run *run)
{
	vtb_block_close(&run->block);
}

const struct vtb_backend vtb_backend_rt = {
	.name = "rt",
	.help = "the runtime in the program: synchronisation, and memory accesses of programs built with "
	        "-fsanitize=thread or vtb cc",
	.prepare = prepare,
	.start = start,
	.poll = poll_progress,
	.finish = finish,
	.release = release,
};
