/* SPDX-License-Identifier: BSD-2-Clause */
#include "mappings.h"

#include <fcntl.h>
#include <string.h>

#include "base.h"

#define TEXT_BYTES (4u << 20)

static uint64_t hex(const char **p)
{
	uint64_t v = 0;

	for (;; (*p)++) {
		const char c = **p;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

/* "lo-hi rw-p offset device inode path" */
static bool is_private(const char *line, struct vtb_mapping *ret)
{
	const char *p = line;

	ret->lo = hex(&p);
	if (*p++ != '-')
		return false;
	ret->hi = hex(&p);
	ret->code = strncmp(p, " rwxp", 5) == 0;
	if (strncmp(p, " rw-p", 5) && !ret->code)
		return false;
	for (int field = 0; field < 4 && *p; p++)
		field += *p == ' ';
	ret->file = *p != '0';
	return true;
}

static bool each_line(const char *text, bool (*take)(const struct vtb_mapping *m))
{
	struct vtb_mapping m;

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL)
		if (is_private(line, &m) && !take(&m))
			return false;
	return true;
}

/* Read with raw calls into shared memory: the list must not change under our hands. */
const char *vtb_mappings_each(bool (*take)(const struct vtb_mapping *m))
{
	char *text = vtb_shared_pages(TEXT_BYTES);
	const long fd = sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY | O_CLOEXEC, 0, 0, 0);
	size_t used = 0;
	bool all;
	long n;

	if (!text || fd < 0)
		return "the process's memory map cannot be read";
	while ((n = sys3(SYS_read, fd, (long)(text + used), (long)(TEXT_BYTES - used - 1))) > 0)
		used += (size_t)n;
	sys3(SYS_close, fd, 0, 0);
	text[used] = 0;
	all = each_line(text, take) && used + 1 < TEXT_BYTES;
	sys3(SYS_munmap, (long)text, TEXT_BYTES, 0);
	return all ? NULL : "the process has too many memory mappings";
}
