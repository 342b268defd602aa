/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "classes.h"

#define CORE_CLASS_ROW(name) &name,
const struct vtb_core_class *const core_classes[] = { CORE_CLASSES(CORE_CLASS_ROW) };
const size_t core_n_classes = sizeof(core_classes) / sizeof(*core_classes);
