/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timer thread calls back; the owner frees its context without waiting for it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct timer {
	pthread_t thread;
	pthread_mutex_t lock;
	int cancelled;
	void (*call)(void *context);
	void *context;
};

struct session {
	int id;
	int ticks;
};

static void *run(void *arg)
{
	struct timer *t = arg;
	int cancelled;

	pthread_mutex_lock(&t->lock);
	cancelled = t->cancelled;
	pthread_mutex_unlock(&t->lock);
	if (!cancelled)
		t->call(t->context);
	return NULL;
}

static void timer_start(struct timer *t, void (*call)(void *), void *context)
{
	pthread_mutex_init(&t->lock, NULL);
	t->cancelled = 0;
	t->call = call;
	t->context = context;
	pthread_create(&t->thread, NULL, run, t);
}

static void timer_cancel(struct timer *t)
{
	pthread_mutex_lock(&t->lock);
	t->cancelled = 1;
	pthread_mutex_unlock(&t->lock);
#ifdef FIXED
	pthread_join(t->thread, NULL);
#endif
}

static void tick(void *context)
{
	struct session *s = context;

	s->ticks++;
}

int main(void)
{
	struct timer t;
	struct session *s = malloc(sizeof(*s));

	s->id = 7;
	s->ticks = 0;
	timer_start(&t, tick, s);
	timer_cancel(&t);
	free(s);
#ifndef FIXED
	pthread_join(t.thread, NULL);
#endif
	puts("closed");
	return 0;
}
