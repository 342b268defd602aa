/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stem of random runs. Until main makes its first thread there is nobody to choose among, so all runs of one
 * program begin alike, whatever their random numbers are; what a program sets up there (texts that are read, tables, a
 * test framework) can be most of it. It is run once:
 *
 *     main ── sets up ──┤ first pthread_create()      later runs begin here, with random numbers of their own,
 *                       └─── a state is kept          as many of which count as drawn as there were points
 *
 * For schedules of policies random and pos that ask for nothing else. Kept when so many in a row were alike that pages
 * which only the first runs change have left the dirty set; given up when another kind of schedule comes, or one from
 * main. What a run leaves in shared memory is made new where a run goes on: what threads have read (spins/fair.c),
 * which memory who owns (stretches/owned.h).
 */
#include "base.h"
#include "engines.h"
#include "kept_state.h"
#include "scheduler.h"

#define ALIKE 160u      /* runs in a row */
#define ALIKE_LONG 3u   /* if they take long: */
#define LONG (1u << 20) /* ticks of the processor, 0.3 to 0.5 ms */
#define WORTH_IT 30000u /* ticks: a shorter stem is not worth what is put back for it */
#define SURE 3u         /* stems in a row that take so long: one may have been interrupted by another process */
#define PAUSE 100000u   /* runs until a stem that was too short is looked at again */
#define EVENTS_MAX (4ull << 20)
#define NO_MATTER VTB_SCHED_TELL /* of a schedule's flags: says what becomes of the run, not how it goes */

/* In shared memory. */
static struct stem {
	struct vtb_kept_state state;
	bool always;
	bool there;  /* `state` is that of the stem of runs of `kind` */
	bool wanted; /* the run that is on is to leave it */
	bool pays;   /* there was one: others need not wait */
	struct vtb_wire_schedule kind;
	uint32_t sites;     /* header.sites_now: with other places looked at it has other records */
	uint32_t alike;     /* runs of `kind` in a row */
	uint32_t pause;     /* runs to come that go from main anyhow */
	uint32_t long_ones; /* stems in a row that were worth it */
	uint64_t ticks;     /* that the last one took */
	uint64_t began;
	uint64_t seed; /* of the run that was here first */
} * stem;

void vtb_stem_begin(void)
{
	if (vtb_rt.block->options & (VTB_OPT_NO_CHECKPOINTS | VTB_OPT_REAL_TIME))
		return;
	stem = vtb_shared_pages(sizeof(*stem));
	if (stem)
		stem->always = vtb_rt.block->options & VTB_OPT_CHECKPOINT_ALWAYS;
}

/* ---- which schedules have one */

static bool has_one(const struct vtb_wire_schedule *s)
{
	return (s->policy == VTB_POLICY_RANDOM || s->policy == VTB_POLICY_POS) && !s->paths && !s->ranks &&
	       !s->deviations && !s->constraints && !s->pcs && !s->weights &&
	       !(s->flags & (VTB_SCHED_STATES | VTB_SCHED_STACKS));
}

static bool is_alike(const struct vtb_wire_schedule *a, const struct vtb_wire_schedule *b)
{
	return a->policy == b->policy && !((a->flags ^ b->flags) & ~NO_MATTER) && a->max_points == b->max_points &&
	       a->max_cpu_ms == b->max_cpu_ms;
}

static void count_alike(const struct vtb_wire_schedule *s)
{
	if (stem->alike && is_alike(s, &stem->kind)) {
		stem->alike++;
		return;
	}
	memcpy(&stem->kind, s, sizeof(stem->kind));
	stem->alike = 1;
	stem->pause = 0;
}

/* Runs are not measured when it is known what comes of it. */
static bool is_wanted(void)
{
	if (stem->pause) {
		stem->pause--;
		return false;
	}
	stem->began = vtb_engine_ticks();
	return stem->always || stem->pays || stem->alike > ALIKE || (stem->alike > ALIKE_LONG && stem->ticks > LONG);
}

const struct vtb_kept_state *vtb_stem_find(const struct vtb_wire_schedule *s)
{
	if (!stem)
		return NULL;
	if (!has_one(s)) {
		stem->there = stem->wanted = false;
		stem->alike = 0;
		return NULL;
	}
	count_alike(s);
	stem->there = stem->there && stem->alike > 1 && stem->sites == vtb_rt.block->sites_now;
	stem->wanted = !stem->there && is_wanted();
	return stem->there ? &stem->state : NULL;
}

bool vtb_stem_any(void)
{
	return stem && stem->there;
}

void vtb_stem_run_ends(void)
{
	if (stem && !stem->there && !stem->pause)
		stem->ticks = vtb_engine_ticks() - stem->began;
}

/* ---- in the run */

static bool take(void *rsp, uint64_t fs)
{
	stem->there = stem->pays = vtb_kept_take(&stem->state, rsp, fs);
	return stem->there;
}

void vtb_stem_point(void)
{
	if (!stem || !stem->wanted)
		return;
	stem->wanted = false;
	if (!stem->always && vtb_engine_ticks() - stem->began < WORTH_IT) {
		stem->pause = PAUSE;
		stem->long_ones = 0;
		return;
	}
	if (!stem->always && ++stem->long_ones < SURE)
		return;
	vtb_stretch_end();
	if (!vtb_audit_clean() || vtb_sched.slot->events_used > EVENTS_MAX || vtb_sched.slot->outcome.flags)
		return;
	stem->sites = vtb_rt.block->sites_now;
	stem->seed = vtb_sched.schedule->seed;
	vtb_kept_note(&stem->state);
	if (!vtb_snapshot_keep(take))
		return;
	vtb_kept_move_in(&stem->state);
	vtb_sched_sow(stem->seed);
}
