/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes of an execution tree: in memory, and in a file once there are more than memory is for. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exec_tree.h"
#include "vtb/array.h"

#define PAGES_AROUND 16u /* that the kernel brings with the one that is touched */

/* From memory to a file. */
static int move_to_file(struct vtb_tree *t)
{
	const struct vtb_search_opts *o = t->space->opts;
	int r = o->disk ? vtb_tree_file_open(&t->file, o->disk, o->disk_bytes) : -ENOTSUP;

	if (r >= 0)
		r = vtb_tree_file_grow(&t->file, (t->n_nodes + 1) * sizeof(*t->nodes));
	if (r < 0)
		return r;
	if (t->n_nodes)
		memcpy(t->file.at, t->nodes, t->n_nodes * sizeof(*t->nodes));
	free(t->nodes);
	return 0;
}

/* Room for one node more. */
static int make_room(struct vtb_tree *t)
{
	int r = -VTB_E_LIMIT;

	if (t->n_nodes < t->limit)
		return vtb_array_room(t, nodes);
	if (t->no_file || t->n_nodes >= VTB_NO_NODE - 1)
		return r;
	if (t->file.at)
		r = vtb_tree_file_grow(&t->file, (t->n_nodes + 1) * sizeof(*t->nodes));
	else
		r = move_to_file(t);
	if (t->file.at)
		t->nodes = t->file.at;
	t->no_file = r < 0;
	return r < 0 ? -VTB_E_LIMIT : 0;
}

/* Each node may lie on another page, and the kernel brings some around it: before these are more than what the tree may
 * hold, all go. */
static void touch(struct vtb_tree *t)
{
	if (!t->file.at || ++t->touched < t->limit * sizeof(*t->nodes) / ((size_t)sysconf(_SC_PAGESIZE) * PAGES_AROUND))
		return;
	vtb_tree_file_let_go(&t->file);
	t->touched = 0;
}

int64_t vtb_tree_take_node(struct vtb_tree *t)
{
	int r;

	touch(t);
	if (t->free_nodes != VTB_NO_NODE) {
		const uint32_t id = t->free_nodes;

		t->free_nodes = t->nodes[id].next;
		t->alive++;
		return id;
	}
	r = make_room(t);
	if (r < 0)
		return r;
	t->alive++;
	return (int64_t)t->n_nodes++;
}

void vtb_tree_free_node(struct vtb_tree *t, uint32_t id)
{
	while (id != VTB_NO_NODE && t->nodes[id].run && t->nodes[id].children == 0) {
		const uint32_t parent = t->nodes[id].parent;

		t->nodes[id].next = t->free_nodes;
		t->free_nodes = id;
		t->alive--;
		touch(t);
		if (parent != VTB_NO_NODE)
			t->nodes[parent].children--;
		id = parent;
	}
}
