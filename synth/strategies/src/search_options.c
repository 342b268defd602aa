/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/search_options.h"

#include "vtb/strategies.h"
#include "vtb/symtab.h"

#define L_MAX 15 /* what a level's key in the order of the search has room for */
#define MEMBER(name) offsetof(struct vtb_search_opts, name)

static const char *const off_on[] = { "off", "on", NULL }, *const static_dynamic[] = { "static", "dynamic", NULL },
                         *const order_reads[] = { "order", "reads-from", NULL };

const struct vtb_cli_row vtb_search_rows[] = {
	{ "assertions-only", NULL,
	  "As --predicate, and only what reports a failure counts, not crashes and deadlocks: more is left out",
	  VTB_CLI_FLAG, .member = MEMBER(only_assertions) },
	{ "budget", "N", "At most N schedules (default: no limit; on a trace 100000, fewer if it is long)", VTB_CLI_U64,
	  .member = MEMBER(budget), .least = 1, .most = UINT64_MAX },
	{ "c", "N", "At most N preemptions and other deviations (default 2)", VTB_CLI_U32, .member = MEMBER(c),
	  .most = VTB_SEARCH_C_MAX },
	{ "check-function", "NAMES",
	  "As --predicate, and what is done in, and given to, functions of these names counts as a failure does",
	  VTB_CLI_TEXT, .member = MEMBER(check_function) },
	{ "epsilon", "P", "Accept to miss an order of threads with probability P (default 0.01)", VTB_CLI_REAL,
	  .member = MEMBER(epsilon), .real_most = 0.999 },
	{ "equivalence", "NAME",
	  "Strategy dpor: which runs are one class: order (default), reads-from (default with --predicate)",
	  VTB_CLI_CHOICE, .member = MEMBER(equivalence), .names = order_reads, .first = VTB_EQUIVALENCE_ORDER },
	{ "exhaust", NULL, "Prune nothing and repeat classes; go on where a search would stop", VTB_CLI_FLAG,
	  .member = MEMBER(exhaust) },
	{ "focus-function", "NAMES", "Deviate only in these functions", VTB_CLI_TEXT,
	  .member = MEMBER(focus_function) },
	{ "focus-var", "NAMES",
	  "Deviate only after operations on these variables or their parts; tier watch: watch them", VTB_CLI_TEXT,
	  .member = MEMBER(focus_var) },
	{ "l", "N", "Deviate at heap blocks of the first N+1 allocations of their kind (default 0: the first)",
	  VTB_CLI_U32, .member = MEMBER(l), .most = L_MAX },
	{ "list-priorities", NULL, "Print the priorities and leave", VTB_CLI_LIST, .print = vtb_priority_list },
	{ "list-strategies", NULL, "Print the strategies and leave", VTB_CLI_LIST, .print = vtb_strategy_list },
	{ "match-states", NULL,
	  "Go on from a state of the program only once; strategies dfs (then the default) and exitblock, engine "
	  "snapshot; without --c and --v there is no bound. Refused on a trace, which does not tell states",
	  VTB_CLI_FLAG, .member = MEMBER(match_states) },
	{ "no-hand-over", NULL,
	  "Strategies that walk at random: go on with them though they see no new class for long, not with dpor",
	  VTB_CLI_FLAG, .member = MEMBER(no_hand_over) },
	{ "no-predicate", NULL, "Explore all orders, whether they can matter to a failure or not", VTB_CLI_FLAG,
	  .member = MEMBER(no_prune) },
	{ "predicate", NULL,
	  "Strategies dpor and portfolio: leave out orders of operations that cannot matter to a failure, by a static "
	  "slice of the program and by what runs show; cvt and bestfirst try them last (dpor and portfolio do it "
	  "unasked "
	  "when many orders are left; vtb-synth does not)",
	  VTB_CLI_FLAG, .member = MEMBER(prune) },
	{ "priority", "NAMES",
	  "Strategy bestfirst: which schedules go first, names joined by commas; see --list-priorities", VTB_CLI_TEXT,
	  .member = MEMBER(priority) },
	{ "region", "WHERE",
	  "Strategy exitblock: blocks also end after N operations (ops:N), or when the thread goes on in another "
	  "program or "
	  "library (module); joined by commas",
	  VTB_CLI_TEXT, .member = MEMBER(region) },
	{ "rw", NULL, "Strategy exitblock: leave out orders of blocks that reads and writes tell to be equal",
	  VTB_CLI_FLAG, .member = MEMBER(rw) },
	{ "strategy", "NAME", "How to search; see --list-strategies (default portfolio; on a trace cvt)", VTB_CLI_TEXT,
	  .member = MEMBER(strategy) },
	{ "symmetry", "WHEN",
	  "Let threads that look alike stand for each other in the search of cvt: on (default) or off", VTB_CLI_SWITCH,
	  .member = MEMBER(symmetry), .names = off_on },
	{ "t", "N", "Orders of at most N threads (default 2)", VTB_CLI_U32, .member = MEMBER(t), .least = 2,
	  .most = VTB_THREADS_LIMIT },
	{ "time", "SECONDS", "Stop after SECONDS (default 60; on a trace no limit)", VTB_CLI_REAL,
	  .member = MEMBER(seconds), .real_most = 1e9 },
	{ "trusted", "FUNCTIONS", "Strategy exitblock: no block ends in these functions, joined by commas",
	  VTB_CLI_TEXT, .member = MEMBER(trusted) },
	{ "v", "N", "Deviate at no more than N different variables (default 2)", VTB_CLI_U32, .member = MEMBER(v),
	  .most = VTB_SEARCH_C_MAX },
	{ "variables", "HOW",
	  "How cvt chooses the variables: static (default), sets of them in turn; dynamic, by the first preemptions",
	  VTB_CLI_SWITCH, .member = MEMBER(dynamic), .names = static_dynamic },
	{ 0 },
};
