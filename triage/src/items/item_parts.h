/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file item_parts.h  Members that items and lists of items share. Complaints stay in `doc`. */
#ifndef VTB_ITEM_PARTS_H
#define VTB_ITEM_PARTS_H

#include "vtb/json.h"

/** "id": a fresh string. */
char *vtb_item_id_read(struct vtb_json *doc, const struct vtb_json_node *object);
/** "options": "name=value" each, a fresh vector. */
char **vtb_item_options_read(struct vtb_json *doc, const struct vtb_json_node *object);
/** A member, a fresh string; NULL: it is not there (and `needed`: a complaint). */
char *vtb_item_text_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool needed);
/** A member above 0, else `fallback`; that below 0: a complaint. */
double vtb_item_real_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, double fallback);

#endif /* VTB_ITEM_PARTS_H */
