/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GLib-like: sources on a main loop, g_source_remove() from another thread while the loop dispatches. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*source_func)(void *data);
typedef void (*destroy_notify)(void *data);

struct source {
	struct source *next;
	unsigned id;
	int refs;
	source_func func;
	void *data;
	destroy_notify destroy;
};

struct main_loop {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct source *sources;
	unsigned next_id;
	int running;
};

static void loop_init(struct main_loop *l)
{
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->wake, NULL);
	l->sources = NULL;
	l->next_id = 1;
	l->running = 1;
}

static unsigned loop_add(struct main_loop *l, source_func f, void *data, destroy_notify d)
{
	struct source *s = calloc(1, sizeof(*s));
	s->func = f;
	s->data = data;
	s->destroy = d;
	s->refs = 1;
	pthread_mutex_lock(&l->lock);
	s->id = l->next_id++;
	s->next = l->sources;
	l->sources = s;
	unsigned id = s->id;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
	return id;
}

static void source_unref_locked(struct source *s)
{
	if (--s->refs == 0) {
		if (s->destroy)
			s->destroy(s->data);
		free(s);
	}
}

static int loop_remove(struct main_loop *l, unsigned id)
{
	int found = 0;
	pthread_mutex_lock(&l->lock);
	for (struct source **p = &l->sources; *p; p = &(*p)->next)
		if ((*p)->id == id) {
			struct source *s = *p;
			*p = s->next;
			source_unref_locked(s);
			found = 1;
			break;
		}
	pthread_mutex_unlock(&l->lock);
	return found;
}

static void loop_quit(struct main_loop *l)
{
	pthread_mutex_lock(&l->lock);
	l->running = 0;
	pthread_cond_signal(&l->wake);
	pthread_mutex_unlock(&l->lock);
}

static void loop_run(struct main_loop *l)
{
	pthread_mutex_lock(&l->lock);
	while (l->running) {
		struct source *s = l->sources;
		if (!s) {
			pthread_cond_wait(&l->wake, &l->lock);
			continue;
		}
#ifdef FIXED
		s->refs++;
#endif
		pthread_mutex_unlock(&l->lock);
		int again = s->func(s->data);
		if (!again)
			loop_remove(l, s->id);
		pthread_mutex_lock(&l->lock);
#ifdef FIXED
		source_unref_locked(s);
#endif
	}
	pthread_mutex_unlock(&l->lock);
}

struct progress {
	int shown;
};

static int on_idle(void *data)
{
	struct progress *p = data;
	p->shown++;
	return p->shown < 2;
}

static void *loop_thread(void *arg)
{
	loop_run(arg);
	return NULL;
}

int main(void)
{
	struct main_loop l;
	loop_init(&l);
	struct progress *p = calloc(1, sizeof(*p));
	unsigned id = loop_add(&l, on_idle, p, free);
	pthread_t t;
	pthread_create(&t, NULL, loop_thread, &l);
	loop_remove(&l, id);
	loop_quit(&l);
	pthread_join(t, NULL);
	return 0;
}
