/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program linked with -fsanitize=thread finds many functions of libc in libtsan first, which gives its symbols no
 * versions; so its references have none either, and when the library in libtsan's place lacks the function, ld.so takes
 * libc's oldest. realpath(path, NULL) then fails as it did in glibc 2.2. libtsan itself calls the newest version, and
 * so do these.
 */
#include <stddef.h>

#include "base.h"

#define VTB_NEWEST(ret, name, params, args)           \
	VTB_EXPORT ret name params;                   \
	VTB_EXPORT ret name params                    \
	{                                             \
		VTB_BEHIND(ret, call, params, #name); \
                                                      \
		return call args;                     \
	}
#include "newest.def"
#undef VTB_NEWEST
