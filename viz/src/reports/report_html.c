/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One page without any reference to the outside: the picture inline, then the steps as a list. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report_svg.h"
#include "text.h"

static const char style[] =
    "body{font-family:Helvetica,Arial,sans-serif;margin:2em auto;max-width:90em;padding:0 "
    "1em;color:#212529;background:#fff}"
    "h1{font-size:1.3em}.unseen{position:absolute;left:-9999px}.bad{color:#a51111}code,pre{font-family:'DejaVu Sans "
    "Mono',Consolas,monospace}pre{background:#f1f3f5;padding:.7em;overflow:auto}"
    "svg{max-width:100%;height:auto}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:."
    "25em .8em;border-bottom:1px solid #dee2e6}"
    "tr.bad td{background:#ffe3e3}.note{color:#c92a2a}.dim{color:#6c757d}";

static void element(FILE *f, const char *tag, const char *class, const char *text)
{
	if (!text || !text[0])
		return;
	fprintf(f, "<%s%s%s%s>", tag, class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
	text_print_xml(f, text);
	fprintf(f, "</%s>", tag);
}

static void put_step(FILE *f, const struct picture *p, const struct cell *cell)
{
	const bool bad = cell->kind == CELL_FAILS || cell->kind == CELL_WAITS;

	fprintf(f, "<tr%s><td>%u</td>", bad ? " class=\"bad\"" : "", cell->step);
	element(f, "td", NULL, p->columns[cell->column].name);
	fputs("<td>", f);
	element(f, "b", NULL, cell->words);
	if (cell->note[0]) {
		fputs("<br>", f);
		element(f, "span", "note", cell->note);
	}
	fputs("</td><td>", f);
	element(f, "code", NULL, cell->source);
	fputs("</td><td>", f);
	element(f, "span", "dim", cell->place);
	fputs("</td></tr>\n", f);
}

static void put_steps(FILE *f, const struct picture *p)
{
	fputs("<table>\n<tr><th>#</th><th>thread</th><th>operation</th><th>source</th><th>place</th></tr>\n", f);
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].step)
			put_step(f, p, &p->cells[i]);
	fputs("</table>\n", f);
}

/* Apart from the failure, as they are no part of it. */
static void put_suspicions(FILE *f, const struct vtb_suspicions *all)
{
	if (!all->n_suspicions)
		return;
	fputs("<h2>Suspects</h2>\n<p>Seen in runs that passed. No schedule that was tried fails because of them, so "
	      "they are no bugs yet.</p>\n<ul>\n",
	      f);
	for (size_t i = 0; i < all->n_suspicions; i++) {
		fprintf(f, "<li>%s", all->suspicions[i].kind == VTB_SUSPECT_RACE ? "race on " : "");
		text_print_xml(f, all->suspicions[i].text);
		fputs("</li>\n", f);
	}
	fputs("</ul>\n", f);
}

static void put_heap(FILE *f, const struct vtb_failure *failure)
{
	char frame[400];

	for (unsigned i = 0; i < VTB_HEAP_PARTS; i++) {
		const struct vtb_stack *stack = &failure->heap[i];

		if (!stack->n_sites)
			continue;
		fprintf(f, "<p>The block was %s in thread %s:</p>\n<ol>\n", vtb_heap_part_name(i),
		        vtb_thread_path(&failure->trace.tab, stack->thread));
		for (size_t k = 0; k < stack->n_sites; k++)
			element(f, "li", NULL,
			        vtb_stack_frame(&failure->trace.tab, stack->sites[k], frame, sizeof(frame)));
		fputs("</ol>\n", f);
	}
}

static void put_failure(FILE *f, const struct vtb_failure *failure)
{
	put_heap(f, failure);
	if (failure->confirmed)
		fprintf(f, "<p>Confirmed by %u replays with the same signature.</p>\n", failure->confirmed);
	if (failure->replay_command) {
		fputs("<p>Replay it:</p>", f);
		element(f, "pre", NULL, failure->replay_command);
	}
	element(f, "p", NULL, failure->statement);
	put_suspicions(f, &failure->suspicions);
}

/* dot's XML declaration, document type and comments have no place inside HTML. */
static const char *svg_element(const char *svg)
{
	const char *at = strstr(svg, "<svg");

	return at ? at : "";
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	const struct picture *p = report->picture;
	char *svg;
	size_t size;
	const int r = report_svg_of(p, &svg, &size, err);

	if (r < 0)
		return r;
	fprintf(f, "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	           "content=\"width=device-width\"><title>");
	text_print_xml(f, p->title);
	fprintf(f, "</title><style>%s</style></head>\n<body>\n", style);
	element(f, "h1", p->failed ? "bad unseen" : "unseen",
	        p->title); /* for screen readers and searching: the picture begins with it */
	fputs(svg_element(svg), f);
	free(svg);
	put_steps(f, p);
	if (report->failure)
		put_failure(f, report->failure);
	fputs("</body>\n</html>\n", f);
	return 0;
}

const struct reporter reporter_html = {
	.format = { "html", "one self-contained page with the picture (runs Graphviz's dot)" },
	.write = write,
};
