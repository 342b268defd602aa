/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Futex words shared between processes, and the clock that goes with waiting for them. */
#ifndef VTB_FUTEX_H
#define VTB_FUTEX_H

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Until *word != value, somebody wakes us, a signal comes or the time is over; the caller looks again in every case. */
static inline void vtb_futex_wait(const uint32_t *word, uint32_t value, uint32_t msec)
{
	const struct timespec t = { .tv_sec = msec / 1000, .tv_nsec = (long)(msec % 1000) * 1000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &t, NULL, 0);
}

static inline void vtb_futex_wake(const uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static inline uint64_t vtb_now_nsec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t vtb_now_msec(void)
{
	return vtb_now_nsec() / 1000000u;
}

#endif /* VTB_FUTEX_H */
