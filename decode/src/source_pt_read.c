/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings of the backends pt and step, and perf.data files. */
#include "source_pt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source.h"
#include "vtb/array.h"
#include "vtb/recover_events.h"
#include "vtb/recording_meta.h"
#include "vtb/signature.h"

#define JOBS_MAX 8u

static unsigned jobs(void)
{
	const long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > (long)JOBS_MAX ? JOBS_MAX : (unsigned)n;
}

static int finish(struct vtb_pt_recording *rec, struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_recover_stats stats;
	int r;

	trace->order = rec->total && !rec->session.errors ? VTB_ORDER_TOTAL : VTB_ORDER_SYNC;
	r = vtb_recover_events(rec, trace, &stats, err);
	return r < 0 ? r : vtb_signature(&trace->outcome, &trace->tab, NULL, 0);
}

/* Per source of packets: where decoding started anew, what it could not decode; per thread: how much it executed. */
static void describe(const struct vtb_pt_session *s, const uint32_t *tids, struct vtb_json_writer *w)
{
	vtb_json_object(w, "pt");
	vtb_json_u64(w, "instructions", s->instructions);
	vtb_json_u64(w, "unowned", s->unowned);
	vtb_json_u64(w, "errors", s->errors);
	vtb_json_array(w, "threads");
	for (size_t i = 0; i < s->n_threads; i++) {
		vtb_json_object_row(w, NULL);
		vtb_json_u64(w, "tid", tids ? tids[s->threads[i].tid] : s->threads[i].tid);
		vtb_json_u64(w, "instructions", s->threads[i].instructions);
		vtb_json_u64(w, "gaps", s->threads[i].gaps);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_array(w, "syncs");
	for (size_t i = 0; i < s->n_syncs; i++) {
		vtb_json_object_row(w, NULL);
		vtb_json_u64(w, "buffer", s->sources[s->syncs[i].source].idx);
		vtb_json_u64(w, "offset", s->syncs[i].offset);
		vtb_json_u64(w, "instructions", s->syncs[i].instructions);
		vtb_json_end(w);
	}
	vtb_json_end(w);
	vtb_json_end(w);
}

static void describe_recording(const char *path, struct vtb_json_writer *w)
{
	struct vtb_pt_recording rec;

	if (vtb_pt_recording_read(path, jobs(), &rec, NULL) < 0)
		return;
	describe(&rec.session, rec.tids, w);
	vtb_pt_recording_fini(&rec);
}

static int read_recording(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_pt_recording rec;
	int r = vtb_pt_recording_read(path, jobs(), &rec, err);

	if (r < 0)
		return r;
	if (source_pt_has(path, "process.vtb")) {
		r = vtb_recover_join(path, &rec, trace, err);
	} else {
		r = vtb_recording_meta(path, trace, err);
		if (r >= 0)
			r = finish(&rec, trace, err);
	}
	vtb_pt_recording_fini(&rec);
	return r;
}

const struct vtb_trace_source vtb_source_pt = {
	.name = "pt",
	.help = "a directory with Intel PT packets (vtb-record --backend=pt or step)",
	.matches = source_pt_matches,
	.read = read_recording,
	.describe = describe_recording,
};

/* ------------------------------------------------------------------ perf.data */

/* What could not be read is a module all the same, so that it is said. */
static int add_absent(struct vtb_pt_recording *rec, const struct vtb_pt_absent *absent)
{
	struct vtb_pt_map map = { .lo = absent->lo, .hi = absent->hi, .perms = "r--p" };
	struct vtb_pt_build build = { .id_size = absent->id_size };

	if (vtb_array_room(rec, maps) < 0 || vtb_array_room(rec, builds) < 0)
		return -ENOMEM;
	map.path = strdup(absent->path);
	build.path = strdup(absent->path);
	memcpy(build.id, absent->id, absent->id_size);
	rec->maps[rec->n_maps] = map;
	rec->n_maps += map.path != NULL;
	rec->builds[rec->n_builds] = build;
	rec->n_builds += build.path != NULL;
	return map.path && build.path ? 0 : -ENOMEM;
}

/* The image's sections stand for the maps; threads get slots in the order of their numbers. */
static int fill_recording(struct vtb_pt_recording *rec)
{
	struct vtb_pt_session *s = &rec->session;
	uint64_t lo, hi, offset;
	const char *path;

	for (size_t i = 0; i < s->n_threads; i++) {
		if (vtb_array_room(rec, tids) < 0)
			return -ENOMEM;
		rec->tids[rec->n_tids++] = s->threads[i].tid;
		s->threads[i].tid = (uint32_t)i;
	}
	for (size_t i = 0; (path = vtb_pt_image_map(s->image, i, &lo, &hi, &offset)); i++) {
		struct vtb_pt_map map = { .lo = lo - offset, .hi = hi, .perms = "r-xp" };

		if (vtb_array_room(rec, maps) < 0)
			return -ENOMEM;
		map.path = strdup(path);
		if (!map.path)
			return -ENOMEM;
		rec->maps[rec->n_maps++] = map;
	}
	for (size_t i = 0; i < s->n_absents; i++)
		if (add_absent(rec, &s->absents[i]) < 0)
			return -ENOMEM;
	return 0;
}

static int read_perf(const char *path, struct vtb_trace *trace, struct vtb_error *err)
{
	const struct vtb_pt_session_opts opts = { .jobs = jobs(), .symfs = getenv("VTB_SYMFS") };
	struct vtb_pt_recording rec = { .dir = strdup(path), .died = VTB_PT_NONE };
	int r = rec.dir ? vtb_pt_session_perf(path, &opts, &rec.session, err) : -ENOMEM;

	free(trace->backend);
	trace->backend = strdup("pt");
	if (r >= 0)
		r = trace->backend ? fill_recording(&rec) : -ENOMEM;
	if (r >= 0)
		r = finish(&rec, trace, err);
	vtb_pt_recording_fini(&rec);
	return r;
}

static void describe_perf(const char *path, struct vtb_json_writer *w)
{
	const struct vtb_pt_session_opts opts = { .jobs = jobs(), .symfs = getenv("VTB_SYMFS") };
	struct vtb_pt_session session;

	if (vtb_pt_session_perf(path, &opts, &session, NULL) < 0)
		return;
	describe(&session, NULL, w);
	vtb_pt_session_fini(&session);
}

const struct vtb_trace_source vtb_source_perf = {
	.name = "perf",
	.help = "a perf.data file or directory with Intel PT (perf record -e intel_pt//u)",
	.matches = source_perf_matches,
	.read = read_perf,
	.describe = describe_perf,
};

/* ------------------------------------------------------------------ both */

static int read_joined(const char *dir, struct vtb_trace *trace, struct vtb_error *err)
{
	struct vtb_pt_session_opts opts = { .jobs = jobs(), .symfs = getenv("VTB_SYMFS") };
	struct vtb_pt_recording rec = { .dir = strdup(dir), .died = VTB_PT_NONE };
	char path[4096], vdso[4096];
	int r;

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	snprintf(vdso, sizeof(vdso), "%s/vdso.bin", dir);
	if (access(vdso, R_OK) == 0)
		opts.vdso = vdso;
	r = rec.dir ? vtb_pt_session_perf(path, &opts, &rec.session, err) : -ENOMEM;
	if (r >= 0)
		r = fill_recording(&rec);
	if (r >= 0)
		r = vtb_recover_join(dir, &rec, trace, err);
	vtb_pt_recording_fini(&rec);
	return r;
}

static void describe_joined(const char *dir, struct vtb_json_writer *w)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/perf.data", dir);
	describe_perf(path, w);
}

const struct vtb_trace_source vtb_source_joined = {
	.name = "pt-runtime",
	.help = "a directory with perf.data and the runtime's log (vtb-record --backend=pt)",
	.matches = source_joined_matches,
	.read = read_joined,
	.describe = describe_joined,
};
