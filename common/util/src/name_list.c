/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/name_list.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LENGTH 1024u /* a longer name matches by its beginning, a longer pattern nothing */

const char *vtb_name_list_next(const char **list, size_t *length)
{
	const char *from = *list + strspn(*list, ", "), *p = from;
	int depth = 0;

	for (; *p && (*p != ',' || depth > 0); p++)
		depth += strchr("<([", *p) ? 1 : strchr(">)]", *p) ? -1 : 0;
	*list = p;
	while (p > from && p[-1] == ' ')
		p--;
	*length = (size_t)(p - from);
	return *length ? from : NULL;
}

/* Only * and ? are special: "slots[2]" is one variable. */
static bool as_glob(const char *item, size_t length, char *buf, size_t size)
{
	size_t n = 0;
	bool glob = false;

	if (2 * length + 1 > size)
		return false;
	for (size_t i = 0; i < length; i++) {
		glob |= item[i] == '*' || item[i] == '?';
		if (item[i] == '[' || item[i] == ']' || item[i] == '\\')
			buf[n++] = '\\';
		buf[n++] = item[i];
	}
	buf[n] = '\0';
	return glob;
}

static bool matches(const char *item, size_t length, const char *name, size_t n)
{
	char glob[2 * NAME_MAX_LENGTH], copy[NAME_MAX_LENGTH];

	if (length == n && memcmp(item, name, n) == 0)
		return true;
	if (!as_glob(item, length, glob, sizeof(glob)))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)n, name);
	return fnmatch(glob, copy, 0) == 0;
}

bool vtb_name_item_is(const char *item, size_t length, const char *name)
{
	return matches(item, length, name, strlen(name));
}

/* Every place where the name of a part goes on ends a whole. */
bool vtb_name_item_covers(const char *item, size_t length, const char *name)
{
	for (size_t n = strcspn(name, ".[-"); name[n]; n += 1 + strcspn(name + n + 1, ".[-"))
		if (matches(item, length, name, n))
			return true;
	return matches(item, length, name, strlen(name));
}

typedef bool (*names_fn)(const char *item, size_t length, const char *name);

bool vtb_name_list_covers(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while ((item = vtb_name_list_next(&list, &length)) != NULL)
		if (vtb_name_item_covers(item, length, name))
			return true;
	return false;
}
