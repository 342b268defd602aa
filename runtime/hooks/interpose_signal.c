/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals. In control mode the system calls are seen, wherever they come from (runtime/kernel/signals.c); only calls to
 * other threads are taken here, since glibc holds a lock of the receiver while it sends, which a schedule point may not
 * lie in.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base.h"
#include "instr.h"
#include "instr_libc.h"
#include "models.h"

static struct vtb_rt_thread *caller(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t)
		t->base.pc = pc;
	return t;
}

static void note_send(struct vtb_rt_thread *t, int signal)
{
	if (t && !vtb_rt_controls() && signal)
		vtb_rec_sync(t, VTB_E_SIGNAL_SEND, NULL, 0, 0, 0, (uint64_t)signal);
}

static void note_wait(struct vtb_rt_thread *t, int signal)
{
	if (t && !vtb_rt_controls() && signal > 0)
		vtb_rec_sync(t, VTB_E_SIGNAL_HANDLE, NULL, 0, 0, 0, (uint64_t)signal);
}

VTB_EXPORT int pthread_kill(pthread_t handle, int signal)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);

	if (t && vtb_rt_controls())
		return vtb_ctl_pthread_kill(handle, signal, NULL);
	note_send(t, signal);
	return VTB_CALL_REAL(pthread_kill)(handle, signal);
}

VTB_EXPORT int pthread_sigqueue(pthread_t handle, int signal, const union sigval value)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);

	if (t && vtb_rt_controls())
		return vtb_ctl_pthread_kill(handle, signal, &value);
	note_send(t, signal);
	return VTB_CALL_REAL(pthread_sigqueue)(handle, signal, value);
}

/* The last moment at which a signal still comes is an operation: who sends one sees it. What glibc blocks inside of its
 * functions, under its locks, is none. */
static void blocks(const sigset_t *set, int how, uint64_t pc)
{
	struct vtb_rt_thread *t = set && how != SIG_UNBLOCK ? caller(pc) : NULL;

	if (set && vtb_rt_is_hooked(pc))
		vtb_rt_range(VTB_E_READ, set, sizeof(*set), pc);
	if (t && vtb_rt_controls())
		vtb_ctl_open_to_signals(t);
}

VTB_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict ret)
{
	const uint64_t pc = VTB_CALLER;
	sigset_t old;
	int r;

	blocks(set, how, pc);
	r = VTB_CALL_REAL(pthread_sigmask)(how, set, ret ? &old : NULL);
	if (ret && !r)
		vtb_rt_hand_over(ret, &old, sizeof(old), pc);
	return r;
}

VTB_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict ret)
{
	const uint64_t pc = VTB_CALLER;
	sigset_t old;
	int r;

	blocks(set, how, pc);
	r = VTB_CALL_REAL(sigprocmask)(how, set, ret ? &old : NULL);
	if (ret && !r)
		vtb_rt_hand_over(ret, &old, sizeof(old), pc);
	return r;
}

VTB_EXPORT int raise(int signal)
{
	note_send(caller(VTB_CALLER), signal);
	return VTB_CALL_REAL(raise)(signal);
}

VTB_EXPORT int kill(pid_t pid, int signal)
{
	note_send(caller(VTB_CALLER), signal);
	return VTB_CALL_REAL(kill)(pid, signal);
}

VTB_EXPORT int sigqueue(pid_t pid, int signal, const union sigval value)
{
	note_send(caller(VTB_CALLER), signal);
	return VTB_CALL_REAL(sigqueue)(pid, signal, value);
}

VTB_EXPORT int sigwait(const sigset_t *restrict set, int *restrict ret)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = caller(pc);
	int signal = 0;
	const int r = VTB_CALL_REAL(sigwait)(set, &signal);

	note_wait(t, r ? 0 : signal);
	if (!r)
		vtb_rt_hand_over(ret, &signal, sizeof(signal), pc);
	return r;
}

VTB_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict ret)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = caller(pc);
	siginfo_t info;
	const int r = VTB_CALL_REAL(sigwaitinfo)(set, ret ? &info : NULL);

	note_wait(t, r);
	if (ret && r > 0)
		vtb_rt_hand_over(ret, &info, sizeof(info), pc);
	return r;
}

VTB_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict ret, const struct timespec *restrict span)
{
	const uint64_t pc = VTB_CALLER;
	struct vtb_rt_thread *t = caller(pc);
	siginfo_t info;
	const int r = VTB_CALL_REAL(sigtimedwait)(set, ret ? &info : NULL, span);

	note_wait(t, r);
	if (ret && r > 0)
		vtb_rt_hand_over(ret, &info, sizeof(info), pc);
	return r;
}
