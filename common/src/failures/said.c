/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/said.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format_parts.h"

void vtb_said_fini(struct vtb_said *said)
{
	free(said->text);
	free(said->diff);
	*said = (struct vtb_said){ 0 };
}

int vtb_said_take(struct vtb_said *said, char *bytes, size_t n, uint64_t size)
{
	const char *line = n < size ? memchr(bytes, '\n', n) : NULL;
	const size_t from = line && (size_t)(line + 1 - bytes) < n ? (size_t)(line + 1 - bytes) : 0;
	char *text = malloc(n - from + 1);

	if (text) {
		memcpy(text, bytes + from, n - from);
		text[n - from] = 0;
		for (size_t i = 0; i < n - from; i++)
			if (!text[i])
				text[i] = '?';
		vtb_said_fini(said);
		*said = (struct vtb_said){ .text = text, .size = size };
	}
	free(bytes);
	return text ? 0 : -ENOMEM;
}

const char *vtb_said_last_line(const struct vtb_said *said, size_t *ret)
{
	static const char blanks[] = " \t\r\n";
	size_t end = said->text ? strlen(said->text) : 0, from;

	while (end && strchr(blanks, said->text[end - 1]))
		end--;
	for (from = end; from && said->text[from - 1] != '\n';)
		from--;
	*ret = end - from;
	return end ? said->text + from : NULL;
}

bool vtb_said_is_cut(const struct vtb_said *said)
{
	return said->text && strlen(said->text) < said->size;
}

void vtb_said_write(struct vtb_json_writer *w, const char *key, const struct vtb_said *said)
{
	if (!said->text)
		return;
	vtb_json_object(w, key);
	vtb_json_u64(w, "size", said->size);
	vtb_json_string(w, "text", said->text);
	if (said->diff)
		vtb_json_string(w, "diff", said->diff);
	vtb_json_end(w);
}

void vtb_said_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, struct vtb_said *ret)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, key);

	if (!node)
		return;
	ret->size = vtb_json_opt_u64(doc, node, "size", UINT64_MAX, 0);
	ret->text = vtb_files_strdup(doc, node, vtb_json_opt_string(doc, node, "text", ""));
	if (*vtb_json_opt_string(doc, node, "diff", ""))
		ret->diff = vtb_files_strdup(doc, node, vtb_json_opt_string(doc, node, "diff", ""));
}
