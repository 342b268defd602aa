/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file module_report.h Which programs and libraries of a recording are not at hand as they were. */
#ifndef VTB_MODULE_REPORT_H
#define VTB_MODULE_REPORT_H

#include "vtb/symtab.h"

/** Is there no place whose program or library is at hand, though some come from files? */
bool vtb_decode_is_nameless(const struct vtb_symtab *tab);

#endif /* VTB_MODULE_REPORT_H */
