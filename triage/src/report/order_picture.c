/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "order_picture.h"

#include <stdlib.h>
#include <string.h>

#include "vtb/viz.h"

static bool draw(const struct vtb_failure *failure, const char *failure_path, const char *format, const char *output,
                 char **trouble)
{
	const int row = vtb_viz_format_by_name(format);
	const struct vtb_viz_opts opts = {
		.path = failure_path, .failure = failure, .format = (size_t)row, .output = output
	};
	struct vtb_error err = { 0 };
	int r = row < 0 ? row : vtb_viz_run(&opts, &err);

	if (r >= 0)
		return true;
	if (!*trouble)
		*trouble = strdup(*err.text ? err.text : vtb_strerror(r));
	return false;
}

/* Each deviation is looked up among the events, and nobody reads a picture of thousands of turns. */
#define LOOKED_UP_MAX 20000000u

bool vtb_picture_write(const struct vtb_failure *failure, const char *failure_path, const char *dot_path,
                       const char *svg_path, struct vtb_finding *f)
{
	if ((uint64_t)f->schedule.n_deviations * f->exec.n_events > LOOKED_UP_MAX) {
		free(f->trouble);
		f->trouble = strdup("pictures: the order has too many turns for one");
		return false;
	}
	free(f->dot_path);
	free(f->svg_path);
	f->dot_path = f->svg_path = NULL;
	if (draw(failure, failure_path, "dot", dot_path, &f->trouble))
		f->dot_path = strdup(dot_path);
	if (draw(failure, failure_path, "svg", svg_path, &f->trouble))
		f->svg_path = strdup(svg_path);
	return f->dot_path && f->svg_path;
}
