/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "utf8.h"
#include "vtb/argv.h"

#define KEY_MAX 64u

static const char *key_of_bytes(const char *key, char buf[static KEY_MAX])
{
	snprintf(buf, KEY_MAX, "%s_bytes", key);
	return buf;
}

/* ---- writing */

static bool is_utf8(const char *text)
{
	while (*text) {
		const unsigned n = vtb_utf8_length(text);

		if (!n)
			return false;
		text += n;
	}
	return true;
}

/* NULL: no memory. */
static char *escape(const char *text)
{
	char *escaped = malloc(3 * strlen(text) + 1), *to = escaped;

	while (escaped && *text) {
		const unsigned n = *text == '%' ? 0 : vtb_utf8_length(text);

		if (n)
			memcpy(to, text, n);
		else
			snprintf(to, 4, "%%%02x", (unsigned char)*text);
		to += n ? n : 3;
		text += n ? n : 1;
	}
	if (escaped)
		*to = 0;
	return escaped;
}

static void put_escaped(struct vtb_json_writer *w, const char *key, const char *text)
{
	char *escaped = escape(text);

	vtb_json_string(w, key, escaped);
	free(escaped);
}

void vtb_json_bytes(struct vtb_json_writer *w, const char *key, const char *value)
{
	char buf[KEY_MAX];

	vtb_json_string(w, key, value);
	if (value && !is_utf8(value))
		put_escaped(w, key_of_bytes(key, buf), value);
}

void vtb_json_words(struct vtb_json_writer *w, const char *key, char *const *words)
{
	bool utf8 = true;
	char buf[KEY_MAX];

	vtb_json_array_row(w, key);
	for (size_t i = 0; words && words[i]; i++) {
		vtb_json_string(w, NULL, words[i]);
		utf8 &= is_utf8(words[i]);
	}
	vtb_json_end(w);
	if (utf8)
		return;
	vtb_json_array_row(w, key_of_bytes(key, buf));
	for (size_t i = 0; words[i]; i++)
		put_escaped(w, NULL, words[i]);
	vtb_json_end(w);
}

/* ---- reading */

/* A byte from two hex digits; 0: they are none, or name the byte that no text has. */
static unsigned char byte_of(const char *digits)
{
	char two[3] = { digits[0], digits[0] ? digits[1] : 0, 0 };

	return strspn(two, "0123456789abcdefABCDEF") == 2 ? (unsigned char)strtoul(two, NULL, 16) : 0;
}

/* In place. False: it is no such text. */
static bool unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		const unsigned char byte = *text == '%' ? byte_of(text + 1) : (unsigned char)*text;

		if (!byte)
			return false;
		text += *text == '%' ? 2 : 0;
		*to++ = (char)byte;
	}
	*to = 0;
	return true;
}

/* `text` of member `key`, or of its item `index`. */
static char *take(struct vtb_json *doc, const struct vtb_json_node *node, const char *key, size_t index,
                  const char *text, bool escaped)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		vtb_json_fail(doc, node, key, index, -ENOMEM, "%s", vtb_strerror(-ENOMEM));
	if (!copy || !escaped || unescape(copy))
		return copy;
	vtb_json_fail(doc, node, key, index, -VTB_E_SCHEMA, "found \"%.40s\", expected %%XX for bytes that are no text",
	              text);
	free(copy);
	return NULL;
}

char *vtb_json_read_bytes(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool needed)
{
	char buf[KEY_MAX];
	const char *bytes = key_of_bytes(key, buf), *escaped = vtb_json_opt_string(doc, object, bytes, NULL);
	const char *text = needed ? vtb_json_get_string(doc, object, key) : vtb_json_opt_string(doc, object, key, NULL);

	if (vtb_json_status(doc) < 0)
		return NULL;
	return escaped ? take(doc, object, bytes, 0, escaped, true) : take(doc, object, key, 0, text, false);
}

char **vtb_json_read_words(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, size_t max,
                           bool needed)
{
	char buf[KEY_MAX];
	const struct vtb_json_node *escaped = vtb_json_opt_array(doc, object, key_of_bytes(key, buf), max);
	const struct vtb_json_node *plain =
	    needed ? vtb_json_get_array(doc, object, key, max) : vtb_json_opt_array(doc, object, key, max);
	const struct vtb_json_node *array = escaped ? escaped : plain;
	const size_t n = vtb_json_count(array);
	char **words = calloc(n + 1, sizeof(*words));
	size_t i = 0;

	if (!words)
		vtb_json_fail(doc, object, key, 0, -ENOMEM, "%s", vtb_strerror(-ENOMEM));
	while (words && i < n &&
	       (words[i] = take(doc, array, NULL, i, vtb_json_item_string(doc, array, i), escaped != NULL)))
		i++;
	if (i == n && words && vtb_json_status(doc) == 0)
		return words;
	vtb_argv_free(words);
	return NULL;
}
