/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file suspicion_read.h The reading half of vtb/suspicion.h, for failure_file.c. */
#ifndef VTB_SUSPICION_READ_H
#define VTB_SUSPICION_READ_H

#include "vtb/json.h"
#include "vtb/suspicion.h"

/** Member `key`, if it is there. The first failure stays in the document. */
void vtb_suspicions_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                         struct vtb_suspicions *ret);

#endif /* VTB_SUSPICION_READ_H */
