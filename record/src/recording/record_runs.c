/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/record.h"

#include "backend.h"
#include "meta.h"
#include "recording_dir.h"
#include "run_watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct vtb_backend *const backends[] = { &vtb_backend_rt, &vtb_backend_pt, &vtb_backend_step,
	                                              &vtb_backend_qemu };
#define N_BACKENDS (sizeof(backends) / sizeof(backends[0]))

const char *vtb_record_status_name(enum vtb_record_status status)
{
	static const char *const names[] = { "running", "ended", "timeout", "interrupted" };

	return (unsigned)status < sizeof(names) / sizeof(names[0]) ? names[status] : "?";
}

static int find_backend(const char *name, const struct vtb_backend **ret, struct vtb_error *err)
{
	for (size_t i = 0; i < N_BACKENDS; i++)
		if (!name || !strcmp(name, backends[i]->name)) {
			*ret = backends[i];
			return 0;
		}
	return vtb_error_set(err, -EINVAL, NULL, 0, "no recording backend is called \"%s\"", name);
}

static uint64_t realtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* All runs of one vtb_record_run(). */
struct recorder {
	const struct vtb_record_opts *opts;
	const struct vtb_backend *backend;
	struct vtb_target target;
	struct vtb_record_result *result;
	uint64_t started_ns;
};

/* -ENOENT and the like are about the program alone: what happens to our own files must not look so. */
static int file_trouble(int r)
{
	return r < 0 && vtb_target_exit_code(r) != 125 ? -EIO : r;
}

/* From nothing to a running program in a published directory. */
static int begin(struct recorder *rec, struct vtb_run *run, struct recording_dir *dir, struct vtb_error *err)
{
	int r = vtb_recording_dir_open(dir, rec->opts->output ? rec->opts->output : "run.vtb", err);

	if (r < 0)
		return file_trouble(r);
	run->dir = dir->path;
	run->temp = dir->temp;
	rec->started_ns = realtime_ns();
	r = vtb_meta_write(dir->temp, rec->opts, &rec->target, rec->started_ns, NULL, err);
	if (r >= 0)
		r = rec->backend->prepare(run, err);
	if (r >= 0)
		r = vtb_recording_dir_publish(dir, err);
	if (r < 0)
		return file_trouble(r);
	return rec->backend->start(run, err);
}

static int end(struct recorder *rec, struct vtb_run *run, struct vtb_error *err)
{
	struct vtb_record_result *res = rec->result;
	int r;

	res->left_behind = vtb_child_end(&run->child);
	r = rec->backend->finish(run, res, err);
	if (r < 0)
		return r;
	return vtb_meta_write(run->dir, rec->opts, &rec->target, rec->started_ns, res, err);
}

static int record_once(struct recorder *rec, struct vtb_error *err)
{
	struct vtb_run run = { .opts = rec->opts, .target = &rec->target, .block = VTB_BLOCK_EMPTY };
	char final[PATH_MAX] = "";
	struct recording_dir dir;
	int r = begin(rec, &run, &dir, err);

	if (r >= 0) {
		memcpy(final, dir.path, sizeof(final));
		run.dir = final;
		vtb_recording_dir_settle(&dir); /* the program runs: the old recording may go */
		vtb_watch(&run, rec->backend, rec->result);
		r = file_trouble(end(rec, &run, err));
	}
	vtb_recording_dir_withdraw(&dir);
	vtb_child_end(&run.child);
	rec->backend->release(&run);
	return r;
}

static int record_all(struct recorder *rec, struct vtb_error *err)
{
	const uint32_t runs = rec->opts->repeat ? rec->opts->repeat : 1;
	int r = 0;

	for (uint32_t i = 0; i < runs && r >= 0; i++) {
		*rec->result = (struct vtb_record_result){ .runs = i + 1 };
		r = record_once(rec, err);
		rec->result->failed = rec->result->exit_code != 0;
		if (rec->result->status == VTB_RECORD_INTERRUPTED || (rec->opts->until_fail && rec->result->failed))
			break;
	}
	return r;
}

int vtb_record_run(const struct vtb_record_opts *opts, struct vtb_record_result *ret, struct vtb_error *err)
{
	struct vtb_record_result result = { 0 };
	struct recorder rec = { .opts = opts, .result = &result };
	int r = find_backend(opts->backend, &rec.backend, err);

	if (r < 0)
		return r;
	r = vtb_target_find(opts->argv[0], NULL, &rec.target, err);
	if (r < 0)
		return r;
	if (rec.target.refusal[0])
		r = vtb_error_set(err, -VTB_E_TARGET, rec.target.path, 0, "%s", rec.target.refusal);
	else if (rec.backend->check)
		r = rec.backend->check(&rec.target, err);
	if (r >= 0) {
		vtb_watch_begin();
		r = record_all(&rec, err);
		vtb_watch_end();
	}
	vtb_target_fini(&rec.target);
	if (r >= 0)
		*ret = result;
	return r;
}
