/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The legend: only what the picture shows. */
#include <stdlib.h>
#include <string.h>

#include "dot_drawing.h"
#include "text.h"

static double put_key(struct drawing *d, double x, const char *fill, const char *border, const char *style,
                      const char *words)
{
	const double width = 5.3 * (double)text_width(words) + 14;

	drawing_note(d, x, d->l->legend_y + (fill ? 4 : 0), 18, fill ? 12 : 20);
	if (fill)
		fprintf(d->f, " fillcolor=\"%s\" color=\"%s\" style=\"%s\" label=\"\"];\n", fill, border, style);
	else
		fprintf(d->f, " shape=plaintext label=<<FONT POINT-SIZE=\"14\" COLOR=\"%s\"><B>\u2192</B></FONT>>];\n",
		        border);
	drawing_note(d, x + 22, d->l->legend_y, width, 20);
	fprintf(d->f,
	        " shape=plaintext label=<<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\"><TR><TD WIDTH=\"%.0f\" "
	        "ALIGN=\"LEFT\"><FONT POINT-SIZE=\"9\" COLOR=\"#495057\">",
	        width - 4);
	drawing_words(d->f, words, strlen(words));
	fputs("</FONT></TD></TR></TABLE>>];\n", d->f);
	return x + 22 + width + 8;
}

static bool has_cell(const struct picture *p, enum cell_kind kind)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].kind == kind)
			return true;
	return false;
}

static bool has_arrow(const struct picture *p, enum arrow_kind kind)
{
	for (size_t i = 0; i < p->n_arrows; i++)
		if (p->arrows[i].kind == kind)
			return true;
	return false;
}

static bool has_var(const struct picture *p, int var)
{
	for (size_t i = 0; i < p->n_cells; i++)
		if (p->cells[i].var == var && p->cells[i].kind != CELL_FAILS)
			return true;
	return false;
}

static void put_vars(struct drawing *d, double y)
{
	struct layout moved = *d->l;
	struct drawing lower = *d;
	double x = LAYOUT_MARGIN;

	moved.legend_y = y;
	lower.l = &moved;
	for (size_t i = 0; i < d->p->n_vars && i < SELECT_VARS_MAX; i++) {
		struct text name = { 0 };
		char *shown;

		if (!has_var(d->p, (int)i))
			continue;
		text_add_shortened(&name, d->p->vars[i].told, 48);
		shown = text_take(&name);
		if (shown && x + 30 + 5.0 * (double)text_width(shown) > d->l->width && x > LAYOUT_MARGIN) {
			x = LAYOUT_MARGIN;
			moved.legend_y += 18;
		}
		if (shown)
			x = put_key(&lower, x, drawing_color((int)i), drawing_color((int)i), "filled", shown);
		free(shown);
	}
	d->notes = lower.notes;
}

void drawing_legend(struct drawing *d)
{
	double x = LAYOUT_MARGIN;
	struct layout moved = *d->l;
	struct drawing here = *d;

	here.l = &moved;
	if (has_arrow(d->p, ARROW_SWITCH))
		x = put_key(&here, x, COLOR_SWITCH, COLOR_SWITCH, "filled,rounded",
		            "the scheduler switches threads here");
	if (has_arrow(d->p, ARROW_ORDER))
		x = put_key(&here, x, NULL, "#1971c2", "",
		            d->p->planned ? "this must come before that"
		                          : "this came before that (same variable, at least one writes)");
	if (x > d->l->width - 190) {
		x = LAYOUT_MARGIN;
		moved.legend_y += 18;
	}
	if (has_cell(d->p, CELL_FAILS) || has_cell(d->p, CELL_WAITS))
		x = put_key(&here, x, "#ffe3e3", COLOR_FAIL, "filled",
		            has_cell(d->p, CELL_WAITS) ? "waits for ever" : "the failure");
	if (has_cell(d->p, CELL_NEXT))
		x = put_key(&here, x, "#ffffff", "#868e96", "filled,dashed", "not done when the run ended");
	if (has_cell(d->p, CELL_FOLD))
		x = put_key(&here, x, "#ffffff", "#ced4da", "filled,dashed", "operations that do not matter here");
	if (d->p->partial_order) {
		moved.legend_y += 18;
		put_key(&here, LAYOUT_MARGIN, "#fff3bf", "#e67700", "filled",
		        "time goes down within a thread; between threads only as far as locks and joins order it");
	}
	d->notes = here.notes;
	put_vars(d, moved.legend_y + 18);
}
