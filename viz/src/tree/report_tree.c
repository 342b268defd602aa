/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of schedules of a recorded run: its operations in every order that a strategy tries, simulated. */
#include <errno.h>
#include <string.h>

#include "reporter.h"
#include "tree_dot.h"
#include "vtb/simulate.h"
#include "vtb/strategies.h"

#define ENDS_MAX 64u           /* a picture with more is no picture */
#define OPERATIONS_MAX 100000u /* of all runs that are kept */
#define BUDGET 20000u          /* schedules, as a strategy may repeat itself */

struct growing {
	struct run_tree tree;
	struct vtb_claim claim; /* what the strategy has shown */
	int status;
};

static bool is_full(const struct run_tree *t)
{
	return t->ends >= ENDS_MAX || t->n_nodes >= OPERATIONS_MAX;
}

static void on_executed(struct vtb_search *search, const struct vtb_schedule *schedule, const struct vtb_exec *x,
                        uint64_t class_id, bool new_class, void *data)
{
	struct growing *g = data;

	(void)search;
	(void)schedule;
	(void)class_id;
	(void)new_class;
	if (g->status == 0 && !is_full(&g->tree))
		g->status = run_tree_add(&g->tree, x);
}

static enum vtb_search_reply on_failing(struct vtb_search *search, const struct vtb_schedule *s,
                                        const struct vtb_exec *x, struct vtb_tuple t, void *data)
{
	(void)search;
	(void)s;
	(void)x;
	(void)t;
	(void)data;
	return VTB_SEARCH_GO_ON;
}

static bool on_progress(struct vtb_search *search, void *data)
{
	const struct growing *g = data;

	(void)search;
	return g->status < 0 || is_full(&g->tree);
}

/* Returns how the search ended, or an error. */
static int grow(struct growing *g, struct vtb_runner *runner, const struct vtb_search_opts *opts, struct vtb_error *err)
{
	const struct vtb_search_calls calls = {
		.failing = on_failing, .executed = on_executed, .progress = on_progress, .data = g
	};
	struct vtb_search *search;
	int r = vtb_strategies_begin(runner, opts, &search, err);

	if (r < 0)
		return r;
	r = vtb_search_run(search, &calls, err);
	vtb_search_claim(search, &g->claim);
	vtb_search_free(search);
	return g->status < 0 ? g->status : r;
}

static void write_tree(const struct report *report, const struct growing *g, const char *strategy, const char *cut,
                       FILE *f)
{
	const char *const program =
	    report->trace->argv && report->trace->argv[0] ? report->trace->argv[0] : "a program";
	char title[600], claim[sizeof(g->claim.text) + 64] = "";
	const struct tree_caption caption = {
		.title = title,
		.cut = cut,
		.claim = claim,
		.remarks = "An edge is what one thread does without a branch; a node names who could go on, in "
		           "parentheses who was not tried there. Orders are those of the recorded operations: what a "
		           "thread would do after it had found something else is not known."
	};

	if (!cut && *g->claim.text)
		snprintf(claim, sizeof(claim), "Of the recorded operations %s.", g->claim.text);
	snprintf(title, sizeof(title), "%s: %u schedule%s, strategy %s%s", program, g->tree.runs,
	         g->tree.runs == 1 ? "" : "s", strategy, report->tree->rw ? " with --rw" : "");
	tree_dot_write(&g->tree, &report->trace->tab, &caption, f);
}

/* The words, or NULL: the tree is whole. */
static const char *cut_words(const struct growing *g, int end, char *buf, size_t size)
{
	if (end == VTB_SEARCH_EXHAUSTED)
		return NULL;
	snprintf(buf, size, "there are more schedules, only the first %u (%u different) are here", g->tree.runs,
	         g->tree.ends);
	return buf;
}

static int draw(const struct report *report, struct vtb_runner *runner, FILE *f, struct vtb_error *err)
{
	struct vtb_search_opts opts;
	struct growing g = { .status = 0 };
	char words[200];
	const char *cut;
	int end;

	vtb_search_opts_init(&opts);
	opts.strategy = report->tree->strategy ? report->tree->strategy : "exitblock";
	opts.rw = report->tree->rw;
	opts.budget = BUDGET;
	opts.on_trace = true;
	end = grow(&g, runner, &opts, err);
	if (end >= 0) {
		cut = cut_words(&g, end, words, sizeof(words));
		write_tree(report, &g, opts.strategy, cut, f);
		if (cut)
			vtb_error_set(err, 0, report->path, 0, "the tree is cut: %s", cut);
	}
	run_tree_fini(&g.tree);
	return end < 0 ? end : cut ? 1 : 0;
}

static bool has_operations(const struct vtb_trace *trace)
{
	for (size_t i = 0; i < trace->n_events; i++)
		if (trace->events[i].kind != VTB_E_FAIL && vtb_event_is(&trace->events[i], VTB_EV_VISIBLE))
			return true;
	return false;
}

static int write_report(const struct report *report, FILE *f, struct vtb_error *err)
{
	struct vtb_runner *runner;
	int r;

	if (!report->own)
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "is a schedule that has not run: the tree is made of the operations of a run");
	if (report->trace->tab.n_threads > RUN_TREE_THREADS || !has_operations(report->trace))
		return vtb_error_set(err, -VTB_E_UNSUPPORTED, report->path, 0,
		                     "has %zu threads with operations to be ordered: a tree is for 1 to %u",
		                     has_operations(report->trace) ? report->trace->tab.n_threads : 0,
		                     RUN_TREE_THREADS);
	r = vtb_simulate_new(report->own, &runner, err);
	if (r < 0)
		return r;
	r = draw(report, runner, f, err);
	vtb_runner_free(runner);
	return r == -ENOMEM ? vtb_error_set(err, r, report->path, 0, "not enough memory") : r;
}

const struct reporter reporter_tree = {
	.format = { "tree",
	            "the tree of schedules of a small run, as Graphviz text: every order of its atomic blocks" },
	.write = write_report,
};
