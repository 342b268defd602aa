/* SPDX-License-Identifier: BSD-2-Clause */
/** @file strides.h Many words at a time: how far they go on by the strides that they have, and none of them left. Uses
 * vector registers. */
#ifndef VTB_RT_STRIDES_H
#define VTB_RT_STRIDES_H

#include <stdint.h>

/** From word i on (i >= 2 * period): the first of which it is not known that w[k] - w[k - period] is
 * w[k - period] - w[k - 2 * period]; at most n, and never past the first of which this is not so. O(n). */
uint64_t vtb_strides_end(const uint64_t *w, uint64_t i, uint64_t n, uint64_t period);
/** Clear `size` bytes, a multiple of 32 at an address that is one. */
void vtb_strides_clear(void *at, uint64_t size);

#endif /* VTB_RT_STRIDES_H */
