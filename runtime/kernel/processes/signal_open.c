/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals of which it matters when they are sent: to which a thread was open, or about which one has asked. */
#include "base.h"
#include "signals.h"

static uint64_t asked_about;

void vtb_signals_asked_about(uint64_t set)
{
	asked_about |= set;
}

void vtb_signals_opened(uint64_t set)
{
	if (vtb_rt.n_threads > 1)
		vtb_signals_asked_about(set);
}

bool vtb_signals_only_pends(int signal, uint32_t slot)
{
	return slot == VTB_SIGNAL_PROCESS && !(asked_about >> (signal - 1) & 1);
}
