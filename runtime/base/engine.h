/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file engine.h
 * What the runtime asks of the engine, which brings about one run after another (engines/). One row for each engine;
 * a function that is NULL has nothing to do there.
 *
 * Ownership: rows are constants. `vtb_engine` is set once, before the first run.
 */
#ifndef VTB_RT_ENGINE_H
#define VTB_RT_ENGINE_H

#include <signal.h>
#include <ucontext.h>

#include "rt.h"

struct vtb_syscall;

/** States in the middle of runs, from which later ones go on. */
struct vtb_checkpoint_ops {
	/** May one be kept in a run of this schedule that begins? If not, the others are not called. */
	bool (*wanted)(const struct vtb_wire_schedule *s);
	/** At a schedule point: keep the state here if it may pay. */
	void (*point)(void);
	/** What was decided there: `to` goes on. */
	void (*turn)(const struct vtb_rt_thread *from, const struct vtb_rt_thread *to);
};

struct vtb_engine {
	const char *name;
	/** System calls of the program, each of which is looked at: `permit` before it is made or modelled, returns if
	 *  it can be undone; `call` makes one or ends the run; `refuse` ends it: it cannot be undone, `how` continues
	 *  the sentence. All NULL: runs may do as they like. */
	void (*permit)(const struct vtb_syscall *row, const greg_t *g);
	long (*call)(const struct vtb_syscall *row, const greg_t *g);
	void (*refuse)(long nr, const char *how);
	/** Has this run made the descriptor? NULL: that makes no difference. */
	bool (*of_run)(int fd);
	/** What stands in records for a descriptor to which writing is no system call, and changes nothing that a
	 * thread could wait for; NULL: it is another one. */
	const void *(*captured)(int fd);
	/** The program has written something somewhere; NULL: nobody asks. */
	void (*printed)(void);
	/** The run is about to do what cannot be undone, says `what`: stop it, have it run elsewhere. */
	void (*cannot_undo)(const char *what);
	/** Memory is written by the kernel: true if it was kept from writing, and no longer is. */
	bool (*written)(uint64_t addr, uint64_t size);
	/** A fault of the running thread: true if it is the engine's and the thread can go on, with these registers. */
	bool (*fault)(int signal, const siginfo_t *info, greg_t *g);
	/** The run is about to change the kernel's signal mask. */
	void (*mask_changes)(void);
	/** The run is over: the process ends, or the next run begins in it. Does not return. `stop`: before the
	 * program has come to its end. */
	void (*leave)(int status);
	void (*stop)(int status);
	/** At the beginning of a run: whatever else it needs. */
	void (*begin)(void);
	struct vtb_checkpoint_ops checkpoints;
	/** Main is about to make the first thread of the run: keep the state here if it may pay. */
	void (*stem)(void);
	/** For schedules with VTB_SCHED_STATES, at the point after an operation of t, before anything is decided: write
	 * the STATE record, if something could be decided here. */
	void (*state_point)(const struct vtb_rt_thread *t);
};
extern const struct vtb_engine *vtb_engine;

static inline const void *vtb_engine_captured(int fd)
{
	if (!vtb_engine || !vtb_engine->captured) /* no engine: a free run */
		return NULL;
	return vtb_engine->captured(fd);
}

/** Say that the kernel is about to write to [addr, addr + size). */
static inline bool vtb_engine_written(const void *addr, uint64_t size)
{
	return vtb_engine->written && vtb_engine->written((uint64_t)addr, size);
}

/** The program makes call `nr`, of which no trace must be left: returns if the engine does not mind. */
static inline void vtb_engine_refuse_call(long nr, const char *how)
{
	if (vtb_engine->refuse)
		vtb_engine->refuse(nr, how);
}

/** May calls on fd be made without a further look? */
static inline bool vtb_engine_of_run(int fd)
{
	return !vtb_engine->of_run || vtb_engine->of_run(fd);
}

_Noreturn static inline void vtb_engine_leave(int status)
{
	vtb_engine->leave(status);
	__builtin_unreachable();
}

#endif /* VTB_RT_ENGINE_H */
