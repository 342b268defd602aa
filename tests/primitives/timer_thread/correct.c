/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timer that calls a function in a thread of its own. */
#include <assert.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sem_t rung;
static int value;

static void ring(union sigval v)
{
	value = v.sival_int;
	sem_post(&rung);
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_sec = 60}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring, .sigev_value = {.sival_int = 7}};
	timer_t timer;

	sem_init(&rung, 0, 0);
	assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
	assert(timer_settime(timer, 0, &span, NULL) == 0);
	sem_wait(&rung);
	assert(value == 7);
	timer_delete(timer);
	return 0;
}
