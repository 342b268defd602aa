/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/hb.h"

int vtb_hb_of(const struct vtb_trace *trace, unsigned sections, struct vtb_hb *ret)
{
	struct vtb_hb hb = { .trace = trace, .sections = sections };
	int r = 0;

	if (sections & VTB_HB_PROFILE)
		r = vtb_profile_of(trace, &hb.profile);
	if (r >= 0 && sections & VTB_HB_RACES)
		r = vtb_races_of(trace, &hb.races);
	if (r >= 0 && sections & VTB_HB_LOCKS)
		r = vtb_lockorder_of(trace, &hb.locks);
	if (r < 0)
		vtb_hb_fini(&hb);
	else
		*ret = hb;
	return r;
}

void vtb_hb_fini(struct vtb_hb *hb)
{
	vtb_profile_fini(&hb->profile);
	vtb_races_fini(&hb->races);
	vtb_lockorder_fini(&hb->locks);
}
