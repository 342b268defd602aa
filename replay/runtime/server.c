/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process under control. Engine exec: this process runs one schedule. Engine forkserver: it stays before main and
 * forks a child for each schedule that the tool posts.
 *
 *     tool:    slot READY, ++posted, wake            server:  wait for posted > finished; fork
 *     child:   runs main, writes events and outcome  server:  waits for it, completes the outcome, slot DONE, ++finished, wake
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "models.h"
#include "real.h"
#include "sys.h"

static cpu_set_t processors; /* as the program would see them */
static int n_processors;

/* ---- one processor for all threads; the program is told what it would be told without us */

static void pin(void)
{
	cpu_set_t one;
	const int cpu = sched_getcpu();

	if (cpu < 0 || vtb_real.sched_getaffinity(0, sizeof(processors), &processors))
		return;
	n_processors = CPU_COUNT(&processors);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sys3(SYS_sched_setaffinity, 0, sizeof(one), (long)&one) < 0)
		n_processors = 0;
}

bool vtb_ctl_affinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (!n_processors || pid || size < sizeof(processors))
		return false;
	memset(set, 0, size);
	memcpy(set, &processors, sizeof(processors));
	return true;
}

int vtb_ctl_processors(void)
{
	return n_processors;
}

/* ---- output of a run */

static int output_fd = -1;
static off_t stdin_start = -1;

static void take_output_fd(void)
{
	if (!(vtb_rt.options & VTB_OPT_CAPTURE))
		return;
	output_fd = fcntl((int)vtb_rt.block->output_fd, F_DUPFD_CLOEXEC, 900);
	if (output_fd >= 0)
		close((int)vtb_rt.block->output_fd);
}

static void begin_output(void)
{
	if (stdin_start >= 0)
		lseek(0, stdin_start, SEEK_SET); /* every run reads the same input */
	if (output_fd < 0)
		return;
	ftruncate(output_fd, 0);
	lseek(output_fd, 0, SEEK_SET);
	dup2(output_fd, 1);
	dup2(output_fd, 2);
}

static void hash_output(struct vtb_wire_outcome *o)
{
	uint64_t hash = 0xcbf29ce484222325ull; /* FNV-1a */
	unsigned char part[4096];
	off_t at = 0;
	ssize_t n;

	while (output_fd >= 0 && (n = pread(output_fd, part, sizeof(part), at)) > 0) {
		for (ssize_t i = 0; i < n; i++)
			hash = (hash ^ part[i]) * 0x100000001b3ull;
		at += n;
	}
	o->output_hash = hash;
	o->output_size = (uint64_t)at;
}

/* ---- a run */

static struct vtb_wire_slot *slot_of(uint32_t number)
{
	struct vtb_wire_area *a = &vtb_rt.block->slots;

	return (struct vtb_wire_slot *)((char *)vtb_rt.block + a->offset) + number % a->used;
}

static void child_of_fork(void)
{
	vtb_rt_uncontrolled(VTB_UNC_FORK); /* noted in the shared outcome; then this process is on its own */
	vtb_sched.active = false;
	vtb_rt.mode = VTB_MODE_OFF;
	vtb_self = NULL;
}

static void run_ends(void)
{
	if (vtb_sched.active && vtb_rt.mode == VTB_MODE_CONTROL)
		vtb_sched_end();
}

static int run(struct vtb_wire_slot *slot, int argc, char **argv, char **envp)
{
	vtb_sched_begin(slot);
	vtb_failure_install();
	vtb_breaks_install();
	vtb_failure_thread(vtb_self);
	pthread_atfork(NULL, NULL, child_of_fork);
	return vtb_thread_main(argc, argv, envp);
}

/* The child is gone: what it did not say itself is in its status. */
static void complete(struct vtb_wire_slot *slot, int status)
{
	struct vtb_wire_outcome *o = &slot->outcome;

	hash_output(o);
	if (o->verdict != VTB_V_NONE)
		return;
	if (WIFSIGNALED(status)) {
		o->verdict = VTB_V_SIGNAL;
		o->signal = (uint32_t)WTERMSIG(status);
		o->exit_status = 128u + o->signal;
		o->flags |= VTB_OUT_CRASHED;
	} else {
		o->exit_status = (uint32_t)WEXITSTATUS(status);
	}
}

static pid_t start_child(void)
{
	static pid_t (*bare_fork)(void); /* no fork handlers of the program, yet glibc knows the new thread id */

	if (!bare_fork)
		bare_fork = (pid_t(*)(void))vtb_real_symbol("_Fork");
	return bare_fork ? bare_fork() : vtb_real.fork();
}

static void serve_one(struct vtb_wire_slot *slot, int argc, char **argv, char **envp)
{
	int status = 0;
	pid_t pid, r;

	begin_output();
	pid = start_child();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		exit(run(slot, argc, argv, envp));
	}
	__atomic_store_n(&slot->pid, (uint32_t)pid, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->state, VTB_SLOT_RUNNING, __ATOMIC_RELEASE);
	do
		r = waitpid(pid, &status, 0);
	while (r < 0 && errno == EINTR);
	complete(slot, status);
	while (waitpid(-1, &status, WNOHANG) > 0) /* orphans that came to us */
		;
}

_Noreturn static void serve(int argc, char **argv, char **envp)
{
	struct vtb_wire_header *h = vtb_rt.block;

	for (;;) {
		const uint32_t posted = __atomic_load_n(&h->posted, __ATOMIC_ACQUIRE);
		struct vtb_wire_slot *slot = slot_of(h->finished);

		if (h->stop) {
			h->state = VTB_STATE_ENDED;
			sys_exit_group(0);
		}
		if (posted == h->finished) {
			sys_futex_wait(&h->posted, posted);
			continue;
		}
		serve_one(slot, argc, argv, envp);
		__atomic_store_n(&slot->state, VTB_SLOT_DONE, __ATOMIC_RELEASE);
		__atomic_add_fetch(&h->finished, 1, __ATOMIC_RELEASE);
		sys_futex_wake(&slot->state, 1 << 30);
		sys_futex_wake(&h->finished, 1 << 30);
	}
}

int vtb_ctl_main(int argc, char **argv, char **envp)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	mallopt(M_ARENA_MAX, 1); /* equal addresses in equal schedules */
	stdin_start = lseek(0, 0, SEEK_CUR);
	take_output_fd();
	pin();
	fflush(NULL);
	atexit(run_ends);
	if (vtb_rt.block->engine == VTB_ENGINE_FORKSERVER)
		serve(argc, argv, envp);
	begin_output();
	return run(slot_of(0), argc, argv, envp);
}
