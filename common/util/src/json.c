/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The adapter of jansson. A struct vtb_json_node is a json_t. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json_locate.h"
#include "vtb/array.h"
#include "vtb/cli.h"
#include "vtb/input.h"
#include "vtb/json.h"

#define DEPTH_MAX 2048 /* jansson refuses deeper nesting when it parses */

struct vtb_json {
	json_t *root;
	char *name;
	char *text;
	size_t n_text, cap_text;
	struct vtb_error *err;
	int status;
};

static json_t *to_json(const struct vtb_json_node *node)
{
	return (json_t *)(uintptr_t)node;
}

static const struct vtb_json_node *to_node(const json_t *value)
{
	return (const struct vtb_json_node *)value;
}

void vtb_json_free(struct vtb_json *doc)
{
	if (!doc)
		return;
	json_decref(doc->root);
	free(doc->name);
	free(doc->text);
	free(doc);
}

static int json_new(const char *name, struct vtb_error *err, struct vtb_json **ret)
{
	struct vtb_json *doc = calloc(1, sizeof(*doc));

	if (doc)
		doc->name = strdup(name);
	if (!doc || !doc->name) {
		vtb_json_free(doc);
		return vtb_error_set(err, -ENOMEM, name, 0, "not enough memory");
	}
	doc->err = err;
	*ret = doc;
	return 0;
}

static int parse(struct vtb_json *doc)
{
	json_error_t e;

	if (vtb_json_refuse_nul(doc->name, doc->text, doc->n_text, doc->err) < 0)
		return -VTB_E_FORMAT;
	doc->root = json_loadb(doc->text ? doc->text : "", doc->n_text, JSON_REJECT_DUPLICATES, &e);
	if (doc->root)
		return 0;
	if (json_error_code(&e) == json_error_out_of_memory)
		return vtb_error_set(doc->err, -ENOMEM, doc->name, 0, "not enough memory");
	return vtb_error_set_line(doc->err, -VTB_E_FORMAT, doc->name, e.line > 0 ? (uint32_t)e.line : 1,
	                          e.column > 0 ? (uint32_t)e.column : 1, "%s, expected JSON", e.text);
}

int vtb_json_parse(const char *name, const char *text, size_t size, struct vtb_json **ret, struct vtb_error *err)
{
	struct vtb_json *doc = NULL;
	int r = json_new(name, err, &doc);

	if (r < 0)
		return r;
	doc->text = malloc(size + 1);
	if (doc->text) {
		memcpy(doc->text, text, size);
		doc->n_text = size;
		r = parse(doc);
	} else {
		r = vtb_error_set(err, -ENOMEM, name, 0, "not enough memory");
	}
	if (r < 0)
		vtb_json_free(doc);
	else
		*ret = doc;
	return r;
}

/* Grows with what arrives: a size that a file claims is not trusted, and a pipe has none. */
static int read_all(int fd, size_t max_bytes, struct vtb_json *doc)
{
	for (;;) {
		ssize_t n;
		void *text = doc->text;
		const int r = vtb_array_reserve(&text, &doc->cap_text, doc->n_text + 65536, 1);

		doc->text = text;
		if (r < 0)
			return vtb_error_set(doc->err, r, doc->name, 0, "not enough memory");
		n = read(fd, doc->text + doc->n_text, doc->cap_text - doc->n_text);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return vtb_error_set(doc->err, -errno, doc->name, doc->n_text, "cannot be read: %s",
			                     strerror(errno));
		if (n == 0)
			return 0;
		doc->n_text += (size_t)n;
		if (doc->n_text > max_bytes)
			return vtb_error_set(doc->err, -VTB_E_LIMIT, doc->name, max_bytes,
			                     "file is larger than the limit of %zu bytes", max_bytes);
	}
}

int vtb_json_read(const char *path, size_t max_bytes, struct vtb_json **ret, struct vtb_error *err)
{
	struct vtb_json *doc = NULL;
	const bool std = !strcmp(path, "-");
	const int fd = std ? 0 : vtb_input_open(path, max_bytes, NULL, err);
	int r;

	if (fd < 0)
		return fd;
	r = json_new(std ? "standard input" : path, err, &doc);
	if (r >= 0)
		r = read_all(fd, max_bytes, doc);
	if (r >= 0)
		r = parse(doc);
	if (!std)
		close(fd);
	if (r < 0)
		vtb_json_free(doc);
	else
		*ret = doc;
	return r;
}

const struct vtb_json_node *vtb_json_root(const struct vtb_json *doc)
{
	return to_node(doc->root);
}

int vtb_json_status(const struct vtb_json *doc)
{
	return doc->status;
}

const char *vtb_json_format(const struct vtb_json *doc)
{
	const char *text = json_string_value(json_object_get(doc->root, "format"));

	return text ? text : "";
}

/* Depth first to `want`, writing the way there; only containers, which no two places share. Returns the depth, or -1.
 */
static int find_way(json_t *value, const json_t *want, struct vtb_json_step *steps, int depth)
{
	const char *key;
	json_t *part;
	size_t i;
	int found = -1;

	if (value == want)
		return depth;
	if (depth >= DEPTH_MAX)
		return -1;
	if (json_is_object(value)) {
		json_object_foreach(value, key, part)
		{
			steps[depth] = (struct vtb_json_step){ .key = key };
			if ((json_is_object(part) || json_is_array(part)) &&
			    (found = find_way(part, want, steps, depth + 1)) >= 0)
				return found;
		}
		return -1;
	}
	json_array_foreach(value, i, part)
	{
		steps[depth] = (struct vtb_json_step){ .index = i };
		if ((json_is_object(part) || json_is_array(part)) &&
		    (found = find_way(part, want, steps, depth + 1)) >= 0)
			return found;
	}
	return -1;
}

int vtb_json_fail(struct vtb_json *doc, const struct vtb_json_node *container, const char *key, size_t index, int r,
                  const char *fmt, ...)
{
	struct vtb_json_step *steps;
	char way[160] = "", text[400];
	uint32_t line = 1, column = 1;
	va_list args;
	int n;

	if (doc->status < 0)
		return doc->status;
	doc->status = r;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	steps = calloc(DEPTH_MAX + 1, sizeof(*steps));
	n = steps && container ? find_way(doc->root, to_json(container), steps, 0) : -1;
	if (n >= 0) {
		if (key || json_is_array(to_json(container)))
			steps[n++] = (struct vtb_json_step){ .key = key, .index = index };
		vtb_json_print_way(steps, (size_t)n, way, sizeof(way));
		vtb_json_locate(doc->text, doc->n_text, steps, (size_t)n, &line, &column);
	}
	free(steps);
	return vtb_error_set_line(doc->err, r, doc->name, line, column, "%s%s%s", way, way[0] ? ": " : "", text);
}

static const char *type_name(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array",  [JSON_STRING] = "a string",
		[JSON_INTEGER] = "a number", [JSON_REAL] = "a fraction", [JSON_TRUE] = "true",
		[JSON_FALSE] = "false",      [JSON_NULL] = "null",
	};

	return value ? names[json_typeof(value)] : "nothing";
}

int vtb_json_expect(struct vtb_json *doc, const struct vtb_json_node *object, const char *format, uint32_t version)
{
	const json_t *value = to_json(object);
	const char *text = json_string_value(json_object_get(value, "format"));
	const json_t *number = json_object_get(value, "version");

	if (!json_is_object(value))
		return vtb_json_fail(doc, NULL, NULL, 0, -VTB_E_FORMAT, "found %s, expected a %s object",
		                     type_name(value), format);
	if (!text || strcmp(text, format))
		return vtb_json_fail(doc, object, "format", 0, -VTB_E_FORMAT, "found \"%s\", expected \"%s\"",
		                     text ? text : "", format);
	if (!json_is_integer(number) || json_integer_value(number) != version)
		return vtb_json_fail(doc, object, "version", 0, -VTB_E_VERSION,
		                     "found %" JSON_INTEGER_FORMAT ", this program knows version %" PRIu32,
		                     json_integer_value(number), version);
	return doc->status;
}

bool vtb_json_has(const struct vtb_json_node *object, const char *key)
{
	const json_t *value = json_object_get(to_json(object), key);

	return value && !json_is_null(value);
}

bool vtb_json_is_object(const struct vtb_json_node *object, const char *key)
{
	return json_is_object(json_object_get(to_json(object), key));
}

const char *vtb_json_peek_string(const struct vtb_json_node *object, const char *key)
{
	return json_string_value(json_object_get(to_json(object), key));
}

size_t vtb_json_count(const struct vtb_json_node *array)
{
	return json_array_size(to_json(array));
}

/* One part of a container, and its place for complaints. */
struct part {
	const struct vtb_json_node *container;
	const char *key;
	size_t index;
	json_t *value; /* NULL: missing or null */
};

static struct part member(const struct vtb_json_node *object, const char *key)
{
	json_t *value = json_object_get(to_json(object), key);

	return (struct part){ .container = object, .key = key, .value = json_is_null(value) ? NULL : value };
}

static struct part item(const struct vtb_json_node *array, size_t index)
{
	return (struct part){ .container = array, .index = index, .value = json_array_get(to_json(array), index) };
}

static int complain(struct vtb_json *doc, const struct part *p, const char *expected)
{
	return vtb_json_fail(doc, p->container, p->key, p->index, -VTB_E_SCHEMA, "found %s, expected %s",
	                     type_name(p->value), expected);
}

static const struct vtb_json_node *object_of(struct vtb_json *doc, const struct part *p)
{
	if (json_is_object(p->value))
		return to_node(p->value);
	complain(doc, p, "an object");
	return NULL;
}

static const struct vtb_json_node *array_of(struct vtb_json *doc, const struct part *p, size_t max_items)
{
	if (!json_is_array(p->value)) {
		complain(doc, p, "an array");
		return NULL;
	}
	if (json_array_size(p->value) <= max_items)
		return to_node(p->value);
	vtb_json_fail(doc, p->container, p->key, p->index, -VTB_E_LIMIT, "found %zu items, expected at most %zu",
	              json_array_size(p->value), max_items);
	return NULL;
}

static const char *string_of(struct vtb_json *doc, const struct part *p)
{
	const char *text = json_string_value(p->value);

	if (!text)
		complain(doc, p, "a string");
	return text ? text : "";
}

/* A number that is not negative, or "0x..." */
static bool read_u64(const json_t *value, uint64_t *ret)
{
	const char *text = json_string_value(value);

	if (text)
		return text[0] == '0' && text[1] == 'x' && vtb_cli_number(text, 0, UINT64_MAX, ret) >= 0;
	*ret = (uint64_t)json_integer_value(value);
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static uint64_t u64_of(struct vtb_json *doc, const struct part *p, uint64_t max)
{
	char expected[96];
	uint64_t n = 0;

	if (doc->status < 0)
		return 0;
	if (read_u64(p->value, &n) && n <= max)
		return n;
	if (max == UINT64_MAX)
		snprintf(expected, sizeof(expected), "a whole number from 0, or \"0x...\"");
	else
		snprintf(expected, sizeof(expected), "a whole number from 0 to %" PRIu64, max);
	if (json_is_integer(p->value))
		vtb_json_fail(doc, p->container, p->key, p->index, -VTB_E_SCHEMA,
		              "found %" JSON_INTEGER_FORMAT ", expected %s", json_integer_value(p->value), expected);
	else if (json_is_string(p->value))
		vtb_json_fail(doc, p->container, p->key, p->index, -VTB_E_SCHEMA, "found \"%.40s\", expected %s",
		              json_string_value(p->value), expected);
	else
		complain(doc, p, expected);
	return 0;
}

const struct vtb_json_node *vtb_json_get_object(struct vtb_json *doc, const struct vtb_json_node *object,
                                                const char *key)
{
	const struct part p = member(object, key);

	return object_of(doc, &p);
}

const struct vtb_json_node *vtb_json_opt_object(struct vtb_json *doc, const struct vtb_json_node *object,
                                                const char *key)
{
	const struct part p = member(object, key);

	return p.value ? object_of(doc, &p) : NULL;
}

const struct vtb_json_node *vtb_json_get_array(struct vtb_json *doc, const struct vtb_json_node *object,
                                               const char *key, size_t max_items)
{
	const struct part p = member(object, key);

	return array_of(doc, &p, max_items);
}

const struct vtb_json_node *vtb_json_opt_array(struct vtb_json *doc, const struct vtb_json_node *object,
                                               const char *key, size_t max_items)
{
	const struct part p = member(object, key);

	return p.value ? array_of(doc, &p, max_items) : NULL;
}

const char *vtb_json_get_string(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	const struct part p = member(object, key);

	return string_of(doc, &p);
}

const char *vtb_json_opt_string(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                                const char *fallback)
{
	const struct part p = member(object, key);

	return p.value ? string_of(doc, &p) : fallback;
}

uint64_t vtb_json_get_u64(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, uint64_t max)
{
	const struct part p = member(object, key);

	return u64_of(doc, &p, max);
}

uint64_t vtb_json_opt_u64(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, uint64_t max,
                          uint64_t fallback)
{
	const struct part p = member(object, key);

	return p.value ? u64_of(doc, &p, max) : fallback;
}

bool vtb_json_opt_bool(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, bool fallback)
{
	const struct part p = member(object, key);

	if (p.value && !json_is_boolean(p.value))
		complain(doc, &p, "true or false");
	return json_is_boolean(p.value) ? json_is_true(p.value) : fallback;
}

const struct vtb_json_node *vtb_json_item_object(struct vtb_json *doc, const struct vtb_json_node *array, size_t index)
{
	const struct part p = item(array, index);

	return object_of(doc, &p);
}

const char *vtb_json_item_string(struct vtb_json *doc, const struct vtb_json_node *array, size_t index)
{
	const struct part p = item(array, index);

	return string_of(doc, &p);
}

uint64_t vtb_json_item_u64(struct vtb_json *doc, const struct vtb_json_node *array, size_t index, uint64_t max)
{
	const struct part p = item(array, index);

	return u64_of(doc, &p, max);
}

const char *vtb_json_member(const struct vtb_json_node *object, size_t i)
{
	void *at = json_object_iter(to_json(object));

	while (at && i--)
		at = json_object_iter_next(to_json(object), at);
	return at ? json_object_iter_key(at) : NULL;
}

const struct vtb_json_node *vtb_json_items(struct vtb_json *doc, size_t max_items)
{
	const struct part p = { .value = doc->root };

	return array_of(doc, &p, max_items);
}

char *vtb_json_text(const struct vtb_json_node *object, const char *key)
{
	const json_t *value = json_object_get(to_json(object), key);

	return value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
}
