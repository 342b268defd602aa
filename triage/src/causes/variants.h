/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file variants.h
 * Failures that look different and have one cause: they are told as one finding with its variants.
 */
#ifndef VTB_VARIANTS_H
#define VTB_VARIANTS_H

#include "hunt_priv.h"

/** Set `variant_of` of each finding whose cause is that of an earlier one: the same kind of mistake, by orders of the
 * same lines, whatever threads run them; and tell the earlier one. 0 or -ENOMEM. O(findings^2 * orders^2). */
int vtb_hunt_variants(struct vtb_hunt *hunt);

#endif /* VTB_VARIANTS_H */
