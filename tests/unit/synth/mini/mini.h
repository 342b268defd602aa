/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file mini.h
 * Programs of a few operations each, of every kind that synchronises, and their classes by brute force.
 *
 * A program is run by a vtb_runner (mini.c: the driver's world and its model of primitives) and, independently, by
 * mini_brute.c, which shares nothing with them but the program and the numbers of operation kinds and objects.
 */
#ifndef VTB_TEST_MINI_H
#define VTB_TEST_MINI_H

#include "vtb/runner.h"

#define MINI_THREADS 9 /* main included */
#define MINI_OBJECTS 8 /* of each sort */
#define MINI_REGS 3
#define MINI_CODE 24
#define MINI_STEPS 160 /* of one run */

enum mini_code {
	/* visible: one schedule point each, waits and barriers two */
	M_READ,  /* reg = variable */
	M_WRITE, /* variable = k */
	M_LOAD,  /* likewise, atomic */
	M_STORE,
	M_EXCHANGE, /* reg = variable; variable = k */
	M_ADD,      /* reg = variable; variable += k */
	M_CAS,      /* reg = variable == k; if so, variable = k2, which may be k */
	M_LOCK,     /* reg = 0, or EDEADLK of an error-checking mutex that it holds */
	M_TRYLOCK,  /* reg = 0, or 1: it was busy */
	M_UNLOCK,
	M_RDLOCK,
	M_WRLOCK,
	M_TRYRDLOCK, /* reg = 0 or 1 */
	M_TRYWRLOCK,
	M_RWUNLOCK,
	M_WAIT,      /* condition obj, mutex k2 */
	M_TIMEDWAIT, /* likewise; reg = 1 if it was late. Who has the least k is late first when nobody can go on */
	M_SIGNAL,
	M_BROADCAST,
	M_SEM_WAIT,
	M_SEM_TRYWAIT, /* reg = 0 or 1 */
	M_SEM_POST,
	M_BARRIER,
	M_CREATE, /* obj: thread */
	M_JOIN,
	/* invisible: part of the operation before */
	M_IF,     /* if reg != k, skip the next k2 instructions */
	M_UNLESS, /* if reg == k, likewise */
	M_ASSERT, /* reg != k */
};

enum mini_mutex { MINI_NORMAL, MINI_RECURSIVE, MINI_ERRORCHECK };

struct mini_instr {
	enum mini_code code;
	int obj, reg, k, k2;
};

struct mini_thread {
	struct mini_instr code[MINI_CODE];
	int n;
};

struct mini {
	struct mini_thread threads[MINI_THREADS]; /* 0 is main; it ends the process */
	int n_threads;
	enum mini_mutex mutexes[MINI_OBJECTS];
	int sems[MINI_OBJECTS];     /* values at the start */
	int barriers[MINI_OBJECTS]; /* how many each waits for */
};

/** Objects by number: what events and classes call them. */
enum mini_sort { MINI_VAR, MINI_MUTEX, MINI_RWLOCK, MINI_COND, MINI_SEM, MINI_BARRIER, MINI_THREAD, MINI_SORTS };
#define MINI_PER_SORT 16u

static inline uint32_t mini_object(enum mini_sort sort, int i)
{
	return (uint32_t)sort * MINI_PER_SORT + (uint32_t)i;
}

/** What sort of object the instruction is about. */
enum mini_sort mini_sort_of(enum mini_code code);

/** Append an instruction. */
void mini_add(struct mini *p, int thread, struct mini_instr in);
/** main creates all other threads in order; joins them. */
void mini_create_all(struct mini *p);
void mini_join_all(struct mini *p);
void mini_print(const struct mini *p);

/** A random program (mini_make.c). Same seed, same program. */
void mini_random(struct mini *p, uint64_t seed);

#define MINI_BATCH 7 /* schedules that it likes to get at once */
/** A runner of the program. */
struct vtb_runner *mini_runner(const struct mini *p);

/* ---- classes (mini_classes.c, mini_brute.c) */

/** One operation of a run: its thread, enum vtb_event_kind, what it is about, and the mutex of a wait (else VTB_NONE).
 */
struct mini_step {
	uint32_t thread, kind, object, mutex;
};

/** A set of numbers. */
struct mini_set {
	uint64_t *slots;
	size_t size, used;
};
void mini_set_fini(struct mini_set *s);
/** True: it was not there. */
bool mini_set_add(struct mini_set *s, uint64_t value);
bool mini_set_has(const struct mini_set *s, uint64_t value);

/** A class: each thread's operations and the order of every two that conflict. A reads-from class: each thread's
 * operations and which operation each of them reads from. As numbers: sums over operations and pairs. O(n^2). */
struct mini_sums {
	uint64_t order, reads_from;
};
/** Steps [0, n) have come before steps[n]; index[i]: operations that the thread of step i had done before it. O(n). */
void mini_classes_add(struct mini_sums *sums, const struct mini_step *steps, const uint32_t *index, size_t n);
void mini_classes_of(const struct mini_step *steps, size_t n, uint64_t *ret_order, uint64_t *ret_reads_from);

struct mini_brute {
	struct mini_set order, reads_from;
	uint64_t runs; /* complete ones */
	bool cut;      /* gave up: more than max_steps */
	bool timed;    /* time had to pass in some run */
};
void mini_brute_fini(struct mini_brute *b);

/** Every interleaving, by recursion over copied states; at most `max_steps` operations. `merge`: what follows two
 * beginnings of one class is looked at once. */
void mini_brute(const struct mini *p, bool merge, uint64_t max_steps, struct mini_brute *ret);

#endif /* VTB_TEST_MINI_H */
