/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file exit_regions.h
 * Where atomic blocks end besides: --region=ops:N,module. Such blocks are parts of the others, so that there are more
 * orders, and every old one among them; what is done without a lock inside a block can be told from them. To add a way
 * to end one, add a row to exit_regions.c.
 */
#ifndef SYNTH_EXIT_REGIONS_H
#define SYNTH_EXIT_REGIONS_H

#include "exit_blocks.h"

/** May the option be that? false: *ret_bad is the row that is not known, misses its number or has one too many. */
bool vtb_exit_regions_valid(const char *text, const char **ret_bad);
/** Does a block end with event k by the option? `done`: operations of the block, k included. */
bool vtb_exit_regions_end(const char *text, struct vtb_exit_blocks *b, size_t k, uint32_t done);

#endif /* SYNTH_EXIT_REGIONS_H */
