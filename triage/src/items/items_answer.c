/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Items come in, results go out. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/items.h"

static int answer(struct vtb_json *doc, FILE *out, const volatile sig_atomic_t *interrupted, struct vtb_error *err)
{
	struct vtb_item_result result;
	struct vtb_item item;
	int r = vtb_item_read(doc, &item);

	if (r < 0)
		return r;
	r = vtb_item_run(&item, interrupted, &result);
	vtb_item_fini(&item);
	if (r < 0)
		return r;
	vtb_item_result_write(&result, out);
	vtb_item_result_fini(&result);
	return fflush(out) == 0 ? 0 : vtb_error_set(err, -errno, NULL, 0, "standard output: %s", strerror(errno));
}

int vtb_items_answer_file(const char *path, FILE *out, const volatile sig_atomic_t *interrupted, struct vtb_error *err)
{
	struct vtb_json *doc;
	int r = vtb_json_read(path, VTB_ITEM_BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	r = answer(doc, out, interrupted, err);
	vtb_json_free(doc);
	return r;
}

static int answer_line(const char *line, size_t size, FILE *out, const volatile sig_atomic_t *interrupted,
                       struct vtb_error *err)
{
	struct vtb_json *doc;
	int r = vtb_json_parse("standard input", line, size, &doc, err);

	if (r < 0)
		return r;
	r = answer(doc, out, interrupted, err);
	vtb_json_free(doc);
	return r;
}

int vtb_items_answer_lines(FILE *in, FILE *out, const volatile sig_atomic_t *interrupted, struct vtb_error *err)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	int r = 0;

	while (r >= 0 && !*interrupted && (n = getline(&line, &cap, in)) > 0)
		if ((size_t)n > VTB_ITEM_BYTES_MAX)
			r = vtb_error_set(err, -VTB_E_LIMIT, "standard input", 0, "an item is longer than %u bytes",
			                  VTB_ITEM_BYTES_MAX);
		else if (strspn(line, " \t\r\n") < (size_t)n)
			r = answer_line(line, (size_t)n, out, interrupted, err);
	free(line);
	return r;
}
