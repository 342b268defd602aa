/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What test programs say when a test fails:
 *
 *     googletest   [ RUN      ] Suite.Name          cmocka   [ RUN      ] name
 *                  file.cc:12: Failure                       [  ERROR   ] --- 1 != 2
 *                  [  FAILED  ] Suite.Name (0 ms)            [   LINE   ] --- file.c:12: error: Failure!
 *                                                            [  FAILED  ] name
 *     Catch2       ---------- / name / ---------- / file:line / .......... / blank / file.cc:12: FAILED:
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/test_list.h"

#define NAME_MAX_BYTES 300

struct reading {
	char running[NAME_MAX_BYTES], failed[NAME_MAX_BYTES];
	char place[NAME_MAX_BYTES];   /* of the first complaint since the test began */
	char heading[NAME_MAX_BYTES]; /* Catch2: the first line between two rulers */
	bool in_heading;              /* between two rulers */
};

static void keep(char *to, const char *text, size_t n)
{
	n = n < NAME_MAX_BYTES - 1 ? n : NAME_MAX_BYTES - 1;
	memcpy(to, text, n);
	to[n] = '\0';
}

/* "Suite.Name (0 ms)", "Suite.Name, where ...": the name. */
static void keep_name(char *to, const char *text)
{
	text += strspn(text, " ");
	keep(to, text, strcspn(text, ",(\n") - (text[strcspn(text, ",(\n")] == '(' ? 1 : 0));
}

static bool ruler(const char *line)
{
	return strlen(line) >= 60 && strspn(line, "-") == strlen(line);
}

static void take_line(struct reading *r, const char *line)
{
	static const char run[] = "[ RUN      ]", ok[] = "[       OK ]", failed[] = "[  FAILED  ]",
	                  at[] = "[   LINE   ] --- ";
	const char *word;

	if (strncmp(line, run, sizeof(run) - 1) == 0) {
		keep_name(r->running, line + sizeof(run) - 1);
		r->place[0] = '\0';
	} else if (strncmp(line, ok, sizeof(ok) - 1) == 0) {
		r->running[0] = '\0';
	} else if (strncmp(line, failed, sizeof(failed) - 1) == 0) {
		if (r->running[0]) /* not one of the summary */
			keep_name(r->failed, line + sizeof(failed) - 1);
		r->running[0] = '\0';
	} else if (strncmp(line, at, sizeof(at) - 1) == 0) {
		word = strstr(line, ": error:");
		if (!r->place[0])
			keep(r->place, line + sizeof(at) - 1,
			     word ? (size_t)(word - line) - (sizeof(at) - 1) : strlen(line) - (sizeof(at) - 1));
	} else if ((word = strstr(line, ": Failure")) && !word[9]) {
		if (!r->place[0])
			keep(r->place, line, (size_t)(word - line));
	} else if ((word = strstr(line, ": FAILED:")) && r->heading[0]) {
		if (!r->failed[0]) {
			keep(r->failed, r->heading, strlen(r->heading));
			keep(r->place, line, (size_t)(word - line));
		}
	} else if (ruler(line)) {
		r->in_heading = !r->in_heading;
		r->heading[0] = r->in_heading ? '\0' : r->heading[0];
	} else if (r->in_heading && *line && !r->heading[0]) { /* sections follow, indented */
		keep(r->heading, line, strlen(line));
	}
}

char *vtb_test_failed(const char *output, size_t size)
{
	struct reading r = { .running = "" };
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
