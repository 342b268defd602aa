/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file story_waits.h What to change where threads wait for ever; places are indexes of the run's events. */
#ifndef VTB_STORY_WAITS_H
#define VTB_STORY_WAITS_H

#include "vtb/exec.h"

/** "pool.c:31", or "an unknown place". */
void story_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size);

/** A wait that came after the signal for it. `x` may be NULL. */
void story_suggest_wait(size_t wait, size_t signal, const struct vtb_exec *x, const struct vtb_symtab *tab, char *buf,
                        size_t size);

/** A wait for a signal whose handler changed by event `change` what had been tested. Leaves buf as it is without a run.
 */
void story_suggest_signal(size_t test, size_t change, const struct vtb_exec *x, const struct vtb_symtab *tab, char *buf,
                          size_t size);

#endif /* VTB_STORY_WAITS_H */
