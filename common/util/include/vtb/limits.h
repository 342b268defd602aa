/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file limits.h
 * How much of a file is read, as the user says it. A few kilobytes can hold billions of events once they are unpacked.
 */
#ifndef VTB_LIMITS_H
#define VTB_LIMITS_H

#include <stdint.h>

#define VTB_EVENTS_DEFAULT UINT64_C(50000000)
#define VTB_EVENTS_LIMIT (UINT64_C(1) << 32) /* of the formats */

/** Events that are read of one file or recording: VTB_EVENTS_DEFAULT until it is set. Process-wide. */
uint64_t vtb_events_max(void);
/** At most VTB_EVENTS_LIMIT. */
void vtb_events_max_set(uint64_t n);

#endif /* VTB_LIMITS_H */
