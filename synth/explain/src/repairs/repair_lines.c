/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A repair by its lines, for whoever comes to them, and however often: of runs that are made without it, those are
 * looked at in which it would have changed nothing, as all did by themselves what it asks for. */
#include <stdlib.h>
#include <string.h>

#include "classes/classes.h"
#include "core_names.h"
#include "repairs.h"
#include "vtb/wire.h"

#define SEARCHED 300u   /* runs by each strategy; most keep the repair by chance */
#define NEEDED 8u       /* runs that keep it and pass */
#define STRETCHES 200u  /* of a run that are told apart */
#define THREADS_MAX 64u /* by number, of which is known who came first */

/* A thread goes through a piece. */
struct stretch {
	size_t from, to;
	uint32_t thread;
};

struct lines_trial {
	const struct repair *repair;
	const struct vtb_core_repair_opts *opts;
	const struct vtb_symtab *tab;
	struct vtb_exec *passing; /* the first run that passed and shows something */
	uint64_t passed, shown;
	uint64_t after[THREADS_MAX]; /* threads that went through a piece after this one did, a bit each */
	int status;
	bool refuted;
};

/* Compilers make several places of one line. */
static bool same_line(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	const struct vtb_site *x = &tab->sites[a], *y = &tab->sites[b];

	return x->line && x->line == y->line && !strcmp(x->file, y->file) && !strcmp(x->function, y->function);
}

/* Lines of a library that it does things at for several of the user's: where it is known for which, these must be the
 * same. */
static bool for_other_lines(const struct lines_trial *t, const struct vtb_event *e, const struct vtb_core_op *op)
{
	const struct vtb_exec *x = &t->repair->core->exec;
	const struct vtb_call *own, *other;

	if (!t->opts->calls || !t->opts->calls(x, VTB_EVENT_NONE, e->thread, e->site, t->opts->places, &own) ||
	    !t->opts->calls(x, VTB_EVENT_NONE, op->thread, op->site, t->opts->places, &other))
		return false;
	return own->line != other->line || strcmp(own->file, other->file);
}

static bool is(const struct lines_trial *t, const struct vtb_event *e, const struct vtb_core_op *op)
{
	return vtb_event_pending_kind(e->kind) == vtb_event_pending_kind(op->kind) &&
	       (e->site == op->site || (e->site < t->tab->n_sites && op->site < t->tab->n_sites &&
	                                same_line(t->tab, e->site, op->site) && !for_other_lines(t, e, op)));
}

/* Does the thread come to the last operation once until the piece is over? If more often, there is a loop, and it may
 * have more rounds in another run. */
static bool is_last_once(const struct lines_trial *t, const struct repair_piece *p)
{
	const struct vtb_exec *x = p->whole ? p->whole : p->run;
	const size_t first = core_place_in(x, &p->first), last = core_place_in(x, &p->last);
	uint32_t n = 0;

	for (size_t i = first + 1; first != VTB_EVENT_NONE && last != VTB_EVENT_NONE && i <= last; i++)
		n += x->events[i].thread == p->last.thread && is(t, &x->events[i], &p->last);
	return n == 1;
}

static bool same_function(const struct vtb_symtab *tab, uint32_t a, uint32_t b)
{
	return a < tab->n_sites && b < tab->n_sites && !strcmp(tab->sites[a].function, tab->sites[b].function);
}

/* Has the thread failed before it did more of what it had begun? */
static bool fails_within(const struct vtb_exec *x, size_t first, size_t own)
{
	return own == first && vtb_verdict_exit_code(x->outcome.verdict) == 1 &&
	       x->outcome.thread == x->events[first].thread;
}

/* Does the thread wait for ever where the piece would be over? */
static bool waits_within(const struct lines_trial *t, const struct vtb_exec *x, const struct repair_piece *p,
                         size_t first)
{
	for (size_t i = 0; i < x->n_pending && vtb_verdict_exit_code(x->outcome.verdict) == 1; i++) {
		const struct vtb_event e = { .thread = (uint16_t)x->pending[i].thread,
			                     .kind = x->pending[i].kind,
			                     .site = x->pending[i].site };

		if (e.thread == x->events[first].thread && is(t, &e, &p->last))
			return true;
	}
	return false;
}

/* Where the piece that begins at event `first` is over. A thread that goes another way than to its last operation is
 * done with the last that it does in that function, or with the run that it ends. */
static size_t end_of(const struct lines_trial *t, const struct vtb_exec *x, const struct repair_piece *p, size_t first)
{
	const bool once = is_last_once(t, p);
	size_t last = first, own = first;

	if (repair_same_op(&p->first, &p->last))
		return first;
	for (size_t i = first + 1; i < x->n_events; i++) {
		const struct vtb_event *e = &x->events[i];

		if (e->thread != x->events[first].thread)
			continue;
		if (is(t, e, &p->last)) {
			last = i;
			if (once)
				break;
		} else if (is(t, e, &p->first)) {
			break; /* it begins again */
		}
		own = core_is_access(e->kind) && same_function(t->tab, e->site, p->first.site) ? i : own;
	}
	if (last > first)
		return last;
	return fails_within(x, first, own) || waits_within(t, x, p, first) ? x->n_events - 1 : own;
}

/* Does the operation wait for another thread, which is not to be kept out? Whoever holds a lock lets it go; of an
 * initialiser that was done before the stretch nobody is in the middle. */
static bool may_wait(const struct vtb_exec *x, const struct stretch *s, size_t at)
{
	const struct vtb_event *e = &x->events[at];
	const enum vtb_family family = vtb_event_info(e->kind)->family;
	bool waits = vtb_event_is(e, VTB_EV_BLOCKS) && family != VTB_FAMILY_MUTEX && family != VTB_FAMILY_RWLOCK;

	if (!waits || family != VTB_FAMILY_ONCE)
		return waits;
	waits = false;
	for (size_t i = s->from + 1; i < at; i++)
		waits |= x->events[i].kind == VTB_E_ONCE_END && x->events[i].thread != s->thread &&
		         vtb_event_overlap(&x->events[i], e);
	return waits;
}

/* Does the thread wait for another one within it? */
static bool waits(const struct vtb_exec *x, const struct stretch *s)
{
	for (size_t i = s->from + 1; i <= s->to; i++)
		if (x->events[i].thread == s->thread && may_wait(x, s, i))
			return true;
	return false;
}

/* All of them. SIZE_MAX: there are too many. */
static size_t find_stretches(const struct lines_trial *t, const struct vtb_exec *x, struct stretch *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n_events; i++)
		for (size_t k = 0; k < t->repair->n_pieces; k++) {
			const struct repair_piece *p = &t->repair->pieces[k];

			if (!is(t, &x->events[i], &p->first))
				continue;
			if (n == STRETCHES)
				return SIZE_MAX;
			ret[n] = (struct stretch){ .from = core_locked_since(x, i),
				                   .to = end_of(t, x, p, i),
				                   .thread = x->events[i].thread };
			n += !waits(x, &ret[n]); /* another call that begins alike */
		}
	return n;
}

enum keeps { BROKEN, KEPT, SHOWN /* and it makes a difference to two threads */ };

/* They are sorted by where they begin. */
static void note_order(struct lines_trial *t, const struct stretch *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (s[i].thread < THREADS_MAX && s[k].thread < THREADS_MAX)
				t->after[s[i].thread] |= 1ull << s[k].thread;
}

static enum keeps keeps_steps(struct lines_trial *t, const struct vtb_exec *x)
{
	struct stretch s[STRETCHES];
	const size_t n = find_stretches(t, x, s);
	enum keeps keeps = KEPT;

	if (n == SIZE_MAX)
		return BROKEN;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (s[i].thread == s[k].thread)
				continue;
			if (s[i].from <= s[k].to && s[k].from <= s[i].to)
				return BROKEN;
			keeps = SHOWN;
		}
	}
	note_order(t, s, n);
	return keeps;
}

/* Who has done the other one to the same memory before event `at`? */
static uint32_t who_came_sooner(const struct lines_trial *t, const struct vtb_exec *x, const struct repair_flip *f,
                                size_t at)
{
	for (size_t i = at; i-- > 0;)
		if (is(t, &x->events[i], &f->sooner) && vtb_event_overlap(&x->events[i], &x->events[at]))
			return x->events[i].thread;
	return VTB_NONE;
}

static enum keeps keeps_order(const struct lines_trial *t, const struct vtb_exec *x, const struct repair_flip *f)
{
	enum keeps keeps = KEPT;

	for (size_t i = 0; i < x->n_events; i++) {
		const uint32_t who =
		    is(t, &x->events[i], &f->later) ? who_came_sooner(t, x, f, i) : x->events[i].thread;

		if (who == VTB_NONE)
			return BROKEN;
		keeps = who != x->events[i].thread ? SHOWN : keeps;
	}
	return keeps;
}

static enum keeps keeps(struct lines_trial *t, const struct vtb_exec *x)
{
	enum keeps all = keeps_steps(t, x);

	for (size_t i = 0; i < t->repair->n_flips && all != BROKEN; i++) {
		const enum keeps one = keeps_order(t, x, &t->repair->flips[i]);

		all = one == BROKEN ? BROKEN : one > all ? one : all;
	}
	return all;
}

static void judge(struct lines_trial *t, const struct vtb_exec *x)
{
	const int code = vtb_verdict_exit_code(x->outcome.verdict);
	enum keeps kept;

	if (x->brief || x->partial || x->outcome.flags & VTB_OUT_DIVERGED || code > 1 || t->refuted)
		return;
	kept = keeps(t, x);
	if (kept == BROKEN)
		return;
	t->refuted |= code == 1;
	t->passed += code == 0;
	t->shown += code == 0 && kept == SHOWN;
	if (code == 0 && kept == SHOWN && !t->passing->n_events && t->status == 0)
		t->status = vtb_exec_copy(x, t->passing);
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *s,
                                        const struct vtb_exec *x, struct vtb_tuple tuple, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	(void)tuple;
	return ((struct lines_trial *)data)->refuted ? VTB_SEARCH_STOP : VTB_SEARCH_GO_ON;
}

static void on_executed(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	(void)search;
	(void)s;
	(void)class_id;
	(void)new_class;
	judge(data, x);
}

static bool on_progress(struct vtb_search *search, void *data)
{
	const struct lines_trial *t = data;

	(void)search;
	return t->refuted || (t->opts->stop && t->opts->stop(t->opts->data));
}

/* Whoever waits for another thread in one step waits for ever. */
static bool piece_waits(const struct repair_piece *p)
{
	const size_t first = core_place_in(p->run, &p->first), last = core_place_in(p->run, &p->last);
	const struct stretch s = { first, last, p->first.thread };

	return first != VTB_EVENT_NONE && last != VTB_EVENT_NONE && waits(p->run, &s);
}

/* Orders are those of data: an address says what belongs together. */
static bool is_of_lines(const struct repair *r)
{
	for (size_t i = 0; i < r->n_pieces; i++)
		if (piece_waits(&r->pieces[i]))
			return false;
	for (size_t i = 0; i < r->n_flips; i++)
		if (r->flips[i].end || r->flips[i].has_done || !core_is_data(&r->flips[i].later) ||
		    !core_writes(&r->flips[i].sooner))
			return false;
	return !r->wakes_all && (r->n_pieces || r->n_flips);
}

/* Have two threads come in either order? */
static bool either_first(const struct lines_trial *t)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		for (size_t k = 0; k < i; k++)
			if (t->after[i] >> k & 1 && t->after[k] >> i & 1)
				return true;
	return false;
}

static bool has_shown(const struct lines_trial *t)
{
	return t->passed >= NEEDED && t->shown && (!t->repair->n_pieces || either_first(t));
}

bool repair_is_kept(const struct repair *repair, const struct vtb_symtab *tab, const struct vtb_core_repair_opts *opts,
                    const struct vtb_exec *run)
{
	struct lines_trial t = { .repair = repair, .opts = opts, .tab = tab };

	return keeps(&t, run) != BROKEN;
}

int repair_try_lines(struct vtb_runner *runner, const struct repair *repair, const struct vtb_core_repair_opts *opts,
                     uint64_t *ret_schedules, struct vtb_exec *ret_passing, struct vtb_error *err)
{
	static const char *const strategies[] = { "dfs", "pct" };
	struct lines_trial t = { .repair = repair, .opts = opts, .tab = runner->tab, .passing = ret_passing };
	const struct vtb_search_calls calls = {
		.failing = on_failing, .executed = on_executed, .progress = on_progress, .data = &t
	};
	int r = 0;

	*ret_passing = (struct vtb_exec){ 0 };
	for (size_t i = 0; i < 2 && r >= 0 && is_of_lines(repair) && !on_progress(NULL, &t); i++)
		r = repair_search(runner, strategies[i], opts, repair_share(opts, SEARCHED), &calls, err);
	r = r < 0 ? r : t.status;
	*ret_schedules = t.passed;
	return r < 0 ? r : has_shown(&t) && !t.refuted;
}
