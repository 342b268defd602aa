/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file told_variable.h
 * Variables as reports call them (vtb/short_name.h), with what the table of names knows of the block that they lie in:
 *
 *     open() at pool.c:13->next      next of the struct conn from pool.c:13
 *                                    next of the struct conn from pool.c:40, if open() has made another one, which is
 *                                    in the table, too, for a caller that is not line 40
 *
 * Both return buf, which is cut if it is too small; "?" for what is no variable. O(objects of the table).
 */
#ifndef VTB_TOLD_VARIABLE_H
#define VTB_TOLD_VARIABLE_H

#include "vtb/symtab.h"

char *vtb_told_variable(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size);
/** The same without a look at other blocks: the name does not depend on which there are. */
char *vtb_told_alone(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size);

/** Does the line stand in the C++ library's own code? */
bool vtb_site_is_library(const struct vtb_site *site);

#endif /* VTB_TOLD_VARIABLE_H */
