/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interposed calls. Each looks up who is calling: nobody (mode off, a thread that is not ours, or ourselves): the
 * real function; record mode: the real function and an event; control mode: the model in runtime/models.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <threads.h>

#include "models.h"
#include "carriers.h"
#include "instr.h"
#include "instr_libc.h"
#include "base.h"

/* Who is calling; leaves the caller's address for the events. */
static inline __attribute__((always_inline)) struct vtb_rt_thread *caller(uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	if (t) {
		t->base.pc = t->base.outer_pc ? t->base.outer_pc : pc;
		t->base.outer_pc = 0;
		t->base.fp = (uint64_t)__builtin_frame_address(0);
	}
	return t;
}

#define RESULT_PLAIN(r) ((unsigned)(r))
#define RESULT_ERRNO(r) ((r) == -1 ? (unsigned)errno : 0u)
#define NOTE_AFTER_AFTER(t, kind, obj, result) vtb_rec_sync(t, kind, (const void *)(obj), 0, result, 0, 0)
#define NOTE_AFTER_BEFORE(t, kind, obj, result) (void)(result)
#define NOTE_BEFORE_BEFORE(t, kind, obj) vtb_rec_sync(t, kind, (const void *)(obj), 0, 0, 0, 0)
#define NOTE_BEFORE_AFTER(t, kind, obj) (void)0

#define SYNC(ret, name, params, args, when, kind, obj, result_shape, before)       \
	VTB_EXPORT VTB_FORGETS ret name params                                     \
	{                                                                          \
		struct vtb_rt_thread *t = (before, caller(VTB_CALLER));            \
		ret r;                                                             \
		if (!t)                                                            \
			return VTB_CALL_REAL(name) args;                           \
		if (vtb_rt_controls())                                             \
			VTB_RETURN(t, vtb_ctl_##name args);                        \
		NOTE_BEFORE_##when(t, VTB_E_##kind, obj);                          \
		r = vtb_real.name args;                                            \
		NOTE_AFTER_##when(t, VTB_E_##kind, obj, RESULT_##result_shape(r)); \
		return r;                                                          \
	}
#define VTB_SYNC(r, n, p, a, w, k, obj, s) SYNC(r, n, p, a, w, k, obj, s, obj = vtb_one_address(obj))
#define VTB_SYNC_MADE(r, n, p, args, w, k, obj, s) \
	SYNC(r, n, p, args, w, k, obj, s,          \
	     (obj = vtb_one_address(obj), vtb_rt_asks_attributes(a, sizeof(*a), VTB_CALLER)))
#define VTB_SYNC_ALONE(...) SYNC(__VA_ARGS__, (void)0)
#include "interpose.def"

/* ---- threads */

/* Control is to come. */
static bool before_main(void)
{
	const struct vtb_wire_header *h = vtb_rt.block;

	return h && !vtb_rt.begun && vtb_rt.mode == VTB_MODE_OFF && h->mode == VTB_MODE_CONTROL;
}

static int create_early(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *), void *arg, uint64_t pc)
{
	const uint32_t n = vtb_early_count();
	int detached = PTHREAD_CREATE_JOINABLE;

	if (vtb_rt.block->carrier != VTB_CARRIER_FIBERS) {
		vtb_early_escapes();
		return vtb_real.pthread_create(handle, attr, start, arg);
	}
	if (vtb_fibers_pool(n + 1) <= n)
		return EAGAIN;
	*handle = vtb_fibers_handle(n);
	if (!vtb_early_note(*handle, start, arg, pc))
		return EAGAIN;
	if (attr && !VTB_CALL_REAL(pthread_attr_getdetachstate)(attr, &detached) && detached == PTHREAD_CREATE_DETACHED)
		vtb_early_detach(*handle);
	return 0;
}

VTB_EXPORT VTB_FORGETS int pthread_create(pthread_t *handle, const pthread_attr_t *attr, void *(*start)(void *),
                                          void *arg)
{
	const uint64_t pc = vtb_self && vtb_self->base.outer_pc ? vtb_self->base.outer_pc : VTB_CALLER;
	struct vtb_rt_thread *t;
	int r;

	vtb_rt_makes_thread(handle, attr, pc);
	t = caller(pc);
	if (!t)
		return before_main() ? create_early(handle, attr, start, arg, pc)
		                     : VTB_CALL_REAL(pthread_create)(handle, attr, start, arg);
	r = vtb_rt_controls() ? vtb_ctl_pthread_create(handle, attr, start, arg)
	                      : vtb_rec_create(handle, attr, start, arg);
	vtb_rt_gets_handle(handle, pc);
	VTB_RETURN(t, r);
}

static void note_join(struct vtb_rt_thread *t, struct vtb_rt_thread *child, int r)
{
	if (!child)
		return;
	child->base.joined |= r == 0;
	vtb_rec_sync(t, VTB_E_THREAD_JOIN, (void *)(uintptr_t)child->base.slot, 0, (unsigned)r, 0, 0);
}

/* The four forms of join differ in the real call and in the deadline. */
#define JOIN(name, params, real_args, deadline)                                                                  \
	VTB_EXPORT VTB_FORGETS int name params                                                                   \
	{                                                                                                        \
		struct vtb_rt_thread *t = caller(VTB_CALLER), *child;                                            \
		void **const to = ret, *result = NULL;                                                           \
		int r;                                                                                           \
		if (!t)                                                                                          \
			return before_main() && vtb_early_join(handle, ret) ? 0 : VTB_CALL_REAL(name) real_args; \
		ret = to ? &result : NULL;                                                                       \
		if (vtb_rt_controls()) {                                                                         \
			r = vtb_ctl_pthread_join(handle, ret, deadline);                                         \
		} else {                                                                                         \
			child = vtb_rt_thread_by_handle(handle);                                                 \
			r = vtb_real.name real_args;                                                             \
			note_join(t, child, r);                                                                  \
		}                                                                                                \
		if (r == 0 && to)                                                                                \
			vtb_rt_hand_over(to, &result, sizeof(result), VTB_CALLER);                               \
		VTB_RETURN(t, r);                                                                                \
	}
JOIN(pthread_join, (pthread_t handle, void **ret), (handle, ret), 0)
JOIN(pthread_timedjoin_np, (pthread_t handle, void **ret, const struct timespec *until), (handle, ret, until),
     vtb_ctl_deadline(CLOCK_REALTIME, until))
JOIN(pthread_clockjoin_np, (pthread_t handle, void **ret, clockid_t clock, const struct timespec *until),
     (handle, ret, clock, until), vtb_ctl_deadline(clock, until))

VTB_EXPORT int pthread_tryjoin_np(pthread_t handle, void **ret)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER), *child;
	void *result = NULL, **const into = ret ? &result : NULL;
	int r;

	if (!t)
		return VTB_CALL_REAL(pthread_tryjoin_np)(handle, ret);
	if (vtb_rt_controls()) {
		r = vtb_ctl_pthread_tryjoin_np(handle, into);
	} else {
		child = vtb_rt_thread_by_handle(handle);
		r = vtb_real.pthread_tryjoin_np(handle, into);
		note_join(t, child, r);
	}
	if (r == 0 && ret)
		vtb_rt_hand_over(ret, &result, sizeof(result), VTB_CALLER);
	return r;
}

VTB_EXPORT int pthread_detach(pthread_t handle)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER), *child;

	if (!t)
		return before_main() && vtb_early_detach(handle) ? 0 : VTB_CALL_REAL(pthread_detach)(handle);
	if (vtb_rt_controls())
		return vtb_ctl_pthread_detach(handle);
	child = vtb_rt_thread_by_handle(handle);
	if (child) {
		child->base.detached = true;
		vtb_rec_sync(t, VTB_E_THREAD_DETACH, (void *)(uintptr_t)child->base.slot, 0, 0, 0, 0);
	}
	return vtb_real.pthread_detach(handle);
}

VTB_EXPORT int pthread_cancel(pthread_t handle)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER), *child;

	if (!t)
		return VTB_CALL_REAL(pthread_cancel)(handle);
	if (vtb_rt_controls())
		return vtb_ctl_pthread_cancel(handle);
	child = vtb_rt_thread_by_handle(handle);
	if (child)
		vtb_rec_sync(t, VTB_E_THREAD_CANCEL, (void *)(uintptr_t)child->base.slot, 0, 0, 0, 0);
	return vtb_real.pthread_cancel(handle);
}

/* ---- condition waits: two events, the mutex is given back and taken again in between */

struct waiting {
	struct vtb_rt_thread *t;
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	int r;
};

/* Also when a cancelled wait unwinds: the mutex is held again, so that clean-up handlers may unlock it. */
static void note_woken(void *arg)
{
	struct waiting *w = arg;

	vtb_rec_sync(w->t, VTB_E_COND_WAKE, w->cond, 0, (unsigned)w->r, 0, (uint64_t)w->mutex);
}

#define COND_WAIT(name, params, args, deadline)                                              \
	VTB_EXPORT VTB_FORGETS int name params                                               \
	{                                                                                    \
		struct vtb_rt_thread *t = caller(VTB_CALLER);                                \
		struct waiting w = { t, c = vtb_one_address(c), m = vtb_one_address(m), 0 }; \
		if (!t)                                                                      \
			return VTB_CALL_REAL(name) args;                                     \
		if (vtb_rt_controls())                                                       \
			VTB_RETURN(t, vtb_ctl_pthread_cond_wait(c, m, deadline));            \
		vtb_rec_sync(t, VTB_E_COND_WAIT, c, 0, 0, 0, (uint64_t)m);                   \
		pthread_cleanup_push(note_woken, &w);                                        \
		w.r = vtb_real.name args;                                                    \
		pthread_cleanup_pop(1);                                                      \
		return w.r;                                                                  \
	}
COND_WAIT(pthread_cond_wait, (pthread_cond_t * c, pthread_mutex_t *m), (c, m), 0)
COND_WAIT(pthread_cond_clockwait,
          (pthread_cond_t * c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until), (c, m, clock, until),
          vtb_ctl_deadline(clock, until))

/* The clock of a timed wait is the condition variable's: bit 1 of its flags word in glibc. */
static clockid_t cond_clock(const pthread_cond_t *c)
{
	return c->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}
COND_WAIT(pthread_cond_timedwait, (pthread_cond_t * c, pthread_mutex_t *m, const struct timespec *until), (c, m, until),
          vtb_ctl_deadline(cond_clock(c), until))

VTB_EXPORT VTB_FORGETS int pthread_barrier_wait(pthread_barrier_t *b)
{
	struct vtb_rt_thread *t = (b = vtb_one_address(b), caller(VTB_CALLER));
	int r;

	if (!t)
		return VTB_CALL_REAL(pthread_barrier_wait)(b);
	if (vtb_rt_controls())
		VTB_RETURN(t, vtb_ctl_pthread_barrier_wait(b));
	vtb_rec_sync(t, VTB_E_BARRIER_ARRIVE, b, 0, 0, 0, 0);
	r = vtb_real.pthread_barrier_wait(b);
	vtb_rec_sync(t, VTB_E_BARRIER_LEAVE, b, 0, 0, r == PTHREAD_BARRIER_SERIAL_THREAD, 0);
	return r;
}

/* ---- once: the initialiser is the program's, so its events lie between begin and end. We run it ourselves in both
 * modes, since glibc's wrapper would hide from us who waits. State bytes are glibc's: 1 under way, 2 done. */

enum { ONCE_BUSY = 1, ONCE_DONE };

struct once {
	pthread_once_t *state;
	uint64_t pc; /* of the call */
	bool finished;
};

static void once_unwinds(struct once *o)
{
	if (o->finished)
		return;
	vtb_self->base.pc = o->pc;
	vtb_ctl_once_end(o->state, (unsigned char *)o->state, 0, true);
}

static int controlled_once(pthread_once_t *state, void (*init)(void))
{
	struct once o __attribute__((cleanup(once_unwinds))) = { state, vtb_self->base.pc, true };

	if (vtb_ctl_once_begin(state, (unsigned char *)state, ONCE_BUSY, ONCE_DONE)) {
		o.finished = false;
		init();
		o.finished = true;
		vtb_self->base.pc = o.pc;
		vtb_ctl_once_end(state, (unsigned char *)state, ONCE_DONE, false);
	}
	return 0;
}

/* Record mode: begin is stamped when glibc calls us back or returns, whichever is first. */
static __thread struct once_call {
	pthread_once_t *state;
	void (*init)(void);
	uint64_t pc;
	bool ran;
} * once_now __attribute__((tls_model("initial-exec")));

static void recorded_init(void)
{
	struct once_call *call = once_now;

	call->ran = true;
	vtb_self->base.pc = call->pc;
	vtb_rec_sync(vtb_self, VTB_E_ONCE_BEGIN, call->state, 0, 0, 1, 0);
	call->init();
	vtb_self->base.pc = call->pc;
	vtb_rec_sync(vtb_self, VTB_E_ONCE_END, call->state, 0, 0, 0, 0);
}

VTB_EXPORT int pthread_once(pthread_once_t *state, void (*init)(void))
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);
	struct once_call call = { state, init, VTB_CALLER, false }, *outer = once_now;
	int r;

	if (!t)
		return VTB_CALL_REAL(pthread_once)(state, init);
	if (vtb_rt_controls())
		return controlled_once(state, init);
	once_now = &call;
	r = vtb_real.pthread_once(state, recorded_init);
	once_now = outer;
	if (!call.ran)
		vtb_rec_sync(t, VTB_E_ONCE_FOUND, state, 0, 0, 0, 0);
	return r;
}

VTB_EXPORT void call_once(once_flag *flag, void (*init)(void))
{
	pthread_once((pthread_once_t *)flag, init);
}

/* Guards of function-local statics: byte 0 done, byte 1 under way (Itanium C++ ABI; libstdc++ keeps to it). */
VTB_EXPORT int __cxa_guard_acquire(uint64_t *guard);
VTB_EXPORT int __cxa_guard_acquire(uint64_t *guard)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);
	int r;

	if (!t)
		return VTB_CALL_REAL(__cxa_guard_acquire)(guard);
	if (vtb_rt_controls())
		return *(unsigned char *)guard ? 0 : vtb_ctl_once_begin(guard, (unsigned char *)guard + 1, 1, 2);
	r = vtb_real.__cxa_guard_acquire(guard);
	vtb_rec_sync(t, r ? VTB_E_ONCE_BEGIN : VTB_E_ONCE_FOUND, guard, 0, 0, (uint64_t)r, 0);
	return r;
}

static void guard_ends(uint64_t *guard, bool aborted, uint64_t pc)
{
	struct vtb_rt_thread *t = caller(pc);

	if (!t) {
		(aborted ? VTB_CALL_REAL(__cxa_guard_abort) : VTB_CALL_REAL(__cxa_guard_release))(guard);
	} else if (vtb_rt_controls()) {
		vtb_ctl_once_end(guard, (unsigned char *)guard + 1, aborted ? 0 : 2, aborted);
		*(unsigned char *)guard = !aborted;
	} else {
		vtb_rec_sync(t, VTB_E_ONCE_END, guard, 0, 0, aborted, 0);
		(aborted ? vtb_real.__cxa_guard_abort : vtb_real.__cxa_guard_release)(guard);
	}
}

VTB_EXPORT void __cxa_guard_release(uint64_t *guard);
VTB_EXPORT void __cxa_guard_release(uint64_t *guard)
{
	guard_ends(guard, false, VTB_CALLER);
}

VTB_EXPORT void __cxa_guard_abort(uint64_t *guard);
VTB_EXPORT void __cxa_guard_abort(uint64_t *guard)
{
	guard_ends(guard, true, VTB_CALLER);
}

/* ---- named semaphores: what libc does to the file is not the program's */

VTB_EXPORT int sem_unlink(const char *name)
{
	vtb_rt_names_semaphore(true, VTB_CALLER);
	if (vtb_rt_enter() && vtb_rt_controls())
		vtb_ctl_sem_unlink(name);
	return VTB_CALL_REAL(sem_unlink)(name);
}

VTB_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);
	va_list more;
	unsigned mode, value;
	sem_t *s;

	va_start(more, flags);
	mode = flags & O_CREAT ? va_arg(more, unsigned) : 0;
	value = flags & O_CREAT ? va_arg(more, unsigned) : 0;
	va_end(more);
	if (!t)
		return VTB_CALL_REAL(sem_open)(name, flags, mode, value);
	vtb_rt_names_semaphore(flags & O_CREAT, VTB_CALLER);
	if (vtb_rt_controls())
		return vtb_ctl_sem_open(name, flags, mode, value);
	t->base.inside++;
	s = vtb_real.sem_open(name, flags, mode, value);
	t->base.inside--;
	if (s != SEM_FAILED)
		vtb_rec_sync(t, VTB_E_SEM_INIT, s, 0, 0, 0, 0);
	return s;
}

VTB_EXPORT int sem_getvalue(sem_t *s, int *ret_value)
{
	struct vtb_rt_thread *t = (s = vtb_one_address(s), caller(VTB_CALLER));
	int value, r;

	if (!t)
		return VTB_CALL_REAL(sem_getvalue)(s, ret_value);
	r = vtb_rt_controls() ? vtb_ctl_sem_getvalue(s, &value) : vtb_real.sem_getvalue(s, &value);
	if (r == 0 && !vtb_rt_controls())
		vtb_rec_sync(t, VTB_E_SEM_VALUE, s, 0, (unsigned)value, 0, 0);
	if (r == 0)
		vtb_rt_hand_over(ret_value, &value, sizeof(value), VTB_CALLER);
	VTB_RETURN(t, r);
}

VTB_EXPORT int sem_close(sem_t *s)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);
	int r;

	if (!t)
		return VTB_CALL_REAL(sem_close)(s);
	if (vtb_rt_controls())
		vtb_ctl_sem_destroy(s);
	else
		vtb_rec_sync(t, VTB_E_SEM_DESTROY, s, 0, 0, 0, 0);
	t->base.inside++;
	r = vtb_real.sem_close(s);
	t->base.inside--;
	return r;
}

/* ---- time */

VTB_EXPORT unsigned sleep(unsigned seconds)
{
	struct vtb_rt_thread *t = caller(VTB_CALLER);
	unsigned r;

	if (!t)
		return VTB_CALL_REAL(sleep)(seconds);
	if (vtb_rt_controls())
		return (unsigned)(vtb_ctl_sleep(seconds * 1000000000ull) / 1000000000ull);
	r = vtb_real.sleep(seconds);
	vtb_rec_sync(t, VTB_E_SLEEP, NULL, 0, 0, 0, 0);
	return r;
}

/* ---- the end of the process */

/* libtsan has this function too, so a program linked with it does not bring the one that every program otherwise has in
 * itself. */
VTB_EXPORT int atexit(void (*handler)(void))
{
	extern int __cxa_atexit(void (*)(void *), void *, void *);

	return __cxa_atexit((void (*)(void *))(void *)handler, NULL, NULL);
}

#define ENDS(name)                                           \
	VTB_EXPORT void name(int status)                     \
	{                                                    \
		if (caller(VTB_CALLER) && vtb_rt_controls()) \
			vtb_ctl_exit(status);                \
		VTB_CALL_REAL(name)(status);                 \
		__builtin_unreachable();                     \
	}
ENDS(exit)
ENDS(quick_exit)

VTB_EXPORT void _exit(int status)
{
	if (caller(VTB_CALLER) && vtb_rt_controls())
		vtb_ctl_quit(status);
	VTB_CALL_REAL(_exit)(status);
	__builtin_unreachable();
}

VTB_EXPORT void _Exit(int status)
{
	_exit(status);
}

/* ---- how many processors there are (kernel/told/affinity.c) */

VTB_EXPORT int get_nprocs(void)
{
	const int n = vtb_ctl_processors();

	return n > 0 ? n : VTB_CALL_REAL(get_nprocs)();
}

VTB_EXPORT long sysconf(int name)
{
	const int n = name == _SC_NPROCESSORS_ONLN ? vtb_ctl_processors() : 0;

	return n > 0 ? n : VTB_CALL_REAL(sysconf)(name);
}
