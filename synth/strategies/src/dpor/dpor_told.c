/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dpor.h"
#include "vtb/predicate.h"

#define ANEW_MAX 64u   /* times; then it does not pay */
#define MISSED_FEW 16u /* runs; of more, and more than a part, everything is told at once */
#define MISSED_PART 32u

/* Predicate dependence begins again from the first run, and learns from all it hides nothing of. */
bool vtb_dpor_passes_over(const struct dpor *d)
{
	const struct dpor_all *all = d->all;

	return !all->told.whole && !all->composer && !vtb_predicate_awake(d->space->opts->predicate) &&
	       (all->began || !d->space->opts->predicate);
}

static void begin_anew(struct dpor_all *all)
{
	vtb_dpor_begin_afresh(all);
	all->started = all->exhausted = false;
	all->told.is_new = true;
	all->told.missed = 0;
}

static void tell_whole(struct dpor_all *all)
{
	all->told.whole = true;
	begin_anew(all);
}

int vtb_dpor_misses(struct dpor *d)
{
	struct dpor_all *all = d->all;

	if (++all->told.missed <= MISSED_FEW || all->told.missed <= all->classes / MISSED_PART)
		return 0;
	tell_whole(all);
	return 1;
}

bool vtb_dpor_has_missed(struct dpor_all *all)
{
	const bool missed = all->told.missed;

	if (missed)
		tell_whole(all);
	return missed;
}

bool vtb_dpor_told_otherwise(struct dpor *d, const struct vtb_exec *x)
{
	struct dpor_told *t = &d->all->told;

	t->seen |= x->told != 0;
	if (t->is_new)
		t->now = x->told;
	t->is_new = false;
	if (x->told == t->now && (!x->owned || x->told))
		return false;
	t->whole |= ++t->anew > ANEW_MAX || (x->owned && !x->told);
	begin_anew(d->all);
	return true;
}
