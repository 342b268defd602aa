/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runners on the programs of tests/unit/replay/targets, for several tests. */
#ifndef VTB_TEST_PROGRAM_H
#define VTB_TEST_PROGRAM_H

#include <errno.h>
#include <sys/wait.h>

#include "vtb/process_runner.h"
#include "vtb/replay.h"

#define A(s) ((char *)s)
#define ARGV(...) ((char *const[]){ __VA_ARGS__, NULL })

static inline struct vtb_runner *new_runner(const struct vtb_process_opts *opts)
{
	struct vtb_runner *runner = NULL;
	struct vtb_error err = { 0 };

	if (vtb_process_runner_new(opts, &runner, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
	return runner;
}

static inline uint32_t thread_of(struct vtb_runner *runner, const char *path)
{
	const int64_t id = vtb_symtab_thread_by_path(runner->tab, path);

	assert_true(id >= 0);
	return (uint32_t)id;
}

/* After its read of the counter, its second operation, thread 0.0 makes way for 0.1: an update is lost. */
static inline void lose_update(struct vtb_runner *runner, struct vtb_schedule *s)
{
	*s = (struct vtb_schedule){ 0 };
	assert_int_equal(
	    vtb_schedule_deviate(s, thread_of(runner, "0.0"), 2, VTB_DEV_SWITCH, thread_of(runner, "0.1"), VTB_NONE, 1),
	    0);
}

static inline void run_one(struct vtb_runner *runner, const struct vtb_schedule *s, struct vtb_exec *x)
{
	struct vtb_error err = { 0 };

	if (vtb_runner_run(runner, &s, 1, x, &err) < 0)
		fail_msg("%s: %s", err.path, err.text);
}

static inline void no_children_are_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

#endif /* VTB_TEST_PROGRAM_H */
