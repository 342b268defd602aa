/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json_locate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct cursor {
	const char *at, *end;
};

static char peek(const struct cursor *c)
{
	return c->at < c->end ? *c->at : '\0';
}

static void skip_space(struct cursor *c)
{
	while (c->at < c->end && strchr(" \t\r\n,:", *c->at) && *c->at)
		c->at++;
}

/* At an opening quote: go behind the closing one. */
static void skip_string(struct cursor *c)
{
	for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
		if (*c->at == '\\')
			c->at++;
	if (c->at < c->end)
		c->at++;
}

/* Go behind the value; brackets are counted, not nested in calls. */
static void skip_value(struct cursor *c)
{
	size_t depth = 0;

	do {
		skip_space(c);
		if (peek(c) == '"') {
			skip_string(c);
		} else if (peek(c) == '{' || peek(c) == '[') {
			depth++;
			c->at++;
		} else if (peek(c) == '}' || peek(c) == ']') {
			depth--;
			c->at++;
		} else {
			do /* at least one, or a byte that belongs nowhere would hold us for ever */
				c->at++;
			while (c->at < c->end && !strchr(",]} \t\r\n", *c->at));
		}
	} while (depth && c->at < c->end);
}

/* Keys with escapes are not decoded: ours have none. */
static bool enter(struct cursor *c, const struct vtb_json_step *step)
{
	const bool object = peek(c) == '{';

	if (object != (step->key != NULL) || (!object && peek(c) != '['))
		return false;
	c->at++;
	for (size_t i = 0;; i++) {
		const char *key;
		bool same;

		skip_space(c);
		if (c->at >= c->end || *c->at == ']' || *c->at == '}')
			return false;
		key = c->at;
		if (object)
			skip_string(c);
		same = object ? (size_t)(c->at - key) == strlen(step->key) + 2 &&
		                    !memcmp(key + 1, step->key, strlen(step->key))
		              : i == step->index;
		skip_space(c);
		if (same)
			return true;
		skip_value(c);
	}
}

void vtb_json_locate(const char *text, size_t size, const struct vtb_json_step *steps, size_t n_steps,
                     uint32_t *ret_line, uint32_t *ret_column)
{
	struct cursor c = { text, text + size };
	const char *line = text;
	const char *found;
	uint32_t n = 1;

	skip_space(&c);
	found = c.at;
	for (size_t i = 0; i < n_steps && enter(&c, &steps[i]); i++)
		found = c.at < c.end ? c.at : c.end;
	for (const char *p = text; p < found; p++) {
		if (*p != '\n')
			continue;
		n++;
		line = p + 1;
	}
	*ret_line = n;
	*ret_column = (uint32_t)(found - line) + 1;
}

void vtb_json_print_way(const struct vtb_json_step *steps, size_t n, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		if (steps[i].key)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? "." : "", steps[i].key);
		else
			used += (size_t)snprintf(buf + used, size - used, "[%zu]", steps[i].index);
}

int vtb_json_refuse_nul(const char *name, const char *text, size_t size, struct vtb_error *err)
{
	const char *nul = size ? memchr(text, '\0', size) : NULL, *line = text;
	uint32_t n = 1;

	if (!nul)
		return 0;
	for (const char *p = text; p < nul; p++) {
		if (*p != '\n')
			continue;
		n++;
		line = p + 1;
	}
	return vtb_error_set_line(err, -VTB_E_FORMAT, name, n, (uint32_t)(nul - line) + 1,
	                          "found a NUL byte, expected JSON");
}
