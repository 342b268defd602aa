/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timer's function and main count without a lock. */
#include <assert.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

static sem_t rung;
static volatile int counter;

static void ring(union sigval v)
{
	(void)v;
	counter = counter + 1;
	sem_post(&rung);
}

int main(void)
{
	const struct itimerspec span = {.it_value = {.tv_nsec = 1000000}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = ring};
	timer_t timer;

	sem_init(&rung, 0, 0);
	timer_create(CLOCK_REALTIME, &event, &timer);
	timer_settime(timer, 0, &span, NULL);
	counter = counter + 1;
	sem_wait(&rung);
	assert(counter == 2);
	return 0;
}
