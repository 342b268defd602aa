/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engine `snapshot`: one process, rolled back after each run.
 *
 *     main's stack            engine's stack (shared memory, survives the rollback)
 *     prepare pool ─────────► remember memory
 *     run the program ◄────── next schedule ◄──────┐
 *     leave ────────────────► outcome, roll back ──┘
 *
 * Needs the carrier fibers: one kernel thread, whose registers are all there is besides memory. Shared mappings (the
 * process block, the engine's own state) are not rolled back; the auditor undoes system calls or refuses them.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carriers.h"
#include "base.h"
#include "engines.h"
#include "kept/kept_state.h"
#include "scheduler.h"
#include "kernel.h"

#define TOUCH_MAX (1ull << 20) /* bytes of events */
#define FRAME_ROOM 16384u      /* of the kernel's, for a handler */
#define ENGINE_STACK (256u << 10)
#define HEAP_READY (4u << 20)    /* heap that is there before the first run */
#define STACK_READY (256u << 10) /* of main's stack */

/* In shared memory. */
static struct snapshot {
	void *engine; /* saved contexts */
	void *main;
	uint64_t fs; /* main's */
	struct vtb_wire_slot *slot;
	const char *trouble;
	bool in_run;
	bool changed;                         /* the memory is that of the run before */
	bool (*take)(void *rsp, uint64_t fs); /* what the context at `point` wants to be kept by */
	bool resumed;
	void *point;
	uint64_t point_fs;
	uint64_t runs;
	uint64_t most_events;                 /* bytes that a run has written, whole pages */
	uint64_t touched[VTB_WIRE_SLOTS_MAX]; /* bytes of each area for events that have been there */
} * S;

/* Areas lie one behind the other, and are of one size. */
static uint64_t *touched_of(const struct vtb_wire_slot *slot)
{
	return &S->touched[slot->events_offset / slot->events_size % VTB_WIRE_SLOTS_MAX];
}

/* A page of the events area that is written for the first time is a page fault, after which the process would have to
 * be searched for changed pages. So what earlier runs have needed is there before the run begins; of long ones, which
 * are searched for longer than that, not all: the tool takes it away again. What lies before the run's own events is
 * that of runs that were told; where the last of them ends in a page, that is there. */
static void touch_events(const struct vtb_wire_slot *slot)
{
	const uint64_t end = slot->events_at + (S->most_events < TOUCH_MAX ? S->most_events : TOUCH_MAX);
	const uint64_t begin = (slot->events_at + 4095) & ~4095ull;
	uint64_t *touched = touched_of(slot);
	char *events = (char *)vtb_rt.block + slot->events_offset;

	if (*touched >= end || slot->events_size < end)
		return;
	*touched = *touched > begin ? *touched : begin;
	for (; *touched < end; *touched += 4096)
		*(volatile char *)(events + *touched) = 0;
	vtb_dirty_forgive();
}

/* The areas of all slots have the same size, a whole number of pages. */
static void note_events(const struct vtb_wire_slot *slot)
{
	const uint64_t used = (slot->events_used + 4095) & ~4095ull;

	if (used > S->most_events)
		S->most_events = used;
	if (slot->events_at + used > *touched_of(slot))
		*touched_of(slot) = (slot->events_at + used) & ~4095ull;
}

bool vtb_snapshot_keep(bool (*take)(void *rsp, uint64_t fs))
{
	S->take = take;
	S->resumed = false;
	S->point_fs = vtb_fiber_fs();
	vtb_fiber_switch(&S->point, S->engine, S->fs);
	return S->resumed; /* in shared memory: not what it was when this state was kept */
}

struct vtb_wire_slot *vtb_snapshot_slot(void)
{
	return S->slot;
}

/* The memory is as it was before main or at a checkpoint: go on there until the run is over. */
static void run(void *rsp, uint64_t fs)
{
	S->in_run = true;
	vtb_syscalls_on(true);
	vtb_fiber_switch(&S->engine, rsp, fs);
	for (bool (*take)(void *, uint64_t); (take = S->take) != NULL;) {
		S->take = NULL;
		take(S->point, S->point_fs);
		vtb_fiber_switch(&S->engine, S->point, S->point_fs);
	}
	vtb_syscalls_on(false);
	S->in_run = false;
}

/* One schedule, from main or from the deepest state on its way that is kept. */
static void run_schedule(struct vtb_wire_slot *slot)
{
	const struct vtb_wire_schedule *s = vtb_slot_schedule(slot);
	const struct vtb_kept_state *checkpoint = vtb_checkpoint_find(s), *stem = vtb_stem_find(s),
	                            *from = checkpoint ? checkpoint : stem;
	void *rsp = S->main;
	uint64_t fs = S->fs;

	S->slot = slot;
	if (from)
		vtb_dirty_back_to(from->pages.at, &from->mark);
	else if (S->changed)
		vtb_dirty_restore();
	vtb_output_run_begins(slot);
	touch_events(slot);
	slot->state = VTB_SLOT_RUNNING;
	if (from)
		vtb_kept_resume(from, slot, &rsp, &fs);
	if (checkpoint)
		vtb_checkpoint_resume(slot);
	S->resumed = from;
	vtb_checkpoint_run_begins();
	run(rsp, fs);
	vtb_checkpoint_run_ends(!from);
	vtb_stem_run_ends();
	S->runs++;
	vtb_audit_undo();
	S->changed = vtb_checkpoint_any() || vtb_stem_any();
	if (S->changed) /* the next schedule may go on from elsewhere */
		vtb_dirty_look();
	else
		vtb_dirty_restore();
	note_events(slot);
}

/* Runs on the engine's stack; must not use thread-local storage of the program, which is rolled back under it. */
static void engine(void)
{
	S->trouble = vtb_dirty_snapshot(vtb_rt.block->dirty);
	if (S->trouble)
		vtb_fiber_switch(&S->engine, S->main, S->fs);
	vtb_rt.block->dirty = vtb_dirty_method();
	if (vtb_dirty_method() == VTB_DIRTY_MPROTECT)
		vtb_fiber_never_guard();
	vtb_fibers_open_stacks();
	vtb_files_remember();
	for (;;) {
		struct vtb_wire_slot *slot = vtb_server_next();

		vtb_hooks->rewrite_again();
		if (slot->runs)
			vtb_series_run(slot, run_schedule, &S->most_events);
		else
			run_schedule(slot);
		vtb_server_done(slot);
	}
}

_Noreturn static void leave(int status)
{
	static void *gone VTB_RUN;
	struct vtb_wire_outcome *o = &S->slot->outcome;

	vtb_output_hash(o);
	if (o->verdict == VTB_V_NONE)
		o->exit_status = (uint32_t)status & 255u;
	vtb_fiber_switch(&gone, S->engine, S->fs);
	__builtin_unreachable();
}

_Noreturn static void refuse(const char *reason)
{
	struct vtb_wire_outcome *o = &vtb_sched.slot->outcome;

	o->flags |= VTB_OUT_REFUSED;
	for (size_t i = 0; i + 1 < sizeof(o->message) && (o->message[i] = reason[i]); i++)
		;
	vtb_sched.active = false;
	leave(0);
}

/* Method mprotect: the pages below the stack pointer are protected, and the kernel had nowhere to put a signal's frame.
 * Signals of the program find room made for them (signals.c). A tick of the watchdog is lost, which does not matter:
 * the thread goes on where it was. A system call that traps is made again; the kernel has put its number back. Behind a
 * call that was answered just there it might be either: the run is refused. */
static bool frame_found_no_room(greg_t *g)
{
	const bool call = vtb_syscalls_traps_before(g);

	if ((call && vtb_syscalls_answered(g)) || !vtb_dirty_open((uint64_t)g[REG_RSP] - FRAME_ROOM, FRAME_ROOM))
		return false;
	if (call)
		g[REG_RIP] -= 2;
	return true;
}

static bool fault(int signal, const siginfo_t *info, greg_t *g)
{
	if (signal != SIGSEGV)
		return false;
	if (vtb_dirty_fault((uint64_t)info->si_addr))
		return true;
	if (info->si_code != SI_KERNEL || vtb_dirty_method() != VTB_DIRTY_MPROTECT)
		return false;
	if (frame_found_no_room(g)) /* also between two runs */
		return true;
	if (vtb_sched.active)
		refuse("the kernel could not write to memory that was protected to see what changes");
	return false;
}

static const struct vtb_engine snapshot = {
	.name = "snapshot",
	.permit = vtb_audit_permit,
	.call = vtb_audit_call,
	.of_run = vtb_files_of_run,
	.captured = vtb_output_object,
	.refuse = vtb_audit_refuse,
	.cannot_undo = refuse,
	.written = vtb_dirty_open,
	.fault = fault,
	.mask_changes = vtb_audit_mask_changes,
	.leave = leave,
	.stop = vtb_engine_stop,
	.checkpoints = { vtb_checkpoint_wanted, vtb_checkpoint_point, vtb_checkpoint_turn },
	.stem = vtb_stem_point,
	.state_point = vtb_match_point,
};

/* What the first run would otherwise set up is there before the memory is remembered: every run starts alike and cheap.
 */
static void warm_up(void)
{
	volatile char stack[STACK_READY];
	void *block;

	for (size_t i = 0; i < sizeof(stack); i += 4096)
		stack[i] = 0;
	mallopt(M_TOP_PAD, HEAP_READY);
	block = malloc(200000);
	__asm__ volatile("" : "+r"(block)); /* or the compiler does without */
	free(block);
	mallopt(M_TOP_PAD, 128 << 10);
	vtb_rt_alloc_reserve(VTB_ARENA_READY);
	vtb_rt_main_stack();
	vtb_loader_end_look();
}

const char *vtb_snapshot_serve(int argc, char **argv, char **envp)
{
	const uint32_t wanted = vtb_rt.block->pool ? vtb_rt.block->pool : 8;
	const char *why;
	char *stack;

	warm_up();
	vtb_carrier = &vtb_carrier_fibers;
	if (vtb_fibers_pool(wanted) == 0)
		return "no thread can be started";
	vtb_fair_keep_tables(wanted + 1);
	S = vtb_shared_pages(sizeof(*S));
	vtb_checkpoints_begin();
	vtb_stem_begin();
	stack = vtb_shared_pages(ENGINE_STACK);
	vtb_engine = &snapshot;
	why = S && stack && vtb_series_begin() ? vtb_audit_begin() : "no memory";
	if (!why)
		why = vtb_syscalls_catch(true);
	vtb_watchdog_start();
	if (!why) {
		vtb_self = vtb_rt_thread_prepared(0); /* main's, as in every run: mode is off until one begins */
		S->fs = vtb_fiber_fs();
		S->engine = vtb_fiber_context(stack + ENGINE_STACK, engine);
		vtb_fiber_switch(&S->main, S->engine, S->fs);
		why = S->trouble;
	}
	if (why) {
		S = NULL;
		return why;
	}
	vtb_real.exit(vtb_engine_run(S->slot, argc, argv, envp)); /* comes here once for every run */
	__builtin_unreachable();
}
