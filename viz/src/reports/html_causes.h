/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page's panel of causes, and which operations of the run belong to them. */
#ifndef VTB_VIZ_HTML_CAUSES_H
#define VTB_VIZ_HTML_CAUSES_H

#include <stdio.h>

#include "vtb/failure.h"

/* The causes with their repairs. */
void html_put_causes(FILE *f, const struct vtb_failure *failure);

/* The event of failure->trace that is the operation; SIZE_MAX: that run does not have it. O(events). */
size_t html_cause_event(const struct vtb_failure *failure, const struct vtb_cause_op *op);

/* By event: is it an operation of a cause? The caller's to free; NULL: no memory. */
bool *html_cause_events(const struct vtb_failure *failure);

#endif /* VTB_VIZ_HTML_CAUSES_H */
