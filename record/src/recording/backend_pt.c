/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Backend pt: the processor records control flow (DIR/perf.data, written by a thread of ours while the program runs),
 * the preloaded runtime records synchronisation and allocation as for backend rt.
 *
 * The events are opened on this thread before the program is started: it inherits them, its exec switches them on, and
 * everything that it and its threads do lands in the buffers of the CPUs, which stay with us.
 */
#include <cpuid.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "pt_recorder.h"
#include "vtb/pt_record_hw.h"

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
		return vtb_error_set(
		    err, -VTB_E_UNSUPPORTED, NULL, 0,
		    "this processor has no Intel PT (it is not an Intel one)%s; use --backend=step or --backend=rt",
		    in_vm);
	if (!has)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, NULL, 0,
		                     "this processor does not offer Intel PT%s; use --backend=step or --backend=rt",
		                     in_vm);
	return vtb_error_set(
	    err, -VTB_E_UNSUPPORTED, NULL, 0,
	    "the processor has Intel PT, but the kernel has no driver for it (CONFIG_CPU_SUP_INTEL, perf events)");
}

int vtb_pt_available(struct vtb_error *err)
{
	struct pt_driver driver;

	if (pt_driver_read("/sys", &driver, NULL) < 0)
		return why_no_driver(err);
	return pt_recorder_try(&pt_sys_kernel, &driver, err);
}

static int check(const struct vtb_target *target, struct vtb_error *err)
{
	(void)target;
	return vtb_pt_available(err);
}

/* ------------------------------------------------------------------ the backend */

/* The runtime logs synchronisation and allocation only: the accesses come from the packets. */
static struct vtb_record_opts sync_only(const struct vtb_run *run)
{
	struct vtb_record_opts opts = *run->opts;

	opts.sync_only = true;
	return opts;
}

/* The code that the kernel puts into every process: the same in ours. */
static int save_vdso(const char *dir)
{
	char line[256], path[PATH_MAX + 16];
	FILE *maps = fopen("/proc/self/maps", "re"), *file;
	unsigned long lo = 0, hi = 0;
	int r = 0;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]") && sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			break;
	if (maps)
		fclose(maps);
	if (hi <= lo)
		return 0;
	snprintf(path, sizeof(path), "%s/vdso.bin", dir);
	file = fopen(path, "wbe");
	if (!file)
		return -errno;
	if (fwrite((const void *)lo, 1, hi - lo, file) != hi - lo)
		r = -EIO;
	return fclose(file) == 0 ? r : -EIO;
}

static int prepare(struct vtb_run *run, struct vtb_error *err)
{
	const struct vtb_record_opts *keep = run->opts;
	const struct vtb_record_opts opts = sync_only(run);
	struct pt_driver driver;
	struct pt_recorder *rec = NULL;
	char path[PATH_MAX + 16];
	int r = pt_driver_read("/sys", &driver, err);

	if (r >= 0)
		r = pt_recorder_new(&pt_sys_kernel, &driver, run->opts->snapshot, &rec, err);
	if (r < 0)
		return r;
	run->state = rec;
	snprintf(path, sizeof(path), "%s/perf.data", run->temp);
	r = pt_recorder_file(rec, path, err);
	if (r < 0)
		return r;
	r = save_vdso(run->temp);
	if (r < 0)
		return vtb_error_set(err, r, run->temp, 0, "cannot write vdso.bin: %s", vtb_strerror(r));
	run->opts = &opts;
	r = vtb_backend_rt.prepare(run, err);
	run->opts = keep;
	return r;
}

static int start(struct vtb_run *run, struct vtb_error *err)
{
	const int r = pt_recorder_start(run->state, err);

	return r < 0 ? r : vtb_backend_rt.start(run, err);
}

static int finish(struct vtb_run *run, struct vtb_record_result *res, struct vtb_error *err)
{
	const int64_t bytes = pt_recorder_finish(run->state);
	int r;

	if (bytes < 0)
		return vtb_error_set(err, (int)bytes, run->dir, 0, "the trace could not be written completely: %s",
		                     vtb_strerror((int)bytes));
	r = vtb_backend_rt.finish(run, res, err);
	res->bytes += (uint64_t)bytes;
	return r;
}

static void poll_progress(struct vtb_run *run, struct vtb_record_progress *p)
{
	vtb_backend_rt.poll(run, p);
}

static int dump(struct vtb_run *run)
{
	return pt_recorder_dump(run->state, run->dir);
}

static void release(struct vtb_run *run)
{
	pt_recorder_free(run->state);
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
	.dump = dump,
	.finish = finish,
	.release = release,
};
