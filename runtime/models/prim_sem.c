/* SPDX-License-Identifier: BSD-2-Clause */
/* Semaphores. The value stays where glibc keeps it (low 32 bits of the object on x86-64). */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "scheduler.h"
#include "models.h"
#include "base.h"

#define SEM_MAX 0x7fffffffu /* SEM_VALUE_MAX */

static volatile uint32_t *value_of(const void *sem)
{
	return (volatile uint32_t *)sem;
}

static bool wait_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return *value_of(call->obj) || vtb_time_over(t) || (t->sched.cancelled && t->sched.cancel_enabled);
}

static void wait_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	volatile uint32_t *value = value_of(call->obj);

	(void)t;
	if (*value)
		--*value;
	else
		call->value = call->kind == VTB_E_SEM_TRYWAIT ? EAGAIN : ETIMEDOUT;
	call->has_value = true;
}

static void post_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	if (*value_of(call->obj) == SEM_MAX)
		call->value = EOVERFLOW;
	else
		++*value_of(call->obj);
	call->has_value = true;
}

static void value_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	call->value = *value_of(call->obj);
	call->has_value = true;
}

static const struct vtb_primitive primitive_wait = { "semaphore wait",  wait_ready, wait_perform,
	                                             vtb_ctl_at_object, true,       NULL };
static const struct vtb_primitive primitive_trywait = { "semaphore trywait", NULL, wait_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_post = { "semaphore post", NULL, post_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_value = { "semaphore value", NULL, value_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_init = { "semaphore init", NULL, NULL, NULL, true, NULL };

static int operate(const struct vtb_primitive *prim, unsigned kind, sem_t *s)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = prim,
		                 .kind = (uint8_t)kind,
		                 .obj = s,
		                 .pc = t->base.pc,
		                 .interrupt = kind == VTB_E_SEM_WAIT ? VTB_INTERRUPT_RESTARTS : VTB_INTERRUPT_NOT };

	vtb_ctl_op(t, &call);
	if (!call.value)
		return 0;
	errno = (int)call.value;
	return -1;
}

int vtb_ctl_sem_wait(sem_t *s)
{
	const int r = operate(&primitive_wait, VTB_E_SEM_WAIT, s);

	vtb_cancellation_point(vtb_self);
	return r;
}

int vtb_ctl_sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	const uint64_t deadline = vtb_ctl_deadline(clock, until);
	struct vtb_rt_thread *t = vtb_self;
	int r;

	if (deadline == VTB_NOT_A_TIME) {
		errno = EINVAL;
		return -1;
	}
	t->sched.deadline = deadline;
	r = operate(&primitive_wait, VTB_E_SEM_WAIT, s);
	t->sched.deadline = 0;
	vtb_cancellation_point(t);
	return r;
}

int vtb_ctl_sem_timedwait(sem_t *s, const struct timespec *until)
{
	return vtb_ctl_sem_clockwait(s, CLOCK_REALTIME, until);
}

int vtb_ctl_sem_trywait(sem_t *s)
{
	return operate(&primitive_trywait, VTB_E_SEM_TRYWAIT, s);
}

int vtb_ctl_sem_post(sem_t *s)
{
	return operate(&primitive_post, VTB_E_SEM_POST, s);
}

int vtb_ctl_sem_getvalue(sem_t *s, int *ret_value)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = &primitive_value, .kind = VTB_E_SEM_VALUE, .obj = s, .pc = t->base.pc };

	vtb_ctl_op(t, &call);
	*ret_value = (int)call.value;
	return 0;
}

int vtb_ctl_sem_init(sem_t *s, int shared, unsigned value)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call;
	int r, error;

	vtb_sched.shares |= shared != 0;
	vtb_op_begin(t, &call, &primitive_init, VTB_E_SEM_INIT, s);
	r = vtb_real.sem_init(s, shared, value);
	error = errno;
	vtb_op_end(t, &call);
	errno = error;
	return r;
}

/* ---- named ones: a run that is stopped half-way must not leave a file behind, which the next one would find */

#define DIRECTORY "/dev/shm/sem." /* glibc's */
#define PATH_BYTES 272            /* directory and NAME_MAX */

/* files of this run; empty: none */
static char first_created[VTB_SEMAPHORES_ROOM][PATH_BYTES], (*created)[PATH_BYTES] = first_created;
static uint32_t created_room = VTB_SEMAPHORES_ROOM;

static bool path_of(const char *name, char *ret, size_t size)
{
	size_t n = sizeof(DIRECTORY) - 1, i = 0;

	memcpy(ret, DIRECTORY, n);
	while (name[i] == '/')
		i++;
	for (; name[i] && n + 1 < size; i++)
		ret[n++] = name[i];
	ret[n] = 0;
	return !name[i];
}

static void note_created(const char *path)
{
	uint32_t i = 0;

	while (i < created_room && *created[i])
		i++;
	created = vtb_limit_grow(created, &created_room, i, sizeof(*created), VTB_LIMIT_SEMAPHORES);
	memcpy(created[i], path, sizeof(created[i]));
}

void vtb_sem_remove_created(void)
{
	for (uint32_t i = 0; i < created_room; i++)
		if (*created[i])
			sys3(SYS_unlink, (long)created[i], 0, 0);
}

void vtb_ctl_sem_unlink(const char *name)
{
	char path[sizeof(created[0])];

	for (uint32_t i = 0; i < created_room; i++)
		if (path_of(name, path, sizeof(path)) && !strcmp(created[i], path))
			*created[i] = 0;
}

sem_t *vtb_ctl_sem_open(const char *name, int flags, unsigned mode, unsigned value)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = &primitive_init, .kind = VTB_E_SEM_INIT, .pc = t->base.pc };
	char path[sizeof(created[0])];
	bool is_new;
	sem_t *s;
	int saved;

	vtb_sched.shares = true;
	is_new = (flags & O_CREAT) && path_of(name, path, sizeof(path)) && sys3(SYS_access, (long)path, 0, 0) < 0;
	vtb_ctl_arrive(t, &call);
	t->base.inside++;
	s = vtb_real.sem_open(name, flags, mode, value);
	saved = errno;
	t->base.inside--;
	if (s != SEM_FAILED && is_new)
		note_created(path);
	call.obj = s == SEM_FAILED ? NULL : s;
	vtb_ctl_done(t, &call);
	errno = saved;
	return s;
}

int vtb_ctl_sem_destroy(sem_t *s)
{
	operate(&primitive_init, VTB_E_SEM_DESTROY, s);
	return 0;
}
