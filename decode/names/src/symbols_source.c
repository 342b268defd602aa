/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source lines. A file is read once and kept, whole, with the places where its lines begin. */
#include "symbols_private.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vtb/array.h"
#include "vtb/input.h"

#define SOURCE_BYTES_MAX (64u << 20)
#define LINE_BYTES_MAX 4096u
#define DIRECTORIES_MAX 64u

struct sym_source {
	const char *file; /* as the compiler was given it */
	char *text;       /* NULL: not at hand */
	uint32_t *lines;  /* where each begins */
	size_t n_lines, cap_lines;
};

void sym_sources_free(struct vtb_symbols *s)
{
	for (size_t i = 0; i < s->n_sources; i++) {
		free(s->sources[i].text);
		free(s->sources[i].lines);
	}
	free(s->sources);
}

/* The whole of a regular file, NUL-terminated, or NULL. */
static char *read_file(const char *path, size_t *ret_size)
{
	uint64_t size;
	const int fd = vtb_input_open(path, SOURCE_BYTES_MAX, &size, NULL);
	char *text;
	size_t n = 0;

	if (fd < 0)
		return NULL;
	text = malloc((size_t)size + 1);
	while (text && n < (size_t)size) {
		const ssize_t got = read(fd, text + n, (size_t)size - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (text)
		text[n] = '\0';
	close(fd);
	*ret_size = n;
	return text;
}

/* Below the compilation directories of the module's units, the first few different ones. */
static char *find_in_units(struct sym_module *m, const char *file, size_t *ret_size)
{
	const char *seen[DIRECTORIES_MAX];
	size_t n = 0;
	char *text = NULL;

	if (!m || !m->dwarf || sym_index_units(m) < 0)
		return NULL;
	for (size_t i = 0; !text && i < m->n_units && n < DIRECTORIES_MAX; i++) {
		Dwarf_Attribute attr;
		const char *dir = dwarf_formstring(dwarf_attr(&m->units[i].die, DW_AT_comp_dir, &attr));
		char *path = NULL;
		size_t k = 0;

		while (dir && k < n && strcmp(seen[k], dir) != 0)
			k++;
		if (!dir || k < n)
			continue;
		seen[n++] = dir;
		if (asprintf(&path, "%s/%s", dir, file) >= 0)
			text = read_file(path, ret_size);
		free(path);
	}
	return text;
}

/* Below its compilation directory; as named; beside the module; in the current directory, by its base name. */
static char *find_file(struct sym_module *m, const char *file, size_t *ret_size)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	const char *slash = m ? strrchr(m->path, '/') : NULL;
	char *beside = NULL, *text = NULL;

	if (file[0] != '/')
		text = find_in_units(m, file, ret_size);
	if (!text)
		text = read_file(file, ret_size);
	if (!text && slash && asprintf(&beside, "%.*s/%s", (int)(slash - m->path), m->path, base) >= 0)
		text = read_file(beside, ret_size);
	if (!text)
		text = read_file(base, ret_size);
	free(beside);
	return text;
}

static struct sym_source *add_source(struct vtb_symbols *s, struct sym_module *m, const char *file)
{
	struct sym_source x = { .file = sym_string(s, file) };
	size_t size = 0;

	if (vtb_array_room(s, sources) < 0)
		return NULL;
	x.text = find_file(m, file, &size);
	for (size_t at = 0; x.text && at < size;) {
		const char *end = memchr(x.text + at, '\n', size - at);

		if (vtb_array_room(&x, lines) < 0)
			break;
		x.lines[x.n_lines++] = (uint32_t)at;
		if (!end)
			break;
		at = (size_t)(end - x.text) + 1;
	}
	s->sources[s->n_sources] = x;
	return &s->sources[s->n_sources++];
}

static struct sym_source *get_source(struct vtb_symbols *s, const char *path, const char *file)
{
	for (size_t i = 0; i < s->n_sources; i++)
		if (s->sources[i].file == file || strcmp(s->sources[i].file, file) == 0)
			return &s->sources[i];
	return add_source(s, path ? sym_module(s, path) : NULL, file);
}

/* Without blanks at its end; a tab becomes `tab` blanks, and so that none breaks a report, another control character
 * one. */
static const char *line_between(struct vtb_symbols *s, const char *from, const char *end, size_t tab)
{
	char text[LINE_BYTES_MAX];
	size_t n = 0;

	while (end > from && isspace((unsigned char)end[-1]))
		end--;
	for (; from < end && n + tab < sizeof(text); from++)
		if (iscntrl((unsigned char)*from))
			for (size_t k = *from == '\t' ? tab : 1; k; k--)
				text[n++] = ' ';
		else
			text[n++] = *from;
	text[n] = '\0';
	return sym_string(s, text);
}

static const char *line_at(struct vtb_symbols *s, const char *path, const char *file, uint32_t line)
{
	const struct sym_source *x = *file && line ? get_source(s, path, file) : NULL;

	return x && x->text && line <= x->n_lines ? x->text + x->lines[line - 1] : NULL;
}

const char *vtb_symbols_source_line(struct vtb_symbols *s, const char *path, const char *file, uint32_t line)
{
	const char *from = line_at(s, path, file, line);

	return from ? line_between(s, from, strchrnul(from, '\n'), 4) : NULL;
}

const char *vtb_symbols_source(struct vtb_symbols *s, const char *path, const char *file, uint32_t line)
{
	const char *from = line_at(s, path, file, line);
	const char *end = from ? strchrnul(from, '\n') : NULL;

	while (from < end && isspace((unsigned char)*from))
		from++;
	return from ? line_between(s, from, end, 1) : "";
}
