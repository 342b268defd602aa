/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Teams. As with libgomp, the threads of outermost regions stay and wait for the next one; those that it does not need
 * end, and those of inner regions end with theirs. So what is threadprivate lasts as long as there.
 */
#include <string.h>

#include "omp.h"

struct worker {
	struct omp_team *team; /* NULL: it is to end */
	unsigned id;
	bool inner;
	sem_t go, done; /* the region's part; both are the worker's alone, so that nothing is in order but the two */
};

/* What a thread keeps for the regions that it begins. Teams are kept by their size: a thread that ends its part last
 * may still be at the barrier. */
struct pool {
	struct worker **workers; /* 1 .. n - 1 of outermost regions */
	unsigned n, room;
	struct omp_team *teams; /* not in use */
};

#define OWN_VARIABLE static __thread __attribute__((tls_model("initial-exec")))
OWN_VARIABLE struct omp_place here;
OWN_VARIABLE struct pool pool;
OWN_VARIABLE struct omp_team alone; /* of a thread that is in no region */
OWN_VARIABLE struct omp_task initial;
static pthread_key_t ends;

OMP_OWN static void begin_alone(void)
{
	initial.control = omp_initial;
	alone.threads = 1;
	here = (struct omp_place){ .team = &alone, .task = &initial, .number = OMP_NONE };
}

OMP_OWN struct omp_place *omp_place(void)
{
	if (!here.team)
		begin_alone();
	return &here;
}

OMP_OWN struct omp_control *omp_control(void)
{
	return &omp_place()->task->control;
}

void *omp_block(size_t size)
{
	void *block = vtb_library_alloc(size);

	if (!block)
		__builtin_trap(); /* libgomp ends the program, too */
	return block;
}

void omp_call(void (*fn)(void *), void *data)
{
	struct vtb_library_place was;

	vtb_library_lend(&was);
	fn(data);
	vtb_library_back(&was);
}

/* ---- how many */

unsigned omp_team_size(unsigned asked, unsigned most)
{
	const struct omp_control *c = omp_control();
	const struct omp_team *team = omp_place()->team;
	unsigned n = asked ? asked : c->threads;

	if (asked == 1 || c->thread_limit == 1 || (team->active_level && team->active_level >= c->levels))
		return 1;
	if (c->dynamic) {
		n = n < omp_processors() ? n : omp_processors();
		n = most && most < n ? most : n;
	}
	return n < c->thread_limit ? n : c->thread_limit;
}

/* ---- a team */

/* Of the first thread's regions: reports name what lies in them, and its members, as these are called. */
#define TEAMS 32u
#define WORKERS 64u
static struct omp_team openmp_team[TEAMS];
static struct worker openmp_worker[WORKERS];
OWN_VARIABLE unsigned teams_left, workers_left;

OMP_OWN static struct omp_team *another_team(void)
{
	return teams_left ? &openmp_team[TEAMS - teams_left--] : omp_block(sizeof(struct omp_team));
}

OMP_OWN static struct worker *another_worker(void)
{
	return workers_left ? &openmp_worker[WORKERS - workers_left--] : omp_block(sizeof(struct worker));
}

static struct omp_team *team_new(unsigned threads)
{
	struct omp_team *team = another_team();

	team->threads = threads;
	team->implicit = omp_block(threads * sizeof(*team->implicit));
	team->shares = team->ring;
	team->room = OMP_WORK;
	for (unsigned i = 0; i < OMP_WORK; i++)
		team->ring[i] = &team->work[i];
	if (omp_has_tasks)
		omp_memory_make(team);
	if (threads > 1) {
		vtb_library_here();
		pthread_barrier_init(&team->barrier, NULL, threads);
	}
	return team;
}

OMP_OWN static struct omp_team *take_kept(unsigned threads)
{
	for (struct omp_team **at = &pool.teams; *at; at = &(*at)->next)
		if ((*at)->threads == threads) {
			struct omp_team *team = *at;

			*at = team->next;
			return team;
		}
	return NULL;
}

OMP_OWN static void keep(struct omp_team *used)
{
	used->next = pool.teams;
	pool.teams = used;
}

struct omp_team *omp_team_make(unsigned threads)
{
	struct omp_place *p = omp_place();
	struct omp_team *team = take_kept(threads);

	team = team ? team : team_new(threads);
	team->outer = *p;
	team->level = p->team->level + 1;
	team->active_level = p->team->active_level + (threads > 1);
	team->caller = vtb_library_caller();
	team->single = team->cancelled = 0;
	team->combined = false;
	team->copied = NULL;
	team->reductions = NULL;
	for (uint64_t i = 0; i < team->room; i++)
		team->shares[i]->number = 0;
	for (unsigned i = 0; i < threads; i++) {
		team->implicit[i] = (struct omp_task){
			.control = p->task->control, .parent = p->task, .is_final = p->task->is_final, .team = team
		};
		team->implicit[i].control.threads = omp_threads_at(team->level, p->task->control.threads);
	}
	return team;
}

static void enter(struct omp_team *team, unsigned id)
{
	*omp_place() = (struct omp_place){ .team = team,
		                           .task = &team->implicit[id],
		                           .share = team->combined ? omp_share_first(team) : NULL,
		                           .shares = team->combined,
		                           .id = id,
		                           .number = OMP_NONE,
		                           .leagues = team->outer.leagues,
		                           .league = team->outer.league };
}

/* Reports name threads by it. */
static void *openmp_thread(void *arg)
{
	struct worker *w = arg;

	while (w->team) {
		struct omp_team *team = w->team;
		bool inner;

		vtb_library_for(team->caller);
		enter(team, w->id);
		omp_call(team->fn, team->data);
		if (omp_has_tasks || omp_may_cancel)
			omp_barrier(omp_place());
		inner = w->inner;
		vtb_library_here();
		sem_post(&w->done);
		if (inner)
			break;
		vtb_library_here();
		while (sem_wait(&w->go))
			;
	}
	return NULL;
}

static void begin_thread(struct worker *w)
{
	pthread_attr_t attributes;
	pthread_t handle;

	vtb_library_here();
	pthread_attr_init(&attributes);
	vtb_library_here();
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	if (omp_stack) {
		vtb_library_here();
		pthread_attr_setstacksize(&attributes, omp_stack);
	}
	vtb_library_here();
	if (pthread_create(&handle, &attributes, openmp_thread, w))
		__builtin_trap(); /* likewise */
	vtb_library_here();
	pthread_attr_destroy(&attributes);
}

static struct worker *worker_new(struct omp_team *team, unsigned id, bool inner)
{
	struct worker *w = another_worker();

	w->team = team;
	w->id = id;
	w->inner = inner;
	vtb_library_here();
	sem_init(&w->done, 0, 0);
	if (!inner) {
		vtb_library_here();
		sem_init(&w->go, 0, 0);
	}
	return w;
}

static void send(struct worker *w, struct omp_team *team)
{
	w->team = team;
	vtb_library_here();
	sem_post(&w->go);
}

static void make_room(unsigned n)
{
	struct worker **more;

	if (n <= pool.room)
		return;
	more = omp_block(n * sizeof(*more));
	if (pool.room)
		memcpy(more, pool.workers, pool.room * sizeof(*more));
	pool.workers = more;
	pool.room = n;
}

/* Those that are there, and more; the others end. */
static void start_pool(struct omp_team *team)
{
	if (team->threads > 1 && !pool.n) {
		pthread_setspecific(ends, &pool);
		pool.n = 1;
	}
	make_room(team->threads);
	for (unsigned i = team->threads; i < pool.n; i++)
		send(pool.workers[i], NULL);
	for (unsigned i = 1; i < team->threads; i++)
		if (i < pool.n) {
			send(pool.workers[i], team);
		} else {
			pool.workers[i] = worker_new(team, i, false);
			begin_thread(pool.workers[i]);
		}
	if (pool.n)
		pool.n = team->threads;
}

static void start_inner(struct omp_team *team)
{
	if (team->threads > 1 && !team->inner)
		team->inner = omp_block(team->threads * sizeof(*team->inner));
	for (unsigned i = 1; i < team->threads; i++) {
		if (!team->inner[i])
			team->inner[i] = worker_new(team, i, true);
		begin_thread(team->inner[i]);
	}
}

void omp_team_start(struct omp_team *team, void (*fn)(void *), void *data)
{
	team->fn = fn;
	team->data = data;
	if (omp_place()->team->level)
		start_inner(team);
	else
		start_pool(team);
	enter(team, 0);
}

void omp_team_end(void)
{
	struct omp_place *p = omp_place();
	struct omp_team *team = p->team;
	struct worker **workers = team->outer.team->level ? team->inner : pool.workers;

	if (omp_has_tasks || omp_may_cancel)
		omp_barrier(p);
	for (unsigned i = 1; i < team->threads; i++) {
		vtb_library_here();
		while (sem_wait(&workers[i]->done))
			;
	}
	for (unsigned i = 0; i < team->threads; i++)
		omp_depend_end(&team->implicit[i]);
	*p = team->outer;
	keep(team);
}

/* A thread that has begun regions ends: so do those that it had for them. */
static void thread_ends(void *arg)
{
	struct pool *of = arg;

	for (unsigned i = 1; i < of->n; i++)
		send(of->workers[i], NULL);
	of->n = 0;
}

__attribute__((constructor)) static void prepare(void)
{
	pthread_key_create(&ends, thread_ends);
	teams_left = TEAMS;
	workers_left = WORKERS;
}

/* ---- what gcc calls */

#define BIND_BITS 7u

OMP_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads);
OMP_EXPORT void GOMP_parallel_start(void (*fn)(void *), void *data, unsigned threads)
{
	omp_team_start(omp_team_make(omp_team_size(threads, 0)), fn, data);
}

OMP_EXPORT void GOMP_parallel_end(void);
OMP_EXPORT void GOMP_parallel_end(void)
{
	omp_team_end();
}

OMP_EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
OMP_EXPORT void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags)
{
	(void)flags; /* where threads are to run */
	omp_team_start(omp_team_make(omp_team_size(threads, 0)), fn, data);
	omp_call(fn, data);
	omp_team_end();
}
