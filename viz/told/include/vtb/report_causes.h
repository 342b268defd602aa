/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file report_causes.h
 * Why it fails, in lines for people: the orders of operations that are enough, what kind of mistake that is, and what
 * to change.
 */
#ifndef VTB_REPORT_CAUSES_H
#define VTB_REPORT_CAUSES_H

#include <stddef.h>

#include "vtb/cause.h"

/** "this order makes it fail", or of several; a sentence of its own behind c->detail. */
const char *vtb_report_orders(const struct vtb_cause *c);

/** Which lock is missing, or wrong; "": nobody holds one, or all do. Returns buf. */
char *vtb_report_lock(const struct vtb_cause *c, char *buf, size_t size);

/** Hand the lines to `tell`, each with the label that it begins with ("": it goes on). */
void vtb_report_causes(const struct vtb_causes *c, int verbose,
                       void (*tell)(void *page, const char *label, const char *text), void *page);

/** A repair that holds, for the first cause that has one; NULL: there is none. */
const struct vtb_cause_repair *vtb_report_repair(const struct vtb_causes *c);

#endif /* VTB_REPORT_CAUSES_H */
