/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syncorder_priv.h: what syncorder.c and its rules for objects (sync_objects.c) and atomics (sync_atomics.c) share. */
#ifndef VTB_HBGRAPH_SYNCORDER_PRIV_H
#define VTB_HBGRAPH_SYNCORDER_PRIV_H

#include "vtb/map64.h"
#include "vtb/syncorder.h"

struct sync_thread {
	struct vtb_vclock clock;      /* what it knows; its own entry is raised at releases only */
	struct vtb_vclock fenced;     /* clock at its last release fence */
	struct vtb_vclock gathered;   /* release sequences it has read relaxed; an acquire fence takes them over */
	struct vtb_vclock start, end; /* given by its creator; by its own end */
	uint32_t count;               /* events so far */
};

/* One sync object or atomic location. Which clocks are in use depends on the family. */
struct sync_object {
	struct vtb_vclock
	    released; /* what an acquire learns: unlock, signal, post, closed barrier round, release sequence */
	struct vtb_vclock
	    second;      /* rwlock: read unlocks; barrier: arrivals of the open round; atomic: the head's own clock */
	uint32_t thread; /* rwlock: who holds it for writing; atomic: thread that heads the sequence; or VTB_NONE */
	uint32_t arrived, to_leave; /* barrier: threads in the open round; threads that have not left the closed one */
};

struct vtb_syncorder {
	const struct vtb_symtab *tab;
	uint32_t flags;
	struct sync_thread *threads;
	size_t n_threads, cap_threads;
	struct vtb_vclock sent; /* by all who have written where somebody of the program may read, or sent a signal */
	bool once;              /* some initialiser has ended */
	struct vtb_map64 by_key;
	struct sync_object *objects;
	size_t n_objects, cap_objects;
};

/* So that keys of different kinds never meet. SYNC_ONCE: by the address of what was initialised once. */
enum sync_space { SYNC_VAR, SYNC_ADDR, SYNC_SYMBOLIC, SYNC_ONCE };

/* The object with this key, made if new. NULL if out of memory. Earlier pointers become invalid. */
struct sync_object *sync_object_at(struct vtb_syncorder *so, enum sync_space space, uint64_t key);
/* The object an event acts on, NULL with *r = 0 if it is unknown, NULL with *r < 0 on -ENOMEM. */
struct sync_object *sync_object_of(struct vtb_syncorder *so, const struct vtb_event *e, int *r);

/* Take over `clock`: 1 if that was news, 0, -ENOMEM. */
int sync_learn(struct sync_thread *t, const struct vtb_vclock *clock);
/* Tell `clock` all that the thread knows, itself included. */
int sync_tell(struct sync_thread *t, uint32_t thread, struct vtb_vclock *clock);
/* Make `clock` exactly what the thread knows. */
int sync_set(struct sync_thread *t, uint32_t thread, struct vtb_vclock *clock);
void sync_forget(struct vtb_vclock *clock);

/* Two results in one: the first error, else whether either was news. */
static inline int sync_both(int a, int b)
{
	return a < 0 ? a : b < 0 ? b : a | b;
}

int sync_feed_object(struct vtb_syncorder *so, const struct vtb_event *e, const struct vtb_event_info *info);
int sync_feed_atomic(struct vtb_syncorder *so, const struct vtb_event *e);

#endif /* VTB_HBGRAPH_SYNCORDER_PRIV_H */
