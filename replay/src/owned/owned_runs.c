/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of random policies pass over accesses to what only one thread touches (decision 51). Which sites make such
 * accesses is learnt: all do until a run has shown another thread at the same place. Where it may have been beside the
 * same place, in the same 8 bytes, the site is first looked at byte by byte.
 *
 *     batch ── owned ──► as it is
 *                   ├──► it met a second thread: run again whole; its sites are told from the next batch on
 *                   └──► it fails as none did before (vtb/runner.h, enough), or is to be checked (cross_check.c): run
 *                        again as it went, every operation told
 */
#include "process_private.h"

#include "vtb/array.h"
#include "vtb/trace.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_EVERY 512u
#define REFUSED_MAX (LOOK_EVERY / 4) /* of them, twice in a row: it does not pay. At first many teach */
#define MUCH_TOLD 2048u              /* operations: telling all of them costs more than a run that does not */
#define LONG_RUN 65536u              /* more than ten of these */
#define TRIES 8u                     /* of a long run, each without the sites that the one before has met */

void vtb_owned_add_places(struct process_runner *p)
{
	struct vtb_call_sites *s = &p->sites;
	const size_t n = s->n_sites + VTB_SITE_PLACES;
	struct vtb_wire_site *sites =
	    s->n_sites && n <= VTB_WIRE_SITES_MAX ? realloc(s->sites, n * sizeof(*sites)) : NULL;

	p->file_sites = (uint32_t)s->n_sites;
	if (!sites)
		return;
	for (size_t i = s->n_sites; i < n; i++)
		sites[i] = (struct vtb_wire_site){ .addr = UINT64_MAX - (n - i),
			                           .hook = VTB_SITE_PLACE,
			                           .access = UINT16_MAX };
	s->sites = sites;
	s->n_sites = s->cap_sites = n;
}

static bool draws(const struct vtb_schedule *s)
{
	return s->policy == VTB_SCHEDULE_RANDOM || s->policy == VTB_SCHEDULE_POS;
}

static bool works(const struct process_runner *p)
{
	return p->base.owned && !p->owned.off && p->server.block.header && p->server.block.header->rewritten &&
	       p->opts.options & VTB_OPT_ACCESSES && !(p->encode_flags & VTB_SCHED_STACKS);
}

void vtb_owned_tell(struct process_runner *p)
{
	if (p->server.block.header)
		vtb_server_set_sites(&p->server);
	vtb_helpers_set_sites(p);
	if (p->check.block.header)
		vtb_server_set_sites(&p->check);
}

static void begin(struct process_runner *p)
{
	p->owned.begun = true;
	p->owned.told = 1;
	for (size_t i = 0; i < p->sites.n_sites; i++)
		p->sites.sites[i].on |= VTB_SITE_OWNED;
	vtb_owned_tell(p);
}

/* What is neither brief nor sparse is there to be looked at. Policies that do not draw choose whoever they chose last
 * where nothing but a plain access took place: nothing is lost by not asking them. */
static bool may_pass(const struct process_runner *p, const struct vtb_schedule *s)
{
	return !s->n_constraints && ((draws(s) && s->brief) || (s->sparse && p->base.sparse_pays));
}

void vtb_owned_choose(struct process_runner *p, struct batch *b, size_t from, size_t n)
{
	if (!works(p))
		return;
	for (size_t i = from; i < n; i++) {
		if (!may_pass(p, b->schedules[i]))
			continue;
		if (!p->owned.begun)
			begin(p);
		b->items[i].how = RUN_OWNED;
		p->owned.made++;
		p->base.lessons++;
	}
}

bool vtb_owned_begin(struct process_runner *p, struct batch *b)
{
	b->items = calloc(b->n + 1, sizeof(*b->items));
	if (b->items)
		vtb_owned_choose(p, b, 0, b->n);
	return b->items;
}

#define ROOM_OF_LONG \
	(32ull << 20) /* bytes: what does not fit has some million operations, to read which takes the tool seconds */

bool vtb_owned_too_long(struct process_runner *p, struct batch *b, size_t i)
{
	struct batch_item *item = &b->items[i];

	if (p->server.opts.events_bytes < ROOM_OF_LONG || item->how != RUN_WHOLE || !works(p))
		return false;
	p->base.sparse_pays = p->base.long_runs = true;
	p->base.lessons++;
	if (!may_pass(p, b->schedules[i]))
		return false;
	if (!p->owned.begun)
		begin(p);
	item->how = RUN_OWNED;
	return true;
}

static uint64_t most_points(const struct process_runner *p)
{
	const bool shorter = p->base.longest && (!p->opts.max_points || p->base.longest < p->opts.max_points);

	return shorter ? p->base.longest : p->opts.max_points;
}

const struct vtb_schedule *vtb_process_schedule(const struct process_runner *p, const struct batch *b, size_t i,
                                                struct vtb_encode_opts *ret_opts)
{
	const struct batch_item *item = &b->items[i];

	*ret_opts =
	    (struct vtb_encode_opts){ .flags = p->encode_flags | (item->how == RUN_OWNED ? VTB_SCHED_OWNED : 0) |
		                               (p->base.stem ? VTB_SCHED_STEM : 0),
		                      .max_points = most_points(p),
		                      .max_cpu_msec = p->opts.max_cpu_msec,
		                      .stem = p->base.stem };
	return item->how == RUN_AS_IT_WENT ? &item->went : b->schedules[i];
}

int vtb_process_encode(const struct process_runner *p, const struct batch *b, size_t i, void **ret_bytes,
                       size_t *ret_size)
{
	struct vtb_encode_opts opts;
	const struct vtb_schedule *schedule = vtb_process_schedule(p, b, i, &opts);

	return vtb_encode_schedule(schedule, &p->tab, &opts, ret_bytes, ret_size);
}

bool vtb_owned_refuses(struct process_runner *p, struct batch *b, size_t i, struct server_result *res)
{
	if (b->items[i].how != RUN_OWNED)
		return false;
	if (!(res->outcome.flags & VTB_OUT_SHARED))
		return false;
	free(res->words);
	p->owned.refused++;
	p->owned.shared = true;
	p->owned.settled = false;
	if (!p->base.long_runs || b->items[i].refused++ == TRIES)
		b->items[i].how = RUN_WHOLE;
	return true;
}

static void note_length(struct process_runner *p, const struct vtb_exec *x)
{
	uint64_t n = x->n_events;

	for (size_t i = 0; x->owned && i < x->n_events; i++)
		n += x->events[i].kind == VTB_E_OWNED ? x->events[i].value - 1 : 0;
	if ((n < MUCH_TOLD || p->base.sparse_pays) && (n < LONG_RUN || p->base.long_runs))
		return;
	p->base.sparse_pays = true;
	p->base.long_runs |= n >= LONG_RUN;
	p->base.lessons++;
}

/* Not by less than it should: then there is more in the run that went first. */
static bool went_alike(const struct vtb_exec *again, const struct vtb_exec *before)
{
	return again->outcome.verdict == before->outcome.verdict && !(again->outcome.flags & VTB_OUT_DIVERGED);
}

static bool fails_anew(struct process_runner *p, const struct vtb_exec *x)
{
	struct vtb_runner *runner = &p->base;

	return vtb_verdict_exit_code(x->outcome.verdict) == 1 && (!runner->enough || !runner->enough(runner, x));
}

/* The run is told whole, and has gone as `before`: what that passed over. Without memory nothing is said of it. */
static void tell_passed(struct vtb_exec *x, const struct vtb_exec *before)
{
	uint64_t ops = 0;

	for (size_t i = 0; i < before->n_events; i++) {
		const struct vtb_event *e = &before->events[i];

		if (e->kind == VTB_E_OWNED && vtb_array_room(x, passed) < 0) {
			x->n_passed = 0;
			return;
		}
		if (e->kind == VTB_E_OWNED)
			x->passed[x->n_passed++] = (struct vtb_passed){ .from = ops, .n = e->value };
		ops += e->kind == VTB_E_OWNED ? e->value : vtb_event_is_operation(e);
	}
	x->told = before->told;
}

/* Is another run of this batch made again already that failed in the same way? Of long runs one such is enough. */
static bool is_shown(const struct process_runner *p, const struct batch *b, size_t i)
{
	const char *signature = b->execs[i].outcome.signature;

	for (size_t k = 0; p->base.long_runs && signature && k < b->total; k++)
		if (k != i && b->items[k].how == RUN_AS_IT_WENT && b->execs[k].outcome.signature &&
		    !strcmp(b->execs[k].outcome.signature, signature))
			return true;
	return false;
}

bool vtb_owned_was_enough(struct process_runner *p, const struct batch *b, size_t i)
{
	return b->items[i].how == RUN_AS_IT_WENT && p->base.long_runs && !fails_anew(p, &b->execs[i]);
}

bool vtb_owned_take(struct process_runner *p, struct batch *b, size_t i, struct vtb_exec *exec)
{
	struct batch_item *item = &b->items[i];
	const bool again = item->how == RUN_AS_IT_WENT, better = !again || went_alike(exec, &b->execs[i]);
	struct vtb_exec *other = better ? &b->execs[i] : exec;

	exec->owned = item->how == RUN_OWNED;
	p->owned.settled |= exec->owned;
	exec->told = exec->owned ? p->owned.told : 0;
	if (again && better && !draws(b->schedules[i]))
		tell_passed(exec, &b->execs[i]);
	note_length(p, exec);
	vtb_exec_fini(other);
	if (better)
		b->execs[i] = *exec;
	if (item->how != RUN_OWNED || (!item->check && (!fails_anew(p, &b->execs[i]) || is_shown(p, b, i))) ||
	    vtb_exec_schedule(&b->execs[i], &item->went) < 0)
		return false;
	item->how = RUN_AS_IT_WENT;
	return true;
}

/* What the runs of this batch have met is passed over no more. */
static void learn_sites(struct process_runner *p)
{
	bool news = false;

	for (size_t i = 0; i < p->sites.n_sites; i++) {
		struct vtb_wire_site *s = &p->sites.sites[i];
		const uint8_t met = s->on & VTB_SITE_OWNED ? vtb_owned_met(p, i) : 0;

		if (met & VTB_SITE_MET) {
			s->on &= (uint8_t) ~(VTB_SITE_OWNED | VTB_SITE_FINE);
			p->owned.told++;
		} else if (met) {
			s->on |= VTB_SITE_FINE;
		}
		news |= met != 0;
	}
	if (news)
		vtb_owned_tell(p);
	free(p->owned.met);
	p->owned.met = NULL;
	p->owned.n_met = p->owned.n_part = 0;
}

/* What one long run shows the others would show, too: until one has nothing to show they go one by one. */
size_t vtb_owned_at_once(const struct process_runner *p, const struct batch *b)
{
	for (size_t i = 0; p->base.long_runs && !p->owned.settled && i < b->n; i++)
		if (b->items[b->todo[i]].how == RUN_OWNED)
			return 1;
	return b->n;
}

void vtb_owned_again(struct process_runner *p)
{
	if (!p->base.long_runs || !p->owned.shared)
		return;
	learn_sites(p);
	p->owned.shared = false;
	p->base.lessons++;
}

static void learn(struct process_runner *p)
{
	struct owned_runs *o = &p->owned;

	if (p->base.more)
		return;
	if (o->shared) {
		learn_sites(p);
		p->base.lessons++;
	}
	o->shared = false;
	if (o->made < LOOK_EVERY)
		return;
	o->off = o->doubtful && o->refused > REFUSED_MAX;
	o->doubtful = o->refused > REFUSED_MAX;
	o->made = o->refused = 0;
	p->base.lessons++;
}

void vtb_owned_end(struct process_runner *p, struct batch *b, size_t n)
{
	learn(p);
	for (size_t i = 0; b->items && i < n; i++)
		vtb_schedule_fini(&b->items[i].went);
	free(b->items);
}
