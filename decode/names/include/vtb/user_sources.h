/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file user_sources.h
 * Whose source a place is. The user's is what was compiled with debug information, but the headers and libraries of the
 * system, what a build fetches from elsewhere, and vtb itself.
 */
#ifndef VTB_USER_SOURCES_H
#define VTB_USER_SOURCES_H

#include <stdbool.h>

#include "vtb/symbols.h"

/** `root`: an absolute directory; only what lies below it is the user's. NULL: what is said above. `module`: path of
 * the file that the place's code is in. */
bool vtb_source_is_users(const char *root, const char *module, const struct vtb_place *place);

#endif /* VTB_USER_SOURCES_H */
