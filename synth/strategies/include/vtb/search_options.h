/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file search_options.h
 * What the user may say about a search: one table of options for all commands that search. It goes into a struct
 * vtb_search_opts.
 */
#ifndef VTB_SEARCH_OPTIONS_H
#define VTB_SEARCH_OPTIONS_H

#include "vtb/cli_options.h"

extern const struct vtb_cli_row vtb_search_rows[];

#endif /* VTB_SEARCH_OPTIONS_H */
