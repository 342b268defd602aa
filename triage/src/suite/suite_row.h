/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file suite_row.h What became of one test, from the result of a hunt of it. */
#ifndef VTB_SUITE_ROW_H
#define VTB_SUITE_ROW_H

#include "vtb/hunt_tests.h"

/** Add a round's result: the row says the best of what is known. 0 or -ENOMEM. */
int vtb_suite_row_take(struct vtb_suite_row *row, const struct vtb_hunt_result *result);

#endif /* VTB_SUITE_ROW_H */
