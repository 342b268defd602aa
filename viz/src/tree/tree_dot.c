/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree_dot.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "vtb/dot_text.h"
#include "vtb/words.h"

#define LINES_MAX 7u /* of an edge; what is in the middle of a longer one is counted */
#define RED "#c92a2a"
#define CAPTION_WIDTH 110u
#define CAPTION_LINES 6u

static const char *const thread_colors[] = {
	"#495057", "#1971c2", "#2f9e44", "#7048e8", "#a0671c", "#0c8599", "#c2255c"
};

static const char *color_of(uint32_t thread)
{
	return thread_colors[thread % (sizeof(thread_colors) / sizeof(*thread_colors))];
}

/* ---- edges */

static void put_step(FILE *f, const struct vtb_symtab *tab, const struct vtb_event *e)
{
	char object[200];

	vtb_dot_text(f, vtb_words_verb(e, false));
	if (*vtb_words_object(e, tab, object, sizeof(object))) {
		fputc(' ', f);
		vtb_dot_text(f, object);
	}
	fputs("\\l", f);
}

/* The steps from behind `from` to `to`, from the first on. */
static void put_steps(const struct run_tree *t, const struct vtb_symtab *tab, uint32_t first, size_t n, FILE *f)
{
	const size_t head = n > LINES_MAX ? LINES_MAX / 2 : n, tail = n > LINES_MAX ? LINES_MAX - 1 - head : 0;
	uint32_t at = first;

	for (size_t i = 0; i < n; i++, at = t->nodes[at].child) {
		if (i < head || i >= n - tail)
			put_step(f, tab, &t->nodes[at].event);
		else if (i == head)
			fprintf(f, "\xe2\x80\xa6 %zu more\\l", n - head - tail);
	}
}

/* Draw the edge that begins with the node, and return where it leads. */
static uint32_t put_edge(const struct run_tree *t, const struct vtb_symtab *tab, uint32_t first, FILE *f)
{
	const struct run_node *n = &t->nodes[first];
	uint32_t last = first;
	size_t steps = 1;
	char thread[200];

	for (; run_tree_passes(t, last); steps++)
		last = t->nodes[last].child;
	fprintf(f, "  n%u -> n%u [color=\"%s\" fontcolor=\"%s\" label=\"", n->parent, last, color_of(n->event.thread),
	        color_of(n->event.thread));
	vtb_dot_text(f, vtb_words_thread(tab, n->event.thread, thread, sizeof(thread)));
	fputs("\\l", f);
	put_steps(t, tab, first, steps, f);
	fputs("\"];\n", f);
	return last;
}

/* ---- nodes */

static bool is_tried(const struct run_tree *t, const struct run_node *n, uint32_t thread)
{
	for (uint32_t i = n->child; i != VTB_NONE; i = t->nodes[i].next)
		if (t->nodes[i].event.thread == thread)
			return true;
	return false;
}

static void put_threads(const struct run_tree *t, const struct vtb_symtab *tab, const struct run_node *n, FILE *f)
{
	bool any = false;

	for (uint32_t thread = 0; thread < RUN_TREE_THREADS; thread++) {
		const bool tried = is_tried(t, n, thread);

		if (!(n->can >> thread & 1))
			continue;
		fprintf(f, "%s%s", any ? ", " : "", tried ? "" : "(");
		vtb_dot_text(f, vtb_thread_path(tab, thread));
		fputs(tried ? "" : ")", f);
		any = true;
	}
}

static void put_end(const struct run_node *n, FILE *f)
{
	const bool passed = n->verdict == VTB_V_NONE || n->verdict == VTB_V_SEQUENTIAL;

	fprintf(f, "shape=%s color=\"%s\" fontcolor=\"%s\" label=\"", passed ? "plaintext" : "octagon",
	        passed ? "#868e96" : RED, passed ? "#495057" : RED);
	if (passed)
		fputs("end", f);
	else
		vtb_dot_text(f, n->signature && *n->signature ? n->signature : vtb_verdict_name(n->verdict));
	fprintf(f, "\\n#%u\"", n->run);
}

static void put_node(const struct run_tree *t, const struct vtb_symtab *tab, uint32_t id, FILE *f)
{
	const struct run_node *n = &t->nodes[id];

	fprintf(f, "  n%u [", id);
	if (n->run) {
		put_end(n, f);
	} else {
		fputs("label=\"", f);
		put_threads(t, tab, n, f);
		fputc('"', f);
	}
	fputs("];\n", f);
}

/* ---- all of it */

/* A few lines of a label, each ended at its left. */
static void put_wrapped(const char *s, FILE *f)
{
	struct text text = { 0 };
	char *lines, *end;

	text_add_wrapped(&text, s, CAPTION_WIDTH, CAPTION_LINES);
	lines = text_take(&text);
	for (char *line = lines; line && *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		vtb_dot_text(f, line);
		fputs("<BR ALIGN=\"LEFT\"/>", f);
	}
	free(lines);
}

static void put_caption(const struct tree_caption *c, FILE *f)
{
	fputs("  labelloc=t; labeljust=l; fontname=\"Helvetica\"; fontsize=11;\n  label=<<B>", f);
	vtb_dot_text(f, c->title);
	fputs("</B><BR ALIGN=\"LEFT\"/>", f);
	if (c->cut) {
		fputs("<FONT COLOR=\"" RED "\" POINT-SIZE=\"16\"><B>CUT: ", f);
		vtb_dot_text(f, c->cut);
		fputs("</B></FONT><BR ALIGN=\"LEFT\"/>", f);
	}
	if (*c->claim) {
		fputs("<FONT POINT-SIZE=\"9\">", f);
		put_wrapped(c->claim, f);
		fputs("</FONT>", f);
	}
	fputs("<FONT COLOR=\"#6c757d\" POINT-SIZE=\"9\">", f);
	put_wrapped(c->remarks, f);
	fputs("</FONT>>;\n", f);
}

void tree_dot_write(const struct run_tree *t, const struct vtb_symtab *tab, const struct tree_caption *caption, FILE *f)
{
	fputs("digraph tree {\n", f);
	put_caption(caption, f);
	fputs("  node [shape=box style=rounded fontname=\"Helvetica\" fontsize=9 height=0.2 width=0.2 "
	      "margin=\"0.08,0.04\"];\n"
	      "  edge [fontname=\"Helvetica\" fontsize=8 arrowsize=0.6];\n",
	      f);
	for (uint32_t id = 0; id < t->n_nodes; id++) {
		if (run_tree_passes(t, id))
			continue;
		put_node(t, tab, id, f);
		for (uint32_t child = t->nodes[id].child; child != VTB_NONE; child = t->nodes[child].next)
			put_edge(t, tab, child, f);
	}
	fputs("}\n", f);
}
