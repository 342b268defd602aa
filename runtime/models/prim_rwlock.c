/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Read-write locks. State in the object: __readers counts holders, by glibc's unit, __writers is 1 while one writes,
 * __cur_writer says who, __flags is the preference that glibc's attribute has put there (0 readers first, else writers
 * first). The lowest bits of __readers are glibc's own: a lock that was used before main has them. __pad3 and __pad2,
 * which glibc does not use, are the sum of the readers' numbers (slot + 1) and of the squares of these: they tell who
 * reads if one or two do. __pad4 is what has been done to a lock that prefers writers.
 */
#include <errno.h>

#include "base.h"
#include "models.h"

#define OWNER 0x40000000
#define READER 8u  /* glibc: PTHREAD_RWLOCK_READER_SHIFT */
#define WRITTEN 2u /* glibc: PTHREAD_RWLOCK_WRLOCKED. Before main, main alone has run */

static pthread_rwlock_t *lock_of(const struct vtb_call *call)
{
	return (pthread_rwlock_t *)call->obj;
}

/* A reader that comes to others has to wait where a writer waits. When it began to is no operation: an order in which
 * one had, is tried by none that goes by operations alone. */
enum { JOINED = 1, WROTE = 2 };

static bool prefers_writers(const pthread_rwlock_t *l)
{
	return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static void note_use(pthread_rwlock_t *l, unsigned use)
{
	if (!prefers_writers(l))
		return;
	l->__data.__pad4 |= use;
	if (l->__data.__pad4 == (JOINED | WROTE))
		vtb_sched.slot->outcome.flags |= VTB_OUT_ARRIVED;
}

static bool is_read(const pthread_rwlock_t *l)
{
	return l->__data.__readers >= READER;
}

static bool is_written(const pthread_rwlock_t *l)
{
	return l->__data.__writers || l->__data.__readers & WRITTEN;
}

static uint32_t writer_of(const pthread_rwlock_t *l)
{
	return l->__data.__writers             ? (uint32_t)(l->__data.__cur_writer & ~OWNER)
	       : l->__data.__readers & WRITTEN ? 0
	                                       : VTB_NO_PATH;
}

static void count_reader(const struct vtb_rt_thread *t, pthread_rwlock_t *l, bool comes)
{
	const uint32_t number = t->base.slot + 1;
	const uint64_t square = (uint64_t)number * number;

	l->__data.__readers += comes ? READER : -READER;
	l->__data.__pad3 += comes ? number : -number;
	l->__data.__pad2 += comes ? square : -square;
}

/* Of one reader or two, which a and b are then: a + b and a^2 + b^2 are known. Not so if others took the lock than gave
 * it back. */
static bool readers_of(const pthread_rwlock_t *l, uint64_t *ret_a, uint64_t *ret_b)
{
	const uint64_t n = l->__data.__readers / READER, sum = l->__data.__pad3, squares = l->__data.__pad2;

	for (uint64_t a = 1; a <= sum && a <= vtb_rt.n_threads && (n == 1 || n == 2); a++) {
		const uint64_t b = sum - a;

		if ((n == 1) == !b && b <= vtb_rt.n_threads && a * a + b * b == squares) {
			*ret_a = a;
			*ret_b = b ? b : a;
			return true;
		}
	}
	return false;
}

/* Who wants to write waits for each reader: of two, for the other one. */
static uint32_t writer_or_reader(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	uint64_t a, b;

	if (is_written(call->obj) || !readers_of(call->obj, &a, &b))
		return writer_of(call->obj);
	return (uint32_t)(a == t->base.slot + 1u ? b : a) - 1;
}

/* A writer that waits for readers keeps new ones out if the lock prefers writers. Who has only arrived at a lock that
 * nobody has does not wait. NULL: there is none. */
static const struct vtb_rt_thread *waiting_writer(const struct vtb_rt_thread *t, const pthread_rwlock_t *l)
{
	for (uint32_t i = 0; prefers_writers(l) && is_read(l) && i < vtb_rt.n_threads; i++) {
		const struct vtb_rt_thread *w = vtb_rt.threads[i];

		if (w != t && w->base.state == VTB_T_ALIVE && w->sched.call && w->sched.call->obj == l &&
		    w->sched.call->kind == VTB_E_WRLOCK)
			return w;
	}
	return NULL;
}

static bool writer_first(const struct vtb_rt_thread *t, const pthread_rwlock_t *l)
{
	if (!waiting_writer(t, l))
		return false;
	vtb_sched.slot->outcome.flags |= VTB_OUT_ARRIVED;
	return true;
}

static uint32_t writer(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct vtb_rt_thread *w = is_written(call->obj) ? NULL : waiting_writer(t, call->obj);

	return w ? w->base.slot : writer_of(call->obj);
}

static bool read_free(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return !is_written(lock_of(call)) && !writer_first(t, lock_of(call));
}

static bool write_free(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return !is_written(lock_of(call)) && !is_read(lock_of(call));
}

static bool own_write(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return writer_of(lock_of(call)) == t->base.slot;
}

/* glibc answers EDEADLK to the holder itself. */
static bool rd_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return read_free(t, call) || own_write(t, call) || vtb_time_over(t);
}

static bool wr_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return write_free(t, call) || own_write(t, call) || vtb_time_over(t);
}

static bool is_try(const struct vtb_call *call)
{
	return call->kind == VTB_E_TRYRDLOCK || call->kind == VTB_E_TRYWRLOCK;
}

static long refusal(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return is_try(call) ? EBUSY : own_write(t, call) ? EDEADLK : ETIMEDOUT;
}

static void note(struct vtb_call *call)
{
	call->value = (uint64_t)call->result;
	call->has_value = true;
}

static void rd_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	/* A writer may have arrived since t was let go on: t was first, unless its time is over, or it does not wait.
	 */
	const bool turn = (!is_try(call) && !vtb_time_over(t)) || !writer_first(t, lock_of(call)),
	           free = turn && !is_written(lock_of(call));

	call->result = free ? 0 : refusal(t, call);
	if (free && is_read(lock_of(call)))
		note_use(lock_of(call), JOINED);
	if (free)
		count_reader(t, lock_of(call), true);
	note(call);
}

static void wr_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	const bool free = write_free(t, call);

	call->result = free ? 0 : refusal(t, call);
	if (free) {
		lock_of(call)->__data.__writers = 1;
		lock_of(call)->__data.__cur_writer = (int)(OWNER | t->base.slot);
		note_use(lock_of(call), is_try(call) ? 0 : WROTE);
	}
	note(call);
}

static void unlock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	pthread_rwlock_t *l = lock_of(call);

	if (own_write(t, call)) {
		l->__data.__readers &= ~WRITTEN;
		l->__data.__writers = 0;
		l->__data.__cur_writer = 0;
	} else if (is_read(l)) {
		count_reader(t, l, false);
	} else {
		vtb_misuse(call, "a read-write lock was unlocked by a thread that does not hold it");
	}
}

static void destroy_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	if (is_written(lock_of(call)) || is_read(lock_of(call)))
		vtb_misuse(call, "a read-write lock was destroyed while a thread holds it");
}

static const struct vtb_primitive primitive_rdlock = { "rwlock rdlock", rd_ready, rd_perform, NULL, true, writer };
static const struct vtb_primitive primitive_wrlock = { "rwlock wrlock",   wr_ready, wr_perform,
	                                               vtb_ctl_at_object, true,     writer_or_reader };
static const struct vtb_primitive primitive_tryrdlock = { "rwlock tryrdlock", NULL, rd_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_trywrlock = { "rwlock trywrlock", NULL, wr_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_unlock = { "rwlock unlock", NULL, unlock_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_init = { "rwlock init", NULL, NULL, NULL, true, NULL };
static const struct vtb_primitive primitive_destroy = { "rwlock destroy", NULL, destroy_perform, NULL, true, NULL };

int vtb_ctl_pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_rdlock, VTB_E_RDLOCK, l);
}

int vtb_ctl_pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_wrlock, VTB_E_WRLOCK, l);
}

int vtb_ctl_pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_tryrdlock, VTB_E_TRYRDLOCK, l);
}

int vtb_ctl_pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_trywrlock, VTB_E_TRYWRLOCK, l);
}

static int timed(const struct vtb_primitive *prim, unsigned kind, pthread_rwlock_t *l, uint64_t deadline)
{
	struct vtb_rt_thread *t = vtb_self;
	int r;

	if (deadline == VTB_NOT_A_TIME)
		return EINVAL;
	t->sched.deadline = deadline;
	r = (int)vtb_op(t, prim, kind, l);
	t->sched.deadline = 0;
	return r;
}

int vtb_ctl_pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return timed(&primitive_rdlock, VTB_E_RDLOCK, l, vtb_ctl_deadline(clock, until));
}

int vtb_ctl_pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until)
{
	return timed(&primitive_wrlock, VTB_E_WRLOCK, l, vtb_ctl_deadline(clock, until));
}

int vtb_ctl_pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return vtb_ctl_pthread_rwlock_clockrdlock(l, CLOCK_REALTIME, until);
}

int vtb_ctl_pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until)
{
	return vtb_ctl_pthread_rwlock_clockwrlock(l, CLOCK_REALTIME, until);
}

int vtb_ctl_pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_unlock, VTB_E_RWUNLOCK, l);
}

int vtb_ctl_pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *a)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call;
	int r;

	vtb_op_begin(t, &call, &primitive_init, VTB_E_RWLOCK_INIT, l);
	r = vtb_real.pthread_rwlock_init(l, a);
	vtb_op_end(t, &call);
	return r;
}

int vtb_ctl_pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	return (int)vtb_op(vtb_self, &primitive_destroy, VTB_E_RWLOCK_DESTROY, l);
}
