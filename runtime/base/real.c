/* SPDX-License-Identifier: BSD-2-Clause */
#include "real.h"

#include <dlfcn.h>

struct vtb_real vtb_real;

void vtb_real_init(void)
{
	const char *version;

	vtb_real_begin_to_keep();
#define VTB_REAL(ret, name, params, symbol_version) \
	version = symbol_version;                   \
	vtb_real.name = (ret(*) params)(version ? dlvsym(RTLD_NEXT, #name, version) : vtb_real.dlsym(RTLD_NEXT, #name));
#include "real.def"
#undef VTB_REAL
}
