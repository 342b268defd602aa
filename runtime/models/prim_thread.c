/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads: birth, end, join, detach, cancellation, the end of the process. */
#include <errno.h>
#include <string.h>

#include "scheduler.h"
#include "models.h"
#include "base.h"

static const void *handle_of(const struct vtb_rt_thread *t)
{
	return (const void *)(uintptr_t)t->base.slot; /* threads stand in records by slot */
}

static const struct vtb_primitive primitive_begin = { "thread begin", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_end = { "thread end", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_create = { "thread create", NULL, NULL, NULL, true, NULL };

/* ---- a thread's life */

static void ends(void *arg)
{
	struct vtb_rt_thread *t = arg;
	struct vtb_call call = {
		.prim = &primitive_end, .kind = VTB_E_THREAD_END, .obj = handle_of(t), .pc = (uint64_t)t->base.start + 1
	};

	if (!vtb_sched.active) /* the process is ending under us */
		return;
	t->sched.cancel_enabled = false;
	vtb_rt_run_destructors();
	t->base.pc = call.pc;
	vtb_mutex_holder_ends(t);
	vtb_futex_holder_ends(t);
	vtb_ctl_arrive(t, &call);
	t->base.state = VTB_T_ENDED;
	vtb_ctl_done(t, &call);
	t->base.inside++; /* what glibc does from here on is not the program's */
	vtb_carrier->leave(t, vtb_sched_leave(t));
}

/* What is left in them looks like state at a pad (match.c). Those that hold arguments are loaded after this. */
static inline __attribute__((always_inline)) void forget_registers(void)
{
	__asm__ volatile(
	    "xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\txorl %%esi, %%esi\n\txorl %%edi, %%edi\n\t"
	    "xorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d"
	    :
	    :
	    : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
}

void *vtb_thread_body(struct vtb_rt_thread *t)
{
	t->sched.cancel_enabled = true;
	vtb_ctl_done(t, t->sched.call); /* chosen: it is born */
	t->base.body = (uint64_t)__builtin_frame_address(0);
	pthread_cleanup_push(ends, t); /* outermost: return, pthread_exit and cancellation all come through it */
	forget_registers();
	t->base.result = t->base.start(t->base.arg);
	pthread_cleanup_pop(1);
	return t->base.result;
}

int vtb_thread_main(int argc, char **argv, char **envp)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call begin = { .prim = &primitive_begin,
		                  .kind = VTB_E_THREAD_BEGIN,
		                  .obj = handle_of(t),
		                  .pc = (uint64_t)vtb_rt.main + 1 };
	int status;

	t->sched.cancel_enabled = true;
	t->base.start = (void *(*)(void *))(void *)vtb_rt.main;
	vtb_ctl_op(t, &begin);
	pthread_cleanup_push(ends,
	                     t); /* main itself: its end is the end of the process, unless it calls pthread_exit */
	vtb_early_begin(t);
	t->base.stack_top = (uint64_t)__builtin_frame_address(0);
	forget_registers();
	status = vtb_rt.main(argc, argv, envp);
	t->base.stack_top = 0; /* what comes next has frames that may begin further up */
	pthread_cleanup_pop(0);
	if (!vtb_sched.active) /* a forked process, on its own */
		return status;
	t->base.pc = (uint64_t)vtb_rt.main + 1;
	vtb_ctl_exit(status);
	return status;
}

/* ---- create */

static struct vtb_call *birth_call(struct vtb_rt_thread *child)
{
	child->models.birth = (struct vtb_call){ .prim = &primitive_begin,
		                                 .kind = VTB_E_THREAD_BEGIN,
		                                 .obj = handle_of(child),
		                                 .pc = (uint64_t)child->base.start + 1 };
	return &child->models.birth;
}

/* Which handles threads have depends on who made one first, which is no operation: that is named. */
static void note_maker(const struct vtb_rt_thread *t)
{
	static uint32_t last VTB_HISTORY;

	vtb_ctl_gets_address(t, &last);
}

/* Until now there was nobody to choose among, or to wait for. */
static void first_thread(struct vtb_rt_thread *t)
{
	if (vtb_engine->stem)
		vtb_engine->stem();
	vtb_fair_forget(t);
}

int vtb_ctl_pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	struct vtb_rt_thread *t = vtb_self, *child;
	struct vtb_call call = { .prim = &primitive_create,
		                 .kind = VTB_E_THREAD_CREATE,
		                 .pc = t->base.pc,
		                 .arg = (uint64_t)start,
		                 .has_value = true };
	int detached = 0, r;

	if (vtb_rt.n_threads == 1)
		first_thread(t);
	vtb_ctl_arrive(t, &call);
	note_maker(t);
	child = vtb_rt_thread_new(t);
	if (!child)
		vtb_limit_reached(VTB_LIMIT_THREADS);
	child->base.start = start;
	child->base.arg = arg;
	vtb_schedule_born(child, t);
	vtb_sources_born(child, t);
	if (attr && !VTB_CALL_REAL(pthread_attr_getdetachstate)(attr, &detached))
		child->base.detached = detached == PTHREAD_CREATE_DETACHED;
	t->base.inside++;
	r = vtb_carrier->create(child, handle, attr);
	t->base.inside--;
	call.obj = handle_of(child);
	call.value = child->base.nth;
	if (r) {
		child->base.state = VTB_T_ENDED;
		return r;
	}
	child->sched.call = birth_call(child);
	vtb_ready_set(child, true);
	vtb_ctl_done(t, &call);
	return 0;
}

/* ---- join and detach */

static bool join_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct vtb_rt_thread *child = vtb_rt.threads[(uintptr_t)call->obj];

	return child->base.state == VTB_T_ENDED || child->base.detached || vtb_time_over(t) ||
	       (t->sched.cancelled && t->sched.cancel_enabled);
}

static void join_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *child = vtb_rt.threads[(uintptr_t)call->obj];

	call->has_value = true;
	if (vtb_rt_handle_is_over(child)) {
		vtb_misuse(call, child->base.joined ? "a thread was joined that had been joined before"
		                                    : "a thread was joined that is detached and has ended");
		call->result = ESRCH;
	} else if (child->base.detached) {
		call->result = EINVAL;
	} else if (child->base.state == VTB_T_ENDED) {
		child->base.joined = true;
		t->base.inside++;
		call->result = vtb_carrier->join(child, (void **)call->data);
		t->base.inside--;
	} else {
		call->result = t->sched.deadline ? ETIMEDOUT : EBUSY;
	}
	call->value = (uint64_t)call->result;
}

static void detach_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *child = vtb_rt.threads[(uintptr_t)call->obj];

	(void)t;
	if (vtb_rt_handle_is_over(child)) {
		vtb_misuse(call, child->base.joined ? "a thread was detached that had been joined before"
		                                    : "a thread was detached that is detached and has ended");
		call->result = ESRCH;
	} else if (child->base.detached) {
		call->result = EINVAL;
	} else {
		child->base.detached = true;
		call->result = vtb_carrier->detach(child);
	}
}

static uint32_t joined_thread(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return (uint32_t)(uintptr_t)call->obj;
}

static const struct vtb_primitive primitive_join = { "thread join",     join_ready, join_perform,
	                                             vtb_ctl_at_object, true,       joined_thread };
static const struct vtb_primitive primitive_tryjoin = {
	"thread tryjoin", NULL, join_perform, NULL, true, joined_thread
};
static const struct vtb_primitive primitive_detach = { "thread detach", NULL, detach_perform, NULL, true, NULL };

static int join(const struct vtb_primitive *prim, pthread_t handle, void **ret, uint64_t deadline)
{
	struct vtb_rt_thread *t = vtb_self, *child = vtb_rt_thread_once_by_handle(handle);
	struct vtb_call call = { .prim = prim,
		                 .kind = VTB_E_THREAD_JOIN,
		                 .pc = t->base.pc,
		                 .arg = prim == &primitive_tryjoin,
		                 .data = (uint64_t)ret };

	if (!child)
		return ESRCH;
	if (child == t)
		return EDEADLK;
	call.obj = handle_of(child);
	vtb_cancellation_point(t);
	t->sched.deadline = deadline == VTB_NOT_A_TIME ? 0 : deadline; /* a join asks again, and waits for the end */
	vtb_ctl_op(t, &call);
	t->sched.deadline = 0;
	if (call.result == EBUSY && prim == &primitive_join)
		vtb_cancellation_point(t);
	return (int)call.result;
}

int vtb_ctl_pthread_join(pthread_t handle, void **ret, uint64_t deadline)
{
	return join(&primitive_join, handle, ret, deadline);
}

int vtb_ctl_pthread_tryjoin_np(pthread_t handle, void **ret)
{
	return join(&primitive_tryjoin, handle, ret, 0);
}

int vtb_ctl_pthread_detach(pthread_t handle)
{
	struct vtb_rt_thread *child = vtb_rt_thread_once_by_handle(handle);

	return child ? (int)vtb_op(vtb_self, &primitive_detach, VTB_E_THREAD_DETACH, handle_of(child)) : ESRCH;
}

/* ---- cancellation: pending until the target is at a cancellation point, or runs with asynchronous type */

static void cancel_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	struct vtb_rt_thread *child = vtb_rt.threads[(uintptr_t)call->obj];

	(void)t;
	call->result = vtb_rt_handle_is_over(child) ? ESRCH : 0;
	child->sched.cancelled = !call->result;
}

static const struct vtb_primitive primitive_cancel = { "thread cancel", NULL, cancel_perform, NULL, false, NULL };

int vtb_ctl_pthread_cancel(pthread_t handle)
{
	struct vtb_rt_thread *child = vtb_rt_thread_once_by_handle(handle); /* before its end it would be cancelled */
	int r;

	if (!child)
		return ESRCH;
	r = (int)vtb_op(vtb_self, &primitive_cancel, VTB_E_THREAD_CANCEL, handle_of(child));
	if (child == vtb_self && child->sched.cancel_async)
		vtb_cancellation_point(child);
	return r;
}

VTB_EXPORT void pthread_exit(void *result)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t)
		t->base.result = result;
	VTB_CALL_REAL(pthread_exit)(result);
	__builtin_unreachable();
}

static const struct vtb_primitive primitive_testcancel = { "test for cancellation", NULL, NULL, NULL, true, NULL };

VTB_EXPORT void pthread_testcancel(void)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t && vtb_rt_controls()) {
		vtb_op(t, &primitive_testcancel, VTB_E_YIELD,
		       NULL); /* reads what another thread may write: a loop of it lets others run */
		vtb_cancellation_point(t);
		return;
	}
	((void (*)(void))vtb_real_symbol("pthread_testcancel"))();
}

VTB_EXPORT int pthread_setcancelstate(int state, int *old)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t && vtb_rt_controls()) {
		if (old)
			*old = t->sched.cancel_enabled ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE;
		t->sched.cancel_enabled = state == PTHREAD_CANCEL_ENABLE;
		vtb_cancel_async(t);
		return 0;
	}
	return ((int (*)(int, int *))vtb_real_symbol("pthread_setcancelstate"))(state, old);
}

VTB_EXPORT int pthread_setcanceltype(int type, int *old)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t && vtb_rt_controls()) {
		if (old)
			*old = t->sched.cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
		t->sched.cancel_async = type == PTHREAD_CANCEL_ASYNCHRONOUS;
		vtb_cancel_async(t);
		return 0;
	}
	return ((int (*)(int, int *))vtb_real_symbol("pthread_setcanceltype"))(type, old);
}

/* ---- the end of the process */

static const struct vtb_primitive primitive_exit = { "process exit", NULL, NULL, NULL, true, NULL };

static uint64_t called_exit VTB_HISTORY; /* the place */

__attribute__((noinline)) void vtb_ctl_is_to_end(int status)
{
	vtb_sched.exiting = true;
	called_exit = vtb_self->base.pc;
	vtb_sched.status = status;
}

void (*vtb_ctl_exit_begins)(uint64_t pc);

void vtb_ctl_exit(int status)
{
	if (vtb_sched.exiting) /* an exit handler calls exit() */
		return;
	if (vtb_ctl_exit_begins && vtb_sched.active && !vtb_sched_alone(vtb_self))
		vtb_ctl_exit_begins(vtb_self->base.pc);
	vtb_ctl_is_to_end(status);
}

void vtb_ctl_exit_point(void)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = &primitive_exit,
		                 .kind = VTB_E_PROCESS_EXIT,
		                 .pc = called_exit,
		                 .value = (uint64_t)(unsigned)vtb_sched.status,
		                 .has_value = true };

	if (t && vtb_sched.active && vtb_sched.exiting)
		vtb_ctl_op(t, &call);
}

/* _exit: no handlers, no destructors. */
void vtb_ctl_quit(int status)
{
	vtb_ctl_is_to_end(status);
	vtb_ctl_exit_point();
	vtb_sched_quit(status);
}
