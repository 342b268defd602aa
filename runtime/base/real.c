/* SPDX-License-Identifier: BSD-2-Clause */
#include "real.h"

#include <dlfcn.h>

struct vtb_real vtb_real;

void vtb_real_init(void)
{
	const char *version;

#define VTB_REAL(ret, name, params, symbol_version) \
	version = symbol_version;                   \
	vtb_real.name = (ret(*) params)(version ? dlvsym(RTLD_NEXT, #name, version) : dlsym(RTLD_NEXT, #name));
#include "real.def"
#undef VTB_REAL
}

void *vtb_real_symbol(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

void *vtb_real_kept(void **known, const char *name)
{
	if (!__atomic_load_n(known, __ATOMIC_RELAXED))
		__atomic_store_n(known, vtb_real_symbol(name), __ATOMIC_RELAXED);
	return __atomic_load_n(known, __ATOMIC_RELAXED);
}
