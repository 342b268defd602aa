/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What /proc/meminfo says of the machine's memory (proc(5)). How much there is of each kind stays; all of it is free,
 * as sysinfo() tells it, and what else is counted is 0. So each run is told the same.
 *
 *     MemTotal:    8000000 kB        becomes       MemTotal:    8000000 kB
 *     MemFree:     1234567 kB                      MemFree:     8000000 kB
 *     Buffers:        4711 kB                      Buffers:        0 kB
 */
#include <string.h>

#include "base.h"
#include "syscalls.h"

#define ROOM 4096u

struct piece {
	const char *text;
	size_t n;
};

/* What is told is the number of `of`. All others: 0. */
static const struct row {
	const char *name, *of;
} rows[] = {
	{ "MemTotal", "MemTotal" },
	{ "MemFree", "MemTotal" },
	{ "MemAvailable", "MemTotal" },
	{ "SwapTotal", "SwapTotal" },
	{ "SwapFree", "SwapTotal" },
	{ "CommitLimit", "CommitLimit" },
	{ "VmallocTotal", "VmallocTotal" },
	{ "HugePages_Total", "HugePages_Total" },
	{ "HugePages_Free", "HugePages_Total" },
	{ "Hugepagesize", "Hugepagesize" },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The number in the line of this name. */
static struct piece number_of(const char *text, const char *name)
{
	const size_t n = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		struct piece number = { line + n + 1, 0 };

		if (strncmp(line, name, n) != 0 || line[n] != ':')
			continue;
		while (*number.text == ' ')
			number.text++;
		while (is_digit(number.text[number.n]))
			number.n++;
		return number;
	}
	return (struct piece){ "0", 1 };
}

static struct piece told_of(const char *text, const char *line, size_t name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (strlen(rows[i].name) == name && !memcmp(rows[i].name, line, name))
			return number_of(text, rows[i].of);
	return (struct piece){ "0", 1 };
}

#define COLUMNS 24u /* of name and number */

/* A line with another number, as the kernel lays it out; NULL: there is no room. */
static char *put_line(char *to, const char *end, const char *line, size_t name, struct piece number,
                      const struct piece *rest)
{
	const size_t used = name + number.n, spaces = used < COLUMNS ? COLUMNS - used : 1;

	if ((size_t)(end - to) < used + spaces + rest->n)
		return NULL;
	memcpy(to, line, name);
	memset(to + name, ' ', spaces);
	to += name + spaces;
	memcpy(to, number.text, number.n);
	memcpy(to + number.n, rest->text, rest->n);
	return to + number.n + rest->n;
}

/* `text` ends with a 0. How much was told; 0: there is no room, or it is not what was expected. */
static size_t tell(const char *text, char *ret, size_t room)
{
	char *to = ret;

	for (const char *line = text; *line;) {
		const char *colon = strchr(line, ':'), *end = strchr(line, '\n'), *number;
		struct piece rest;

		if (!colon || !end || colon > end)
			return 0;
		for (number = colon + 1; *number == ' ';)
			number++;
		for (rest.text = number; is_digit(*rest.text);)
			rest.text++;
		rest.n = (size_t)(end + 1 - rest.text);
		to = put_line(to, ret + room, line, (size_t)(colon + 1 - line),
		              told_of(text, line, (size_t)(colon - line)), &rest);
		if (!to)
			return 0;
		line = end + 1;
	}
	return (size_t)(to - ret);
}

bool vtb_proc_meminfo_opened(long fd, const char *path)
{
	static char text[ROOM], told[2 * ROOM];
	size_t size;
	long n;

	if (strcmp(path, "/proc/meminfo") != 0)
		return false;
	n = sys6(SYS_pread64, fd, (long)text, sizeof(text) - 1, 0, 0, 0);
	if (n <= 0 || n == (long)sizeof(text) - 1)
		return false;
	text[n] = 0;
	size = tell(text, told, sizeof(told));
	return size && vtb_proc_replace(fd, told, size);
}
