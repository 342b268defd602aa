/* SPDX-License-Identifier: BSD-2-Clause */
/* Which file of this folder answers a call. */
#include "base.h"
#include "syscalls.h"

bool vtb_told_call(enum vtb_wait about, struct vtb_rt_thread *t, const greg_t *g, long *ret)
{
	switch (about) {
	case WAIT_IDS:
		*ret = vtb_ids_call(t, g);
		return true;
	case WAIT_AFFINITY:
		return vtb_affinity_call(t, g, ret);
	case WAIT_THREAD_NAME:
		if (vtb_thread_names_call(t, g, ret))
			return true;
		vtb_settings_call(t, g); /* another option of prctl() */
		return false;
	case WAIT_SETTING:
		vtb_settings_call(t, g);
		return false;
	case WAIT_COUNTED:
		return vtb_counted_call(g, ret);
	default:
		return false;
	}
}
