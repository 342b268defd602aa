/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "picture.h"

#include <errno.h>
#include <stdlib.h>

#include "vtb/array.h"
#include "picture_words.h"

void picture_fini(struct picture *p)
{
	for (size_t i = 0; i < p->n_columns; i++) {
		free(p->columns[i].name);
		free(p->columns[i].start);
	}
	for (size_t i = 0; i < p->n_cells; i++) {
		free(p->cells[i].words);
		free(p->cells[i].source);
		free(p->cells[i].place);
		free(p->cells[i].note);
	}
	for (size_t i = 0; i < p->n_arrows; i++)
		free(p->arrows[i].label);
	for (size_t i = 0; i < p->n_vars; i++) {
		free(p->vars[i].name);
		free(p->vars[i].told);
	}
	free(p->columns);
	free(p->cells);
	free(p->arrows);
	free(p->vars);
	free(p->title);
	free(p->message);
	free(p->subtitle);
	*p = (struct picture){ 0 };
}

int picture_column(struct picture *p, const struct vtb_symtab *tab, uint32_t thread, uint32_t *ret)
{
	struct text name = { 0 }, start = { 0 };
	struct column *column;

	for (uint32_t i = 0; i < p->n_columns; i++)
		if (p->columns[i].thread == thread) {
			*ret = i;
			return 0;
		}
	if (vtb_array_room(p, columns) < 0)
		return -ENOMEM;
	column = &p->columns[p->n_columns];
	*column = (struct column){ .thread = thread };
	text_printf(&name, "thread %s", vtb_thread_path(tab, thread));
	if (thread < tab->n_threads && tab->threads[thread].start && tab->threads[thread].start[0]) {
		text_add_function(&start, tab->threads[thread].start);
		text_add(&start, "()");
	}
	column->name = text_take(&name);
	column->start = text_take(&start);
	*ret = (uint32_t)p->n_columns++;
	return column->name && column->start ? 0 : -ENOMEM;
}

struct cell *picture_cell(struct picture *p, enum cell_kind kind, uint32_t column, uint32_t row)
{
	if (vtb_array_room(p, cells) < 0)
		return NULL;
	p->cells[p->n_cells] = (struct cell){ .kind = kind,
		                              .column = column,
		                              .row = row,
		                              .var = -1,
		                              .site = VTB_NONE,
		                              .event = SELECT_NO_EVENT,
		                              .after = SELECT_NO_EVENT };
	if (row >= p->n_rows)
		p->n_rows = row + 1;
	return &p->cells[p->n_cells++];
}

int picture_arrow(struct picture *p, struct arrow arrow, const char *label)
{
	struct text text = { 0 };

	if (vtb_array_room(p, arrows) < 0)
		return -ENOMEM;
	text_add(&text, label);
	arrow.label = text_take(&text);
	p->arrows[p->n_arrows++] = arrow;
	return arrow.label ? 0 : -ENOMEM;
}
