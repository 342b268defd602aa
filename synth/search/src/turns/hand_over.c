/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hand_over.h"

#include <inttypes.h>
#include <string.h>

#include "vtb/bounded_text.h"
#include "vtb/coverage.h"

int vtb_hand_over_begin(struct vtb_hand_over *h, const struct vtb_space *space, const struct vtb_strategy *first,
                        const struct vtb_strategy *relief)
{
	*h = (struct vtb_hand_over){ .space = space, .first = first, .relief = relief };
	return first->begin(space, &h->first_state);
}

void vtb_hand_over_fini(struct vtb_hand_over *h)
{
	if (h->first_state)
		h->first->end(h->first_state);
	if (h->relief_state)
		h->relief->end(h->relief_state);
	h->first_state = h->relief_state = NULL;
}

/* Odds are worked out from the runs that were seen: how many operations there are to stop at. */
static struct vtb_hand_over_extent extent(const struct vtb_hand_over *h)
{
	const struct vtb_coverage *c = h->space->coverage;
	struct vtb_hand_over_extent e = { .threads = c->n_threads, .shared = c->newly_shared };

	for (size_t t = 0; t < c->n_ops; t++)
		e.operations += c->ops[t];
	return e;
}

static bool has_grown(const struct vtb_hand_over *h)
{
	const struct vtb_hand_over_extent e = extent(h);

	return e.operations != h->known.operations || e.threads != h->known.threads || e.shared != h->known.shared;
}

static int hand_over(struct vtb_hand_over *h)
{
	h->over = true;
	h->known = extent(h);
	h->after = h->runs;
	h->quiet_then = h->quiet;
	return h->relief->begin(h->space, &h->relief_state);
}

/* Where no operation decides in which order clocks are read, the first may come to other orders than the relief. */
static bool is_complete(const struct vtb_hand_over *h)
{
	struct vtb_claim claim = { 0 };

	if (!h->over)
		return false;
	h->relief->claim(h->relief_state, &claim);
	return claim.complete && !h->space->clocks;
}

static bool relief_runs(const struct vtb_hand_over *h)
{
	return h->over && !h->ended;
}

int64_t vtb_hand_over_next(struct vtb_hand_over *h, struct vtb_plan *plans, size_t max, size_t usual)
{
	int64_t n = 0;

	if (h->relief && !h->over && vtb_is_quiet(h->quiet, h->runs))
		n = hand_over(h);
	if (n >= 0 && relief_runs(h)) {
		n = h->relief->next(h->relief_state, plans, max < usual ? max : usual);
		h->ended = n == 0;
	}
	if (n != 0 || is_complete(h))
		return n;
	return h->first->next(h->first_state, plans, max);
}

int vtb_hand_over_feedback(struct vtb_hand_over *h, uint64_t ticket, const struct vtb_exec *x, bool new_class)
{
	if (relief_runs(h))
		return h->relief->feedback(h->relief_state, ticket, x, new_class);
	h->runs++; /* one that was known shows nothing new either */
	h->quiet = new_class ? 0 : h->quiet + 1;
	return h->first->feedback(h->first_state, ticket, x, new_class);
}

static void say_why(const struct vtb_hand_over *h, struct vtb_bounded_text *t)
{
	vtb_bounded_text_add(
	    t, "; %s went on after %" PRIu64 " schedules of %s, the last %" PRIu64 " of which had shown no new class",
	    h->relief->name, h->after, h->first->name, h->quiet_then);
}

static void claim_both(const struct vtb_hand_over *h, const struct vtb_claim *relief, struct vtb_claim *ret)
{
	struct vtb_bounded_text t = { ret->text, sizeof(ret->text), strlen(ret->text) };

	ret->blocked += relief->blocked;
	if (ret->probability > 0 && has_grown(h)) {
		ret->probability = 0;
		vtb_bounded_text_add(&t, ", if no run does more than those had done, and some did");
	}
	say_why(h, &t);
	vtb_bounded_text_add(&t, ": %s", relief->text);
}

void vtb_hand_over_claim(const struct vtb_hand_over *h, struct vtb_claim *ret)
{
	struct vtb_claim relief = { 0 };

	h->first->claim(h->first_state, ret);
	if (!h->over)
		return;
	h->relief->claim(h->relief_state, &relief);
	if (relief.complete || relief.contradicted) {
		struct vtb_bounded_text t = { relief.text, sizeof(relief.text), strlen(relief.text) };

		say_why(h, &t);
		*ret = relief;
	} else {
		claim_both(h, &relief, ret);
	}
}
