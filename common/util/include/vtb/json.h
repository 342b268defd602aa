/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file json.h
 * JSON in and out, for all our text formats and for --json. The only user of jansson is json.c.
 *
 * Writing: a stream; members come out in the order of the calls, so the same data give the same bytes. Two spaces a
 *          level; an array or object opened with _row stays on one line. 64-bit quantities: vtb_json_u64() writes a
 * number up to 2^53 - 1 and a string "0x..." above, as common JSON readers hold numbers as doubles; vtb_json_hex()
 * always writes the string. Bytes that are not UTF-8 become U+FFFD. Reading: a document is read whole; size, nesting
 * (2048) and array lengths are bounded. The getters check type and range, and name file, line and member in `err` on
 * the first failure; after it they all return empty values, so a reader may call them freely and ask vtb_json_status()
 * at the end of each loop. Unknown members are ignored. Ownership: the document owns all nodes and strings.
 */
#ifndef VTB_JSON_H
#define VTB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "vtb/error.h"

/* ------------------------------------------------------------------ writing */

#define VTB_JSON_WRITE_DEPTH 32

struct vtb_json_writer {
	FILE *file;
	unsigned depth;
	uint32_t used;  /* bit d: the value open at depth d has a member already */
	uint32_t array; /* bit d: it is an array */
	uint32_t inrow; /* bit d: it is on one line */
};

void vtb_json_begin(struct vtb_json_writer *w, FILE *file);
/** Close everything and end the line. */
void vtb_json_finish(struct vtb_json_writer *w);

/* `key` is NULL inside arrays and at the top. */
void vtb_json_object(struct vtb_json_writer *w, const char *key);
void vtb_json_array(struct vtb_json_writer *w, const char *key);
void vtb_json_object_row(struct vtb_json_writer *w, const char *key);
void vtb_json_array_row(struct vtb_json_writer *w, const char *key);
void vtb_json_end(struct vtb_json_writer *w); /* of the innermost object or array */

void vtb_json_string(struct vtb_json_writer *w, const char *key, const char *value); /* NULL: null */
void vtb_json_u64(struct vtb_json_writer *w, const char *key, uint64_t value);
void vtb_json_hex(struct vtb_json_writer *w, const char *key, uint64_t value);
void vtb_json_int(struct vtb_json_writer *w, const char *key, int64_t value);
void vtb_json_real(struct vtb_json_writer *w, const char *key, double value); /* not finite: null */
void vtb_json_bool(struct vtb_json_writer *w, const char *key, bool value);
void vtb_json_null(struct vtb_json_writer *w, const char *key);

/* ------------------------------------------------------------------ reading */

#define VTB_JSON_BYTES_MAX ((size_t)512 << 20)

struct vtb_json;      /* a document */
struct vtb_json_node; /* a value in it */

/** Read a file ("-": stdin) of at most `max_bytes`. `err` is kept for the getters until vtb_json_free(). */
int vtb_json_read(const char *path, size_t max_bytes, struct vtb_json **ret, struct vtb_error *err);
/** The same from memory; `name` stands for the file in messages; the text is copied. */
int vtb_json_parse(const char *name, const char *text, size_t size, struct vtb_json **ret, struct vtb_error *err);
void vtb_json_free(struct vtb_json *doc);

const struct vtb_json_node *vtb_json_root(const struct vtb_json *doc);
/** The first failure, or 0. */
int vtb_json_status(const struct vtb_json *doc);
/** The value of the member "format" at the top, or "" if there is none. */
const char *vtb_json_format(const struct vtb_json *doc);
/** Check "format" and "version" of `object`: 0, -VTB_E_FORMAT, -VTB_E_VERSION. */
int vtb_json_expect(struct vtb_json *doc, const struct vtb_json_node *object, const char *format, uint32_t version);

/** A complaint about member `key` of the object `container` (NULL: about the object itself) or item `index` of the
 * array. The first complaint stays. Returns its code. */
int vtb_json_fail(struct vtb_json *doc, const struct vtb_json_node *container, const char *key, size_t index, int r,
                  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/** Is there a member that is not null? */
bool vtb_json_has(const struct vtb_json_node *object, const char *key);
bool vtb_json_is_object(const struct vtb_json_node *object, const char *key);
/** The member if it is a string, else NULL, without complaint. */
const char *vtb_json_peek_string(const struct vtb_json_node *object, const char *key);
size_t vtb_json_count(const struct vtb_json_node *array); /* 0 for NULL */
/** Name of the object's member number `i`, NULL: it has fewer. O(i). */
const char *vtb_json_member(const struct vtb_json_node *object, size_t i);
/** The document itself, which is to be an array. */
const struct vtb_json_node *vtb_json_items(struct vtb_json *doc, size_t max_items);
/** A member as JSON again, on one line: a fresh string; NULL: there is none, or no memory. */
char *vtb_json_text(const struct vtb_json_node *object, const char *key);

/* Members of an object. get: must be there. opt: `fallback` if missing or null. On failure: NULL, "", 0, false. */
const struct vtb_json_node *vtb_json_get_object(struct vtb_json *doc, const struct vtb_json_node *object,
                                                const char *key);
const struct vtb_json_node *vtb_json_opt_object(struct vtb_json *doc, const struct vtb_json_node *object,
                                                const char *key);
const struct vtb_json_node *vtb_json_get_array(struct vtb_json *doc, const struct vtb_json_node *object,
                                               const char *key, size_t max_items);
const struct vtb_json_node *vtb_json_opt_array(struct vtb_json *doc, const struct vtb_json_node *object,
                                               const char *key, size_t max_items);
const char *vtb_json_get_string(struct vtb_json *doc, const struct vtb_json_node *object, const char *key);
const char *vtb_json_opt_string(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                                const char *fallback);
uint64_t vtb_json_get_u64(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, uint64_t max);
uint64_t vtb_json_opt_u64(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, uint64_t max,
                          uint64_t fallback);
bool vtb_json_opt_bool(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool fallback);

/* Items of an array, index < vtb_json_count(). */
const struct vtb_json_node *vtb_json_item_object(struct vtb_json *doc, const struct vtb_json_node *array, size_t index);
const char *vtb_json_item_string(struct vtb_json *doc, const struct vtb_json_node *array, size_t index);
uint64_t vtb_json_item_u64(struct vtb_json *doc, const struct vtb_json_node *array, size_t index, uint64_t max);

/* Paths and arguments, which are bytes. Member KEY is for people: bytes that are no UTF-8 became U+FFFD. If there are
 * any, member KEY_bytes has the text itself, with each of them as %XX and % as %25. Readers take that if it is there.
 *
 *     d\xffr/50%     "cwd": "d\ufffdr/50%",  "cwd_bytes": "d%ffr/50%25"
 *
 * What is read is fresh; NULL with the document's status if it is not there, is something else, or there is no memory.
 */
/** NULL: null. */
void vtb_json_bytes(struct vtb_json_writer *w, const char *key, const char *value);
/** An array on one line; KEY_bytes has all of them if one needs it. NULL: none. */
void vtb_json_words(struct vtb_json_writer *w, const char *key, char *const *words);

/** A missing or null member: NULL, without complaint unless it is `needed`. */
char *vtb_json_read_bytes(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool needed);
/** A missing or null member: no words, without complaint unless it is `needed`. */
char **vtb_json_read_words(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, size_t max,
                           bool needed);

#endif /* VTB_JSON_H */
