/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process under control. Engine exec: this process runs one schedule. Engine forkserver: it stays before main and
 * forks a child for each schedule that the tool posts.
 *
 *     tool:    slot READY, ++posted, wake            server:  wait for posted > finished; fork
 *     child:   runs main, writes events and outcome  server:  waits for it, completes the outcome, slot DONE,
 * ++finished, wake
 */
#include <dlfcn.h>
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

#include "carriers.h"
#include "kernel.h"
#include "base.h"
#include "engines.h"
#include "models.h"
#include "scheduler.h"

const struct vtb_hooks *vtb_hooks;

extern FILE *_IO_list_all __attribute__((weak)); /* libc's list of streams */

/* By the rule of libc's own fflush(NULL), which takes locks in three pages that most runs do not touch otherwise. */
static bool is_anything_to_flush(void)
{
	if (!&_IO_list_all)
		return true;
	for (const FILE *f = _IO_list_all; f; f = f->_chain)
		if (f->_mode > 0 || f->_IO_write_ptr > f->_IO_write_base)
			return true;
	return false;
}

static void flush_all(void)
{
	if (is_anything_to_flush())
		((int (*)(FILE *))vtb_real_symbol("fflush"))(NULL);
}

/* ---- a run */

struct vtb_wire_slot *vtb_slot_of(uint32_t number)
{
	struct vtb_wire_area *a = &vtb_rt.block->slots;

	return (struct vtb_wire_slot *)((char *)vtb_rt.block + a->offset) + number % a->used;
}

/* Also in a forked child, which shares the outcome. A call of the runtime's own process before main is the launcher's.
 */
void vtb_ctl_note_exec(void)
{
	if (!vtb_rt.block || !vtb_sched.slot)
		return;
	__atomic_fetch_or(&vtb_rt.block->uncontrolled, VTB_UNC_EXEC, __ATOMIC_RELAXED);
	__atomic_fetch_or(&vtb_sched.slot->outcome.uncontrolled, VTB_UNC_EXEC, __ATOMIC_RELAXED);
}

bool vtb_engine_others_live(void)
{
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i] != vtb_self && vtb_rt.threads[i]->base.state == VTB_T_ALIVE)
			return true;
	return false;
}

/* A rolled-back process does what is left of exit() here: streams are flushed, then the run is over. So does one whose
 * other threads are still there. */
void vtb_engine_run_ends(void)
{
	if (vtb_rt.mode != VTB_MODE_CONTROL || !vtb_sched.active)
		return;
	vtb_ctl_exit_point();
	vtb_sched_end();
	vtb_view_run_ends();
	vtb_created_end();
	if (vtb_engine->call) {
		flush_all();
		vtb_engine_leave(vtb_sched.status);
	}
	if (vtb_engine_others_live()) {
		fcloseall(); /* in glibc what exit() does last, which does not wait for a thread that is inside a stream
		              */
		sys_exit_group(vtb_sched.status);
	}
}

/* Libraries that were there before ours may have destructors that wait for threads (an OpenMP runtime for its workers),
 * which will never run again: while others are there the run ends before these are called, else after them
 * (loader_end.c). */
__attribute__((destructor)) static void ends_early(void)
{
	if (vtb_engine_others_live())
		vtb_engine_run_ends();
}

_Noreturn static void leave(int status)
{
	vtb_view_run_ends();
	vtb_created_end();
	sys_exit_group(status);
}

_Noreturn void vtb_engine_stop(int status)
{
	vtb_sem_remove_created();
	vtb_sched_end();
	vtb_engine_leave(status);
}

static void begin(void)
{
	vtb_follow_begin();
	vtb_sched.catches = !vtb_syscalls_catch(false);
	vtb_watchdog_start();
}

/* A process for each run. */
static const struct vtb_engine exec = {
	.name = "exec", .leave = leave, .stop = vtb_engine_stop, .begin = begin, .printed = vtb_output_limit
};
static const struct vtb_engine forkserver = {
	.name = "forkserver", .leave = leave, .stop = vtb_engine_stop, .begin = begin, .printed = vtb_output_limit
};

int vtb_engine_run(struct vtb_wire_slot *slot, int argc, char **argv, char **envp)
{
	const bool forked = vtb_engine == &forkserver;

	vtb_sched_begin(slot, forked ? (uint32_t)sys3(SYS_getpid, 0, 0, 0) : vtb_rt.block->pid);
	vtb_hooks->tell_early_blocks(vtb_self);
	vtb_hooks->install_breaks();
	vtb_sched.catches = true;
	if (vtb_engine->begin)
		vtb_engine->begin();
	vtb_tsc_begin();
	vtb_syscalls_on(vtb_sched.catches);
	return vtb_thread_main(argc, argv, envp);
}

/* ---- taking schedules, giving outcomes */

#define SPINS 700      /* about 20 us, 27 ns each: a tool that keeps up has the next schedule there by then */
#define YIELD_EVERY 16 /* looks: with several jobs there are more of us than processors */

/* Until the tool posts another one. It is told, so that it makes no system call while nobody sleeps. */
static void rest(struct vtb_wire_header *h, uint32_t posted)
{
	__atomic_store_n(&h->resting, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&h->posted, __ATOMIC_SEQ_CST) == posted && !__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE))
		sys_futex_wait(&h->posted, posted);
	__atomic_store_n(&h->resting, 0, __ATOMIC_RELAXED);
}

struct vtb_wire_slot *vtb_server_next(void)
{
	struct vtb_wire_header *h = vtb_rt.block;

	if (VTB_UNLIKELY(h->state == VTB_STATE_NEW))
		vtb_rt_announce();
	for (uint32_t spins = 0;; spins++) {
		const uint32_t posted = __atomic_load_n(&h->posted, __ATOMIC_ACQUIRE);

		if (__atomic_load_n(&h->stop, __ATOMIC_ACQUIRE)) {
			h->state = VTB_STATE_ENDED;
			sys_exit_group(0);
		}
		if (posted != h->finished)
			return vtb_slot_of(h->finished);
		if (spins >= SPINS || vtb_ctl_processors() == 1)
			rest(h, posted);
		else if (spins % YIELD_EVERY == YIELD_EVERY - 1)
			sys3(SYS_sched_yield, 0, 0, 0);
		else
			__builtin_ia32_pause();
	}
}

void vtb_server_done(struct vtb_wire_slot *slot)
{
	struct vtb_wire_header *h = vtb_rt.block;

	__atomic_store_n(&slot->state, VTB_SLOT_DONE, __ATOMIC_RELEASE);
	__atomic_add_fetch(&h->finished, 1, __ATOMIC_RELEASE);
	/* a tool that waits says so, and is woken once, so that nobody else pays for a system call */
	if (h->engine != VTB_ENGINE_SNAPSHOT ||
	    (__atomic_load_n(&h->waiting, __ATOMIC_SEQ_CST) && __atomic_exchange_n(&h->waiting, 0, __ATOMIC_SEQ_CST)))
		sys_futex_wake(&slot->state, 1 << 30);
}

/* ---- engine forkserver */

/* The child is gone: what it did not say itself is in its status. */
static void complete(struct vtb_wire_slot *slot, int status)
{
	struct vtb_wire_outcome *o = &slot->outcome;

	vtb_output_hash(o);
	if (o->verdict != VTB_V_NONE || o->flags & VTB_OUT_FOLLOWED) /* it says itself what became of it */
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

static pid_t (*bare_fork)(void); /* no fork handlers of the program, yet glibc knows the new thread id */

/* Threads made once, for all children, unless fork() would take their stacks away in the child. */
static void prepare_threads(void)
{
	bare_fork = (pid_t(*)(void))vtb_real_symbol("_Fork");
	vtb_rt_alloc_reserve(VTB_ARENA_READY); /* then their stacks lie where engine snapshot has them */
	if (bare_fork && vtb_carrier == &vtb_carrier_fibers)
		vtb_fibers_pool(vtb_rt.block->pool);
}

#define FORK_TRIES 20u

/* Others may take all processes that there may be, and give some back soon. */
static pid_t start_child(void)
{
	const struct timespec between = { .tv_nsec = 50000000 };
	pid_t pid = -1;

	for (uint32_t i = 0; i < FORK_TRIES; i++) {
		pid = bare_fork ? bare_fork() : vtb_real.fork();
		if (pid >= 0)
			break;
		sys3(SYS_nanosleep, (long)&between, 0, 0);
	}
	return pid;
}

/* A run that was not made has not passed. */
static void not_started(struct vtb_wire_slot *slot)
{
	static const char why[] =
	    "stopped: the system makes no process for it; ulimit -u says how many there may be, and each takes memory";

	slot->outcome.verdict = VTB_V_LIMIT;
	memcpy(slot->outcome.message, why, sizeof(why));
}

static void enter_view(struct vtb_wire_slot *slot)
{
	struct vtb_wire_outcome *o = &slot->outcome;
	const char *why = vtb_view_enter();

	if (!why)
		return;
	o->verdict = VTB_V_TIMEOUT;
	memcpy(o->message, why, strlen(why) + 1);
	sys_exit_group(1);
}

/* False: it is to be made again. */
static bool serve_one(struct vtb_wire_slot *slot, int argc, char **argv, char **envp)
{
	int status = 0;
	bool ended;
	pid_t pid;

	vtb_output_begin();
	pid = start_child();
	if (pid < 0) {
		not_started(slot);
		return true;
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		enter_view(slot);
		vtb_real.exit(vtb_engine_run(slot, argc, argv, envp));
	}
	__atomic_store_n(&slot->pid, (uint32_t)pid, __ATOMIC_RELEASE);
	__atomic_store_n(&slot->state, VTB_SLOT_RUNNING, __ATOMIC_RELEASE);
	ended = vtb_child_files_serve(pid, &status);
	complete(slot, status);
	vtb_orphans_end();
	vtb_child_files_end();
	vtb_created_remove();
	return ended;
}

_Noreturn static void serve(int argc, char **argv, char **envp)
{
	prepare_threads();
	vtb_orphans_begin();
	for (;;) {
		struct vtb_wire_slot *slot = vtb_server_next();

		vtb_hooks->rewrite_again();
		vtb_child_files_begin(); /* only now: the tool has looked at what the program has open */
		while (!serve_one(slot, argc, argv, envp))
			;
		vtb_server_done(slot);
	}
}

/* Equal addresses in equal schedules, and on all engines. */
static void set_heap(void)
{
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0); /* large blocks come from the heap, too: no mapping for engine snapshot to undo */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int vtb_ctl_main(const struct vtb_hooks *hooks, int argc, char **argv, char **envp)
{
	struct vtb_wire_header *h = vtb_rt.block;
	const char *why = NULL;

	vtb_hooks = hooks;
	vtb_rt_sink = &vtb_sched_sink;
	vtb_sources = vtb_kernel_sources;
	vtb_carrier_body = vtb_thread_body;
	vtb_carrier = h->carrier == VTB_CARRIER_FIBERS ? &vtb_carrier_fibers : &vtb_carrier_threads;
	vtb_engine = h->engine == VTB_ENGINE_FORKSERVER ? &forkserver : &exec;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_heap();
	dlopen("libgcc_s.so.1", RTLD_NOW | RTLD_GLOBAL); /* pthread_exit and cancellation would load it, with blocks of
	                                                    memory that only some runs have */
	vtb_random_begin();
	vtb_heap_begin();
	vtb_signals_begin();
	vtb_output_take();
	vtb_libc_write_take();
	vtb_libc_calls_take();
	vtb_affinity_pin(); /* one processor for all threads */
	flush_all();
	why = vtb_view_begin();
	vtb_fault_handlers_begin();
	vtb_failure_thread();
	vtb_follow_install();
	vtb_signals_keep(SIGTRAP, vtb_signals_of_program, 0, 0); /* int3 ends a run at its place, not the process */
	vtb_fiber_look(h->engine == VTB_ENGINE_SNAPSHOT || vtb_carrier == &vtb_carrier_fibers);
	h->means = vtb_syscalls_means() | vtb_fiber_means();
	if (h->engine != VTB_ENGINE_SNAPSHOT)
		vtb_fiber_guard_later();
	if (!why && h->engine == VTB_ENGINE_SNAPSHOT)
		why = vtb_snapshot_serve(argc, argv, envp);
	if (why) {
		vtb_rt_trouble(why);
		vtb_rt_announce();
	}
	if (h->engine == VTB_ENGINE_SNAPSHOT && why)
		sys_exit_group(0);
	vtb_created_begin();
	if (h->engine == VTB_ENGINE_FORKSERVER)
		serve(argc, argv, envp);
	vtb_rt_announce();
	vtb_output_begin();
	return vtb_engine_run(vtb_slot_of(0), argc, argv, envp);
}
