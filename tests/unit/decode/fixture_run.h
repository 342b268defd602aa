/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file fixture_run.h  Run a fixture program (fixtures/expect.h) and hand its expectations to a function, line by
 * line. */
#ifndef FIXTURE_RUN_H
#define FIXTURE_RUN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS_MAX 6

/** fields[0..n): the kind's letter and what follows it; empty ones included. */
typedef void fixture_line_fn(const char *path, char **fields, size_t n, void *arg);

/** Every program of the space-separated list FIXTURES. Returns the number of lines handed over. */
static size_t fixture_run(const char *path, fixture_line_fn *fn, void *arg)
{
	FILE *f = popen(path, "r");
	char line[1024];
	size_t lines = 0;

	while (f && fgets(line, sizeof(line), f)) {
		char *fields[FIELDS_MAX] = { 0 }, *at = line;
		size_t n = 0;

		line[strcspn(line, "\n")] = '\0';
		while (n < FIELDS_MAX && at)
			fields[n++] = strsep(&at, "|");
		fn(path, fields, n, arg);
		lines++;
	}
	if (f && pclose(f) != 0) {
		fprintf(stderr, "%s failed\n", path);
		abort();
	}
	return lines;
}

static inline uint64_t hex(const char *text)
{
	return strtoull(text, NULL, 16);
}

#endif /* FIXTURE_RUN_H */
