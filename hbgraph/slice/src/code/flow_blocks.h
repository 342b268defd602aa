/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file flow_blocks.h  From the instructions of one function to its blocks and their edges. */
#ifndef SLICE_FLOW_BLOCKS_H
#define SLICE_FLOW_BLOCKS_H

#include "compiled.h"

/** `ways` are pairs: the address of a jump through a table, and where it may go. 0 or -ENOMEM. */
int program_blocks(struct program *p, uint32_t f, const uint64_t *ways, size_t n_ways);

#endif /* SLICE_FLOW_BLOCKS_H */
