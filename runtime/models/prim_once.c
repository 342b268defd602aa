/* SPDX-License-Identifier: BSD-2-Clause */
/* pthread_once, call_once, guards of function-local statics: one byte of state each; interpose.c runs the initialiser.
 */
#include "models.h"

static bool begin_ready(const struct vtb_rt_thread *t, const struct vtb_call *call)
{
	const volatile unsigned char *flag = (const unsigned char *)call->data;

	(void)t;
	return *flag != (call->aux & 255);
}

static void begin_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	volatile unsigned char *flag = (unsigned char *)call->data;

	(void)t;
	call->has_value = true;
	call->value = *flag != call->aux >> 8;
	if (call->value)
		*flag = (unsigned char)(call->aux & 255);
	else
		call->kind = VTB_E_ONCE_FOUND;
}

static void end_perform(struct vtb_rt_thread *t, struct vtb_call *call)
{
	(void)t;
	*(volatile unsigned char *)call->data = (unsigned char)call->aux;
}

static const struct vtb_primitive primitive_begin = { "once begin",      begin_ready, begin_perform,
	                                              vtb_ctl_at_object, true,        NULL };
static const struct vtb_primitive primitive_end = { "once end", NULL, end_perform, NULL, true, NULL };

bool vtb_ctl_once_begin(const void *state, unsigned char *flag, unsigned char busy, unsigned char done)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = &primitive_begin,
		                 .kind = VTB_E_ONCE_BEGIN,
		                 .obj = state,
		                 .pc = t->base.pc,
		                 .data = (uint64_t)flag,
		                 .aux = (uint32_t)(busy | done << 8) };

	vtb_ctl_op(t, &call);
	return call.value;
}

void vtb_ctl_once_end(const void *state, unsigned char *flag, unsigned char value, bool aborted)
{
	struct vtb_rt_thread *t = vtb_self;
	struct vtb_call call = { .prim = &primitive_end,
		                 .kind = VTB_E_ONCE_END,
		                 .obj = state,
		                 .pc = t->base.pc,
		                 .data = (uint64_t)flag,
		                 .aux = value,
		                 .value = aborted,
		                 .has_value = true };

	vtb_ctl_op(t, &call);
}
