/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "item_list.h"
#include "vtb/argv.h"
#include "vtb/strategies.h"

#define ITEM_SECONDS 3.0   /* what an item is to take */
#define FIRST_BUDGET 1000u /* of each strategy: how fast the program is shows then */
#define LEAST_BUDGET 20u
#define GROWTH 8.0        /* at most, from one item to the next */
#define LEAST_SECONDS 1.0 /* left, for an item to be worth beginning */
#define RATE_WEIGHT 0.5   /* of the newest item in what is expected of the next */

/* Of walks a seed an item, as many items at a time as one likes; of other strategies one item after another. */
static const char *const usual[] = { "portfolio", "dpor", "cvt", "random", "pos", "surw", "pct" };
#define USUAL (sizeof(usual) / sizeof(*usual))

/* Items of one strategy. */
struct chain {
	const char *strategy;
	bool walks, once; /* once: its first item is its only one */
	uint64_t n, under_way, budget;
	double rate; /* schedules a second; 0: not known */
	double news; /* new classes a schedule */
	bool over;
};

struct vtb_item_plan {
	const struct vtb_hunt_opts *opts;
	struct chain chains[USUAL];
	size_t n_chains;
	uint64_t left; /* of --budget */
	struct vtb_item_list list;
	bool listed, complete;
	size_t next; /* of the list */
};

void vtb_item_wish_fini(struct vtb_item_wish *wish)
{
	vtb_argv_free(wish->options);
	*wish = (struct vtb_item_wish){ 0 };
}

static bool walks(const char *name)
{
	const struct vtb_strategy *strategy = vtb_strategy_find(name);

	return strategy && strategy->can & VTB_STRATEGY_WALKS;
}

/* A chain of those that can do what the options ask for. */
static void add_chain(struct vtb_item_plan *plan, const char *strategy, bool once)
{
	struct vtb_search_opts search = plan->opts->search;

	search.strategy = strategy;
	if (vtb_strategies_check(&search, NULL) >= 0)
		plan->chains[plan->n_chains++] = (struct chain){
			.strategy = strategy, .walks = walks(strategy), .once = once, .budget = FIRST_BUDGET
		};
}

static void make_chains(struct vtb_item_plan *plan)
{
	const char *asked = plan->opts->search.strategy;

	if (!asked && plan->opts->search.match_states)
		asked = "dfs";
	if (asked && strcmp(asked, "portfolio"))
		add_chain(plan, asked, false);
	else
		for (size_t i = 0; i < USUAL; i++)
			add_chain(plan, usual[i], i == 0);
}

int vtb_item_plan_new(const struct vtb_hunt_opts *opts, const char *list, struct vtb_item_plan **ret,
                      struct vtb_error *err)
{
	struct vtb_item_plan *plan = calloc(1, sizeof(*plan));
	int r = 0;

	if (!plan)
		return vtb_error_set(err, -ENOMEM, NULL, 0, "not enough memory");
	plan->opts = opts;
	plan->left = opts->search.budget ? opts->search.budget : UINT64_MAX;
	plan->listed = list;
	if (list)
		r = vtb_item_list_read(list, &plan->list, err);
	else
		make_chains(plan);
	if (r < 0)
		vtb_item_plan_free(plan);
	else
		*ret = plan;
	return r;
}

void vtb_item_plan_free(struct vtb_item_plan *plan)
{
	if (!plan)
		return;
	vtb_item_list_fini(&plan->list);
	free(plan);
}

bool vtb_item_plan_over(const struct vtb_item_plan *plan)
{
	bool over = true;

	if (plan->listed)
		return plan->next == plan->list.n_wishes;
	for (size_t i = 0; i < plan->n_chains; i++)
		over &= plan->chains[i].over;
	return over || plan->complete || !plan->left;
}

/* ---- which is next */

/* A systematic search goes on where nothing of it is under way; of the walks that which has the fewest items for what
 * it finds. */
static struct chain *choose(struct vtb_item_plan *plan)
{
	struct chain *best = NULL;
	double least = 0;

	for (size_t i = 0; i < plan->n_chains; i++) {
		struct chain *c = &plan->chains[i];
		const double worth = c->walks ? (double)(c->n + c->under_way) / (1 + 1000 * c->news) : -1;

		if (c->over || (!c->walks && c->under_way))
			continue;
		if (!best || worth < least) {
			best = c;
			least = worth;
		}
	}
	return best;
}

/* As many schedules as take the time of an item, rounded so that the same budgets come again. */
static uint64_t budget_of(const struct vtb_item_plan *plan, const struct chain *c, double seconds)
{
	const double time = seconds < ITEM_SECONDS ? seconds : ITEM_SECONDS;
	double want = (double)c->budget;
	uint64_t unit = 1;

	if (c->walks && c->rate > 0)
		want = c->rate * time < want * GROWTH ? c->rate * time : want * GROWTH;
	else if (c->rate > 0 && want > c->rate * seconds)
		want = c->rate * seconds;
	while ((uint64_t)want / unit >= 100)
		unit *= 10;
	want = (double)((uint64_t)want / unit * unit);
	if (want < LEAST_BUDGET)
		want = LEAST_BUDGET;
	return want < (double)plan->left ? (uint64_t)want : plan->left;
}

static char **options_of(const struct chain *c, uint64_t seed, uint64_t budget)
{
	char **options = calloc(5, sizeof(*options));

	if (options && asprintf(&options[0], "strategy=%s", c->strategy) >= 0 &&
	    asprintf(&options[1], "seed=%" PRIu64, seed) >= 0 &&
	    asprintf(&options[2], "budget=%" PRIu64, budget) >= 0 &&
	    (!c->walks || (options[3] = strdup("no-hand-over=on")))) /* not the same systematic search in each */
		return options;
	vtb_argv_free(options);
	return NULL;
}

static int next_listed(struct vtb_item_plan *plan, struct vtb_item_wish *ret)
{
	const struct vtb_item_wish *wish = &plan->list.wishes[plan->next];

	*ret = *wish;
	ret->options = vtb_argv_copy(wish->options);
	if (!ret->options)
		return -ENOMEM;
	plan->next++;
	return 1;
}

int vtb_item_plan_next(struct vtb_item_plan *plan, double seconds, struct vtb_item_wish *ret)
{
	struct chain *c;

	*ret = (struct vtb_item_wish){ 0 };
	if (vtb_item_plan_over(plan))
		return 0;
	if (plan->listed)
		return next_listed(plan, ret);
	c = seconds < LEAST_SECONDS ? NULL : choose(plan);
	if (!c)
		return 0;
	ret->chain = (size_t)(c - plan->chains);
	ret->budget = budget_of(plan, c, seconds);
	snprintf(ret->id, sizeof(ret->id), "%s-%" PRIu64, c->strategy, c->n + 1);
	ret->options = options_of(c, plan->opts->search.seed + (c->walks ? c->n : 0), ret->budget);
	if (!ret->options)
		return -ENOMEM;
	c->n++;
	c->under_way++;
	if (plan->left != UINT64_MAX)
		plan->left -= ret->budget;
	return 1;
}

/* ---- what it showed */

static void learn(double *what, double now)
{
	*what = *what > 0 ? RATE_WEIGHT * now + (1 - RATE_WEIGHT) * *what : now;
}

void vtb_item_plan_took(struct vtb_item_plan *plan, const struct vtb_item_wish *wish,
                        const struct vtb_item_result *result, uint64_t news)
{
	const uint64_t n = result->facts.search_schedules;
	const char *stopped = result->facts.stopped;
	struct chain *c = &plan->chains[wish->chain];

	if (plan->listed)
		return;
	c->under_way -= c->under_way > 0;
	if (result->state == VTB_ITEM_COMPLETED && n) {
		if (result->seconds > 0)
			learn(&c->rate, (double)n / result->seconds);
		learn(&c->news, (double)news / (double)n);
		c->budget = c->walks ? wish->budget : 2 * wish->budget;
	}
	c->over |=
	    c->once || (!c->walks && (result->state != VTB_ITEM_COMPLETED || !stopped || strcmp(stopped, "budget")));
	plan->complete |= result->state == VTB_ITEM_COMPLETED && result->facts.complete;
}
