/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines levels N PROGRAM [ARGS]: dfs with every run told whole is the dumb one. dfs whose runs without preemptions
 * pass over what only one thread touches, and levels with both kinds of runs, come to the same within c = 1: the same
 * classes of runs that come to their end and the same failures, each at the same lowest c, and the same levels
 * complete. At most N schedules each; where dfs has no end within them, what has no preemption is compared if that has.
 * Prints how many schedules each took.
 *
 * engines all-orders N PROGRAM [ARGS]: likewise of dpor, which has an end within N schedules: the same classes and
 * failures, told whole and passing over, and the same claim.
 */
#include "engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/map64.h"
#include "vtb/rng.h"
#include "vtb/search.h"
#include "vtb/strategies.h"

struct way {
	const char *strategy;
	bool sparse;
};

struct came {
	struct vtb_map64 lowest; /* what a run came to -> c + 1 */
	struct vtb_search_stats stats;
	struct vtb_claim claim;
};

static uint64_t text_of(const char *s)
{
	uint64_t h = 1;

	for (; s && *s; s++)
		h = vtb_mix64(h + (unsigned char)*s);
	return h;
}

/* How far others have come in what is their own when a run fails differs with what is told. */
static uint64_t result_of(const struct vtb_exec *x, uint64_t class_id)
{
	return x->outcome.verdict == VTB_V_NONE ? class_id : text_of(x->outcome.signature);
}

static void note(struct vtb_search *search, const struct vtb_schedule *s, const struct vtb_exec *x, uint64_t class_id,
                 bool new_class, void *data)
{
	struct came *came = data;
	const uint64_t key = result_of(x, class_id), c = vtb_exec_tuple(x).c + 1ull;
	uint64_t *lowest;

	(void)search;
	(void)s;
	(void)new_class;
	lowest = vtb_map64_put(&came->lowest, key, c);
	if (!lowest)
		die("no memory");
	*lowest = c < *lowest ? c : *lowest;
}

static void search_with(char *const *argv, const struct way *way, uint64_t budget, struct came *ret)
{
	const struct vtb_search_calls calls = { .failing = vtb_search_go_on, .executed = note, .data = ret };
	struct vtb_runner *runner = open_runner(setting_by_name("snapshot-scan"), argv, 0);
	struct vtb_search *search = NULL;
	struct vtb_search_opts opts;
	struct vtb_error err = { 0 };

	*ret = (struct came){ .lowest = { 0 } };
	vtb_search_opts_init(&opts);
	opts.strategy = way->strategy;
	opts.budget = budget;
	opts.c = 1;
	opts.tell_owned = !way->sparse;
	runner->sparse_pays = way->sparse;
	if (vtb_strategies_begin(runner, &opts, &search, &err) < 0 || vtb_search_run(search, &calls, &err) < 0)
		die("%s: %s", way->strategy, err.text);
	ret->stats = *vtb_search_stats(search);
	vtb_search_claim(search, &ret->claim);
	vtb_search_free(search);
	vtb_runner_free(runner);
}

/* What `a` came to with fewer than `limit` preemptions, and `b` did not, or only with more. */
static uint64_t missing(const struct came *a, const struct came *b, uint64_t limit)
{
	uint64_t n = 0;

	for (size_t i = 0; a->lowest.cells && i <= a->lowest.mask; i++) {
		const struct vtb_map64_cell *cell = &a->lowest.cells[i];
		const uint64_t *other = vtb_map64_at(&b->lowest, cell->key);

		n += cell->key && cell->value <= limit && (!other || *other != cell->value);
	}
	return n;
}

/* So many levels of c are complete. */
static uint64_t levels_of(const struct came *c)
{
	return c->claim.complete ? 2 : c->claim.c;
}

/* Classes of runs that come to their end, and failures, of either that the other one has not. */
static uint64_t apart(const struct came *a, const struct came *b)
{
	uint64_t n = 0;

	for (size_t i = 0; a->lowest.cells && i <= a->lowest.mask; i++)
		n += a->lowest.cells[i].key && !vtb_map64_at(&b->lowest, a->lowest.cells[i].key);
	return n;
}

int command_all_orders(int argc, char **argv)
{
	static const struct way whole = { "dpor", false }, sparse = { "dpor", true };
	struct came dumb, other;
	uint64_t lacks, more;
	bool bad;

	if (argc < 2)
		die("usage: engines all-orders N PROGRAM [ARGUMENT...]");
	search_with(argv + 1, &whole, strtoull(argv[0], NULL, 10), &dumb);
	search_with(argv + 1, &sparse, 2 * strtoull(argv[0], NULL, 10), &other);
	lacks = apart(&dumb, &other);
	more = apart(&other, &dumb);
	printf("%" PRIu64 " schedules of %zu kinds, complete %d; passing over %" PRIu64 ", %zu, %d: %" PRIu64
	       " missing, %" PRIu64 " more\n",
	       dumb.stats.schedules, dumb.lowest.n, dumb.claim.complete, other.stats.schedules, other.lowest.n,
	       other.claim.complete, lacks, more);
	printf("%s\n%s\n", dumb.claim.text, other.claim.text);
	bad = !dumb.claim.exhausted || !other.claim.exhausted || dumb.claim.complete != other.claim.complete || lacks ||
	      more || other.stats.diverged;
	vtb_map64_fini(&dumb.lowest);
	vtb_map64_fini(&other.lowest);
	return bad;
}

int command_levels(int argc, char **argv)
{
	static const struct way ways[] = { { "dfs", false }, { "dfs", true }, { "levels", false }, { "levels", true } };
	struct came dumb, other;
	bool bad = false;

	if (argc < 2)
		die("usage: engines levels N PROGRAM [ARGUMENT...]");
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct came *came = i ? &other : &dumb;
		uint64_t limit, lacks, more;

		search_with(argv + 1, &ways[i], strtoull(argv[0], NULL, 10), came);
		limit = levels_of(&dumb);
		limit = levels_of(came) < limit ? levels_of(came) : limit;
		lacks = missing(&dumb, came, limit);
		more = missing(came, &dumb, limit);
		printf("%s%s: %" PRIu64 " schedules, %" PRIu64 " levels complete; of %" PRIu64 " levels %" PRIu64
		       " missing, %" PRIu64 " more\n",
		       ways[i].strategy, ways[i].sparse ? ", passing over" : "", came->stats.schedules, levels_of(came),
		       limit, lacks, more);
		bad |= lacks || more || came->stats.diverged || levels_of(came) < levels_of(&dumb);
		if (i)
			vtb_map64_fini(&other.lowest);
	}
	vtb_map64_fini(&dumb.lowest);
	return bad;
}
