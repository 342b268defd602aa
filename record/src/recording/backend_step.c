/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Backend step: a process of ours runs the program one instruction at a time and writes Intel PT packets (vtb/step.h).
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "vtb/step.h"

#define NOISE 24u /* instructions of the program's own between pauses */

static uint64_t another_seed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The stepper is a child, so that the recorder can watch and end it like any program; it ends as the program ended. */
static _Noreturn void step_and_exit(struct vtb_run *run)
{
	/* Another order of the threads in every run, as --until-fail wants. */
	const struct vtb_step_opts opts = { .dir = run->dir,
		                            .program = run->target->path,
		                            .argv = run->opts->argv,
		                            .seed = another_seed(),
		                            .exact_time = true,
		                            .noise = NOISE };
	struct vtb_step_result result;
	struct vtb_error err = { 0 };
	char text[1200];

	/* The signals that the recorder forwards to the group stay blocked here: the program takes them, and we write
	 * down its end. */
	setpgid(0, 0);
	if (vtb_step_run(&opts, &result, &err) < 0) {
		fprintf(stderr, "vtb-record: %s\n", vtb_error_print(&err, text, sizeof(text)));
		_exit(125);
	}
	if (WIFSIGNALED(result.status)) {
		signal(WTERMSIG(result.status), SIG_DFL);
		raise(WTERMSIG(result.status));
	}
	_exit(WIFEXITED(result.status) ? WEXITSTATUS(result.status) : 125);
}

/* The sanitizer's own runtime would be stepped, too: it fills terabytes of shadow and polls in a thread of its own. */
static bool brings_sanitizer(const struct vtb_target *t)
{
	return t->hooks == VTB_HOOKS_TSAN_GCC || t->hooks == VTB_HOOKS_TSAN_CLANG || t->hooks == VTB_HOOKS_TSAN_STATIC;
}

static int prepare(struct vtb_run *run, struct vtb_error *err)
{
	if (brings_sanitizer(run->target))
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, run->target->path, 0,
		                     "built with -fsanitize=thread, which would take minutes to be stepped: build it "
		                     "without, or record it by its hooks (--backend=rt)");
	return 0; /* the stepper writes its files itself */
}

static int start(struct vtb_run *run, struct vtb_error *err)
{
	const pid_t pid = fork();

	if (pid < 0)
		return vtb_error_set(err, -errno, NULL, 0, "cannot fork: %s", strerror(errno));
	if (pid == 0)
		step_and_exit(run);
	setpgid(pid, pid);
	run->child.pid = pid;
	return 0;
}

static uint64_t file_bytes(const struct vtb_run *run, uint32_t slot)
{
	char path[PATH_MAX + 32];
	struct stat st;

	snprintf(path, sizeof(path), "%s/thread-%u.pt", run->dir, slot);
	return stat(path, &st) == 0 ? (uint64_t)st.st_size + 1 : 0;
}

static void count(const struct vtb_run *run, uint32_t *threads, uint64_t *bytes)
{
	uint64_t n;

	*bytes = 0;
	for (*threads = 0; (n = file_bytes(run, *threads)) != 0; (*threads)++)
		*bytes += n - 1;
}

static void poll_progress(struct vtb_run *run, struct vtb_record_progress *p)
{
	count(run, &p->threads, &p->bytes);
}

static int finish(struct vtb_run *run, struct vtb_record_result *res, struct vtb_error *err)
{
	char path[PATH_MAX + 32];

	(void)err;
	count(run, &res->threads, &res->bytes);
	snprintf(path, sizeof(path), "%s/pt.json", run->dir);
	res->attached = access(path, F_OK) == 0;
	if (!res->attached)
		snprintf(res->note, sizeof(res->note),
		         "nothing was recorded: the program could not be stepped to its end (is ptrace allowed here?)");
	return 0;
}

static void release(struct vtb_run *run)
{
	(void)run;
}

const struct vtb_backend vtb_backend_step = {
	.name = "step",
	.help = "one instruction at a time, written as Intel PT packets: any program on any machine, some 10 000 times "
	        "slower",
	.prepare = prepare,
	.start = start,
	.poll = poll_progress,
	.finish = finish,
	.release = release,
};
