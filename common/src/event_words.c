/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event_words.h"

#include "vtb/events.h"

const char *const vtb_memory_orders[VTB_MEMORY_ORDERS] = {
	[VTB_ORDER_RELAXED] = "relaxed", [VTB_ORDER_CONSUME] = "consume", [VTB_ORDER_ACQUIRE] = "acquire",
	[VTB_ORDER_RELEASE] = "release", [VTB_ORDER_ACQ_REL] = "acq_rel", [VTB_ORDER_SEQ_CST] = "seq_cst",
};

const char *const vtb_deviation_words[VTB_DEVIATION_KINDS] = {
	[VTB_DEV_SWITCH] = "switch", [VTB_DEV_DEMOTE] = "demote", [VTB_DEV_WAITER] = "waiter", [VTB_DEV_SPURIOUS] = "spurious",
	[VTB_DEV_TIMEOUT] = "timeout", [VTB_DEV_CAS_FAIL] = "cas-fail", [VTB_DEV_SIGNAL] = "signal",
};
