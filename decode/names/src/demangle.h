/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file demangle.h  C++ names; the only user of libstdc++ is demangle.c. */
#ifndef VTB_DEMANGLE_H
#define VTB_DEMANGLE_H

/** The readable form of a mangled C++ name, malloc'd; NULL if it is none (then use the name itself) or without memory.
 */
char *vtb_demangle(const char *name);
/** The same of a type's name, as std::type_info has it. */
char *vtb_demangle_type(const char *name);

#endif /* VTB_DEMANGLE_H */
