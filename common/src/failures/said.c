/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/said.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format_parts.h"

void vtb_said_fini(struct vtb_said *said)
{
	free(said->text);
	free(said->out.text);
	free(said->err.text);
	free(said->diff);
	*said = (struct vtb_said){ 0 };
}

int vtb_stream_take(struct vtb_stream *ret, const char *bytes, size_t n, uint64_t size)
{
	const char *line = n < size ? memchr(bytes, '\n', n) : NULL;
	const size_t from = line && (size_t)(line + 1 - bytes) < n ? (size_t)(line + 1 - bytes) : 0;
	char *text = malloc(n - from + 1);

	if (!text)
		return -ENOMEM;
	memcpy(text, bytes + from, n - from);
	text[n - from] = 0;
	for (size_t i = 0; i < n - from; i++)
		if (!text[i])
			text[i] = '?';
	free(ret->text);
	*ret = (struct vtb_stream){ text, size };
	return 0;
}

int vtb_said_take(struct vtb_said *said, char *bytes, size_t n, uint64_t size)
{
	struct vtb_stream both = { NULL, 0 };
	const int r = vtb_stream_take(&both, bytes, n, size);

	free(bytes);
	if (r < 0)
		return r;
	vtb_said_fini(said);
	*said = (struct vtb_said){ .text = both.text, .size = both.size };
	return 0;
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

bool vtb_stream_is_cut(const struct vtb_stream *stream)
{
	return stream->text && strlen(stream->text) < stream->size;
}

bool vtb_said_is_cut(const struct vtb_said *said)
{
	return said->text && strlen(said->text) < said->size;
}

size_t vtb_said_parts(const struct vtb_said *said, struct vtb_said_part ret[2])
{
	size_t n = 0;

	if (said->out.text && *said->out.text)
		ret[n++] = (struct vtb_said_part){ "Standard output", said->out };
	if (said->err.text && *said->err.text)
		ret[n++] = (struct vtb_said_part){ "Standard error", said->err };
	if (!n && said->text && *said->text)
		ret[n++] = (struct vtb_said_part){ "Output", { said->text, said->size } };
	return n;
}

static void write_stream(struct vtb_json_writer *w, const char *key, const struct vtb_stream *stream)
{
	if (!stream->text)
		return;
	vtb_json_object(w, key);
	vtb_json_u64(w, "size", stream->size);
	vtb_json_string(w, "text", stream->text);
	vtb_json_end(w);
}

void vtb_said_write(struct vtb_json_writer *w, const char *key, const struct vtb_said *said)
{
	if (!said->text)
		return;
	vtb_json_object(w, key);
	vtb_json_u64(w, "size", said->size);
	vtb_json_string(w, "text", said->text);
	write_stream(w, "stdout", &said->out);
	write_stream(w, "stderr", &said->err);
	if (said->diff)
		vtb_json_string(w, "diff", said->diff);
	vtb_json_end(w);
}

static void read_stream(struct vtb_json *doc, const struct vtb_json_node *node, struct vtb_stream *ret)
{
	ret->size = vtb_json_opt_u64(doc, node, "size", UINT64_MAX, 0);
	ret->text = vtb_files_strdup(doc, node, vtb_json_opt_string(doc, node, "text", ""));
}

static void read_member(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                        struct vtb_stream *ret)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, key);

	if (node)
		read_stream(doc, node, ret);
}

void vtb_said_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key, struct vtb_said *ret)
{
	const struct vtb_json_node *node = vtb_json_opt_object(doc, object, key);
	struct vtb_stream both = { NULL, 0 };

	if (!node)
		return;
	read_stream(doc, node, &both);
	ret->text = both.text;
	ret->size = both.size;
	read_member(doc, node, "stdout", &ret->out);
	read_member(doc, node, "stderr", &ret->err);
	if (*vtb_json_opt_string(doc, node, "diff", ""))
		ret->diff = vtb_files_strdup(doc, node, vtb_json_opt_string(doc, node, "diff", ""));
}
