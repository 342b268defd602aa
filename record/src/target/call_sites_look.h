/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file call_sites_look.h The work behind vtb_call_sites_find(). */
#ifndef VTB_CALL_SITES_LOOK_H
#define VTB_CALL_SITES_LOOK_H

#include "vtb/call_sites.h"

/** As vtb_call_sites_find_until(), whatever is known of the file. */
int vtb_call_sites_look(const char *path, struct vtb_stop *stop, struct vtb_call_sites *ret, struct vtb_error *err);

#endif /* VTB_CALL_SITES_LOOK_H */
