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
	if (d->all->composer)
		snprintf(composed, sizeof(composed),
		         "; reads-from equivalence: %" PRIu64 " runs followed from what others had shown",
		         vtb_composer_composed(d->all->composer));
	if (vtb_predicate_doubt(d->space->opts->predicate, doubt, sizeof(doubt)))
		snprintf(unsliced, sizeof(unsliced), "; not sliced, so that everything in it counts: %s", doubt);
	snprintf(
	    ret->text, sizeof(ret->text),
	    "every class of interleavings that can matter to a failure was executed (predicate dependence: orders at "
	    "%" PRIu64 " of %" PRIu64 " places and of %" PRIu64 " of %" PRIu64
	    " variables were left out, and of the critical sections of %" PRIu64 " mutexes%s%s)%s",
	    n.hidden_sites, n.sites, n.hidden_vars, n.vars, n.peeked, composed, unsliced,
	    d->all->spun ? ", not told apart by how often threads go round in loops that wait" : "");
}

void vtb_dpor_claim(const void *state, struct vtb_claim *ret)
{
	const struct dpor *d = state;
	const struct dpor_all *a = d->all;
	const struct vtb_predicate *predicate = vtb_dpor_predicate(d);
	const bool all = a->exhausted && !a->diverged && !a->cut && !a->timed && !a->spun_open && !a->arrived &&
	                 (!predicate || a->grown == vtb_predicate_grown(predicate)); /* others have learnt since */
	char words[160];

	*ret =
	    (struct vtb_claim){ .exhausted = a->exhausted, .blocked = a->blocked + a->vain, .unexplored = a->possible };
	ret->contradicted = all && !a->possible && !a->composer && !a->spun && !predicate &&
	                    !(a->told.now && a->cut_off) && d->space->classes > a->classes;
	ret->least = all && !ret->contradicted && (!a->composer || vtb_composer_sound(a->composer));
	ret->complete = ret->unbounded = ret->least && !a->possible;
	if (a->composer) /* runs that are made go on to their ends */
		ret->blocked = 0;
	if (ret->contradicted)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end after %" PRIu64 " classes, but %" PRIu64
		         " were seen: it has left some out, or the program does not do the same again",
		         a->classes, d->space->classes);
	else if (all && a->composer && !vtb_composer_sound(a->composer))
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but a thread did not do the same with what it read "
		         "as before, on which reads-from equivalence rests");
	else if (ret->complete && predicate)
		claim_predicate(d, ret);
	else if (ret->complete && a->composer)
		snprintf(ret->text, sizeof(ret->text),
		         "of every class of interleavings in which each operation reads from the same writes one was "
		         "executed (reads-from equivalence; %" PRIu64 " others followed from what those had shown)",
		         vtb_composer_composed(a->composer));
	else if (ret->complete)
		snprintf(ret->text, sizeof(ret->text),
		         "every class of interleavings was executed (partial-order reduction)%s%s",
		         a->spun ? ", not told apart by how often threads go round in loops that wait" : "",
		         a->told.now && a->cut_off
		             ? ", not told apart by how far threads had come in what is their own when "
		               "the process ended"
		             : "");
	else if (all)
		snprintf(ret->text, sizeof(ret->text),
		         "every class of interleavings was executed (partial-order reduction), but without %s",
		         vtb_chances_words(a->possible, words, sizeof(words)));
	else if (a->exhausted && a->spun_open)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but threads spin and change something on their way: "
		         "it is not known which classes differ only in how often they go round");
	else if (a->exhausted && a->arrived)
		snprintf(
		    ret->text, sizeof(ret->text),
		    "partial-order reduction came to its end, but it mattered that a thread had arrived at an "
		    "operation "
		    "(as a writer at a lock that prefers writers, or to wait at a descriptor that another one closes): "
		    "when it does is no operation");
	else if (a->exhausted && a->timed)
		snprintf(ret->text, sizeof(ret->text),
		         "partial-order reduction came to its end, but time passed in some runs");
	else
		snprintf(ret->text, sizeof(ret->text), "partial-order reduction did not come to its end");
}

void vtb_dpor_clear(struct dpor *d)
{
	vtb_dpor_drop_tree(d, d->path);
	d->path = DPOR_NONE;
	d->again = 0;
	d->to_turn = false;
	while (d->n_levels) {
		struct dpor_level *l = &d->levels[--d->n_levels];

		vtb_dpor_drop_tree(d, l->tree);
		vtb_dpor_drop_tree(d, l->doubts);
		vtb_dpor_drop_tree(d, l->taken);
	}
	vtb_dpor_forget(d, 0);
	for (uint32_t t = 0; t < d->width; t++) {
		d->last[t] = 0;
		d->live[t] = DPOR_NONE;
	}
	d->n_sleepers = 0;
}

struct dpor *vtb_dpor_begin_afresh(struct dpor_all *all)
{
	for (uint32_t i = 0; i < all->n_parts; i++)
		all->parts[i]->state = i ? DPOR_ENDED : DPOR_TAKEN;
	for (uint32_t i = 0; i < all->n_parts; i++)
		vtb_dpor_clear(all->parts[i]);
	all->era++;
	all->classes = all->n_ready = 0;
	return all->parts[0];
}

static void free_part(struct dpor *d)
{
	vtb_dpor_order_fini(d);
	free(d->levels);
	free(d->enabled);
	free(d->clocks);
	free(d->pending_clock);
	for (uint32_t t = 0; t < d->width; t++)
		free(d->lines[t].ops);
	free(d->lines);
	free(d->last);
	free(d->first_new);
	free(d->live);
	free(d->sleepers);
	free(d->sequence);
	free(d->copy);
	free(d->shown);
	free(d->pending);
	free(d->ranks);
	free(d->order);
	free(d);
}

void vtb_dpor_free(struct dpor *d)
{
	struct dpor_all *all = d ? d->all : NULL;

	if (!d)
		return;
	for (uint32_t i = 0; i < all->n_parts; i++)
		free_part(all->parts[i]);
	vtb_chances_fini(&all->chances);
	vtb_composer_free(all->composer);
	vtb_exec_fini(&all->first);
	free(all->nodes);
	free(all);
}

int vtb_dpor_new_part(struct dpor_all *all, struct dpor **ret)
{
	struct dpor *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	d->all = all;
	d->space = all->n_parts ? all->parts[0]->space : NULL;
	d->stride = 1;
	d->path = d->carried = DPOR_NONE;
	all->parts[all->n_parts++] = *ret = d;
	return 0;
}

int vtb_dpor_new(const struct vtb_space *space, struct dpor **ret)
{
	struct dpor_all *all = calloc(1, sizeof(*all));

	if (!all)
		return -ENOMEM;
	if (vtb_dpor_new_part(all, ret) < 0) {
		free(all);
		return -ENOMEM;
	}
	(*ret)->space = space;
	all->free_nodes = DPOR_NONE;
	all->told.is_new = true;
	all->max_nodes = space->opts->memory / sizeof(struct dpor_node);
	all->max_nodes = all->max_nodes < DPOR_NONE / 2 ? all->max_nodes : DPOR_NONE / 2;
	return 0;
}

enum dpor_wish vtb_dpor_wish(const struct dpor *d, size_t level, uint32_t thread)
{
	enum dpor_wish wish = DPOR_NO_WISH;

	if (level >= d->n_levels)
		return wish;
	for (uint32_t k = d->levels[level].tree; k != DPOR_NONE; k = d->all->nodes[k].next)
		if (d->all->nodes[k].op.event.thread == thread)
			return DPOR_WISH;
	for (uint32_t k = d->levels[level].doubts; k != DPOR_NONE && wish != DPOR_WISH; k = d->all->nodes[k].next)
		if (d->all->nodes[k].op.event.thread == thread)
			wish = d->all->nodes[k].cautious ? DPOR_CAUTIOUS_WISH : DPOR_WISH;
	return wish;
}
