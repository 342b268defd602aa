/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file objects.h  The objects of the file, by its symbols, and what it holds in them before anything is stored. */
#ifndef SLICE_OBJECTS_H
#define SLICE_OBJECTS_H

#include "regions.h"

/** Add those of a section: 0 or -ENOMEM. */
int objects_find(struct regions *m, const struct image_section *s);
/** The object that holds addr, or ends there if none does; NONE. */
uint32_t objects_at(const struct regions *m, uint64_t addr);
uint32_t objects_initial(struct regions *m, const struct place *place, unsigned size);

#endif /* SLICE_OBJECTS_H */
