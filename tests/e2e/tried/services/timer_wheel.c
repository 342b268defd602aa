/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Timers in a wheel: a thread turns it slot by slot and calls what is due. Whoever cancels a timer frees what its
 * callback works on. Bug: cancelling looks only whether the timer is in the wheel, not whether its callback runs.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#define SLOTS 4

struct timer {
	struct timer *next;
	unsigned slot;
	bool linked, running;
	void (*call)(void *arg);
	void *arg;
};

struct wheel {
	pthread_mutex_t mutex;
	pthread_cond_t called;
	struct timer *slots[SLOTS];
	unsigned now;
};

static void wheel_init(struct wheel *w)
{
	pthread_mutex_init(&w->mutex, NULL);
	pthread_cond_init(&w->called, NULL);
	for (unsigned i = 0; i < SLOTS; i++)
		w->slots[i] = NULL;
	w->now = 0;
}

static void wheel_add(struct wheel *w, struct timer *t, unsigned ticks)
{
	pthread_mutex_lock(&w->mutex);
	t->slot = (w->now + ticks) % SLOTS;
	t->next = w->slots[t->slot];
	t->linked = true;
	t->running = false;
	w->slots[t->slot] = t;
	pthread_mutex_unlock(&w->mutex);
}

static struct timer *take_due(struct wheel *w)
{
	struct timer *t = w->slots[w->now % SLOTS];

	if (!t)
		return NULL;
	w->slots[w->now % SLOTS] = t->next;
	t->linked = false;
	t->running = true;
	return t;
}

static void unlink_timer(struct wheel *w, struct timer *t)
{
	struct timer **at = &w->slots[t->slot];

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	t->linked = false;
}

/* Call what is due in this tick. */
static void wheel_turn(struct wheel *w)
{
	struct timer *t;

	pthread_mutex_lock(&w->mutex);
	w->now++;
	while ((t = take_due(w))) {
		pthread_mutex_unlock(&w->mutex);
		t->call(t->arg);
		pthread_mutex_lock(&w->mutex);
		t->running = false;
		pthread_cond_broadcast(&w->called);
	}
	pthread_mutex_unlock(&w->mutex);
}

/* From here on the callback does not run. */
static void wheel_cancel(struct wheel *w, struct timer *t)
{
	pthread_mutex_lock(&w->mutex);
	if (t->linked)
		unlink_timer(w, t);
#ifdef FIXED
	while (t->running)
		pthread_cond_wait(&w->called, &w->mutex);
#endif
	pthread_mutex_unlock(&w->mutex);
}

/* ---- who uses it */

struct session {
	struct timer timeout;
	int requests, idle_ticks;
};

static void session_idle(void *arg)
{
	struct session *s = arg;

	s->idle_ticks++;
	if (s->requests == 0)
		s->idle_ticks++;
}

static struct session *session_open(struct wheel *w)
{
	struct session *s = calloc(1, sizeof(*s));

	assert(s);
	s->timeout.call = session_idle;
	s->timeout.arg = s;
	wheel_add(w, &s->timeout, 1);
	return s;
}

static void session_close(struct wheel *w, struct session *s)
{
	wheel_cancel(w, &s->timeout);
	free(s);
}

static void *clock_thread(void *arg)
{
	wheel_turn(arg);
	wheel_turn(arg);
	return NULL;
}

int main(void)
{
	struct wheel wheel;
	struct session *session;
	pthread_t clock;

	wheel_init(&wheel);
	session = session_open(&wheel);
	pthread_create(&clock, NULL, clock_thread, &wheel);
	session_close(&wheel, session);
	pthread_join(clock, NULL);
	return 0;
}
