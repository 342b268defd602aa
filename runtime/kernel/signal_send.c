/* SPDX-License-Identifier: BSD-2-Clause */
/* Sending signals: to a thread, to the process. */
#include <errno.h>

#include "base.h"
#include "signals.h"
#include "syscalls.h"

#define LAST_SIGNAL 64

static siginfo_t information(int signal, int code)
{
	siginfo_t info = { .si_signo = signal, .si_code = code };

	info.si_pid = (pid_t)(vtb_ids_are_told() ? vtb_told_process() : sys3(SYS_getpid, 0, 0, 0));
	info.si_uid = (uid_t)sys3(SYS_getuid, 0, 0, 0);
	return info;
}

struct sending {
	siginfo_t info;
	uint32_t slot;
	bool by_id; /* to a thread: named by its id, not by its handle */
};

/* Nobody has the name any more. */
static bool is_lost(const struct sending *s)
{
	const struct vtb_rt_thread *to = s->slot == VTB_SIGNAL_PROCESS ? NULL : vtb_rt.threads[s->slot];

	return to && (s->by_id ? to->base.state != VTB_T_ALIVE : vtb_rt_handle_is_over(to));
}

/* Signal 0 only asks whether it could be sent. */
static void send_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct sending *s = (struct sending *)call->data;
	const int signal = (int)call->arg;

	(void)t;
	if (is_lost(s))
		call->result = -ESRCH;
	else
		call->result = signal ? vtb_signals_generate(signal, &s->info, s->slot) : 0;
	if (signal && vtb_signals_only_pends(signal, s->slot))
		call->arg |= VTB_SIGNAL_PENDS;
}

static const struct vtb_primitive primitive_send = { "send a signal", NULL, send_perform, NULL, false, NULL };

static long send(struct vtb_rt_thread *t, int signal, struct sending s)
{
	struct vtb_call call = { .prim = &primitive_send,
		                 .kind = VTB_E_SIGNAL_SEND,
		                 .pc = t->base.pc,
		                 .arg = (uint64_t)signal,
		                 .data = (uint64_t)&s };

	vtb_ctl_op(t, &call);
	if (t->sched.interrupted)
		vtb_signals_deliver(t);
	return call.result;
}

static void nothing(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	(void)call;
}

static const struct vtb_primitive primitive_send_away = { "send a signal", NULL, nothing, NULL, false, NULL };

/* To a child, which may do anything then, and goes first: what other threads do comes before or after that. The call
 * itself is made behind it. */
static bool send_away(struct vtb_rt_thread *t, int signal)
{
	struct vtb_call call = { .prim = &primitive_send_away,
		                 .kind = VTB_E_SIGNAL_SEND,
		                 .pc = t->base.pc,
		                 .arg = (uint64_t)(signal & 0x7f) };

	if (vtb_children_made) {
		vtb_ctl_op(t, &call);
		if (t->sched.interrupted)
			vtb_signals_deliver(t);
	}
	return false;
}

static bool can_send(int signal)
{
	return signal >= 0 && signal <= LAST_SIGNAL && signal != SIGKILL && signal != SIGSTOP;
}

static bool to_thread(struct vtb_rt_thread *t, long id, int signal, const siginfo_t *info, long *ret)
{
	const struct vtb_rt_thread *target = vtb_carrier_thread_once(id); /* before its end it would get it */

	if (!target || !can_send(signal))
		return false;
	*ret =
	    send(t, signal, (struct sending){ info ? *info : information(signal, SI_TKILL), target->base.slot, true });
	return true;
}

static bool to_process(struct vtb_rt_thread *t, long pid, int signal, const siginfo_t *info, long *ret)
{
	if (vtb_id_behind(pid) != sys3(SYS_getpid, 0, 0, 0))
		return send_away(t, signal);
	if (!can_send(signal))
		return false;
	*ret = signal ? send(t, signal,
	                     (struct sending){ info ? *info : information(signal, SI_USER), VTB_SIGNAL_PROCESS, false })
	              : 0;
	return true;
}

int vtb_ctl_pthread_kill(pthread_t handle, int signal, const union sigval *value)
{
	const struct vtb_rt_thread *target = vtb_rt_thread_once_by_handle(handle);
	siginfo_t info = information(signal, value ? SI_QUEUE : SI_TKILL);

	if (signal < 0 || signal > LAST_SIGNAL)
		return EINVAL;
	if (!target)
		return ESRCH;
	if (!can_send(signal))
		return vtb_rt_handle_is_over(target) ? ESRCH : vtb_real.pthread_kill(handle, signal);
	if (value)
		info.si_value = *value;
	return (int)-send(vtb_self, signal, (struct sending){ info, target->base.slot, false });
}

bool vtb_ctl_abort_is_handled(void)
{
	const struct vtb_action a = vtb_signal_action(SIGABRT);

	return a.handler != SIG_DFL && a.handler != SIG_IGN && (void *)a.handler != (void *)vtb_failure_handle;
}

/* What was first said of it, and where: its handler may raise the signal again, without a handler. */
static struct {
	char message[VTB_WIRE_MESSAGE_MAX];
	uint64_t pc;
	const struct vtb_rt_thread *by;
} aborted;

void vtb_signals_end_aborted(const struct vtb_rt_thread *t, int signal, const struct vtb_action *a)
{
	if (signal == SIGABRT && (void *)a->handler == (void *)vtb_failure_handle && aborted.by == t)
		vtb_failure_end(VTB_V_ASSERTION, signal, aborted.pc, 0, aborted.message);
}

const char *vtb_ctl_aborted(const char *message, uint64_t *pc)
{
	if (aborted.by != vtb_self)
		return message;
	*pc = aborted.pc;
	return aborted.message;
}

void vtb_ctl_raise_abort(const char *message, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!aborted.by) {
		memcpy(aborted.message, message, strlen(message) + 1);
		aborted.pc = pc;
		aborted.by = t;
	}
	vtb_signals_set_mask(t, t->kernel.sigmask & ~(1ull << (SIGABRT - 1)));
	send(t, SIGABRT, (struct sending){ information(SIGABRT, SI_TKILL), t->base.slot, false });
}

bool vtb_signals_send_call(struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	switch (g[REG_RAX]) {
	case SYS_kill:
		return to_process(t, g[REG_RDI], (int)g[REG_RSI], NULL, ret);
	case SYS_rt_sigqueueinfo:
		return to_process(t, g[REG_RDI], (int)g[REG_RSI], (const siginfo_t *)g[REG_RDX], ret);
	case SYS_tkill:
		return to_thread(t, g[REG_RDI], (int)g[REG_RSI], NULL, ret);
	case SYS_tgkill:
		return to_thread(t, g[REG_RSI], (int)g[REG_RDX], NULL, ret);
	case SYS_rt_tgsigqueueinfo:
		return to_thread(t, g[REG_RSI], (int)g[REG_RDX], (const siginfo_t *)g[REG_R10], ret);
	default:
		return false;
	}
}
