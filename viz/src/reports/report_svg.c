/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_dot.h"
#include "run_dot.h"

int report_svg_of(const struct picture *p, char **ret, size_t *ret_size, struct vtb_error *err)
{
	char *dot = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&dot, &size);
	int r = f ? report_dot_write(p, f) : -ENOMEM;

	if (f && fclose(f) && r >= 0)
		r = -ENOMEM;
	if (r < 0)
		vtb_error_set(err, r, NULL, 0, "cannot lay out the picture");
	else
		r = run_dot_svg(dot, size, ret, ret_size, err);
	free(dot);
	return r;
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	char *svg;
	size_t size;
	const int r = report_svg_of(report->picture, &svg, &size, err);

	if (r < 0)
		return r;
	fwrite(svg, 1, size, f);
	free(svg);
	return 0;
}

const struct reporter reporter_svg = {
	.format = { "svg", "the picture as SVG (runs Graphviz's dot)" },
	.write = write,
};
