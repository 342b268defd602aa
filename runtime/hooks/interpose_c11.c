/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * C11 <threads.h>. In glibc these types are the pthread ones and the functions call pthread internals that cannot be
 * interposed; here they call the interposed ones, which are told whose call it really is.
 */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>
#include <time.h>

#include "base.h"
#include "instr.h"
#include "instr_libc.h"

/* The next interposed call is made for the program. */
#define FOR_CALLER()                                          \
	do {                                                  \
		if (vtb_self)                                 \
			vtb_self->base.outer_pc = VTB_CALLER; \
	} while (0)

static int result(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
		return thrd_nomem;
	case ETIMEDOUT:
		return thrd_timedout;
	case EBUSY:
		return thrd_busy;
	default:
		return thrd_error;
	}
}

/* The start routine returns int where pthreads want a pointer: on x86-64 both come back in rax. */
VTB_EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	FOR_CALLER();
	return result(pthread_create(thread, NULL, (void *(*)(void *))(void *)start, arg));
}

VTB_EXPORT int thrd_join(thrd_t thread, int *ret)
{
	void *value = NULL;
	int error;

	FOR_CALLER();
	error = pthread_join(thread, &value);

	if (ret && !error && vtb_rt_is_hooked(VTB_CALLER))
		vtb_rt_access(VTB_E_WRITE, ret, 2, VTB_CALLER);
	if (ret && !error)
		*ret = (int)(intptr_t)value;
	return result(error);
}

VTB_EXPORT int thrd_detach(thrd_t thread)
{
	FOR_CALLER();
	return result(pthread_detach(thread));
}

VTB_EXPORT void thrd_exit(int value)
{
	FOR_CALLER();
	pthread_exit((void *)(intptr_t)value);
}

VTB_EXPORT void thrd_yield(void)
{
	FOR_CALLER();
	sched_yield();
}

VTB_EXPORT int thrd_sleep(const struct timespec *span, struct timespec *left)
{
	int error;

	FOR_CALLER();
	error = clock_nanosleep(CLOCK_REALTIME, 0, span, left);

	return error == 0 ? 0 : error == EINTR ? -1 : -2;
}

VTB_EXPORT int mtx_init(mtx_t *m, int type)
{
	pthread_mutexattr_t attr;
	int error;
	FOR_CALLER();

	VTB_CALL_REAL(pthread_mutexattr_init)(&attr);
	VTB_CALL_REAL(pthread_mutexattr_settype)
	(&attr, type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
	error = pthread_mutex_init((pthread_mutex_t *)m, &attr);
	VTB_CALL_REAL(pthread_mutexattr_destroy)(&attr);
	return result(error);
}

VTB_EXPORT void mtx_destroy(mtx_t *m)
{
	FOR_CALLER();
	pthread_mutex_destroy((pthread_mutex_t *)m);
}

VTB_EXPORT int mtx_lock(mtx_t *m)
{
	FOR_CALLER();
	return result(pthread_mutex_lock((pthread_mutex_t *)m));
}

VTB_EXPORT int mtx_trylock(mtx_t *m)
{
	FOR_CALLER();
	return result(pthread_mutex_trylock((pthread_mutex_t *)m));
}

VTB_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until)
{
	FOR_CALLER();
	return result(pthread_mutex_timedlock((pthread_mutex_t *)m, until));
}

VTB_EXPORT int mtx_unlock(mtx_t *m)
{
	FOR_CALLER();
	return result(pthread_mutex_unlock((pthread_mutex_t *)m));
}

VTB_EXPORT int cnd_init(cnd_t *c)
{
	FOR_CALLER();
	return result(pthread_cond_init((pthread_cond_t *)c, NULL));
}

VTB_EXPORT void cnd_destroy(cnd_t *c)
{
	FOR_CALLER();
	pthread_cond_destroy((pthread_cond_t *)c);
}

VTB_EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	FOR_CALLER();
	return result(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

VTB_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until)
{
	FOR_CALLER();
	return result(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, until));
}

VTB_EXPORT int cnd_signal(cnd_t *c)
{
	FOR_CALLER();
	return result(pthread_cond_signal((pthread_cond_t *)c));
}

VTB_EXPORT int cnd_broadcast(cnd_t *c)
{
	FOR_CALLER();
	return result(pthread_cond_broadcast((pthread_cond_t *)c));
}

VTB_EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
	vtb_rt_alters_keys(VTB_CALLER);
	return result(vtb_rt_key_create(key, destructor));
}

VTB_EXPORT void tss_delete(tss_t key)
{
	vtb_rt_alters_keys(VTB_CALLER);
	vtb_rt_key_delete(key);
}

VTB_EXPORT int tss_set(tss_t key, void *value)
{
	vtb_rt_asks_keys(VTB_CALLER);
	return result(vtb_rt_key_set(key, value));
}
