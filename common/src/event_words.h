/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file event_words.h Words of the text formats for the numbers in an event or a deviation. */
#ifndef VTB_EVENT_WORDS_H
#define VTB_EVENT_WORDS_H

#define VTB_MEMORY_ORDERS 6
extern const char *const vtb_memory_orders[VTB_MEMORY_ORDERS]; /* [VTB_ORDER_*] */

#define VTB_DEVIATION_KINDS 8
extern const char *const vtb_deviation_words[VTB_DEVIATION_KINDS]; /* [VTB_DEV_*], 0 is a gap */

#endif /* VTB_EVENT_WORDS_H */
