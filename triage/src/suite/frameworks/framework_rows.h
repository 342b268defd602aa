/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file framework_rows.h The frameworks that are known, in the order in which a program is asked whether it is one. */
#ifndef VTB_FRAMEWORK_ROWS_H
#define VTB_FRAMEWORK_ROWS_H

#include "framework.h"

static const struct vtb_framework *const vtb_frameworks[] = {
	&vtb_framework_meson,  &vtb_framework_ctest,     &vtb_framework_googletest,
	&vtb_framework_catch2, &vtb_framework_doctest,   &vtb_framework_boost,
	&vtb_framework_cmocka, &vtb_framework_criterion, &vtb_framework_check,
};
#define VTB_FRAMEWORKS (sizeof(vtb_frameworks) / sizeof(*vtb_frameworks))

#endif /* VTB_FRAMEWORK_ROWS_H */
