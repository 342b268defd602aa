/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What test programs say when a test fails: each framework's row looks at each line (frameworks/framework_*.c). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frameworks/framework.h"
#include "frameworks/framework_rows.h"

void vtb_test_keep(char *to, const char *text, size_t n)
{
	n = n < VTB_TEST_NAME_BYTES - 1 ? n : VTB_TEST_NAME_BYTES - 1;
	memcpy(to, text, n);
	to[n] = '\0';
}

const char *vtb_test_after(const char *line, const char *start)
{
	const size_t n = strlen(start);

	return strncmp(line, start, n) == 0 ? line + n + strspn(line + n, " ") : NULL;
}

static void take_line(struct vtb_test_reading *r, const char *line)
{
	for (size_t i = 0; i < VTB_FRAMEWORKS; i++)
		if (vtb_frameworks[i]->read)
			vtb_frameworks[i]->read(r, line);
}

char *vtb_test_failed(const char *output, size_t size)
{
	struct vtb_test_reading r = { .running = "" };
	char line[2048], *text = NULL;
	const char *name;

	for (size_t at = 0; at < size;) {
		const char *end = memchr(output + at, '\n', size - at);
		const size_t n = end ? (size_t)(end - output) - at : size - at,
		             kept = n < sizeof(line) - 1 ? n : sizeof(line) - 1;

		memcpy(line, output + at, kept);
		line[kept] = '\0';
		take_line(&r, line);
		at += n + 1;
	}
	name = r.failed[0] ? r.failed : r.running;
	if (!*name)
		return NULL;
	return asprintf(&text, "%s%s%s", name, r.place[0] ? " at " : "", r.place) < 0 ? NULL : text;
}
