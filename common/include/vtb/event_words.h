/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file event_words.h
 * Words for what events and deviations are: those of the text formats, and those that people read. The only table of
 * each.
 */
#ifndef VTB_EVENT_WORDS_H
#define VTB_EVENT_WORDS_H

#include "vtb/events.h"

#define VTB_MEMORY_ORDERS 6
extern const char *const vtb_memory_orders[VTB_MEMORY_ORDERS]; /* [VTB_ORDER_*] */

#define VTB_DEVIATION_KINDS 8
extern const char *const vtb_deviation_words[VTB_DEVIATION_KINDS]; /* [VTB_DEV_*], 0 is a gap */

/** What a kind of event is called; members are NULL where there is no word. The kind's name and what happened are in
 * vtb/events.def. */
struct vtb_event_words {
	const char *phrase;   /* with the object: %s is its name: "takes from semaphore %s" */
	const char *not_done; /* the same if the value says that it did not succeed; NULL: always does */
	const char *verb;     /* without: "takes" */
	const char *pending;  /* before it takes place: "waits for" */
};

/** Never NULL. */
const struct vtb_event_words *vtb_event_words(unsigned kind);

#endif /* VTB_EVENT_WORDS_H */
