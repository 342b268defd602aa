/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all reports say of a failure in plain lines: why it fails and what to change, its stacks. The words are those of
 * the verdict block (vtb/report_causes.h). */
#ifndef VTB_VIZ_REPORT_CAUSES_TEXT_H
#define VTB_VIZ_REPORT_CAUSES_TEXT_H

#include <stdio.h>

#include "text.h"
#include "vtb/failure.h"

/* Lines "cause: ...", "repair: ..."; those that go on begin with two blanks. Nothing is left out. */
void text_add_causes(struct text *t, const struct vtb_failure *failure);
/* "warning: ...", a line each: accesses without the lock that is held elsewhere. */
void text_add_warnings(struct text *t, const struct vtb_failure *failure);
/* "allocated in thread 0.1: f at a.c:3, called by ...": a line each, verdict memory; else the last switch's. */
void text_add_stacks(struct text *t, const struct vtb_failure *failure);
/* The class of the failing run's cause, "atomicity-violation"; "" if none was looked for. */
const char *cause_class(const struct vtb_failure *failure);

#endif /* VTB_VIZ_REPORT_CAUSES_TEXT_H */
