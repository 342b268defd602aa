/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process has come round to a state in which it was, and by the policy it would for ever (laps.c). No fair
 * scheduler lets it: from a state that comes again and again every thread goes on some time. So from here on every way
 * is taken, from every state: the nearest that was not taken yet. Time that passes is a way, too, if somebody waits for
 * it.
 *
 *     states    a thread or time each     1 ──0.0──► 2 ──0.1──► 1        from 2, 0.0 is still to be tried
 *
 * If one leads out, the policy goes on from there, after enough states in a row that are new. If all that can be
 * reached from where it is was tried, nobody ever gets out, in whatever order: a livelock. What no hook sees is no part
 * of a state, so that is said only after LEAST points more on which nothing new was seen.
 *
 * Nothing is left out by it (decision 62): the state in which it begins is one in which the run was before, where the
 * search has all alternatives. Who has not the turn is held back, so a switch here is no preemption.
 */
#include "survey.h"

#include "laps.h"
#include "meet.h"
#include "round.h"
#include "scheduler.h"
#include "wake_source.h"

#define STATES 2048u
#define PLACES 4096u /* of the table that finds them; a power of two */
#define WAYS 24u     /* threads that may be there, and */
#define TIME WAYS    /* the way by which time passes */
#define FRESH 256u   /* states in a row; twice as many each time */
#define LEAST 4096u
#define OVERFLOWS 64u
#define NOT_KNOWN UINT16_MAX

struct survey_state {
	uint64_t print;
	uint32_t ways;
	uint32_t last;
	uint16_t to[WAYS + 1]; /* where they lead */
};

struct vtb_survey_table {
	struct survey_state states[STATES];
	uint16_t found[PLACES]; /* state + 1, by print; 0: none */
	uint16_t queue[STATES], first_way[STATES];
};

static struct vtb_survey *const survey = &vtb_sched.survey;

/* ---- states */

static void forget(void)
{
	memset(survey->table->found, 0, sizeof(survey->table->found));
	survey->n = survey->fresh = survey->same = 0;
	survey->from = STATES;
	survey->words = vtb_sched.laps.all.round->n;
}

/* The state's number; it is new if there was none. */
static uint32_t meet(uint64_t print)
{
	struct vtb_survey_table *table = survey->table;
	uint32_t at = (uint32_t)(print >> 40) % PLACES;
	struct survey_state *s;

	for (; table->found[at]; at = (at + 1) % PLACES)
		if (table->states[table->found[at] - 1].print == print) {
			survey->fresh = 0;
			survey->same++;
			return table->found[at] - 1u;
		}
	s = &table->states[survey->n++];
	table->found[at] = (uint16_t)survey->n;
	*s = (struct survey_state){ .print = print };
	memset(s->to, 0xff, sizeof(s->to));
	survey->fresh++;
	survey->same = 0;
	return survey->n - 1;
}

/* What was left by a way has led here. */
static void note_way(uint32_t here)
{
	uint16_t *to = survey->from < STATES ? &survey->table->states[survey->from].to[survey->way] : NULL;

	if (to && *to != here) {
		*to = (uint16_t)here;
		survey->same = 0;
	}
}

/* ---- ways */

static uint32_t untried(const struct survey_state *s)
{
	for (uint32_t way = 0; way <= TIME; way++)
		if (s->ways >> way & 1 && s->to[way] == NOT_KNOWN)
			return way;
	return TIME + 1;
}

/* The next one in the circle. */
static uint32_t next_way(const struct survey_state *s)
{
	const uint32_t behind = s->ways >> (s->last + 1) << (s->last + 1);

	return (uint32_t)__builtin_ctz(behind ? behind : s->ways);
}

/* The first step to the nearest state that has a way which was not tried; any if there is none. O(states * ways). */
static uint32_t choose_way(uint32_t here)
{
	struct vtb_survey_table *table = survey->table;
	uint32_t done = 0, n = 0;

	if (untried(&table->states[here]) <= TIME)
		return untried(&table->states[here]);
	if (survey->same >= 2 * survey->n) /* nothing was left when it was looked at last */
		return next_way(&table->states[here]);
	memset(table->first_way, 0xff, survey->n * sizeof(*table->first_way));
	table->first_way[here] = TIME + 1;
	table->queue[n++] = (uint16_t)here;
	while (done < n) {
		const uint16_t at = table->queue[done++];

		for (uint32_t way = 0; way <= TIME; way++) {
			const uint16_t to = table->states[at].to[way];

			if (to == NOT_KNOWN || table->first_way[to] != NOT_KNOWN)
				continue;
			table->first_way[to] = at == here ? (uint16_t)way : table->first_way[at];
			if (untried(&table->states[to]) <= TIME)
				return table->first_way[to];
			table->queue[n++] = to;
		}
	}
	return next_way(&table->states[here]);
}

static uint32_t ways_on(void)
{
	uint32_t ways = vtb_time_next() != UINT64_MAX ? 1u << TIME : 0;

	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		ways |= (uint32_t)vtb_ready_possible(vtb_rt.threads[i]) << i;
	return ways;
}

/* ---- who goes on */

static void hold(struct vtb_rt_thread *t)
{
	if (t->base.state != VTB_T_ALIVE || t->sched.gives_way)
		return;
	vtb_fair_hold_back(t);
	t->sched.gives_way = true;
	vtb_ready_update(t);
}

static void give_turn(struct vtb_rt_thread *next)
{
	if (survey->turn && survey->turn != next)
		hold(survey->turn);
	survey->turn = next;
	vtb_fair_let_go(next);
	vtb_ready_update(next);
}

static void give_up(const struct vtb_rt_thread *t)
{
	const uint64_t pc = t->sched.call ? t->sched.call->pc : t->base.pc;

	if (survey->overflows > OVERFLOWS)
		vtb_failure_end(VTB_V_TIMEOUT, 0, pc, 0, "threads go round in loops, in more states than can be told");
	if (vtb_sched.schedule->constraints && vtb_schedule_blocks())
		vtb_failure_end(VTB_V_INFEASIBLE, 0, 0, 0, "the constraints of the schedule cannot be met");
	vtb_failure_end(VTB_V_LIVELOCK, 0, pc, 0, "threads go round in loops, and no order of them leads out");
}

static bool is_over(void)
{
	const uint32_t doublings = survey->times < 4 ? survey->times : 4;

	return vtb_sched.laps.all.lost || survey->fresh > FRESH << doublings;
}

/* The way that is taken next. */
static uint32_t look(const struct vtb_rt_thread *t, uint32_t ways)
{
	const uint64_t print = vtb_laps_print();
	uint32_t here, way;

	survey->overflows += survey->n == STATES;
	if (survey->n == STATES || survey->words != vtb_sched.laps.all.round->n)
		forget();
	here = meet(print);
	note_way(here);
	survey->table->states[here].ways |= ways;
	way = choose_way(here);
	if (survey->overflows > OVERFLOWS || survey->same > LEAST + 2 * survey->n)
		give_up(t);
	survey->table->states[here].last = survey->way = way;
	survey->from = here;
	return way;
}

/* ---- beginning and end */

static void forget_rounds(struct vtb_rt_thread *t)
{
	vtb_fair_let_go(t);
	t->sched.reading = (struct vtb_anchor){ .round = t->sched.reading.round };
	t->sched.writing = (struct vtb_anchor){ .round = t->sched.writing.round };
	vtb_progress_rests_no_more(t);
}

static void begin(struct vtb_rt_thread *t)
{
	if (vtb_rt.n_threads > WAYS || vtb_sources_outside(vtb_catching.filtered))
		return;
	if (!survey->table)
		survey->table = vtb_rt_alloc_aside(sizeof(*survey->table));
	if (!survey->table)
		return;
	forget();
	survey->on = true;
	survey->turn = t->base.state == VTB_T_ALIVE ? t : NULL;
	survey->overflows = 0;
	vtb_sched.spin_rounds = 0;
	vtb_sched.slot->outcome.flags |= VTB_OUT_SPUN | VTB_OUT_SPUN_OPEN;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		forget_rounds(vtb_rt.threads[i]);
	vtb_sched.favoured = NULL;
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		if (vtb_rt.threads[i] != t)
			hold(vtb_rt.threads[i]);
}

static void end(struct vtb_rt_thread *t)
{
	survey->on = false;
	survey->times++;
	vtb_laps_stop();
	for (uint32_t i = 0; i < vtb_rt.n_threads; i++)
		forget_rounds(vtb_rt.threads[i]);
	vtb_sched_recheck();
	if (t->base.state == VTB_T_ALIVE)
		vtb_ready_update(t);
}

/* ---- at a point */

/* Exactly one of those who can go on may; `wanted` (NULL: nobody) is the one to whom the schedule switches: if that is
 * another one it is over. */
static void survey_point(struct vtb_rt_thread *t, const struct vtb_rt_thread *wanted)
{
	while (survey->on) {
		const uint32_t ways = ways_on();
		const uint32_t way = ways && !is_over() ? look(t, ways) : 0;

		if (!ways || is_over() || (way < TIME && wanted && wanted != vtb_rt.threads[way])) {
			end(t);
			return;
		}
		if (way < TIME) {
			give_turn(vtb_rt.threads[way]);
			return;
		}
		vtb_time_pass();
		vtb_sched_recheck();
	}
}

void vtb_survey_look(struct vtb_rt_thread *t, const struct vtb_wire_deviation *d)
{
	if (!survey->on && vtb_laps_come_round(t))
		begin(t);
	if (survey->on && d && d->kind != VTB_DEV_SWITCH)
		end(t);
	survey_point(t, d ? vtb_schedule_thread(d->target) : NULL);
}
