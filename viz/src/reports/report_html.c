/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One page without any reference to the outside: what happens step by step, with the source and the values beside it
 * (src/page), then the picture, and the steps as a list for who has no scripts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "html_causes.h"
#include "html_run.h"
#include "page_text.h"
#include "report_svg.h"
#include "text.h"

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

static void put_warnings(FILE *f, const struct vtb_suspicions *all)
{
	if (!all->n_suspicions)
		return;
	fputs("<h2>Warnings</h2>\n<p>Accesses that do not hold the lock of their variable as others do.</p>\n<ul>\n",
	      f);
	for (size_t i = 0; i < all->n_suspicions; i++) {
		fputs("<li>", f);
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

/* What the failing run printed. */
static void put_output(FILE *f, const struct vtb_said *said)
{
	struct vtb_said_part parts[2];
	const size_t n = vtb_said_parts(said, parts);

	for (size_t i = 0; i < n; i++) {
		fprintf(f, "<h2>%s%s</h2>\n", parts[i].title, vtb_stream_is_cut(&parts[i].stream) ? ", its end" : "");
		element(f, "pre", NULL, parts[i].stream.text);
	}
	if (n > 1) {
		fprintf(f, "<h2>Both, as they were written%s</h2>\n", vtb_said_is_cut(said) ? ", the end" : "");
		element(f, "pre", NULL, said->text);
	}
}

static void put_failure(FILE *f, const struct vtb_failure *failure)
{
	put_heap(f, failure);
	put_output(f, &failure->said);
	if (failure->confirmed)
		fprintf(f, "<p>Confirmed by %u replays with the same signature.</p>\n", failure->confirmed);
	if (failure->replay_command) {
		fputs("<p>Replay it:</p>", f);
		element(f, "pre", NULL, failure->replay_command);
	}
	element(f, "p", NULL, failure->statement);
	put_warnings(f, &failure->warnings);
	put_suspicions(f, &failure->suspicions);
}

/* dot's XML declaration, document type and comments have no place inside HTML. */
static const char *svg_element(const char *svg)
{
	const char *at = strstr(svg, "<svg");

	return at ? at : "";
}

/* ---- the tool: its parts are empty, page.js fills them */

static void put_tool(FILE *f, size_t left_out)
{
	fputs("<div class=\"tool\">\n<div class=\"bar\" role=\"toolbar\">"
	      "<button id=\"all\" aria-pressed=\"false\" title=\"key a\">all operations</button>"
	      "<button id=\"compare\" aria-pressed=\"false\" title=\"key c\">beside a run that passes</button>"
	      "<input id=\"search\" type=\"search\" placeholder=\"search ( / )\" aria-label=\"search\">"
	      "<button id=\"theme\" title=\"key t\">light or dark</button>"
	      "<span class=\"dim\">up, down: step; n, p: in this thread; x: next of the cause; d: first difference; o: "
	      "other run</span>"
	      "</div>\n",
	      f);
	if (left_out)
		fprintf(
		    f,
		    "<p class=\"note\">The run is too long for a page: its first %zu operations are left out, but for "
		    "those in the picture.</p>\n",
		    left_out);
	fputs("<div class=\"panes\">\n<div class=\"runs\" id=\"runs\"></div>\n<div class=\"side\" aria-live=\"polite\">"
	      "<p><b id=\"step\"></b><br><span class=\"place\" id=\"place\"></span></p>"
	      "<div class=\"source\" id=\"source\"></div>"
	      "<h2>Values here</h2><div class=\"values\" id=\"values\"></div></div>\n</div>\n</div>\n",
	      f);
}

/* ---- the whole */

/* The 32 bytes that 64 digits stand for, as browsers want them. */
static void put_base64(FILE *f, const char *digits)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0, n = 0;

	for (; *digits; digits++) {
		bits = bits << 4 | (unsigned)(*digits <= '9' ? *digits - '0' : *digits - 'a' + 10);
		n += 4;
		if (n >= 6) {
			n -= 6;
			fputc(letters[bits >> n & 63], f);
		}
	}
	if (n)
		fputc(letters[bits << (6 - n) & 63], f);
	fputc('=', f); /* 256 bits: 42 letters, 4 bits in the 43rd */
}

/* No script but ours runs, whatever a name holds, and nothing is fetched. */
static void put_head(FILE *f, const char *title)
{
	fputs(
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" "
	    "content=\"width=device-width\"><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	    "style-src 'unsafe-inline'; script-src 'sha256-",
	    f);
	put_base64(f, vtb_page_js_sha256);
	fputs("'\"><title>", f);
	text_print_xml(f, title);
	fprintf(f, "</title><style>%s</style></head>\n<body>\n", vtb_page_css);
}

static void put_picture(FILE *f, const char *svg, bool open)
{
	fprintf(f, "<details%s><summary>Picture</summary>\n<div class=\"picture\">", open ? " open" : "");
	fputs(svg_element(svg), f);
	fputs("</div></details>\n", f);
}

static int put_body(FILE *f, const struct report *report, const char *svg)
{
	const struct picture *p = report->picture;
	size_t left_out = 0;
	int r = 0;

	element(f, "h1", p->failed ? "bad" : NULL, p->title);
	element(f, "pre", NULL, p->message);
	element(f, "p", "dim", p->subtitle);
	if (report->trace) {
		if (report->failure)
			html_put_causes(f, report->failure);
		r = html_put_run(f, report, &left_out);
		put_tool(f, left_out);
	}
	put_picture(f, svg, !report->trace);
	fprintf(f, "<div%s>\n", report->trace ? " class=\"plain-steps\"" : "");
	put_steps(f, p);
	fputs("</div>\n", f);
	if (report->failure)
		put_failure(f, report->failure);
	if (report->trace)
		fprintf(f, "<script>%s</script>\n", vtb_page_js);
	return r;
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	char *svg;
	size_t size;
	int r = report_svg_of(report->picture, &svg, &size, err);

	if (r < 0)
		return r;
	put_head(f, report->picture->title);
	r = put_body(f, report, svg);
	fputs("</body>\n</html>\n", f);
	free(svg);
	return r < 0 ? vtb_error_set(err, r, report->path, 0, "not enough memory") : 0;
}

const struct reporter reporter_html = {
	.format = { "html", "one self-contained page: step through the run with source and values, and the picture "
	                    "(runs Graphviz's dot)" },
	.write = write,
};
