/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

void vtb_outputs_note(struct vtb_outputs *o, const struct vtb_exec *x, struct vtb_search_stats *stats)
{
	if (x->outcome.verdict != VTB_V_NONE || (!x->brief && !x->outcome.output_hash))
		return;
	stats->printed++;
	if (x->brief) /* it went and ended like a run that was told in full */
		return;
	for (uint64_t i = 0; i < stats->outputs; i++)
		if (o->hashes[i] == x->outcome.output_hash)
			return;
	if (stats->outputs == VTB_OUTPUTS_MAX)
		stats->outputs_more = true;
	else
		o->hashes[stats->outputs++] = x->outcome.output_hash;
}
