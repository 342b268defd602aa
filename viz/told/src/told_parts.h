/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of the verdict block, a subject each; nothing where there is nothing to say. */
#ifndef VTB_TOLD_PARTS_H
#define VTB_TOLD_PARTS_H

#include "vtb/told.h"
#include "vtb/story.h"

#define VTB_TOLD_SUSPECTS 4u /* suspects and warnings that are shown, unless -v */

void vtb_told_threads(const struct vtb_sheet *s, const struct vtb_told *b, const struct vtb_story *story);
void vtb_told_cycle(const struct vtb_sheet *s, const struct vtb_told *b, const struct vtb_story *story);
void vtb_told_heap(const struct vtb_sheet *s, const struct vtb_failure *failure);
void vtb_told_timing(const struct vtb_sheet *s, const struct vtb_told *b);

/** What to change by the first of the causes, at least one, where no repair holds: what to make one step where the
 * orders of an atomicity violation go round, what to do first where all of them are a use before; else "". Returns buf.
 */
char *vtb_told_advise_causes(const struct vtb_causes *all, const struct vtb_exec *run, const struct vtb_symtab *tab,
                             char *buf, size_t size);

#endif /* VTB_TOLD_PARTS_H */
