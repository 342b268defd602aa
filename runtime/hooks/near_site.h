/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file near_site.h
 * Mode record: a site's whole way of an access as code of its own, so that nothing is jumped to and, at pads, no more
 * is kept than the place needs. It takes accesses where the last ones were looked at to be on no stack
 * (vtb_rt_clear()); all others go on as if there were no such code.
 */
#ifndef VTB_RT_NEAR_SITE_H
#define VTB_RT_NEAR_SITE_H

#include "base.h"

#define VTB_NEAR_SITE 96u

/** Write the code of the hooked call with this number, where it will run; vtb_self lies `self` from the thread pointer.
 * What it does not take jumps to `entry`, with the number in ecx. */
void vtb_near_site(uint8_t at[VTB_NEAR_SITE], uint32_t site, int32_t self, const void *entry);

#define VTB_NEAR_PAD 192u

/** A pad, for its own code. */
struct vtb_near_pad {
	uint32_t site;
	int32_t self;
	uint32_t info;       /* of which VTB_PAD_LOOSE counts */
	const uint8_t *stub; /* as our assembler has written it; goes on there what the code does not take */
	uint32_t head;       /* bytes of it before the call: registers saved, the address loaded */
	const uint8_t *end;  /* behind the pad */
};
/** Likewise write the code of a pad. False: its stub loads the address in a way that is not known. */
bool vtb_near_pad(uint8_t at[VTB_NEAR_PAD], const struct vtb_near_pad *pad);

#endif /* VTB_RT_NEAR_SITE_H */
