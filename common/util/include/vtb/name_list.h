/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file name_list.h
 * Lists of names as options take them: "size,map<int, int>::*". Commas stand between names, but for those inside of
 * brackets; * stands for any characters, ? for one. Names longer than 1023 bytes match patterns by their beginning.
 */
#ifndef VTB_NAME_LIST_H
#define VTB_NAME_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** The next item of the list, which is not NUL-terminated; moves *list behind it. NULL at the end. */
const char *vtb_name_list_next(const char **list, size_t *length);

/** Does the item mean `name`? */
bool vtb_name_item_is(const char *item, size_t length, const char *name);
/** Does it, or one that the variable `name` is a part of? "account" covers "account.balance" and "account[3]". */
bool vtb_name_item_covers(const char *item, size_t length, const char *name);

/** Does any item of the list cover it? O(length of both). */
bool vtb_name_list_covers(const char *list, const char *name);

#endif /* VTB_NAME_LIST_H */
