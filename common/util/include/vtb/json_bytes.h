/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file json_bytes.h
 * Paths and arguments, which are bytes, in JSON, which is UTF-8. Member KEY is for people: bytes that are no UTF-8
 * became U+FFFD. If there are any, member KEY_bytes has the text itself, with each of them as %XX and % as %25. Readers
 * take that if it is there.
 *
 *     d\xffr/50%     "cwd": "d\ufffdr/50%",  "cwd_bytes": "d%ffr/50%25"
 *
 * Ownership: what is read is fresh; NULL with the document's status if it is not there, is something else, or there is
 * no memory.
 */
#ifndef VTB_JSON_BYTES_H
#define VTB_JSON_BYTES_H

#include "vtb/json.h"

/** NULL: null. */
void vtb_json_bytes(struct vtb_json_writer *w, const char *key, const char *value);
/** An array on one line; KEY_bytes has all of them if one needs it. NULL: none. */
void vtb_json_words(struct vtb_json_writer *w, const char *key, char *const *words);

/** A missing or null member: NULL, without complaint unless it is `needed`. */
char *vtb_json_read_bytes(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool needed);
/** A missing or null member: no words, without complaint unless it is `needed`. */
char **vtb_json_read_words(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, size_t max,
                           bool needed);

#endif /* VTB_JSON_BYTES_H */
