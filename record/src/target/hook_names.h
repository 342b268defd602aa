/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file hook_names.h  What the call of a function says of the accesses behind it, by its name. */
#ifndef VTB_HOOK_NAMES_H
#define VTB_HOOK_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "vtb/call_sites.h"

#define HOOK_OTHER UINT16_MAX /* no plain access of 1, 2, 4, 8 or 16 bytes */

struct hook_name {
	uint16_t hook; /* VTB_SITE_HOOK, HOOK_OTHER */
	struct vtb_call_tell tell;
};

/** "__tsan_unaligned_read4" is a read of 4 bytes; "abort" does not return. False: another function. */
bool hook_by_name(const char *name, struct hook_name *ret);
/** Sort what such calls say by address, and keep one of each. */
void hook_sort_tells(struct vtb_call_sites *s);

#endif /* VTB_HOOK_NAMES_H */
