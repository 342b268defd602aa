/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file pt_flow.h
 * What pt_code.c needs of the libipt adapter: one instruction at a time, without packets.
 */
#ifndef DECODE_PT_FLOW_H
#define DECODE_PT_FLOW_H

#include "vtb/pt.h"

#define VTB_PT_PROBE_MAX 64u

/** Decodes instructions at any address of an image. */
struct vtb_pt_probe;
int vtb_pt_probe_new(const struct vtb_pt_image *image, struct vtb_pt_probe **ret);
void vtb_pt_probe_free(struct vtb_pt_probe *probe);

/** Decode from `ip` on, through the first instruction that is not VTB_PT_OTHER or that does not follow, at most
 * VTB_PT_PROBE_MAX. Returns how many, or -VTB_E_DESYNC if there is no instruction at `ip`. Fills ip, target, size and
 * class. */
int vtb_pt_probe_at(struct vtb_pt_probe *probe, uint64_t ip, struct vtb_pt_insn ret[VTB_PT_PROBE_MAX]);

#endif /* DECODE_PT_FLOW_H */
