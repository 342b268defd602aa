/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file schedule_words.h Words of schedules.json. */
#ifndef VTB_SCHEDULE_WORDS_H
#define VTB_SCHEDULE_WORDS_H

#include <stdbool.h>

#include "vtb/schedule.h"

#define VTB_POLICIES 3
extern const char *const vtb_policy_words[VTB_POLICIES]; /* [enum vtb_policy] */

/** Is the target of such a deviation a thread? */
static inline bool vtb_deviation_targets_thread(enum vtb_deviation_kind kind)
{
	return vtb_deviation_names_thread(kind);
}

#endif /* VTB_SCHEDULE_WORDS_H */
