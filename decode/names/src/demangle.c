/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "demangle.h"

#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES 65536u /* a hostile symbol table may hold a name of any length */

/* The C++ ABI's own function (itanium-cxx-abi, section 3.4), with C linkage; its header can be read by C++ only. */
char *__cxa_demangle(const char *mangled_name, char *output_buffer, size_t *length, int *status);

char *vtb_demangle(const char *name)
{
	int status;

	if (strncmp(name, "_Z", 2) != 0 || strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return NULL;
	return __cxa_demangle(name, NULL, NULL, &status);
}

char *vtb_demangle_type(const char *name)
{
	int status;

	if (!*name || strnlen(name, NAME_MAX_BYTES) == NAME_MAX_BYTES)
		return NULL;
	return __cxa_demangle(name, NULL, NULL, &status);
}
