/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file run_limits.h
 * What a run may have so many of, and what happens when it wants more (run_limits.def).
 */
#ifndef VTB_RT_LIMITS_H
#define VTB_RT_LIMITS_H

#include "base.h"

#define VTB_LIMIT(symbol, entries, then, what) VTB_##symbol##_ROOM = entries,
enum {
#include "run_limits.def"
};
#undef VTB_LIMIT

#define VTB_LIMIT(symbol, entries, then, what) VTB_LIMIT_##symbol,
enum vtb_limit {
#include "run_limits.def"
};
#undef VTB_LIMIT

/** The run wants more of these than there can be: end it with verdict limit. */
_Noreturn void vtb_limit_reached(enum vtb_limit limit);
/** Have room for entry `at` in a table of `*room` entries of so many bytes, which may move. If there is no memory: end
 * the run; where there is none, before main, say so and return NULL. */
void *vtb_limit_grow(void *table, uint32_t *room, uint32_t at, size_t size, enum vtb_limit limit);

#endif /* VTB_RT_LIMITS_H */
