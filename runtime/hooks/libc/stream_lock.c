/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flockfile(), ftrylockfile(), funlockfile(): a lock like a recursive mutex. Who has it is known here, so that nobody
 * comes to libc's own lock before it is free: who prints or reads waits as well, at the operation on the stream.
 *
 * What is done to the stream under the lock need not be an operation, and those of the lock are on the lock: nothing
 * says that another thread's print or read may come before or after. Where there is one, not all orders are claimed.
 */
#include <errno.h>

#include "kernel.h"
#include "models.h"
#include "stream_lock.h"
#include "steps.h"

#define LOCKED_MAX 16u
#define LOOKS_ONLY 1u /* at the lock: it prints or reads */

#define NOBODY 0u
#define SEVERAL UINT32_MAX

/* Those of a run, whatever becomes of them. Others: slot and one, NOBODY, SEVERAL. */
static struct locked {
	FILE *stream;
	uint32_t slot, depth;   /* who has it, 0: nobody */
	uint32_t lock, without; /* who wanted it, who printed or read and did not have it */
} all[LOCKED_MAX] VTB_HISTORY;
static uint32_t n_all VTB_HISTORY;
static bool any_lock VTB_HISTORY;    /* one was taken in this run */
static bool any_without VTB_HISTORY; /* of one that there is no room for */

static struct locked *known(const FILE *stream)
{
	for (uint32_t i = 0; i < n_all; i++)
		if (all[i].stream == stream)
			return &all[i];
	return NULL;
}

/* NULL: nobody can keep account of it. */
static struct locked *account(FILE *stream)
{
	struct locked *l = known(stream);

	if (l || n_all == LOCKED_MAX)
		return l;
	all[n_all] = (struct locked){ .stream = stream };
	return &all[n_all++];
}

static struct locked *locked(const FILE *stream)
{
	struct locked *l = known(stream);

	return l && l->depth ? l : NULL;
}

static bool has_other(const struct vtb_rt_thread *t, const struct locked *l)
{
	return l && l->slot != t->base.slot;
}

/* False: nobody can keep account of it. */
static bool take(const struct vtb_rt_thread *t, FILE *stream)
{
	struct locked *l = account(stream);

	if (!l)
		return false;
	any_lock = true;
	l->slot = t->base.slot;
	l->depth++;
	return true;
}

static void give(const struct vtb_rt_thread *t, const FILE *stream)
{
	struct locked *l = locked(stream);

	if (l && !has_other(t, l))
		l->depth--;
}

/* Somebody may have to wait, or come otherwise, where no operation shows it. */
static void note_lost(void)
{
	if (vtb_sched.slot)
		vtb_sched.slot->outcome.flags |= VTB_OUT_ARRIVED;
}

static void add(uint32_t *who, const struct vtb_rt_thread *t)
{
	*who = *who == NOBODY || *who == t->base.slot + 1 ? t->base.slot + 1 : SEVERAL;
}

static void note_lock(const struct vtb_rt_thread *t, FILE *stream)
{
	struct locked *l = account(stream);

	if (l)
		add(&l->lock, t);
	if (!l || any_without || (l->without != NOBODY && (l->without != l->lock || l->lock == SEVERAL)))
		note_lost();
}

static void note_without(const struct vtb_rt_thread *t, FILE *stream)
{
	struct locked *l = account(stream);

	any_without |= !l;
	if (!l || (l->depth && l->slot == t->base.slot))
		return;
	add(&l->without, t);
	if (l->lock != NOBODY && (l->without != l->lock || l->lock == SEVERAL))
		note_lost();
}

static bool stream_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	return !has_other(t, locked((const FILE *)call->data));
}

static uint32_t stream_holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const struct locked *l = locked((const FILE *)call->data);

	return has_other(t, l) ? l->slot : VTB_NO_PATH;
}

static void lock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	if (call->aux != LOOKS_ONLY && !take(t, (FILE *)call->data)) /* more at once than there is room for */
		note_lost();
}

static void try_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	call->result = has_other(t, locked((FILE *)call->data)) ? EBUSY : 0;
	call->value = (uint64_t)call->result;
	call->has_value = true;
	if (!call->result)
		lock_perform(t, call);
}

static void unlock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	give(t, (FILE *)call->data);
}

static const struct vtb_primitive primitive_lock = { "stream lock", stream_ready, lock_perform,
	                                             NULL,          false,        stream_holder };
static const struct vtb_primitive primitive_try = { "stream trylock", NULL, try_perform, NULL, false, NULL };
static const struct vtb_primitive primitive_unlock = { "stream unlock", NULL, unlock_perform, NULL, false, NULL };

/* What libc looks at first, too. In freed memory something else stands there; without hooks of function entries nobody
 * knows what libc frees. */
static bool is_stream(const FILE *stream)
{
	return ((unsigned)stream->_flags & 0xffff0000u) == 0xfbad0000u; /* _IO_MAGIC */
}

static long stream_op(struct vtb_rt_thread *t, const struct vtb_primitive *prim, unsigned kind, FILE *stream,
                      const void *object, uint32_t how)
{
	struct vtb_call call = { .prim = prim,
		                 .kind = (uint8_t)kind,
		                 .obj = object,
		                 .data = (uint64_t)stream,
		                 .aux = how,
		                 .pc = t->base.pc };

	const long r = vtb_ctl_op(t, &call);

	call.obj = stream;
	vtb_ctl_check_alive(&call);
	if (!is_stream(stream))
		vtb_failure_end(VTB_V_MEMORY, 0, call.pc, (uint64_t)stream, "a stream was used after it was closed");
	return r;
}

void vtb_stream_op(struct vtb_rt_thread *t, unsigned kind, FILE *stream, const void *object)
{
	note_without(t, stream);
	stream_op(t, any_lock ? &primitive_lock : &vtb_primitive_always, kind, stream, object, LOOKS_ONLY);
}

/* Its result. An operation, but of a thread that is alone it takes effect without one. */
static long acts(const struct vtb_primitive *prim, unsigned kind, FILE *stream, uint64_t pc)
{
	struct vtb_rt_thread *t = vtb_libc_operates();
	struct vtb_call alone = { .data = (uint64_t)stream };
	const int saved = errno;
	long r = 0;

	if (t) {
		t->base.pc = pc;
		note_lock(t, stream);
		r = stream_op(t, prim, kind, stream, stream, 0);
		errno = saved;
		return r;
	}
	errno = saved;
	t = vtb_rt_enter();
	if (t && vtb_rt_controls() && vtb_sched.active)
		prim->perform(t, &alone);
	return alone.result;
}

VTB_EXPORT void flockfile(FILE *stream)
{
	VTB_BEHIND(void, call, (FILE *), "flockfile");

	acts(&primitive_lock, VTB_E_LOCK, stream, VTB_CALLER);
	call(stream);
}

VTB_EXPORT int ftrylockfile(FILE *stream)
{
	VTB_BEHIND(int, call, (FILE *), "ftrylockfile");
	const long r = acts(&primitive_try, VTB_E_TRYLOCK, stream, VTB_CALLER);

	return r ? (int)r : call(stream);
}

VTB_EXPORT void funlockfile(FILE *stream)
{
	VTB_BEHIND(void, call, (FILE *), "funlockfile");

	acts(&primitive_unlock, VTB_E_UNLOCK, stream, VTB_CALLER);
	call(stream);
}
