/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file excerpt.h
 * Lines of source files, as they were when a run was written down: whoever reads a failure.json sees the code around
 * each operation, and no file that the failure.json merely names is opened for that.
 *
 * Shape:     one excerpt is neighbouring lines of one file. Excerpts of one file neither touch nor overlap.
 * Ownership: an excerpt owns its strings.
 */
#ifndef VTB_EXCERPT_H
#define VTB_EXCERPT_H

#include <stddef.h>
#include <stdint.h>

#include "vtb/json.h"

#define VTB_EXCERPTS_LIMIT 4096u
#define VTB_EXCERPT_LINES_LIMIT 65536u

struct vtb_excerpt {
	char *file;     /* as the compiler was given it */
	uint32_t first; /* number of lines[0], from 1 */
	char **lines;   /* with their blanks at the beginning, without the newline */
	size_t n_lines, cap_lines;
};

struct vtb_excerpts {
	struct vtb_excerpt *excerpts;
	size_t n_excerpts, cap_excerpts;
};

/** Begin an excerpt that is empty. 0 or -ENOMEM. */
int vtb_excerpts_begin(struct vtb_excerpts *all, const char *file, uint32_t first);
/** Append a line to the excerpt begun last. 0 or -ENOMEM. */
int vtb_excerpts_line(struct vtb_excerpts *all, const char *text);
/** The excerpt with this line, or NULL. O(excerpts). */
const struct vtb_excerpt *vtb_excerpts_find(const struct vtb_excerpts *all, const char *file, uint32_t line);
void vtb_excerpts_fini(struct vtb_excerpts *all);

/** As member `key`; nothing if there are none. */
void vtb_excerpts_write(struct vtb_json_writer *w, const char *key, const struct vtb_excerpts *all);
/** Member `key`, if it is there. The first failure stays in the document. */
void vtb_excerpts_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                       struct vtb_excerpts *ret);

#endif /* VTB_EXCERPT_H */
