/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/launch.h"

#include "children.h"
#include "vtb/argv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define HIGH_FD 200 /* few programs count this far */

extern char **environ;

/* What parent and child share between vfork and exec. The child only makes system calls. */
struct start {
	const struct vtb_launch *launch;
	const char *path;
	char **argv, **env;
	pid_t parent;
	bool terminal; /* give it our terminal */
	sigset_t old_mask;
	volatile int error; /* of the step that failed; 0 */
	volatile int step;  /* 0 exec, 1 chdir, 2 other, 3 the view */
	struct vtb_fsview_trouble view_trouble;
	volatile bool aslr_off;
};

static void default_signals(void)
{
	static const int signals[] = { SIGINT,  SIGQUIT, SIGTERM, SIGHUP,  SIGPIPE, SIGTTOU, SIGTTIN,
		                       SIGTSTP, SIGCHLD, SIGALRM, SIGUSR1, SIGUSR2, SIGXFSZ };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
}

static bool turn_aslr_off(void)
{
	const int now = personality(0xffffffff);

	if (now >= 0 && !(now & ADDR_NO_RANDOMIZE))
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
	return personality(0xffffffff) & ADDR_NO_RANDOMIZE;
}

static int pass_descriptors(const struct vtb_launch *l)
{
	for (int i = 0; i < 3; i++)
		if (l->stdio[i] >= 0 && dup2(l->stdio[i], i) < 0)
			return -errno;
	for (int i = 0; i < 3; i++)
		fcntl(i, F_SETFD, 0);
	if (l->block_fd >= 0 && fcntl(l->block_fd, F_SETFD, 0) < 0)
		return -errno;
	for (int i = 0; i < VTB_LAUNCH_FDS && l->fds[i] >= 0; i++)
		if (fcntl(l->fds[i], F_SETFD, 0) < 0)
			return -errno;
	return 0;
}

/* Descriptors that we were started with may lead to files of the user's: they lead into the view from now on. */
static bool enter_view(struct start *s)
{
	struct vtb_fsview *v = s->launch->view;
	char cwd[PATH_MAX];

	s->step = 3;
	if (!getcwd(cwd, sizeof(cwd)))
		cwd[0] = 0;
	if (!vtb_fsview_leave_others(v, &s->view_trouble) || !vtb_fsview_mount(v, false, cwd, &s->view_trouble)) {
		s->error = -s->view_trouble.error;
		return false;
	}
	vtb_fsview_take_descriptors(v, false);
	vtb_fsview_begin(v);
	if (v->flags & VTB_FSVIEW_SERVES)
		vtb_fsview_keep_rights(v);
	else
		vtb_fsview_drop_rights(v);
	return true;
}

/* What is the same whether a child or we ourselves become the program. */
static void exec_program(struct start *s)
{
	const sigset_t none = { 0 };

	s->aslr_off = !s->launch->random_addresses && turn_aslr_off();
	s->error = pass_descriptors(s->launch);
	if (s->error)
		return;
	s->step = 3;
	if (s->launch->view && !vtb_fsview_join(s->launch->view, &s->view_trouble)) {
		s->error = -s->view_trouble.error;
		return;
	}
	s->step = 1;
	if (s->launch->cwd && chdir(s->launch->cwd) < 0) {
		s->error = -errno;
		return;
	}
	if (s->launch->view && s->launch->view->flags & VTB_FSVIEW_ON && !enter_view(s))
		return;
	s->step = 0;
	default_signals();
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(s->path, s->argv, s->env);
	s->error = -errno;
}

static void become_program(struct start *s)
{
	s->step = 2;
	setpgid(0, 0);
	if (s->terminal)
		tcsetpgrp(STDIN_FILENO, getpid()); /* SIGTTOU is blocked */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != s->parent) /* it died before we asked to be told */
		_exit(125);
	exec_program(s);
}

/* Kept apart, so that no variable of the caller lives across vfork(). */
__attribute__((noinline)) static pid_t spawn(struct start *s)
{
	const pid_t pid = vfork();

	if (pid == 0) {
		become_program(s);
		_exit(125);
	}
	return pid;
}

/* A script's interpreter gets [its argument] script arguments. */
static char **program_argv(const struct vtb_launch *l)
{
	size_t n = vtb_argv_count(l->argv), k = 0;
	char **argv;

	argv = calloc(n + 4, sizeof(*argv));
	if (!argv)
		return NULL;
	if (l->target->script) {
		argv[k++] = l->target->image;
		if (l->target->interpreter_arg)
			argv[k++] = l->target->interpreter_arg;
		argv[k++] = l->target->path;
	} else if (n) {
		argv[k++] = l->argv[0];
	}
	for (size_t i = 1; i < n; i++)
		argv[k++] = l->argv[i];
	return argv;
}

static bool owns_terminal(void)
{
	return isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static int fork_and_exec(struct start *s, struct vtb_child *ret)
{
	sigset_t all;
	pid_t pid;
	int r = 0;

	sigfillset(&all); /* no handler of ours may run in the child while it shares our memory */
	sigprocmask(SIG_SETMASK, &all, &s->old_mask);
	pid = spawn(s);
	if (pid < 0)
		r = -errno;
	sigprocmask(SIG_SETMASK, &s->old_mask, NULL);
	if (r < 0)
		return r;
	vtb_children_add(pid);
	*ret = (struct vtb_child){ .pid = pid, .aslr_off = s->aslr_off, .has_terminal = s->terminal };
	if (s->error)
		vtb_child_end(ret);
	return s->error;
}

static int start_error(const struct start *s, int r, struct vtb_error *err)
{
	const char *path = s->launch->target->path;

	if (s->step == 1 && s->error) {
		vtb_error_set(err, -VTB_E_TARGET, s->launch->cwd, 0, "cannot start the program there: %s",
		              vtb_strerror(r));
		return -VTB_E_TARGET;
	}
	if (s->step == 3 && s->error)
		return vtb_error_set(err, -VTB_E_TARGET, path, 0, "the private view of files cannot be made: %s: %s",
		                     vtb_fsview_step_name(s->view_trouble.step), vtb_strerror(r));
	return vtb_error_set(err, r, path, 0, "cannot start the program: %s", vtb_strerror(r));
}

int vtb_launch_start(const struct vtb_launch *l, struct vtb_child *ret, struct vtb_error *err)
{
	struct start s = { .launch = l, .path = l->target->image, .parent = getpid() };
	struct vtb_child child;
	int r = -ENOMEM;

	if (l->runtime && l->target->refusal[0])
		return vtb_error_set(err, -VTB_E_TARGET, l->target->path, 0, "%s", l->target->refusal);
	s.argv = program_argv(l);
	s.env = vtb_launch_environment(l, environ);
	s.terminal = l->foreground && owns_terminal();
	if (s.argv && s.env)
		r = fork_and_exec(&s, &child);
	free(s.argv);
	vtb_launch_environment_free(s.env);
	if (r < 0)
		return start_error(&s, r, err);
	*ret = child;
	return 0;
}

int vtb_launch_exec(const struct vtb_launch *l, struct vtb_error *err)
{
	struct start s = { .launch = l,
		           .path = l->target->image,
		           .argv = program_argv(l),
		           .env = vtb_launch_environment(l, environ),
		           .step = 2 };

	if (l->runtime && l->target->refusal[0])
		vtb_error_set(err, s.error = -VTB_E_TARGET, l->target->path, 0, "%s", l->target->refusal);
	else if (!s.argv || !s.env)
		start_error(&s, s.error = -ENOMEM, err);
	else {
		exec_program(&s);
		start_error(&s, s.error, err);
	}
	free(s.argv);
	vtb_launch_environment_free(s.env);
	return s.error;
}

int vtb_launch_high_fd(int fd)
{
	struct rlimit lim;
	int min = HIGH_FD, copy;

	if (!getrlimit(RLIMIT_NOFILE, &lim) && lim.rlim_cur <= HIGH_FD + 16)
		min = 3;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, min);
	return copy < 0 ? -errno : copy;
}
