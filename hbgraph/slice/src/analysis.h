/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file analysis.h  One program, analysed as a whole. */
#ifndef SLICE_ANALYSIS_H
#define SLICE_ANALYSIS_H

#include "kept.h"
#include "vtb/slice.h"

struct analysis;
/** 0 also if it can not be told: then it is kept as a doubt. */
int analysis_new(const char *path, const char *named, struct analysis **ret, struct vtb_error *err);
void analysis_free(struct analysis *a);
/** Replace *k by what is known now. 0 or -ENOMEM. */
int analysis_keep(struct analysis *a, struct kept *k);
/** -ENOENT: neither a place nor an essential statement is there. */
int analysis_add(struct analysis *a, uint64_t addr, uint32_t kinds);
size_t analysis_path(struct analysis *a, uint64_t addr, uint32_t kinds, struct vtb_slice_step *steps, size_t max);

#endif /* SLICE_ANALYSIS_H */
