/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A search by partial-order reduction as a whole: its beginning and end, what it claims, and what it wishes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "dpor.h"
#include "vtb/predicate.h"

/* Complete, as far as it can matter. */
static void claim_predicate(const struct dpor *d, struct vtb_claim *ret)
{
	struct vtb_predicate_counts n;
	char composed[160] = "", doubt[160], unsliced[220] = "";

	ret->pruned = true;
	vtb_predicate_count(d->space->opts->predicate, &n);
	if (d->composer)
		snprintf(composed, sizeof(composed),
		         "; reads-from equivalence: %" PRIu64 " runs followed from what others had shown",
		         vtb_composer_composed(d->composer));
	if (vtb_predicate_doubt(d->space->opts->predicate, doubt, sizeof(doubt)))
		snprintf(unsliced, sizeof(unsliced), "; not sliced, so that everything in it counts: %s", doubt);
	snprintf(
	    ret->text, sizeof(ret->text),
	    "every class of interleavings that can matter to a failure was executed (predicate dependence: orders at "
	    "%" PRIu64 " of %" PRIu64 " places and of %" PRIu64 " of %" PRIu64
	    " variables were left out, and of the critical sections of %" PRIu64 " mutexes%s%s)%s",
	    n.hidden_sites, n.sites, n.hidden_vars, n.vars, n.peeked, composed, unsliced,
	    d->spun ? ", not told apart by how often threads go round in loops that wait" : "");
}

void vtb_dpor_claim(const void *state, struct vtb_claim *ret)
{
	const struct dpor *d = state;
	const struct vtb_predicate *predicate = vtb_dpor_predicate(d);
	const bool all = d->exhausted && !d->diverged && !d->cut && !d->timed && !d->spun_open && !d->arrived &&
	                 (!predicate || d->grown == vtb_predicate_grown(predicate)); /* others have learnt since */
	char words[160];

	*ret =
	    (struct vtb_claim){ .exhausted = d->exhausted, .blocked = d->blocked + d->vain, .unexplored = d->possible };
	ret->contradicted =
	    all && !d->possible && !d->composer && !d->spun && !predicate && d->space->classes > d->classes;
	ret->least = all && !ret->contradicted;
	ret->complete = ret->unbounded =
	    ret->least && !d->possible && (!d->composer || vtb_composer_sound(d->composer));
	if (d->composer) /* runs that are made go on to their ends */
		ret->blocked = 0;
	if (ret->contradicted)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end after %" PRIu64 " classes, but %" PRIu64
		         " were seen: it has left some out, or the program does not do the same again",
		         d->classes, d->space->classes);
	else if (all && d->composer && !vtb_composer_sound(d->composer))
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but a thread did not do the same with what it read "
		         "as before, on which reads-from equivalence rests");
	else if (ret->complete && predicate)
		claim_predicate(d, ret);
	else if (ret->complete && d->composer)
		snprintf(ret->text, sizeof(ret->text),
		         "of every class of interleavings in which each operation reads from the same writes one was "
		         "executed (reads-from equivalence; %" PRIu64 " others followed from what those had shown)",
		         vtb_composer_composed(d->composer));
	else if (ret->complete)
		snprintf(ret->text, sizeof(ret->text),
		         "every class of interleavings was executed (partial-order reduction)%s",
		         d->spun ? ", not told apart by how often threads go round in loops that wait" : "");
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every class of interleavings was executed (partial-order reduction), but without %s",
		         vtb_chances_words(d->possible, words, sizeof(words)));
	else if (d->exhausted && d->spun_open)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but threads spin and change something on their way: "
		         "it is not known which classes differ only in how often they go round");
	else if (d->exhausted && d->arrived)
		snprintf(
		    ret->text, sizeof(ret->text),
		    "partial-order reduction came to its end, but at a lock that prefers writers readers waited for a "
		    "writer that had only arrived there: when it does is no operation");
	else if (d->exhausted && d->timed)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but time passed in some runs");
	else
		snprintf(ret->text, sizeof(ret->text), "partial-order reduction did not come to its end");
}

void vtb_dpor_begin_afresh(struct dpor *d)
{
	for (uint32_t k = 0; k < DPOR_AHEAD; k++)
		if (d->ahead[k].used) {
			vtb_exec_fini(&d->ahead[k].x);
			d->ahead[k] = (struct dpor_ahead){ 0 };
		}
	vtb_dpor_drop_tree(d, d->path);
	d->path = DPOR_NONE;
	d->again = 0;
	d->classes = 0;
	while (d->n_levels) {
		vtb_dpor_drop_tree(d, d->levels[--d->n_levels].tree);
		vtb_dpor_drop_tree(d, d->levels[d->n_levels].doubts);
	}
	vtb_dpor_forget(d, 0);
	for (uint32_t t = 0; t < d->width; t++) {
		d->last[t] = 0;
		d->live[t] = DPOR_NONE;
	}
	d->n_sleepers = 0;
}

void vtb_dpor_free(struct dpor *d)
{
	if (!d)
		return;
	for (uint32_t k = 0; k < DPOR_AHEAD; k++)
		vtb_exec_fini(&d->ahead[k].x);
	vtb_dpor_order_fini(d);
	vtb_chances_fini(&d->chances);
	free(d->levels);
	free(d->enabled);
	free(d->clocks);
	free(d->pending_clock);
	for (uint32_t t = 0; t < d->width; t++)
		free(d->lines[t].ops);
	free(d->lines);
	free(d->last);
	free(d->live);
	free(d->nodes);
	free(d->sleepers);
	free(d->sequence);
	free(d->copy);
	vtb_composer_free(d->composer);
	free(d->shown);
	vtb_exec_fini(&d->first);
	free(d->ranks);
	free(d->order);
	free(d);
}

int vtb_dpor_new(const struct vtb_space *space, struct dpor **ret)
{
	struct dpor *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->space = space;
	d->stride = 1;
	d->path = d->free_nodes = d->carried = DPOR_NONE;
	d->max_nodes = space->opts->memory / sizeof(struct dpor_node);
	d->max_nodes = d->max_nodes < DPOR_NONE / 2 ? d->max_nodes : DPOR_NONE / 2;
	*ret = d;
	return 0;
}

enum dpor_wish vtb_dpor_wish(const struct dpor *d, size_t level, uint32_t thread)
{
	enum dpor_wish wish = DPOR_NO_WISH;

	if (level >= d->n_levels)
		return wish;
	for (uint32_t k = d->levels[level].tree; k != DPOR_NONE; k = d->nodes[k].next)
		if (d->nodes[k].op.event.thread == thread)
			return DPOR_WISH;
	for (uint32_t k = d->levels[level].doubts; k != DPOR_NONE && wish != DPOR_WISH; k = d->nodes[k].next)
		if (d->nodes[k].op.event.thread == thread)
			wish = d->nodes[k].cautious ? DPOR_CAUTIOUS_WISH : DPOR_WISH;
	return wish;
}
