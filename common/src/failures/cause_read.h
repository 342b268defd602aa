/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file cause_read.h The reading half of vtb/cause.h, for failure_file.c. */
#ifndef VTB_CAUSE_READ_H
#define VTB_CAUSE_READ_H

#include "vtb/cause.h"
#include "vtb/json.h"

/** Members `cores` and `explained`, if they are there. The first failure stays in the document. */
void vtb_causes_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_causes *ret);

#endif /* VTB_CAUSE_READ_H */
