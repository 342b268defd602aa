/* SPDX-License-Identifier: BSD-2-Clause */
/* What time it is, by virtual clocks under control. The result lies in the program's memory: it is an access, made when
 * it is told and not in the call. */
#include <sys/time.h>
#include <time.h>

#include "models.h"
#include "rows.h"

static bool virtual_time(clockid_t clock, struct timespec *ret)
{
	struct vtb_rt_thread *t = vtb_rt_enter();

	return t && vtb_rt_controls() && vtb_ctl_clock_gettime(clock, ret);
}

static void told(const void *to, size_t size, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		changes(to, size, pc);
}

VTB_EXPORT int clock_gettime(clockid_t clock, struct timespec *ret)
{
	struct timespec now;
	const int r = virtual_time(clock, &now) ? 0 : VTB_CALL_REAL(clock_gettime)(clock, &now);

	if (r)
		return r;
	told(ret, sizeof(*ret), VTB_CALLER);
	*ret = now;
	return 0;
}

VTB_EXPORT int timespec_get(struct timespec *ret, int base)
{
	struct timespec now;

	if (base != TIME_UTC || clock_gettime(CLOCK_REALTIME, &now))
		return 0;
	told(ret, sizeof(*ret), VTB_CALLER);
	*ret = now;
	return base;
}

VTB_EXPORT int gettimeofday(struct timeval *restrict ret, void *restrict zone)
{
	struct timespec now;

	if (!virtual_time(CLOCK_REALTIME, &now)) {
		told(ret, sizeof(*ret), VTB_CALLER);
		return VTB_CALL_REAL(gettimeofday)(ret, zone);
	}
	told(ret, sizeof(*ret), VTB_CALLER);
	ret->tv_sec = now.tv_sec;
	ret->tv_usec = now.tv_nsec / 1000;
	return 0;
}

VTB_EXPORT time_t time(time_t *ret)
{
	struct timespec now;

	if (!virtual_time(CLOCK_REALTIME, &now))
		now.tv_sec = VTB_CALL_REAL(time)(NULL);
	told(ret, sizeof(*ret), VTB_CALLER);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
