/* SPDX-License-Identifier: BSD-2-Clause */
#include "syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>

#include "base.h"
#include "child_files.h"
#include "created.h"
#include "follow.h"
#include "signals.h"
#include "view.h"

#define VTB_SYSCALL(name, undo, wait, file)
#include "syscalls.def" /* for numbers that older headers lack */
#undef VTB_SYSCALL

#define SET_DISPATCH 59 /* PR_SET_SYSCALL_USER_DISPATCH */
#define DISPATCH_OFF 0
#define SYS_SECCOMP_TRAP 1  /* SYS_SECCOMP, of si_code */
#define SYS_DISPATCH_TRAP 2 /* SYS_USER_DISPATCH */
#define DISPATCH_ON 1
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

/* What it changes outside of the process is noted. */
static long make_noted(const struct vtb_syscall *row, const greg_t *g)
{
	long result;

	if (row->undo == UNDO_END)
		vtb_created_end();
	vtb_created_before(g);
	vtb_view_before(g);
	result = vtb_syscall_make(g);
	vtb_created_after(result);
	if (row->undo == UNDO_OUTPUT && vtb_engine->printed)
		vtb_engine->printed();
	return vtb_view_made(g, result);
}

/* Go back into the program and make the call there: both processes, or the interrupted context, go on from it. */
static void again(greg_t *g)
{
	*vtb_catching.selector = VTB_CALLS_PASS; /* until the next operation */
	g[REG_RIP] -= 2;                         /* the two bytes of `syscall` */
}

_Noreturn static void go_back(const greg_t *g)
{
	extern void vtb_rt_sigreturn(void) __attribute__((visibility("hidden")));

	__asm__ volatile("movq %0, %%rsp\n\tjmp *%1" : : "r"(g[REG_RSP]), "r"(vtb_rt_sigreturn) : "memory");
	__builtin_unreachable();
}

/* Returning from the handler puts back the signal mask of the interrupted context: what the call has set must stand
 * there. */
static void keep_mask(void *context)
{
	uint64_t mask = 0;

	sys6(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&mask, 8, 0, 0);
	mask &= ~VTB_SIGNALS_OWN;
	memcpy(&((ucontext_t *)context)->uc_sigmask, &mask, sizeof(mask));
}

#define LIMIT "stopped at a limit of vtb: "

/* A thread that glibc knows nothing of has its creator's thread-local storage, ours included: nothing of such a run
 * would be true. */
static void note_clone(greg_t *g)
{
	const bool clone3 = g[REG_RAX] == SYS_clone3;
	const uint64_t flags = clone3                    ? *(const uint64_t *)g[REG_RDI]
	                       : g[REG_RAX] == SYS_clone ? (uint64_t)g[REG_RDI]
	                                                 : 0;

	if (flags & CLONE_VFORK) {
		vtb_rt_uncontrolled(VTB_UNC_EXEC);
	} else if (flags & CLONE_VM) {
		vtb_rt_uncontrolled(VTB_UNC_CLONE);
		vtb_failure_call(
		    g, LIMIT "a thread that is made without pthread_create, by clone(), cannot be controlled; "
		             "functions of libc that work asynchronously, such as aio_read() and getaddrinfo_a(), "
		             "make theirs so: call read() or getaddrinfo() in a thread of the program's own instead");
	} else if (!vtb_follow_forks()) { /* the child would take itself for the controlled process */
		vtb_rt_uncontrolled(VTB_UNC_FORK);
		vtb_failure_call(g, LIMIT
		                 "a process that is made without fork(), by a system call of the program's own, cannot "
		                 "be told apart from this one; call fork() or posix_spawn() instead");
	}
}

/* It lives on, or another program does, whose calls nobody sees. */
static bool makes_process(const greg_t *g)
{
	switch (g[REG_RAX]) {
	case SYS_clone:
		return !(g[REG_RDI] & CLONE_THREAD);
	case SYS_clone3:
		return !(*(const uint64_t *)g[REG_RDI] & CLONE_THREAD);
	case SYS_fork:
	case SYS_vfork:
	case SYS_execve:
	case SYS_execveat:
		return true;
	default:
		return false;
	}
}

/* A model of the old call alone would wait for wake-ups by these. */
static const char *newer_futex(long nr)
{
	switch (nr) {
	case SYS_futex_waitv:
		return LIMIT
		    "futex_waitv is a wait that has no model; wait for one futex at a time, or by what pthreads has";
	case SYS_futex_wait:
		return LIMIT "futex_wait is a wait that has no model; call futex with FUTEX_WAIT_BITSET instead";
	case SYS_futex_wake:
		return LIMIT "futex_wake is a system call that has no model; call futex with FUTEX_WAKE_BITSET instead";
	default:
		return LIMIT
		    "futex_requeue is a system call that has no model; call futex with FUTEX_CMP_REQUEUE instead";
	}
}

/* Calls whose effects no schedule decides. Where every outcome would be theirs, the run ends with that as the reason.
 */
static void note_unmodelled(enum vtb_wait wait, greg_t *g)
{
	switch (wait) {
	case WAIT_URING:
		vtb_rt_uncontrolled(VTB_UNC_URING);
		return;
	case WAIT_FAULTS:
		vtb_rt_uncontrolled(VTB_UNC_FAULTS);
		return;
	case WAIT_PTRACE:
		vtb_rt_uncontrolled(VTB_UNC_PTRACE);
		if (g[REG_RDI] == PTRACE_TRACEME)
			vtb_failure_call(
			    g, LIMIT "a program that has itself traced, by ptrace(), would be stopped from outside at "
			             "every signal; leave out PTRACE_TRACEME");
		return;
	case WAIT_WAITV:
		vtb_rt_uncontrolled(VTB_UNC_SYSCALL);
		vtb_failure_call(g, newer_futex(g[REG_RAX]));
	default:
		return;
	}
}

static void closes(int fd)
{
	vtb_closed_under(fd, &vtb_syscall_waits);
	vtb_timers_closed(fd);
	vtb_signalfd_closed(fd);
	vtb_try_closed(fd);
}

/* Which numbers stand for nothing any more, or for another file. */
static void note_closed(const greg_t *g)
{
	struct stat st;

	switch (g[REG_RAX]) {
	case SYS_close:
		closes((int)g[REG_RDI]);
		return;
	case SYS_dup2:
	case SYS_dup3:
		if (g[REG_RDI] != g[REG_RSI] && sys3(SYS_fcntl, g[REG_RDI], F_GETFD, 0) >= 0)
			closes((int)g[REG_RSI]);
		return;
	case SYS_close_range:
		for (int fd = vtb_io_next((int)g[REG_RDI] - 1, &st);
		     !(g[REG_RDX] & CLOSE_RANGE_CLOEXEC) && fd < INT_MAX && (unsigned)fd <= (unsigned)g[REG_RSI];
		     fd = vtb_io_next(fd, &st))
			closes(fd);
		return;
	default:
		return;
	}
}

/* May it let somebody go on who waits? */
static bool changes_much(const struct vtb_syscall *row, const greg_t *g)
{
	return row->undo != UNDO_HARMLESS && !(row->undo == UNDO_OUTPUT && vtb_engine_captured((int)g[REG_RDI]));
}

static __attribute__((noinline)) void make_call(const siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	const struct vtb_syscall *row = vtb_syscall_row(info->si_syscall);
	const bool seen =
	    vtb_sched.active && vtb_self && !vtb_self->base.inside &&
	    (!vtb_catching.filtered || (*vtb_catching.selector == VTB_CALLS_TRAP && !vtb_seccomp_foreign()));
	long result;

	vtb_sched.calls++;
	g[REG_RAX] = info->si_syscall;
	if (row->wait == WAIT_SIGRETURN)
		go_back(g);
	if (vtb_carrier->about_to_fork && (makes_process(g) || info->si_syscall == SYS_arch_prctl))
		vtb_carrier->about_to_fork();
	if (vtb_sched.active && makes_process(g)) {
		if (!vtb_child_files_follow(g, seen))
			vtb_created_unseen();
		vtb_ids_start_process();
		vtb_failure_answers_end();
		vtb_view_starts_process();
		vtb_children_begin();
	}
	if (vtb_catching.filtered && (info->si_syscall == SYS_execve || info->si_syscall == SYS_execveat)) {
		g[REG_RAX] = vtb_seccomp_exec(g);
		return;
	}
	if ((vtb_sched.active || vtb_catching.filtered) && vtb_signals_set_kept(g, &result)) {
		g[REG_RAX] = result;
		return;
	}
	if (!seen && !vtb_engine->call) {
		if (row->wait == WAIT_AGAIN)
			again(g);
		else
			g[REG_RAX] = vtb_sched.active ? make_noted(row, g) : vtb_syscall_make(g);
		if (row->undo == UNDO_SIGMASK)
			keep_mask(context);
		return;
	}
	if (vtb_engine->permit)
		vtb_engine->permit(row, g);
	if (vtb_children_fresh && seen && row->wait != WAIT_AGAIN)
		vtb_children_go_on(vtb_self, false);
	if (vtb_children_late && seen)
		vtb_children_look_late(row);
	if (row->wait == WAIT_AGAIN) {
		if (seen)
			note_clone(g);
		if (seen && vtb_vfork_has_stack(g))
			g[REG_RAX] = vtb_vfork_call(context);
		else
			again(g);
		return;
	}
	if (seen) {
		note_unmodelled(row->wait, g);
		vtb_mapped_file_call(vtb_self, row, g);
	}
	if (seen && (row->wait || !row->name) && vtb_step_wait(row, g, &result)) {
		g[REG_RAX] = result;
		if (vtb_children_made && changes_much(row, g))
			vtb_children_go_on(vtb_self, true);
		return;
	}
	if (seen) {
		vtb_ids_replace(g);
		vtb_progress_outside(vtb_self);
		vtb_sched.asked++;
	}
	if (seen)
		note_closed(g);
	if (seen && row->undo == UNDO_SIGMASK)
		vtb_sched.masks = true;
	if (seen && row->undo == UNDO_SIGACTION)
		vtb_signals_note_action(g);
	g[REG_RAX] = vtb_engine->call ? vtb_engine->call(row, g) : make_noted(row, g);
	if (seen && (row->undo == UNDO_MAP || info->si_syscall == SYS_mremap || info->si_syscall == SYS_shmat))
		vtb_mapped(g, info->si_syscall, (long)g[REG_RAX]);
	if (seen && (info->si_syscall == SYS_munmap || info->si_syscall == SYS_shmdt) && !g[REG_RAX])
		vtb_unmapped(g, info->si_syscall, 0);
	if (seen && info->si_syscall == SYS_mprotect && vtb_mapped_protected && !g[REG_RAX])
		vtb_mapped_protected((uint64_t)g[REG_RDI]);
	if (seen && row->undo == UNDO_OPEN)
		vtb_counted_opened(g[REG_RAX]);
	if (seen && info->si_syscall == SYS_epoll_ctl && !g[REG_RAX])
		vtb_timers_epoll(&((const ucontext_t *)context)->uc_mcontext.gregs[0]);
	if (seen && row->undo == UNDO_SIGMASK && !g[REG_RAX])
		vtb_signals_mask_called(vtb_self, g);
	if (row->undo == UNDO_SIGMASK)
		keep_mask(context);
	if (vtb_children_made && seen && changes_much(row, g))
		vtb_children_go_on(vtb_self, true);
	if (seen && changes_much(row, g)) { /* somebody may have been waiting for what it did */
		vtb_try_look_again(info->si_syscall == SYS_close_range);
		vtb_sched_recheck();
	}
}

bool vtb_syscalls_traps_before(const greg_t *g)
{
	return vtb_catching.selector && *vtb_catching.selector == VTB_CALLS_TRAP &&
	       !vtb_rt_is_ours((uint64_t)g[REG_RIP]) &&
	       vtb_rt_load((uint64_t)g[REG_RIP] - 2, 1) == 0x050f /* syscall */;
}

bool vtb_syscalls_answered(const greg_t *g)
{
	return !vtb_self || (vtb_self->kernel.call_pc == g[REG_RIP] && vtb_self->kernel.call_sp == g[REG_RSP]);
}

/* What is left of it on the stack lies where the next one's frames will be (VTB_RETURN). */
static void on_call(int signal, siginfo_t *info, void *context)
{
	if (info->si_code != SYS_SECCOMP_TRAP && info->si_code != SYS_DISPATCH_TRAP) {
		vtb_signals_of_program(signal, info, context); /* it sends itself SIGSYS: no call has trapped */
		return;
	}
	if (vtb_self) {
		const greg_t *g = ((const ucontext_t *)context)->uc_mcontext.gregs;

		vtb_self->kernel.call_pc = g[REG_RIP];
		vtb_self->kernel.call_sp = g[REG_RSP];
		vtb_self->kernel.call_told = vtb_self->sched.told;
	}
	make_call(info, context);
	if (vtb_self && vtb_self->base.noted)
		vtb_stance_wipe();
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Tests: do as if the kernel had not got it. */
static bool lacks_dispatch(void)
{
	return vtb_rt.lacks & VTB_LACKS_DISPATCH;
}

const char *vtb_syscalls_catch(bool all)
{
	const char *why;

	if (!vtb_catching.selector) {
		vtb_catching.selector = vtb_shared_pages(4096);
		if (!vtb_catching.selector)
			return "no memory";
		if (!vtb_signals_keep(SIGSYS, on_call, 0, 0))
			return "SIGSYS cannot be handled";
	}
	if (!lacks_dispatch() && sys6(SYS_prctl, SET_DISPATCH, DISPATCH_ON, (long)__ehdr_start,
	                              (long)(etext - __ehdr_start), (long)vtb_catching.selector, 0) == 0)
		return NULL;
	if (all)
		return "this kernel has no Syscall User Dispatch (Linux 5.11)";
	why = vtb_seccomp_catch();
	vtb_catching.filtered = !why;
	return why;
}

uint32_t vtb_syscalls_means(void)
{
	if (!lacks_dispatch() && sys6(SYS_prctl, SET_DISPATCH, DISPATCH_OFF, 0, 0, 0, 0) == 0)
		return VTB_MEANS_DISPATCH;
	return vtb_seccomp_is_there() ? VTB_MEANS_SECCOMP : 0;
}

void vtb_syscalls_release(void)
{
	if (vtb_catching.filtered && vtb_self)
		vtb_self->base.inside++; /* they trap, and are made as they are */
	else
		sys6(SYS_prctl, SET_DISPATCH, DISPATCH_OFF, 0, 0, 0, 0);
}

void vtb_syscalls_forget(void)
{
	vtb_catching.selector = NULL;
}
