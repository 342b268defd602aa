/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/limits.h"

static uint64_t events_max = VTB_EVENTS_DEFAULT;

uint64_t vtb_events_max(void)
{
	return events_max;
}

void vtb_events_max_set(uint64_t n)
{
	events_max = n < VTB_EVENTS_LIMIT ? n : VTB_EVENTS_LIMIT;
}
