/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where static data stands. The linker puts sections one behind the other in the order in which it meets them, and it
 * meets this file first:
 *
 *     vtb_history_rare │ vtb_history   vtb_run   vtb_run_last: vtb_rt ...
 *                      └ a page begins
 *
 * so that what every run writes, up to the front of vtb_rt, is that page.
 */
#include "base/guest.h"

#define FIRST(section, how) static char section##_first how __attribute__((used))

FIRST(rare, VTB_HISTORY_RARE);
FIRST(history, VTB_HISTORY) __attribute__((aligned(4096)));
FIRST(run, VTB_RUN);
FIRST(last, VTB_RUN_LAST);
