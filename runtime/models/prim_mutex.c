/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Mutexes and spin locks. The model's state is kept in the object itself, in the members that glibc uses for the same
 * purpose: static initialisers need no registration, and memory that is reused for something else leaves nothing
 * behind.
 *
 *   __lock   bit 0: 0 free, 1 taken           __count  depth of a recursive mutex
 *            the highest bits: the priority ceiling of a mutex of that protocol, which glibc keeps there
 *   __owner  OWNER | slot of the holder       __kind   glibc's type bits: & 3 type, 16 robust, 32 inheritance, 64
 * protection
 */
#include <errno.h>

#include "scheduler.h"
#include "base.h"
#include "models.h"

#define OWNER 0x40000000
#define KIND_TYPE 3
#define KIND_ROBUST 16
#define KIND_PROTECT 64
#define BELOW_CEILING 0x7ffff      /* of __lock of such a mutex */
#define NOT_RECOVERABLE 0x7ffffffe /* glibc's own mark in __owner */
#define OWNER_DIED 0x20000000      /* in __owner: the holder has ended; the next one gets EOWNERDEAD */
#define SLOT (OWNER_DIED - 1)      /* in __owner: of the holder */

static int me(const struct vtb_rt_thread *t)
{
	return (int)(OWNER | t->base.slot);
}

static int type(const pthread_mutex_t *m)
{
	return m->__data.__kind & KIND_TYPE;
}

/* Priorities play no part here, but the program may ask for the ceiling. */
static int lock_bits(const pthread_mutex_t *m)
{
	return m->__data.__kind & KIND_PROTECT ? BELOW_CEILING : -1;
}

static bool is_taken(const pthread_mutex_t *m)
{
	return m->__data.__lock & lock_bits(m);
}

static void set_taken(pthread_mutex_t *m, bool taken)
{
	m->__data.__lock = (m->__data.__lock & ~lock_bits(m)) | taken;
}

static bool holds(const struct vtb_rt_thread *t, const pthread_mutex_t *m)
{
	return is_taken(m) &&
	       (m->__data.__owner == me(t) || (t->base.slot == 0 && m->__data.__owner > 0 &&
	                                       m->__data.__owner < OWNER && !(m->__data.__owner & OWNER_DIED)));
}

bool vtb_mutex_free(const struct vtb_rt_thread *t, const pthread_mutex_t *m)
{
	return !is_taken(m) || (holds(t, m) && type(m) != PTHREAD_MUTEX_NORMAL && type(m) != PTHREAD_MUTEX_ADAPTIVE_NP);
}

uint32_t vtb_mutex_owner(const pthread_mutex_t *m)
{
	return is_taken(m) && (m->__data.__owner & OWNER) ? (uint32_t)(m->__data.__owner & SLOT) : VTB_NO_PATH;
}

/* The lock is free or ours: take it. 0, or what the caller is told. */
int vtb_mutex_take(struct vtb_rt_thread *t, pthread_mutex_t *m)
{
	int r = 0;

	if (m->__data.__owner == NOT_RECOVERABLE)
		return ENOTRECOVERABLE;
	if (holds(t, m)) {
		if (type(m) == PTHREAD_MUTEX_ERRORCHECK)
			return EDEADLK;
		m->__data.__count++;
		return 0;
	}
	if (m->__data.__owner & OWNER_DIED)
		r = EOWNERDEAD;
	set_taken(m, true);
	m->__data.__owner = me(t) | (r ? OWNER_DIED : 0);
	m->__data.__count = 1;
	return r;
}

static void drop(pthread_mutex_t *m)
{
	set_taken(m, false);
	m->__data.__owner = 0;
	m->__data.__count = 0;
}

static bool has(const struct vtb_rt_thread *t, const pthread_mutex_t *m)
{
	return holds(t, m) || (m->__data.__owner & ~OWNER_DIED) == me(t);
}

bool vtb_mutex_denies(const struct vtb_rt_thread *t, const pthread_mutex_t *m)
{
	return !has(t, m) && (type(m) == PTHREAD_MUTEX_ERRORCHECK || type(m) == PTHREAD_MUTEX_RECURSIVE ||
	                      (m->__data.__kind & KIND_ROBUST));
}

/* Give it back once: 0, or what the caller is told. */
int vtb_mutex_give(const struct vtb_rt_thread *t, pthread_mutex_t *m, const struct vtb_call *call, const char *misuse)
{
	if (vtb_mutex_denies(t, m))
		return EPERM;
	if (!has(t, m))
		vtb_misuse(call, misuse);
	if (type(m) == PTHREAD_MUTEX_RECURSIVE && m->__data.__count > 1) {
		m->__data.__count--;
	} else if (m->__data.__owner & OWNER_DIED) { /* taken over and not made consistent */
		set_taken(m, false);
		m->__data.__owner = NOT_RECOVERABLE;
	} else {
		drop(m);
	}
	return 0;
}

/* A thread ends: robust mutexes it holds go to the next one with EOWNERDEAD. The kernel's list knows them only
 * when glibc took them, so we remember robust mutexes as they are taken. */
static pthread_mutex_t *first_robust[VTB_ROBUST_ROOM], **robust = first_robust;
static uint32_t robust_room = VTB_ROBUST_ROOM;
static uint32_t robust_end; /* entries in use are below */

static void remember_robust(pthread_mutex_t *m)
{
	uint32_t i = 0;

	if (!(m->__data.__kind & KIND_ROBUST))
		return;
	while (i < robust_end && robust[i] && robust[i] != m)
		i++;
	robust = vtb_limit_grow(robust, &robust_room, i, sizeof(*robust), VTB_LIMIT_ROBUST);
	robust[i] = m;
	robust_end = i >= robust_end ? i + 1 : robust_end;
}

static void forget_robust(const pthread_mutex_t *m)
{
	for (uint32_t i = 0; i < robust_end; i++)
		if (robust[i] == m)
			robust[i] = NULL;
}

static bool is_left_by(const pthread_mutex_t *m, const struct vtb_rt_thread *t)
{
	return m && is_taken(m) && (m->__data.__owner & ~OWNER_DIED) == me(t);
}

/* ---- operations */

static bool lock_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const pthread_mutex_t *m = call->obj;

	return vtb_mutex_free(t, m) || m->__data.__owner == NOT_RECOVERABLE || vtb_time_over(t);
}

static void lock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	pthread_mutex_t *m = (pthread_mutex_t *)call->obj;
	const bool free = vtb_mutex_free(t, m) || m->__data.__owner == NOT_RECOVERABLE;

	call->result = free ? vtb_mutex_take(t, m) : call->kind == VTB_E_TRYLOCK ? EBUSY : ETIMEDOUT;
	if (call->kind == VTB_E_TRYLOCK && call->result == EDEADLK && !(m->__data.__kind & KIND_ROBUST))
		call->result = EBUSY;
	remember_robust(m);
	call->value = (uint64_t)call->result;
	call->has_value = call->result || call->kind != VTB_E_LOCK;
}

static void unlock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	call->result = vtb_mutex_give(t, (pthread_mutex_t *)call->obj, call,
	                              "a mutex was unlocked by a thread that does not hold it");
}

static void end_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	pthread_mutex_t *m = (pthread_mutex_t *)call->obj;

	if (!is_left_by(m, t))
		return;
	drop(m);
	m->__data.__owner = OWNER_DIED;
}

static void destroy_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	pthread_mutex_t *m = (pthread_mutex_t *)call->obj;

	(void)t;
	if (is_taken(m)) {
		vtb_misuse(call, "a mutex was destroyed while a thread holds it");
		call->result = EBUSY;
		return;
	}
	forget_robust(m);
	call->result = vtb_real.pthread_mutex_destroy(m);
}

static uint32_t mutex_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return vtb_mutex_owner(call->obj);
}

static const struct vtb_primitive primitive_lock = { "mutex lock",      lock_ready, lock_perform,
	                                             vtb_ctl_at_object, true,       mutex_holder };
/* Of a mutex that its holder can lock no more than others. */
static const struct vtb_primitive primitive_lock_alike = { "mutex lock", lock_ready,
	                                                   lock_perform, vtb_ctl_alike_at_object,
	                                                   true,         mutex_holder };
static const struct vtb_primitive primitive_trylock = { "mutex trylock", NULL, lock_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_unlock = { "mutex unlock", NULL, unlock_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_end = { "mutex end of holder", NULL, end_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_destroy = { "mutex destroy", NULL, destroy_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_init = { "mutex init", NULL, NULL, NULL, true, NULL };

/* Each is an operation: who tries to lock it sees which came first. */
void vtb_mutex_holder_ends(struct vtb_rt_thread *t)
{
	for (uint32_t i = 0; i < robust_end; i++)
		if (is_left_by(robust[i], t))
			vtb_op(t, &primitive_end, VTB_E_UNLOCK, robust[i]);
}

/* A plain mutex that nobody holds and nobody stands at: most of them, most of the time. */
static bool lock_alone(struct vtb_rt_thread *t, pthread_mutex_t *m)
{
	if (m->__data.__lock || m->__data.__owner || m->__data.__kind || vtb_heap_is_dead((uint64_t)m) ||
	    !vtb_stretch_operation(t, VTB_E_LOCK, m))
		return false;
	m->__data.__lock = 1;
	m->__data.__owner = me(t);
	m->__data.__count = 1;
	return true;
}

static bool unlock_alone(struct vtb_rt_thread *t, pthread_mutex_t *m)
{
	if (!m->__data.__lock || m->__data.__owner != me(t) || m->__data.__kind || vtb_heap_is_dead((uint64_t)m) ||
	    !vtb_stretch_operation(t, VTB_E_UNLOCK, m))
		return false;
	drop(m);
	return true;
}

static const struct vtb_primitive *lock_of(const pthread_mutex_t *m)
{
	return type(m) == PTHREAD_MUTEX_NORMAL || type(m) == PTHREAD_MUTEX_ADAPTIVE_NP ? &primitive_lock_alike
	                                                                               : &primitive_lock;
}

int vtb_ctl_pthread_mutex_lock(pthread_mutex_t *m)
{
	struct vtb_rt_thread *t = vtb_self;

	return lock_alone(t, m) ? 0 : (int)vtb_op(t, lock_of(m), VTB_E_LOCK, m);
}

int vtb_ctl_pthread_mutex_trylock(pthread_mutex_t *m)
{
	return (int)vtb_op(vtb_self, &primitive_trylock, VTB_E_TRYLOCK, m);
}

int vtb_ctl_pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until)
{
	struct vtb_rt_thread *t = vtb_self;
	const uint64_t deadline = vtb_ctl_deadline(clock, until);
	int r;

	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	t->sched.deadline = deadline == VTB_NOT_A_TIME ? 1 : deadline; /* which only who has to wait is told */
	r = (int)vtb_op(t, &primitive_lock, VTB_E_TIMEDLOCK, m);
	t->sched.deadline = 0;
	return r == ETIMEDOUT && deadline == VTB_NOT_A_TIME ? EINVAL : r;
}

int vtb_ctl_pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return vtb_ctl_pthread_mutex_clocklock(m, CLOCK_REALTIME, until);
}

int vtb_ctl_pthread_mutex_unlock(pthread_mutex_t *m)
{
	struct vtb_rt_thread *t = vtb_self;

	return unlock_alone(t, m) ? 0 : (int)vtb_op(t, &primitive_unlock, VTB_E_UNLOCK, m);
}

int vtb_ctl_pthread_mutex_destroy(pthread_mutex_t *m)
{
	return (int)vtb_op(vtb_self, &primitive_destroy, VTB_E_MUTEX_DESTROY, m);
}

int vtb_ctl_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *a)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call;
	int r;

	vtb_op_begin(t, &call, &primitive_init, VTB_E_MUTEX_INIT, m);
	r = vtb_real.pthread_mutex_init(m, a);
	forget_robust(m);
	vtb_op_end(t, &call);
	return r;
}

/* Makes a mutex taken over with EOWNERDEAD usable again. No schedule point: only the holder's call changes anything. */
VTB_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
	if (!vtb_rt_enter() || !vtb_rt_controls())
		return VTB_CALL_REAL(pthread_mutex_consistent)(m);
	if (!(m->__data.__kind & KIND_ROBUST) || !is_taken(m) || m->__data.__owner != (me(vtb_self) | OWNER_DIED))
		return EINVAL;
	m->__data.__owner &= ~OWNER_DIED;
	return 0;
}

/* ---- spin locks: an int, 1 free, as in glibc; taken: minus the holder's slot */

static bool spin_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return *(const volatile int *)call->obj == 1;
}

static void spin_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	volatile int *lock = (volatile int *)call->obj;

	call->result = *lock == 1 ? 0 : EBUSY;
	if (*lock == 1)
		*lock = -(int)t->base.slot;
	call->value = (uint64_t)call->result;
	call->has_value = call->kind == VTB_E_TRYLOCK;
}

static uint32_t spin_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const int value = *(const volatile int *)call->obj;

	(void)t;
	return value == 1 ? VTB_NO_PATH : (uint32_t)-value;
}

static void spin_free(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	*(volatile int *)call->obj = 1;
}

static const struct vtb_primitive primitive_spin_lock = { "spin lock",  spin_ready,
	                                                  spin_perform, vtb_ctl_alike_at_object,
	                                                  true,         spin_holder };
static const struct vtb_primitive primitive_spin_trylock = { "spin trylock", NULL, spin_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_spin_unlock = { "spin unlock", NULL, spin_free, NULL, true, NULL };

int vtb_ctl_pthread_spin_lock(pthread_spinlock_t *lock)
{
	return (int)vtb_op(vtb_self, &primitive_spin_lock, VTB_E_LOCK, (const void *)lock);
}

int vtb_ctl_pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return (int)vtb_op(vtb_self, &primitive_spin_trylock, VTB_E_TRYLOCK, (const void *)lock);
}

int vtb_ctl_pthread_spin_unlock(pthread_spinlock_t *lock)
{
	return (int)vtb_op(vtb_self, &primitive_spin_unlock, VTB_E_UNLOCK, (const void *)lock);
}

int vtb_ctl_pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call;
	int r;

	vtb_op_begin(t, &call, &primitive_init, VTB_E_MUTEX_INIT, (const void *)lock);
	r = vtb_real.pthread_spin_init(lock, shared);
	vtb_op_end(t, &call);
	return r;
}

int vtb_ctl_pthread_spin_destroy(pthread_spinlock_t *lock)
{
	vtb_op(vtb_self, &primitive_init, VTB_E_MUTEX_DESTROY, (const void *)lock);
	return 0;
}
