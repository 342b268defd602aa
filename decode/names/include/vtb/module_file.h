/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file module_file.h
 * The file of a recorded program or library: is it still there, and is it the same build? Names from another build
 * would be false.
 */
#ifndef VTB_MODULE_FILE_H
#define VTB_MODULE_FILE_H

#include "vtb/symtab.h"

enum vtb_module_file {
	VTB_MODULE_SAME,    /* it has the recorded build-id; or none was recorded */
	VTB_MODULE_MISSING, /* no file of that name can be read */
	VTB_MODULE_OTHER,   /* another build */
	VTB_MODULE_FOREIGN, /* no 64-bit program of this machine */
	VTB_MODULE_NO_FILE, /* [vdso] and such are none */
};

/** Look for the module's file: below $VTB_SYMFS by its whole path, then by its name, then where it was. `where` gets
 * the path that was looked at. The first of the right build counts; if there is
 * none, the first that is there says what is wrong. Reads headers only. */
enum vtb_module_file vtb_module_find(const struct vtb_module *m, char *where, size_t size);

/** What is wrong with it, for people: "is another build than recorded". NULL: nothing. */
const char *vtb_module_trouble(enum vtb_module_file state);

#endif /* VTB_MODULE_FILE_H */
