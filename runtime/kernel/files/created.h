/* SPDX-License-Identifier: BSD-2-Clause */
/**
 * @file created.h
 * What a run makes outside of memory is removed after it: message queues and System V objects always, files and
 * directories where no private view keeps them apart (kernel/view.h). Names that were there before are never touched.
 *
 * Ownership: one log, in memory shared by the process that forks runs and the runs; a run may die at any point.
 * Limits:    CREATED_MAX names, CREATED_TEXT_MAX bytes of them. What does not fit stays, and sets VTB_UNC_FILES; so
 * does a change of a file that was there before.
 */
#ifndef VTB_RT_CREATED_H
#define VTB_RT_CREATED_H

#include "kernel.h"

/** The program is about to make this call, and has made it: `result`. Nothing else of the program happens in between.
 */
void vtb_created_before(const greg_t *g);
void vtb_created_after(long result);
/** The run starts a process, whose calls nobody sees. */
void vtb_created_unseen(void);
#endif /* VTB_RT_CREATED_H */
