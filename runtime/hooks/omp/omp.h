/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file omp.h
 * libvtb-omp.so: what gcc's -fopenmp calls (GOMP_*, omp_*), as an ordinary program of threads, mutexes, barriers and
 * atomic operations, each of which the runtime knows. Written from the public interface: what gcc emits, libgomp's
 * documentation, and the OpenMP standard.
 *
 * What several threads touch is ordered by these operations alone, or is changed by vtb_library_add() and its like.
 */
#ifndef VTB_OMP_H
#define VTB_OMP_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "library.h"

#define OMP_EXPORT __attribute__((visibility("default")))
/** What a function does to its own thread's variables concerns nobody else. */
#define OMP_OWN __attribute__((no_sanitize("thread")))

/** As in omp.h of the compiler. */
enum omp_schedule { OMP_STATIC = 1, OMP_DYNAMIC, OMP_GUIDED, OMP_AUTO };
#define OMP_MONOTONIC 0x80000000u

/** What the standard calls internal control variables. Each task has its own. */
struct omp_control {
	unsigned threads, thread_limit, levels;
	unsigned schedule; /* enum omp_schedule, and OMP_MONOTONIC */
	int chunk, device;
	bool dynamic;
};

struct omp_task;
struct worker;

/** A loop, sections or the like that a team's threads share. */
struct omp_share {
	uint64_t number;       /* the how manieth of the team, from 1 */
	uint64_t taken;        /* of `total`, by all: by an atomic operation, or with the lock held */
	uint64_t total, chunk; /* iterations, sections; chunk 0 of a static loop: one block each */
	uint64_t start, end, step;
	unsigned schedule;
	bool ordered;
	uint64_t handed_out, turn; /* ordered: chunks, and the number of the one that may go on */
	struct omp_sleeper *waits; /* for their turns */
	void *memory;              /* that all threads of it have */
	uintptr_t *reductions;
	/* doacross: loops in each other, and of each row of the outermost the last iteration that is done, from 1 */
	unsigned loops;
	uint64_t *counts, *posted; /* one block */
};

/** What a thread is at in its team. */
struct omp_place {
	struct omp_team *team;
	struct omp_task *task;
	struct omp_share *share;
	unsigned id;
	uint64_t shares, singles; /* that it has come to */
	uint64_t floor;           /* number of the share that all have left behind */
	uint64_t blocks;          /* static loop: blocks it has had */
	uint64_t number;          /* ordered: its chunk is the how manieth; OMP_NONE: it has none */
	unsigned leagues, league; /* teams of a league, and which of them it is in; 0: no league */
};
#define OMP_NONE UINT64_MAX
#define OMP_WORK 4u /* that threads can be apart before there has to be more room */

/** A thread that waits until there is something to do, or nothing more to wait for. */
struct omp_sleeper {
	struct omp_sleeper *next;
	sem_t *wakes;
	bool over;            /* what it waits for is over; else there may be a task */
	bool each;            /* of who waits for some children: each that ends is news */
	uint64_t number, row; /* that it waits for */
};

struct omp_team {
	unsigned threads, level, active_level;
	struct omp_place outer; /* where the thread that made it was */
	void (*fn)(void *);
	void *data;
	uint64_t caller;           /* where the program asked for it */
	pthread_barrier_t barrier; /* where there are no tasks */
	pthread_mutex_t lock;      /* of all below */
	uint64_t single;           /* atomic: how many have been begun */
	struct omp_share **shares; /* a ring of `room` */
	struct omp_share *ring[OMP_WORK], work[OMP_WORK];
	uint64_t room;
	bool combined;                /* its first share was filled in before it started */
	bool has_events;              /* another thread may end a task of it */
	void *copied;                 /* copyprivate; the barriers order it */
	uintptr_t *reductions;        /* of the region */
	struct omp_task *implicit;    /* `threads` of them */
	uint64_t cancelled;           /* atomic: OMP_CANCEL_REGION and the like */
	struct omp_task *ready;       /* the first of those that may begin */
	uint64_t tasks;               /* made and not done */
	unsigned arrived;             /* at the barrier */
	uint64_t round;               /* of it */
	struct omp_sleeper *sleepers; /* at it, in order */
	struct omp_memory *memory;    /* task_memory.c */
	struct worker **inner;        /* of a region in a region */
	struct omp_team *next;        /* of the same thread's */
};

/* As gcc has it. */
enum { OMP_CANCEL_REGION = 1, OMP_CANCEL_SHARES = 2 | 4, OMP_CANCEL_GROUP = 8 };

/** The calling thread's place. Its team is not NULL. */
struct omp_place *omp_place(void);
/** The settings of its task. */
struct omp_control *omp_control(void);
/** Several threads? */
static inline bool omp_is_shared(const struct omp_place *p)
{
	return p->team->threads > 1;
}

/* ---- settings.c: what the environment says, read before main */

extern struct omp_control omp_initial;
extern bool omp_may_cancel;
extern bool omp_has_tasks; /* the program, or a library of its own */
extern size_t omp_stack;   /* of threads; 0: as others have */
extern int omp_priorities, omp_max_teams, omp_teams_limit;
unsigned omp_processors(void);
/** Threads of a region at this level, if the environment says so; else `otherwise`. */
unsigned omp_threads_at(unsigned level, unsigned otherwise);

/* ---- team.c */

/** Threads for a region of `asked` (0: as many as the settings say), of which `most` have work (0: all). */
unsigned omp_team_size(unsigned asked, unsigned most);
/** A team, not started. */
struct omp_team *omp_team_make(unsigned threads);
/** Start it; the caller becomes the first of it. */
void omp_team_start(struct omp_team *team, void (*fn)(void *), void *data);
/** The caller's part is done: wait for all. */
void omp_team_end(void);
/** Do fn(data), a function of the program's. */
void omp_call(void (*fn)(void *), void *data);
/** Zeroed; never NULL. */
void *omp_block(size_t size);

/* ---- barrier.c */

void omp_barrier(struct omp_place *p);
void omp_lock(struct omp_team *team);
void omp_unlock(struct omp_team *team);
/* ---- shares.c */

/** The next one of the team for this thread. True: the caller is the first, and fills it in. In either case
 * omp_share_entered() has to follow. */
bool omp_share_enter(struct omp_place *p);
void omp_share_entered(struct omp_place *p);
/** Zeroed memory of the entered share, of *size bytes: *size becomes its address. `size` NULL: none. */
void omp_share_memory(struct omp_place *p, bool first, void **size);
/** The one that is filled in before the team starts. */
struct omp_share *omp_share_first(struct omp_team *team);

/* ---- loops.c */

/** Iterations are counted; what the program sees is the start and steps, as words. */
struct omp_loop {
	uint64_t start, end, step, total, chunk;
	unsigned schedule;
	bool ordered;
};
struct omp_loop omp_loop_signed(long start, long end, long step, unsigned schedule, long chunk);
struct omp_loop omp_loop_unsigned(bool up, uint64_t start, uint64_t end, uint64_t step, unsigned schedule,
                                  uint64_t chunk);
void omp_loop_fill(struct omp_share *s, const struct omp_loop *loop);
/** Come to it. */
void omp_loop_begin(const struct omp_loop *loop);
/** The calling thread's next iterations; false: there are none. */
bool omp_loop_next(uint64_t *from, uint64_t *to);

/* ---- ordered.c */

/** The calling thread's chunk is done; wait for those before it, hand on to the one after it. With the lock held. */
void omp_turn_done(struct omp_place *p);
/** Fill in a share that is a doacross loop over the first of `counts`. */
void omp_doacross_fill(struct omp_share *s, unsigned loops, const uint64_t *counts);

/* ---- task.c */

enum {
	OMP_FINAL = 1 << 1,
	OMP_DEPEND = 1 << 3,
	OMP_PRIORITY = 1 << 4,
	OMP_UP = 1 << 8,
	OMP_GRAINSIZE = 1 << 9,
	OMP_IF = 1 << 10,
	OMP_NOGROUP = 1 << 11,
	OMP_REDUCTION = 1 << 12,
	OMP_DETACH = 1 << 13,
	OMP_STRICT = 1 << 14,
};

/** Tasks that are waited for together. */
struct omp_group {
	struct omp_group *outer;
	uint64_t tasks; /* not done */
	struct omp_sleeper *waits;
	bool cancelled;
	uintptr_t *reductions;
};

struct omp_tasks;

/** A task: of a thread of a team (implicit), or made by one. All but the first four are touched with the lock held, if
 * there are several threads. */
struct omp_task {
	struct omp_control control;
	struct omp_task *parent;
	struct omp_group *group;
	bool is_final, is_made, had_children;
	struct omp_team *team;
	uint64_t references; /* itself, children, places in tables of dependences */
	uint64_t children;   /* not done */
	struct omp_sleeper *waits;
	struct omp_task *next; /* ready */
	int priority;
	uint64_t blockers; /* tasks before it that are not done, and one while it is made */
	struct omp_tasks *blocks;
	bool done, detached, fulfilled;
	struct omp_depend *depends; /* of its children */
	void (*fn)(void *);
	void *data;
	size_t room; /* bytes of it all; 0: of the thread that does it */
};

/** What makes a task. */
struct omp_task_call {
	void (*fn)(void *);
	void *data;
	void (*copy)(void *, void *);
	long size, align;
	unsigned flags;
	void **depend;
	int priority;
	void *detach;
	const void *bounds; /* taskloop: the two words that its data begins with; NULL: as they are */
};
/** Do it at once, or later. */
void omp_task_make(const struct omp_task_call *call, bool now);
/** Is a task made now done at once? */
bool omp_task_is_now(bool wanted);
/** With the lock held: it may begin if nothing is before it any more. */
void omp_task_unblock(struct omp_task *task);
/** With the lock held: it is needed no more by one. */
void omp_task_forget(struct omp_task *task);
/** With the lock held: do a task for which fits(task, arg); false: there is none. */
bool omp_task_do(struct omp_place *p, bool (*fits)(const struct omp_task *, const void *), const void *arg);
/** With the lock held: sleep as *at; `what` says what for. True: what was waited for is over, and the lock is not taken
 * again. */
bool omp_sleep(struct omp_place *p, struct omp_sleeper **at, struct omp_sleeper what);
bool omp_task_sleep(struct omp_place *p, struct omp_sleeper **at, bool each);
/** With the lock held: wake who sleeps as *at, if anybody does. */
void omp_task_wake(struct omp_sleeper **at, bool over);
/** The thread has nothing else to do: do tasks until all are done and all threads have arrived. True: the region was
 * cancelled, and `may_cancel`. */
bool omp_tasks_at_barrier(struct omp_place *p, bool may_cancel);
/** The region is cancelled: those at the barrier go on. */
void omp_tasks_cancelled(struct omp_team *team);

/* ---- depend.c */

/** With the lock held: what `task` has to wait for. */
void omp_depend_add(struct omp_task *task, void **depend);
/** Wait for what a task with these would wait for. */
void omp_depend_wait(struct omp_place *p, void **depend);
/** With the lock held: no more children will be made. */
void omp_depend_end(struct omp_task *task);
/** One more of a list. */
struct omp_tasks {
	struct omp_tasks *next;
	struct omp_task *task;
};
void omp_tasks_add(struct omp_tasks **list, struct omp_task *task);

/* ---- reductions.c */

/** What the group of the task reduces; NULL: nothing. */
uintptr_t *omp_reductions_of(const struct omp_task *task);
/** The calling task's group reduces this (gcc's table). */
void omp_reduce_group(uintptr_t *table);

/** What the threads of a share reduce, with it entered; then, when it is not any more. NULL: nothing. */
void omp_reduce_share(struct omp_place *p, uintptr_t *table, bool first);
void omp_reduce_share_begins(uintptr_t *table);
void GOMP_taskgroup_start(void);
void GOMP_taskgroup_end(void);

/* ---- task_memory.c: blocks of a team, with the lock held */

/** The first piece. */
void omp_memory_make(struct omp_team *team);
void *omp_memory_take(struct omp_team *team, size_t size);
void omp_memory_give(struct omp_team *team, void *block, size_t size);

#endif /* VTB_OMP_H */
