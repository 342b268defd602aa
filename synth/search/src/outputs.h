/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Do runs that pass print the same? */
#ifndef VTB_OUTPUTS_H
#define VTB_OUTPUTS_H

#include "vtb/exec.h"
#include "vtb/search.h"

#define VTB_OUTPUTS_MAX 256u /* different ones that are told apart */

struct vtb_outputs {
	uint64_t hashes[VTB_OUTPUTS_MAX];
};

/** Account for a run: nothing if it did not pass, or if what it printed is not known. O(different outputs). */
void vtb_outputs_note(struct vtb_outputs *o, const struct vtb_exec *x, struct vtb_search_stats *stats);

#endif /* VTB_OUTPUTS_H */
