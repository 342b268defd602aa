/* SPDX-License-Identifier: BSD-2-Clause */
/** @file view_links.h Files of several names in the private view: an overlay copies a file when it is changed first,
 * and without an index the other names still lead to the old one. Only in a run that is in its view. */
#ifndef VTB_RT_VIEW_LINKS_H
#define VTB_RT_VIEW_LINKS_H

#include "kernel.h"
#include "syscalls.h"

/** Does the call make an overlay copy the file, whose content, mode, owner or times it changes? */
bool vtb_view_copies_up(const struct vtb_syscall *row, const greg_t *g);
/** A call is about to be made: say that the file is not as it would be if its names come apart by that. */
void vtb_view_link_before(const greg_t *g);
/** The call was made: a second name that it made stays with the first, as both lie in the view. */
void vtb_view_link_made(const greg_t *g);

#endif /* VTB_RT_VIEW_LINKS_H */
