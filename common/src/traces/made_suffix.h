/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file made_suffix.h What compilers put behind names. */
#ifndef VTB_MADE_SUFFIX_H
#define VTB_MADE_SUFFIX_H

#include <stddef.h>

/** Bytes at `at` of what compilers put behind the name of a function of which they make others: ".isra.0",
 * "._omp_fn.1". 0: it is something else. */
size_t made_suffix(const char *at);

#endif /* VTB_MADE_SUFFIX_H */
