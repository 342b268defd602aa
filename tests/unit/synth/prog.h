/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file prog.h
 * Tiny abstract programs for tests: threads with registers, shared variables with values, locks, trylocks, conditions,
 * branches and assertions. A program is run by a vtb_runner (machine.h) and, independently, by brute.c.
 */
#ifndef VTB_TEST_PROG_H
#define VTB_TEST_PROG_H

#include "vtb/runner.h"

#define PROG_THREADS 22 /* main included */
#define PROG_VARS 4
#define PROG_LOCKS 3
#define PROG_CONDS 2
#define PROG_REGS 6
#define PROG_CODE 48

enum prog_code {
	/* visible: one schedule point each */
	P_READ,  /* reg = var */
	P_WRITE, /* var = k */
	P_STORE, /* var = reg + k */
	P_LOCK,
	P_TRYLOCK, /* reg = 0 or 1 (busy) */
	P_UNLOCK,
	P_WAIT, /* two operations: give back `lock` and join the queue of `obj`; leave it with the lock */
	P_SIGNAL,
	P_BROADCAST,
	P_TIMEDWAIT, /* likewise with a deadline; reg = 1 if it was over. Who has the least k is late first if nobody
	                can go on */
	P_CAS, /* weak compare-exchange: if var == k, var = k + 1 and reg = 1, else reg = 0; it may fail for no reason
	        */
	P_CREATE, /* obj: thread */
	P_JOIN,
	/* invisible: part of the operation before */
	P_SKIP,        /* if reg != k, skip the next `n` instructions */
	P_ASSERT_EQ,   /* reg == k */
	P_ASSERT_NE,   /* reg != k */
	P_ASSERT_SAME, /* reg == reg2 */
	P_ASSERT_LE,   /* reg <= reg2 + k */
	P_ASSERT_OR,   /* reg == reg2 or reg3 == reg4 (k < 0), or reg3 != k (k >= 0) */
};

struct prog_instr {
	enum prog_code code;
	int obj; /* variable, lock, condition or thread */
	int reg;
	int k;
	int lock; /* P_WAIT */
	int n;    /* P_SKIP */
	int reg2, reg3, reg4;
};

struct prog_thread {
	struct prog_instr code[PROG_CODE];
	int n;
};

struct prog {
	struct prog_thread threads[PROG_THREADS]; /* 0 is main; it ends the process */
	int n_threads;
	int start[PROG_VARS]; /* values */
	int n_vars, n_locks, n_conds;
	bool routines;  /* threads with the same code run one routine: their sites are the same, and a failure is the
	                   routine's */
	uint32_t kinds; /* deviations other than switches that can happen: bit 1 << enum vtb_deviation_kind */
	int library; /* instructions below this number, in all threads, lie in the function "library" of another module
	              */
	bool heap;   /* variables are heap objects; variable i has loop number i */
};

static inline bool prog_visible(enum prog_code code)
{
	return code <= P_JOIN;
}

/** Does the assertion hold? */
bool prog_holds(const struct prog_instr *in, const int *regs);

/** What a run showed, in one number: failure and where, or the final values of the variables: what others have done
 * when an assertion fails is no part of the failure. */
uint64_t prog_outcome(enum vtb_verdict verdict, int thread, int instr, const int *vars, int n_vars);

/** Append an instruction. */
void prog_add(struct prog *p, int thread, struct prog_instr in);
/** main creates all other threads in order. */
void prog_create_all(struct prog *p);
void prog_join_all(struct prog *p);

/** A random program: 2 or 3 threads, at most `ops` instructions each. Same seed, same program. */
void prog_random(struct prog *p, uint64_t seed, int n_threads, int ops);
/** A random program in which time and chance have a say: waits with and without deadlines, several waiters, weak
 * compare-exchanges. */
void prog_random_chances(struct prog *p, uint64_t seed, int n_threads, int ops);
void prog_print(const struct prog *p);

/** The lowest thread with the code of `thread`, if the program has routines; else `thread`. */
int prog_routine(const struct prog *p, int thread);

/** A runner of the program; outcome.output_hash is prog_outcome(). */
struct vtb_runner *prog_runner(const struct prog *p);

/* ---- brute force (brute.c): every interleaving, by recursion over copied states */
#define BRUTE_OUTCOMES 512
#define BRUTE_C 64

struct brute_outcome {
	uint64_t id;
	enum vtb_verdict verdict;
	int c, v; /* lowest (c, v) */
};

struct brute {
	struct brute_outcome outcomes[BRUTE_OUTCOMES];
	int n_outcomes;
	uint64_t runs;                                                                     /* complete interleavings */
	uint64_t runs_at[BRUTE_C][PROG_VARS + PROG_LOCKS + PROG_CONDS + PROG_THREADS + 2]; /* with exactly (c, v) */
	bool cut;             /* gave up: more than max_runs */
	uint64_t states;      /* brute_force_states(): different ones in which somebody could go on */
	uint64_t state_edges; /* ways on from them, in all */
};

/** Every interleaving with at most max_c preemptions. */
void brute_force(const struct prog *p, int max_c, uint64_t max_runs, struct brute *ret);
/** Without a bound, counting states too. */
void brute_force_states(const struct prog *p, uint64_t max_runs, struct brute *ret);

/* ---- the figures of [CVT13] */
#define PROG_FIGURES 7
struct prog_figure {
	const char *name;
	struct vtb_tuple tuple;
};
extern const struct prog_figure prog_figures[PROG_FIGURES];
void prog_figure(int i, struct prog *p);

#endif /* VTB_TEST_PROG_H */
