/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/self.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static char self[PATH_MAX];

const char *vtb_self(void)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	ssize_t n;

	if (*self)
		return self;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = 0;
	if (n <= 0 && !(started_as && realpath(started_as, self)))
		*self = 0;
	return *self ? self : NULL;
}

bool vtb_self_beside(const char *name, char path[static PATH_MAX])
{
	const char *file = vtb_self(), *slash = file ? strrchr(file, '/') : NULL;

	if (slash && snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - file), file, name) < PATH_MAX)
		return true;
	*path = 0;
	return false;
}
