/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backend qemu: the program runs in QEMU's user mode with our plugin, which writes every memory access
 * (vtb/qemu_record.h). */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend.h"
#include "vtb/argv.h"
#include "vtb/self.h"

#define QEMU "qemu-x86_64"
#define PLUGIN "vtb-qemu.so"

/* $VTB_QEMU_PLUGIN, ../lib/vtb beside our executable, the installation's folder. */
static int find_plugin(char *path, size_t size, struct vtb_error *err)
{
	const char *env = getenv("VTB_QEMU_PLUGIN");
	char beside[PATH_MAX];

	if (env) {
		snprintf(path, size, "%s", env);
		return access(path, R_OK) == 0 ? 0
		                               : vtb_error_set(err, -errno, env, 0, "VTB_QEMU_PLUGIN cannot be read");
	}
	if (vtb_self_beside("../lib/" PLUGIN, beside) && access(beside, R_OK) == 0) {
		snprintf(path, size, "%s", beside);
		return 0;
	}
	snprintf(path, size, VTB_LIBDIR "/" PLUGIN);
	return access(path, R_OK) == 0
	           ? 0
	           : vtb_error_set(err, -VTB_E_TOOL, NULL, 0,
	                           "the QEMU plugin " PLUGIN " is not installed (VTB_QEMU_PLUGIN can name it)");
}

static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	while (path && *path) {
		const size_t n = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, name);
		if (access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}

static int check(const struct vtb_target *target, struct vtb_error *err)
{
	char path[PATH_MAX * 2];

	(void)target;
	if (!in_path(QEMU))
		return vtb_error_set(err, -VTB_E_TOOL, NULL, 0, QEMU " is not installed (package qemu-user)");
	return find_plugin(path, sizeof(path), err);
}

static int prepare(struct vtb_run *run, struct vtb_error *err)
{
	(void)run; /* the plugin writes its files itself */
	(void)err;
	return 0;
}

/* qemu-x86_64 -0 argv[0] -plugin FILE,dir=DIR program arguments... */
static _Noreturn void become_qemu(const struct vtb_run *run, const char *option)
{
	size_t n = vtb_argv_count(run->opts->argv);
	char **argv;
	sigset_t none;

	argv = calloc(n + 8, sizeof(*argv));
	if (!argv)
		_exit(125);
	argv[0] = (char *)(uintptr_t)QEMU;
	argv[1] = (char *)(uintptr_t) "-0";
	argv[2] = run->opts->argv[0];
	argv[3] = (char *)(uintptr_t) "-plugin";
	argv[4] = (char *)(uintptr_t)option;
	argv[5] = (char *)(uintptr_t)run->target->path;
	memcpy(argv + 6, run->opts->argv + 1, n * sizeof(*argv)); /* with the NULL */
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(QEMU, argv);
	_exit(125);
}

static int start(struct vtb_run *run, struct vtb_error *err)
{
	char plugin[PATH_MAX * 2], option[PATH_MAX * 4];
	pid_t pid;
	int r = find_plugin(plugin, sizeof(plugin), err);

	if (r < 0)
		return r;
	if (strchr(plugin, ',') || strchr(run->dir, ','))
		return vtb_error_set(err, -EINVAL, run->dir, 0, "QEMU cannot take a path with a comma");
	snprintf(option, sizeof(option), "%s,dir=%s", plugin, run->dir);
	pid = fork();
	if (pid < 0)
		return vtb_error_set(err, -errno, NULL, 0, "cannot fork: %s", strerror(errno));
	if (pid == 0)
		become_qemu(run, option);
	setpgid(pid, pid);
	run->child.pid = pid;
	return 0;
}

static void count(const struct vtb_run *run, uint32_t *threads, uint64_t *bytes)
{
	DIR *dir = opendir(run->dir);
	struct dirent *d;
	struct stat st;

	*threads = 0;
	*bytes = 0;
	while (dir && (d = readdir(dir)))
		if (!strncmp(d->d_name, "vcpu-", 5) && fstatat(dirfd(dir), d->d_name, &st, 0) == 0) {
			++*threads;
			*bytes += (uint64_t)st.st_size;
		}
	if (dir)
		closedir(dir);
}

static void poll_progress(struct vtb_run *run, struct vtb_record_progress *p)
{
	count(run, &p->threads, &p->bytes);
}

static int finish(struct vtb_run *run, struct vtb_record_result *res, struct vtb_error *err)
{
	(void)err;
	count(run, &res->threads, &res->bytes);
	res->attached = res->threads != 0;
	res->accesses = res->bytes / 16;
	if (!res->attached)
		snprintf(res->note, sizeof(res->note),
		         "nothing was recorded: QEMU did not run the program with our plugin");
	return 0;
}

static void release(struct vtb_run *run)
{
	(void)run;
}

const struct vtb_backend vtb_backend_qemu = {
	.name = "qemu",
	.help = "every memory access of an unmodified program, in QEMU's user mode: about 4 times slower, no "
	        "synchronisation",
	.check = check,
	.prepare = prepare,
	.start = start,
	.poll = poll_progress,
	.finish = finish,
	.release = release,
};
