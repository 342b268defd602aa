/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_parts.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/items.h"

#define OPTIONS_MAX 200u

static void no_memory(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	vtb_json_fail(doc, object, key, 0, -ENOMEM, "not enough memory");
}

char *vtb_item_text_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool needed)
{
	const char *text = needed ? vtb_json_get_string(doc, object, key) : vtb_json_opt_string(doc, object, key, NULL);
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		no_memory(doc, object, key);
	return copy;
}

char *vtb_item_id_read(struct vtb_json *doc, const struct vtb_json_node *object)
{
	char *id = vtb_item_text_read(doc, object, "id", true);
	size_t n = 0;

	while (id && (isalnum((unsigned char)id[n]) || (id[n] && strchr("._-", id[n]))))
		n++;
	if (id && (!n || id[n] || n > VTB_ITEM_ID_MAX))
		vtb_json_fail(doc, object, "id", 0, -VTB_E_SCHEMA,
		              "expected 1 to %u letters, digits and characters of \"._-\"", VTB_ITEM_ID_MAX);
	return id;
}

static char *option_of(struct vtb_json *doc, const struct vtb_json_node *options, const char *name)
{
	const char *value = vtb_json_get_string(doc, options, name);
	char *text = NULL;

	if (strchr(name, '='))
		vtb_json_fail(doc, options, name, 0, -VTB_E_SCHEMA, "no option has a \"=\" in its name");
	else if (asprintf(&text, "%s=%s", name, value) < 0)
		no_memory(doc, options, name);
	return text;
}

char **vtb_item_options_read(struct vtb_json *doc, const struct vtb_json_node *object)
{
	const struct vtb_json_node *options = vtb_json_get_object(doc, object, "options");
	char **ret = calloc(OPTIONS_MAX + 1, sizeof(*ret));
	const char *name;

	if (!ret)
		no_memory(doc, object, "options");
	for (size_t n = 0; ret && vtb_json_status(doc) >= 0 && (name = vtb_json_member(options, n)); n++)
		if (n == OPTIONS_MAX)
			vtb_json_fail(doc, object, "options", 0, -VTB_E_LIMIT, "more than %u", OPTIONS_MAX);
		else
			ret[n] = option_of(doc, options, name);
	return ret;
}

double vtb_item_real_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, double fallback)
{
	char *text = vtb_json_text(object, key);
	const double value = text ? strtod(text, NULL) : 0;
	const bool is = value > 0 && value <= 1e9;

	if (!is && fallback < 0)
		vtb_json_fail(doc, object, key, 0, -VTB_E_SCHEMA, "expected a number above 0");
	free(text);
	return is ? value : fallback;
}
