/* SPDX-License-Identifier: BSD-2-Clause */
/* Attributes of threads and of locks: memory of the program's that only libc looks into. Who sets them and who asks,
 * or makes something with them, may race. */
#include <pthread.h>

#include "computed.h"
#include "instr_libc.h"
#include "kernel.h"
#include "scheduler.h"

void vtb_rt_asks_attributes(const void *of, size_t size, uint64_t pc)
{
	pc = vtb_self && vtb_self->base.outer_pc ? vtb_self->base.outer_pc : pc; /* a function of ours calls for it */
	if (of && vtb_rt_is_hooked(pc))
		looks(of, size, pc);
}

void vtb_rt_makes_thread(const pthread_t *handle, const pthread_attr_t *attr, uint64_t pc)
{
	if (vtb_rt_controls())
		vtb_children_meet_threads();
	vtb_rt_gets_handle(handle, pc);
	vtb_rt_asks_attributes(attr, sizeof(*attr), pc);
}

#define SETS(of, name, type)                                                                   \
	COMPUTES(int, pthread_##of##_##name, (pthread_##of##_t * it, type value), (it, value), \
	         looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))
/* What other processes have, too, is modelled here alone: see vtb_sched.shares. */
#define SHARES(of)                                                                                \
	COMPUTES(int, pthread_##of##_setpshared, (pthread_##of##_t * it, int value), (it, value), \
	         vtb_sched.shares |= value == PTHREAD_PROCESS_SHARED;                             \
	         looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))
#define ASKS(of, name, type)                                                                  \
	COMPUTES(int, pthread_##of##_##name, (const pthread_##of##_t *it, type to), (it, to), \
	         looks(it, sizeof(*it), pc), INTO(to, sizeof(*to)))
#define LIFE(of)                                                                                   \
	ROW(int, pthread_##of##_init, (pthread_##of##_t * it), (it), changes(it, sizeof(*it), pc)) \
	ROW(int, pthread_##of##_destroy, (pthread_##of##_t * it), (it), changes(it, sizeof(*it), pc))

LIFE(attr)
ASKS(attr, getdetachstate, int *)
SETS(attr, setdetachstate, int)
ASKS(attr, getguardsize, size_t *)
SETS(attr, setguardsize, size_t)
ASKS(attr, getstacksize, size_t *)
SETS(attr, setstacksize, size_t)
ASKS(attr, getinheritsched, int *)
SETS(attr, setinheritsched, int)
ASKS(attr, getschedpolicy, int *)
SETS(attr, setschedpolicy, int)
ASKS(attr, getscope, int *)
SETS(attr, setscope, int)
SETS(attr, setschedparam, const struct sched_param *)
ASKS(attr, getschedparam, struct sched_param *)
COMPUTES(int, pthread_attr_setstack, (pthread_attr_t * it, void *at, size_t size), (it, at, size),
         looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))
COMPUTES(int, pthread_attr_getstack, (const pthread_attr_t *it, void **at, size_t *size), (it, at, size),
         looks(it, sizeof(*it), pc), INTO(at, sizeof(*at));
         INTO(size, sizeof(*size)))

COMPUTES(int, pthread_attr_setaffinity_np, (pthread_attr_t * it, size_t size, const cpu_set_t *from), (it, size, from),
         SEES(from, size);
         looks(it, sizeof(*it), pc), INTO_SOME(it, sizeof(*it)))
COMPUTES(int, pthread_attr_getaffinity_np, (const pthread_attr_t *it, size_t size, cpu_set_t *to), (it, size, to),
         looks(it, sizeof(*it), pc), INTO(to, size))
ROW(int, pthread_getattr_default_np, (pthread_attr_t * it), (it), changes(it, sizeof(*it), pc))
ROW(int, pthread_setattr_default_np, (const pthread_attr_t *it), (it), looks(it, sizeof(*it), pc))
ROW(int, pthread_getattr_np, (pthread_t thread, pthread_attr_t *it), (thread, it), changes(it, sizeof(*it), pc))

LIFE(mutexattr)
ASKS(mutexattr, gettype, int *)
SETS(mutexattr, settype, int)
ASKS(mutexattr, getprotocol, int *)
SETS(mutexattr, setprotocol, int)
ASKS(mutexattr, getprioceiling, int *)
SETS(mutexattr, setprioceiling, int)
ASKS(mutexattr, getpshared, int *)
SHARES(mutexattr)
ASKS(mutexattr, getrobust, int *)
SETS(mutexattr, setrobust, int)

LIFE(condattr)
ASKS(condattr, getclock, clockid_t *)
SETS(condattr, setclock, clockid_t)
ASKS(condattr, getpshared, int *)
SHARES(condattr)

LIFE(rwlockattr)
ASKS(rwlockattr, getkind_np, int *)
SETS(rwlockattr, setkind_np, int)
ASKS(rwlockattr, getpshared, int *)
SHARES(rwlockattr)

LIFE(barrierattr)
ASKS(barrierattr, getpshared, int *)
SHARES(barrierattr)
