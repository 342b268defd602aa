/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file json_locate.h Where in a text a value stands, for error messages: the document itself keeps no positions. */
#ifndef VTB_JSON_LOCATE_H
#define VTB_JSON_LOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/error.h"

/** A step from a value into one of its parts. */
struct vtb_json_step {
	const char *key; /* NULL: item `index` */
	size_t index;
};

/** Line and column (from 1) of the value that `steps` lead to; of the last value reached if a step leads nowhere.
 *  The text must be well-formed JSON. O(size). */
void vtb_json_locate(const char *text, size_t size, const struct vtb_json_step *steps, size_t n_steps,
                     uint32_t *ret_line, uint32_t *ret_column);

/** The way there: "events[3].thread"; a long one is cut at the end. */
void vtb_json_print_way(const struct vtb_json_step *steps, size_t n, char *buf, size_t size);

/** -VTB_E_FORMAT if there is a NUL byte: jansson takes one between two tokens for the end of the first. */
int vtb_json_refuse_nul(const char *name, const char *text, size_t size, struct vtb_error *err);

#endif /* VTB_JSON_LOCATE_H */
