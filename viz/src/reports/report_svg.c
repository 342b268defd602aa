/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report_svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_dot.h"
#include "run_dot.h"
#include "text.h"

/* What lies between two such titles is copied; returns where to go on. */
static const char *without_title(FILE *f, const char *at, const char *title)
{
	const char *end = strstr(title, "</title>");

	fwrite(at, 1, (size_t)(title - at), f);
	return end ? end + strlen("</title>") : title + strlen(title);
}

/* dot calls each element by its name in the graph, and browsers show that to whoever points at it: "cell7". The picture
 * as a whole has its headline as a name, for who has it read aloud. */
static int name_elements(const char *svg, const char *title, char **ret, size_t *ret_size)
{
	const char *open = strstr(svg, "<svg"), *at = open ? open + strlen("<svg") : svg, *next;
	FILE *f = open_memstream(ret, ret_size);

	if (!f)
		return -ENOMEM;
	fwrite(svg, 1, (size_t)(at - svg), f);
	if (open) {
		fputs(" role=\"img\" aria-label=\"", f);
		text_print_xml(f, title);
		fputc('"', f);
	}
	while ((next = strstr(at, "<title>")))
		at = without_title(f, at, next);
	fputs(at, f);
	return fclose(f) ? -ENOMEM : 0;
}

int report_svg_of(const struct picture *p, char **ret, size_t *ret_size, struct vtb_error *err)
{
	char *dot = NULL, *drawn = NULL;
	size_t size = 0, drawn_size;
	FILE *f = open_memstream(&dot, &size);
	int r = f ? report_dot_write(p, f) : -ENOMEM;

	if (f && fclose(f) && r >= 0)
		r = -ENOMEM;
	if (r < 0)
		vtb_error_set(err, r, NULL, 0, "cannot lay out the picture");
	else
		r = run_dot_svg(dot, size, &drawn, &drawn_size, err);
	free(dot);
	if (r >= 0) {
		r = name_elements(drawn, p->title, ret, ret_size);
		free(drawn);
		if (r < 0)
			vtb_error_set(err, r, NULL, 0, "not enough memory");
	}
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
