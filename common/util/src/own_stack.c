/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the limit of the stack (ulimit -s) is small, a command runs on a stack of its own: it reads other people's
 * debugging information, and libraries put much of that on the stack. The limit stays as it is, since the program under
 * test is to have it. On the same kernel thread: one that is alone may make namespaces, and is the one that traces.
 * Every command is linked so that __wrap_main() stands for its main() (cmake/VtbTargets.cmake). */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define ENOUGH (8u << 20)      /* what Linux gives without a limit */
#define LEAST (1u << 20)       /* with less than this, no other stack is made */
#define TOO_SMALL (256u << 10) /* nor does a command run on its own */
#define GUARD (64u << 10)      /* at the stack's end */

int __real_main(int argc, char **argv, char **envp);
int __wrap_main(int argc, char **argv, char **envp);

static struct {
	int argc, status;
	char **argv, **envp;
	ucontext_t back;
} run;

static void on_it(void)
{
	run.status = __real_main(run.argc, run.argv, run.envp);
}

/* Threads of ours have as much. */
static void for_threads(size_t size)
{
	pthread_attr_t attr;

	if (pthread_attr_init(&attr))
		return;
	if (!pthread_attr_setstacksize(&attr, size))
		pthread_setattr_default_np(&attr);
	pthread_attr_destroy(&attr);
}

/* Grows by being touched, as the other one does. NULL: there is no memory. */
static char *make_stack(size_t *size)
{
	for (; *size >= LEAST; *size /= 2) {
		char *p = mmap(NULL, *size, PROT_READ | PROT_WRITE,
		               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

		if (p != MAP_FAILED && !mprotect(p, GUARD, PROT_NONE))
			return p;
	}
	return NULL;
}

static int run_on(char *stack, size_t size)
{
	ucontext_t there;

	if (getcontext(&there) < 0)
		return __real_main(run.argc, run.argv, run.envp);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &run.back;
	makecontext(&there, on_it, 0);
	if (swapcontext(&run.back, &there) < 0)
		return __real_main(run.argc, run.argv, run.envp);
	return run.status;
}

int __wrap_main(int argc, char **argv, char **envp)
{
	size_t size = ENOUGH;
	struct rlimit limit;
	char *stack = NULL;

	if (getrlimit(RLIMIT_STACK, &limit) < 0 || limit.rlim_cur >= ENOUGH)
		return __real_main(argc, argv, envp);
	run.argc = argc;
	run.argv = argv;
	run.envp = envp;
	stack = make_stack(&size);
	if (stack) {
		for_threads(size);
		return run_on(stack, size);
	}
	if (limit.rlim_cur >= TOO_SMALL)
		return __real_main(argc, argv, envp);
	fprintf(
	    stderr,
	    "%s: the stack is limited to %llu KiB (RLIMIT_STACK), and there is no memory for another one (RLIMIT_AS, "
	    "RLIMIT_DATA): say ulimit -s 8192\n",
	    argc > 0 ? argv[0] : "vtb", (unsigned long long)limit.rlim_cur >> 10);
	return 2;
}
