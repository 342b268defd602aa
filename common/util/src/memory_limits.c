/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/memory_limits.h"

#include <sys/resource.h>

#include "vtb/bounded_text.h"

#define MB 1048576ull

/* A small program with two threads, in its process: the block and the runtime's own tables and copies are 750 MB of
 * addresses, of which 40 MB count as data. */
static const struct {
	int resource;
	unsigned megabytes; /* enough for the runtime and a small program */
	const char *name, *option, *of;
} limits[] = {
	{ RLIMIT_AS, 1024, "RLIMIT_AS", "-v", "addresses" },
	{ RLIMIT_DATA, 64, "RLIMIT_DATA", "-d", "data" },
};

char *vtb_memory_limits(char *buf, size_t size)
{
	struct vtb_bounded_text t = { .buf = buf, .size = size };
	struct rlimit limit;

	buf[0] = 0;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (getrlimit((__rlimit_resource_t)limits[i].resource, &limit) < 0 ||
		    limit.rlim_cur >= limits[i].megabytes * MB)
			continue;
		vtb_bounded_text_add(
		    &t,
		    "%s%s is %llu MB, in which the runtime has to live beside the program: with less than "
		    "%u MB of %s either may fail for want of memory (ulimit %s unlimited).",
		    t.used ? " " : "", limits[i].name, (unsigned long long)(limit.rlim_cur / MB), limits[i].megabytes,
		    limits[i].of, limits[i].option);
	}
	return buf;
}
