/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file outcome.h Member "outcome" of the text formats. */
#ifndef VTB_OUTCOME_H
#define VTB_OUTCOME_H

#include "format_parts.h"

void vtb_outcome_write(struct vtb_json_writer *w, const char *key, const struct vtb_symtab *tab,
                       const struct vtb_outcome *o);
/** Texts go into `tab`. A missing member leaves *ret as it is. */
void vtb_outcome_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, struct vtb_symtab *tab,
                      struct vtb_outcome *ret);

/** The word of a verdict at member `key`. */
enum vtb_verdict vtb_verdict_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key);

#endif /* VTB_OUTCOME_H */
