/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pack_facts.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

static void kernel(char *buf, size_t size)
{
	struct utsname u;

	snprintf(buf, size, "%s", uname(&u) == 0 ? u.release : "");
}

static void machine(char *buf, size_t size)
{
	struct utsname u;

	snprintf(buf, size, "%s", uname(&u) == 0 ? u.machine : "");
}

static void libc(char *buf, size_t size)
{
	snprintf(buf, size, "%s", gnu_get_libc_version());
}

static void processor(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[512];

	buf[0] = '\0';
	while (f && !buf[0] && fgets(line, sizeof(line), f))
		if (strncmp(line, "model name", 10) == 0 && strchr(line, ':'))
			snprintf(buf, size, "%.*s", (int)strcspn(strchr(line, ':') + 2, "\n"), strchr(line, ':') + 2);
	if (f)
		fclose(f);
}

static void tool(char *buf, size_t size)
{
	snprintf(buf, size, "%s", VTB_VERSION);
}

const struct vtb_pack_fact vtb_pack_facts[] = {
	{ "kernel", "kernel", kernel }, { "machine", "machine", machine },
	{ "glibc", "glibc", libc },     { "processor", "processor", processor },
	{ "vtb", "vtb", tool },
};
const size_t vtb_n_pack_facts = sizeof(vtb_pack_facts) / sizeof(*vtb_pack_facts);

const char *const vtb_pack_variables[] = {
	"LANG",
	"LC_ALL",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"MALLOC_ARENA_MAX",
	"MALLOC_PERTURB_",
	"OMP_NUM_THREADS",
	"TSAN_OPTIONS",
	"TZ",
	NULL,
};
