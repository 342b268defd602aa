/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks of one word, as libvtb-omp.so has them: 0 free, else the holder's slot and 1. Zeroed memory is a free one, so
 * nothing needs to be made before, and whoever gives it back makes it free.
 */
#include <errno.h>

#include "base.h"
#include "models.h"

static uint32_t *word_of(const struct vtb_call *call)
{
	return (uint32_t *)call->obj;
}

static bool lock_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return !*word_of(call);
}

static void lock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	call->result = *word_of(call) ? EBUSY : 0;
	if (!call->result)
		*word_of(call) = t->base.slot + 1;
	call->value = (uint64_t)call->result;
	call->has_value = call->kind == VTB_E_TRYLOCK;
}

static uint32_t holder(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	(void)t;
	return *word_of(call) ? *word_of(call) - 1 : VTB_NO_PATH;
}

static void unlock_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	*word_of(call) = 0;
}

static const struct vtb_primitive primitive_lock = { "openmp lock",           lock_ready, lock_perform,
	                                             vtb_ctl_alike_at_object, true,       holder };
static const struct vtb_primitive primitive_trylock = { "openmp lock trial", NULL, lock_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_unlock = { "openmp unlock", NULL, unlock_perform, NULL, true, NULL };
static const struct vtb_primitive primitive_told = { "openmp lock made", NULL, NULL, NULL, true, NULL };

/* One that nobody else holds or wants needs no decision. */
static bool alone(struct vtb_rt_thread *t, unsigned kind, uint32_t *word, uint32_t was, uint32_t becomes)
{
	if (*word != was || vtb_heap_is_dead((uint64_t)word) || !vtb_stretch_operation(t, kind, word))
		return false;
	*word = becomes;
	return true;
}

void vtb_ctl_word_lock(uint32_t *word)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!alone(t, VTB_E_LOCK, word, 0, t->base.slot + 1))
		vtb_op(t, &primitive_lock, VTB_E_LOCK, word);
}

bool vtb_ctl_word_trylock(uint32_t *word)
{
	return !vtb_op(vtb_self, &primitive_trylock, VTB_E_TRYLOCK, word);
}

void vtb_ctl_word_unlock(uint32_t *word)
{
	struct vtb_rt_thread *t = vtb_self;

	if (!alone(t, VTB_E_UNLOCK, word, t->base.slot + 1, 0))
		vtb_op(t, &primitive_unlock, VTB_E_UNLOCK, word);
}

void vtb_ctl_word_told(unsigned kind, uint32_t *word)
{
	vtb_op(vtb_self, &primitive_told, kind, word);
}
