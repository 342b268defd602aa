/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file event_text.h One event as a JSON object. */
#ifndef VTB_EVENT_TEXT_H
#define VTB_EVENT_TEXT_H

#include "format_parts.h"

void vtb_event_write(struct vtb_json_writer *w, const struct vtb_symtab *tab, const struct vtb_event *e);
void vtb_event_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_symtab *tab,
                    struct vtb_event *ret);

#endif /* VTB_EVENT_TEXT_H */
