/* SPDX-License-Identifier: GPL-2.0-or-later */
/* struct vtb_found in failure.json. */
#ifndef VTB_FOUND_FILE_H
#define VTB_FOUND_FILE_H

#include "vtb/failure.h"
#include "vtb/json.h"

/** As member `found`, left out if nothing is known. */
void vtb_found_write(struct vtb_json_writer *w, const struct vtb_found *f);
void vtb_found_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_found *ret);

#endif /* VTB_FOUND_FILE_H */
