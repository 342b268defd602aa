/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file strategies.h
 * Searches by name: the table of strategies and that of priorities (bestfirst). What a strategy is says vtb/strategy.h.
 */
#ifndef VTB_STRATEGIES_H
#define VTB_STRATEGIES_H

#include <stdio.h>

#include "vtb/search.h"
#include "vtb/strategy.h"

/** The row with this name (NULL: the first, the default), or NULL. */
const struct vtb_strategy *vtb_strategy_find(const char *name);

/** Are runs with equal reads one class, with the strategy that opts->strategy names? */
bool vtb_strategies_by_reads(const struct vtb_search_opts *opts);
/** Do these options go together? 0 or -EINVAL and why not. */
int vtb_strategies_check(const struct vtb_search_opts *opts, struct vtb_error *err);
/** vtb_search_begin() with the strategy that opts->strategy names, if the options go together. */
int vtb_strategies_begin(struct vtb_runner *runner, const struct vtb_search_opts *opts, struct vtb_search **ret,
                         struct vtb_error *err);

/** Names and one-line descriptions. NULL past the last. */
const char *vtb_strategy_name(size_t i, const char **ret_help);

/** All of them, for --list-strategies and --list-priorities. */
void vtb_strategy_list(FILE *out);
void vtb_priority_list(FILE *out);

#endif /* VTB_STRATEGIES_H */
