/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "openmp_names.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define VTB_OPENMP(name) #name,
#include "openmp.def"
};

static int by_name(const void *name, const void *entry)
{
	return strcmp(name, *(const char *const *)entry);
}

bool vtb_openmp_has(const char *name)
{
	return bsearch(name, names, sizeof(names) / sizeof(*names), sizeof(*names), by_name) != NULL;
}
