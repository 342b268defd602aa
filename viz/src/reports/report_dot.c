/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DOT with a place for everything (layout "nop2"), so that `dot -Tsvg` draws exactly this. Boxes are nodes, arrows are
 * edges with their curves given; edges are drawn first and so lie behind boxes. DOT's y points upwards.
 */
#include "report_dot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dot_drawing.h"
#include "text.h"
#include "vtb/dot_text.h"

#define FONT "Helvetica,Arial,sans-serif"
#define MONO "DejaVu Sans Mono,Consolas,monospace"
static const char *const var_colors[SELECT_VARS_MAX] = { "#1971c2", "#2f9e44", "#7048e8", "#a0671c",
	                                                 "#0c8599", "#c2255c", "#5c940d", "#495057" };

const char *drawing_color(int var)
{
	return var < 0 ? "#adb5bd" : var_colors[(unsigned)var % SELECT_VARS_MAX];
}

/* ---- HTML-like labels */

void drawing_words(FILE *f, const char *s, size_t n)
{
	if (strspn(s, "\n") >= n)
		fputs("&#160;", f);
	else
		text_print_xml_bytes(f, s, n);
}

/* Each line ends in a left-aligned break. `attributes` of the font. */
static void put_lines(FILE *f, const char *wrapped, const char *open, const char *close, const char *align)
{
	for (const char *line = wrapped; *line;) {
		const size_t n = strcspn(line, "\n");

		fprintf(f, "%s", open);
		drawing_words(f, line, n);
		fprintf(f, "%s<BR ALIGN=\"%s\"/>", close, align);
		line += n + (line[n] == '\n');
	}
}

static void begin_node(struct drawing *d, const char *name, double x, double y, double width, double height)
{
	fprintf(d->f, "  %s [pos=\"%.1f,%.1f\" width=%.3f height=%.3f", name, x + width / 2, -(y + height / 2),
	        width / 72, height / 72);
}

void drawing_note(struct drawing *d, double x, double y, double width, double height)
{
	char name[32];

	snprintf(name, sizeof(name), "note%u", d->notes++);
	begin_node(d, name, x, y, width, height);
}

struct look {
	const char *fill, *border, *style;
	double pen;
	const char *text; /* colour of the first lines */
};

static struct look look_of(enum cell_kind kind)
{
	switch (kind) {
	case CELL_FAILS:
	case CELL_WAITS:
		return (struct look){ "#ffe3e3", COLOR_FAIL, "filled", 2, "#a51111" };
	case CELL_NEXT:
		return (struct look){ "#ffffff", "#868e96", "filled,dashed", 1, "#495057" };
	case CELL_LOST:
		return (struct look){ "#fff3bf", "#e67700", "filled,dashed", 1, "#8a4b00" };
	case CELL_FOLD:
		return (struct look){ "#ffffff", "#ced4da", "filled,dashed", 0.7, "#868e96" };
	case CELL_LOCK:
		return (struct look){ "#f1f3f5", "#adb5bd", "filled", 0.8, "#343a40" };
	default:
		return (struct look){ "#ffffff", "#868e96", "filled", 1, "#000000" };
	}
}

static void put_fold(struct drawing *d, const struct box *box)
{
	fprintf(d->f, " label=<<FONT POINT-SIZE=\"8\" COLOR=\"#868e96\">");
	drawing_words(d->f, box->words, strlen(box->words));
	fprintf(d->f, "</FONT>>");
}

static void put_texts(struct drawing *d, const struct box *box, const struct look *look)
{
	char open[128];

	snprintf(open, sizeof(open), "<FONT POINT-SIZE=\"10\" COLOR=\"%s\"><B>", look->text);
	put_lines(d->f, box->words, open, "</B></FONT>", "LEFT");
	put_lines(d->f, box->source, "<FONT FACE=\"" MONO "\" POINT-SIZE=\"8.5\" COLOR=\"#1c3f66\">", "</FONT>",
	          "LEFT");
	put_lines(d->f, box->place, "<FONT POINT-SIZE=\"8\" COLOR=\"#6c757d\">", "</FONT>", "LEFT");
	put_lines(d->f, box->note, "<FONT POINT-SIZE=\"8\" COLOR=\"" COLOR_FAIL "\">", "</FONT>", "LEFT");
}

static void put_label(struct drawing *d, const struct cell *cell, const struct box *box, const struct look *look)
{
	const bool red = cell->kind == CELL_FAILS || (cell->kind == CELL_WAITS && cell->var < 0);

	fprintf(d->f,
	        " label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" CELLPADDING=\"0\"><TR><TD "
	        "WIDTH=\"%.0f\" HEIGHT=\"%.0f\" FIXEDSIZE=\"TRUE\" BGCOLOR=\"%s\"></TD>",
	        LAYOUT_STRIP, box->height - 2, red ? COLOR_FAIL : drawing_color(cell->var));
	fprintf(d->f, "<TD WIDTH=\"8\"></TD><TD WIDTH=\"%.0f\" ALIGN=\"LEFT\" BALIGN=\"LEFT\">",
	        box->width - LAYOUT_STRIP - 10);
	put_texts(d, box, look);
	fprintf(d->f, "</TD></TR></TABLE>>");
}

static void put_tooltip(struct drawing *d, const struct cell *cell)
{
	fputs(" tooltip=\"", d->f);
	vtb_dot_text(d->f, cell->words);
	if (cell->place[0]) {
		fputs(" \u2014 ", d->f);
		vtb_dot_text(d->f, cell->place);
	}
	fputs("\"", d->f);
}

static void put_cell(struct drawing *d, size_t i)
{
	const struct cell *cell = &d->p->cells[i];
	const struct box *box = &d->l->boxes[i];
	const struct look look = look_of(cell->kind);
	char name[32];

	snprintf(name, sizeof(name), "cell%zu", i);
	if (cell->kind == CELL_FOLD) /* narrower: nothing happens here */
		begin_node(d, name, box->x + box->width * 0.25, box->y, box->width * 0.5, box->height);
	else
		begin_node(d, name, box->x, box->y, box->width, box->height);
	fprintf(d->f, " fillcolor=\"%s\" color=\"%s\" style=\"%s\" penwidth=%.1f", look.fill, look.border, look.style,
	        look.pen);
	if (cell->kind == CELL_FOLD)
		put_fold(d, box);
	else
		put_label(d, cell, box, &look);
	put_tooltip(d, cell);
	fputs("];\n", d->f);
	if (cell->step) {
		drawing_note(d, 0, box->y, LAYOUT_MARGIN - 8, box->height);
		fprintf(d->f, " shape=plaintext label=<<FONT POINT-SIZE=\"9\" COLOR=\"#868e96\">%u</FONT>>];\n",
		        cell->step);
	}
}

/* ---- heads and titles */

static void put_head(struct drawing *d, uint32_t column)
{
	const struct column *c = &d->p->columns[column];
	struct text start = { 0 };
	char *shown;
	char name[32];

	text_add_shortened(&start, c->start, (size_t)(d->l->column_width / 6.7));
	shown = text_take(&start);
	snprintf(name, sizeof(name), "head%u", column);
	begin_node(d, name, layout_column_x(d->l, column), d->l->head_y, d->l->column_width, LAYOUT_HEAD);
	fputs(" style=\"filled,rounded\" fillcolor=\"#343a40\" color=\"#343a40\" label=<<FONT COLOR=\"white\" "
	      "POINT-SIZE=\"12\"><B>",
	      d->f);
	drawing_words(d->f, c->name, strlen(c->name));
	fputs("</B></FONT>", d->f);
	if (shown && shown[0]) {
		fputs("<BR/><FONT COLOR=\"#dee2e6\" POINT-SIZE=\"10\" FACE=\"" MONO "\">", d->f);
		drawing_words(d->f, shown, strlen(shown));
		fputs("</FONT>", d->f);
	}
	fputs("> tooltip=\"", d->f);
	vtb_dot_text(d->f, c->start[0] ? c->start : c->name);
	fputs("\"];\n", d->f);
	free(shown);
}

static void put_titles(struct drawing *d)
{
	char open[96];

	drawing_note(d, 0, d->l->title_y, d->l->width, d->l->head_y - d->l->title_y - 12);
	fprintf(d->f,
	        " shape=plaintext label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" "
	        "CELLSPACING=\"0\"><TR><TD WIDTH=\"%.0f\" ALIGN=\"LEFT\" BALIGN=\"LEFT\">",
	        d->l->width - 6);
	snprintf(open, sizeof(open), "<FONT POINT-SIZE=\"14\" COLOR=\"%s\"><B>", d->p->failed ? "#a51111" : "#212529");
	put_lines(d->f, d->l->title, open, "</B></FONT>", "LEFT");
	put_lines(d->f, d->l->message, "<FONT POINT-SIZE=\"11\" COLOR=\"#212529\">", "</FONT>", "LEFT");
	put_lines(d->f, d->l->subtitle, "<FONT POINT-SIZE=\"9.5\" COLOR=\"#6c757d\">", "</FONT>", "LEFT");
	fputs("</TD></TR></TABLE>>];\n", d->f);
}

/* ---- arrows */

struct point {
	double x, y;
};

static void put_curve(struct drawing *d, struct point a, struct point b, struct point c, struct point e, bool head)
{
	if (head) /* the end point of the line and, before it, that of the arrow's head */
		fprintf(d->f, " pos=\"e,%.1f,%.1f", e.x, -e.y);
	else
		fprintf(d->f, " pos=\"");
	if (head) {
		const double back = e.x > c.x ? -7 : 7;

		e.x += back;
		fputc(' ', d->f);
	}
	fprintf(d->f, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\"", a.x, -a.y, b.x, -b.y, c.x, -c.y, e.x, -e.y);
}

static struct point side_of(const struct drawing *d, size_t cell, bool right, double share)
{
	const struct box *box = &d->l->boxes[cell];

	return (struct point){ box->x + (right ? box->width : 0), box->y + box->height * share };
}

static struct point start_of(const struct drawing *d, const struct arrow *arrow, bool right, double share)
{
	if (arrow->from != SELECT_NO_EVENT)
		return side_of(d, arrow->from, right, share);
	return (struct point){ layout_column_x(d->l, arrow->from_column) + (right ? d->l->column_width : 0),
		               d->l->head_y + LAYOUT_HEAD * share };
}

static uint32_t start_column(const struct drawing *d, const struct arrow *arrow)
{
	return arrow->from == SELECT_NO_EVENT ? arrow->from_column : d->p->cells[arrow->from].column;
}

static void put_name_of_start(struct drawing *d, const struct arrow *arrow)
{
	if (arrow->from == SELECT_NO_EVENT)
		fprintf(d->f, "  head%u", arrow->from_column);
	else
		fprintf(d->f, "  cell%zu", arrow->from);
}

/* Switches leave low and arrive high, conflicts the other way round, so that the two do not cover each other. */
static void put_arrow(struct drawing *d, const struct arrow *arrow)
{
	const bool is_switch = arrow->kind == ARROW_SWITCH;
	const bool right = d->p->cells[arrow->to].column > start_column(d, arrow);
	const struct point from = start_of(d, arrow, right, is_switch ? 0.75 : 0.4),
	                   to = side_of(d, arrow->to, !right, is_switch ? 0.3 : 0.6);
	const double bend = (to.x - from.x) * 0.55;
	const int var = d->p->cells[arrow->to].var;

	put_name_of_start(d, arrow);
	fprintf(d->f, " -> cell%zu [", arrow->to);
	if (is_switch)
		fprintf(d->f, "color=\"" COLOR_SWITCH "\" penwidth=3.2 arrowsize=1.0 tooltip=\"%s\"", arrow->label);
	else
		fprintf(d->f, "color=\"%s\" penwidth=1.3 arrowsize=0.7 tooltip=\"this comes before that\"",
		        var < 0 ? "#1971c2" : drawing_color(var));
	put_curve(d, from, (struct point){ from.x + bend, from.y }, (struct point){ to.x - bend, to.y }, to, true);
	fputs("];\n", d->f);
	if (!is_switch)
		return;
	drawing_note(d, right ? from.x + 6 : from.x - 6 - LAYOUT_PILL_WIDTH, from.y - LAYOUT_PILL_HEIGHT / 2,
	             LAYOUT_PILL_WIDTH, LAYOUT_PILL_HEIGHT);
	fputs(" style=\"filled,rounded\" fillcolor=\"" COLOR_SWITCH "\" color=\"" COLOR_SWITCH
	      "\" label=<<FONT COLOR=\"white\" POINT-SIZE=\"9\"><B>",
	      d->f);
	drawing_words(d->f, arrow->label, strlen(arrow->label));
	fputs("</B></FONT>>];\n", d->f);
}

/* A thin line from each head down to the thread's last box. */
static void put_life_lines(struct drawing *d)
{
	for (uint32_t column = 0; column < d->p->n_columns; column++) {
		const double x = layout_column_x(d->l, column) + d->l->column_width / 2,
		             top = d->l->head_y + LAYOUT_HEAD, bottom = d->l->bottoms[column];

		if (bottom <= top)
			continue;
		fprintf(d->f, "  head%u -> head%u [arrowhead=none color=\"#ced4da\" penwidth=1.5", column, column);
		put_curve(d, (struct point){ x, top }, (struct point){ x, top + (bottom - top) / 3 },
		          (struct point){ x, top + (bottom - top) * 2 / 3 }, (struct point){ x, bottom }, false);
		fputs("];\n", d->f);
	}
}

int report_dot_write(const struct picture *p, FILE *f)
{
	struct layout l;
	struct drawing d = { .p = p, .l = &l, .f = f };
	const int r = layout_of(p, &l);

	if (r < 0)
		return r;
	fputs("digraph vtb {\n"
	      "  graph [layout=nop2 outputorder=edgesfirst splines=true bgcolor=white pad=0.25 charset=\"UTF-8\" "
	      "fontname=\"" FONT "\"];\n"
	      "  node [shape=box fixedsize=true margin=0 fontname=\"" FONT "\" fontsize=10];\n"
	      "  edge [fontname=\"" FONT "\"];\n",
	      f);
	put_titles(&d);
	for (uint32_t i = 0; i < p->n_columns; i++)
		put_head(&d, i);
	for (size_t i = 0; i < p->n_cells; i++)
		put_cell(&d, i);
	put_life_lines(&d);
	for (size_t i = 0; i < p->n_arrows; i++)
		put_arrow(&d, &p->arrows[i]);
	drawing_legend(&d);
	fputs("}\n", f);
	layout_fini(&l, p);
	return 0;
}

static int write(const struct report *report, FILE *f, struct vtb_error *err)
{
	const int r = report_dot_write(report->picture, f);

	return r < 0 ? vtb_error_set(err, r, report->path, 0, "cannot lay out the picture") : 0;
}

const struct reporter reporter_dot = {
	.format = { "dot", "the picture as Graphviz text, with a place for everything" },
	.write = write,
};
