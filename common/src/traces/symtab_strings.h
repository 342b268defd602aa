/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file symtab_strings.h
 * The arena behind a symbol table: deduplicated strings that never move, and the index of threads by (parent, nth).
 * All look-ups are O(1) on average.
 */
#ifndef VTB_STRINGS_H
#define VTB_STRINGS_H

#include <stddef.h>
#include <stdint.h>

struct vtb_strings;

struct vtb_strings *vtb_strings_new(void); /* NULL on -ENOMEM */
void vtb_strings_free(struct vtb_strings *s);

/** The one copy of text[0..len); NULL on -ENOMEM. */
const char *vtb_strings_intern(struct vtb_strings *s, const char *text, size_t len);

/** Where the value of `key` stands, added as UINT32_MAX if it is new; NULL on -ENOMEM. Valid until the next call. */
uint64_t *vtb_strings_child(struct vtb_strings *s, uint64_t key);

#endif /* VTB_STRINGS_H */
