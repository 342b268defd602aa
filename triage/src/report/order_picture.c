/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "order_picture.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/viz.h"

static bool draw(const char *failure_path, const char *format, const char *output, char **trouble)
{
	const int row = vtb_viz_format_by_name(format);
	const struct vtb_viz_opts opts = {.path = failure_path, .format = (size_t)row, .output = output};
	struct vtb_error err = {0};
	int r = row < 0 ? row : vtb_viz_run(&opts, &err);

	if (r >= 0)
		return true;
	if (!*trouble)
		*trouble = strdup(*err.text ? err.text : vtb_strerror(r));
	return false;
}

bool vtb_picture_write(const char *failure_path, const char *dot_path, const char *svg_path, struct vtb_finding *f)
{
	if (draw(failure_path, "dot", dot_path, &f->trouble))
		f->dot_path = strdup(dot_path);
	if (draw(failure_path, "svg", svg_path, &f->trouble))
		f->svg_path = strdup(svg_path);
	return f->dot_path && f->svg_path;
}
