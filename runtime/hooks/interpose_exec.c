/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Other processes. Programs are not controlled (their environment does not name us), and the statement says so. In a
 * process that controls or in a child that it has forked, the call is noted; then it is made.
 */
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include "base.h"
#include "models.h"
#include "steps.h"

extern char **environ;

/* For its place alone: what fork means to control is said by the handlers that libc calls (runtime/kernel/follow.c). */
/* The child has this process's streams, and would write into them what is not this process's. */
static void leave_recording(void)
{
	vtb_rt_uncontrolled(VTB_UNC_FORK);
	vtb_rt.mode = VTB_MODE_OFF;
	vtb_self = NULL;
}

static pid_t fork_at(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();
	pid_t child;

	if (t)
		t->base.pc = pc;
	if (t && !vtb_rt_controls())
		vtb_rec_sync(t, VTB_E_FORK, NULL, 0, 0, 0, 0);
	child = VTB_CALL_REAL(fork)();
	if (child == 0 && vtb_rt.mode == VTB_MODE_RECORD)
		leave_recording();
	return child;
}

VTB_EXPORT pid_t fork(void)
{
	return fork_at(VTB_CALLER);
}

/* A child in this process's memory would take itself for the controlled one. POSIX lets it have a copy. */
VTB_EXPORT pid_t vfork(void)
{
	return fork_at(VTB_CALLER);
}

/* Whether there is such a program is what others do to files. */
static int exec_at(const char *path, char *const argv[], char *const envp[], uint64_t pc)
{
	vtb_libc_operation(NULL, pc);
	vtb_ctl_note_exec();
	return VTB_CALL_REAL(execve)(path, argv, envp);
}

static int exec_found(const char *file, char *const argv[], char *const envp[], uint64_t pc)
{
	vtb_libc_operation(NULL, pc);
	vtb_ctl_note_exec();
	return VTB_CALL_REAL(execvpe)(file, argv, envp);
}

VTB_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	return exec_at(path, argv, envp, VTB_CALLER);
}

VTB_EXPORT int execv(const char *path, char *const argv[])
{
	return exec_at(path, argv, environ, VTB_CALLER);
}

VTB_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return exec_found(file, argv, envp, VTB_CALLER);
}

VTB_EXPORT int execvp(const char *file, char *const argv[])
{
	return exec_found(file, argv, environ, VTB_CALLER);
}

/* How many words there are, the NULL included: as many as the kernel takes, and it says what is too much. */
static size_t count(const char *first, va_list *words)
{
	size_t n = 1;

	for (const char *word = first; word; n++)
		word = va_arg(*words, const char *);
	return n;
}

/* The arguments up to the NULL, as an array. */
static void collect(const char *first, va_list *rest, char **ret)
{
	size_t n = 0;

	ret[n++] = (char *)(uintptr_t)first;
	while (ret[n - 1])
		ret[n++] = va_arg(*rest, char *);
}

#define LISTED(name, extra, call)                                                \
	VTB_EXPORT int name(const char *path, const char *first, ...)            \
	{                                                                        \
		va_list rest, counted;                                           \
		char **argv;                                                     \
		va_start(rest, first);                                           \
		va_copy(counted, rest);                                          \
		argv = __builtin_alloca(count(first, &counted) * sizeof(*argv)); \
		va_end(counted);                                                 \
		collect(first, &rest, argv);                                     \
		extra;                                                           \
		va_end(rest);                                                    \
		return call;                                                     \
	}
LISTED(execl, (void)0, exec_at(path, argv, environ, VTB_CALLER))
LISTED(execlp, (void)0, exec_found(path, argv, environ, VTB_CALLER))
LISTED(execle, char **envp = va_arg(rest, char **), exec_at(path, argv, envp, VTB_CALLER))
