/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "item_facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extent.h"
#include "item_parts.h"

enum kind { COUNT, NUMBER, FLAG };         /* uint64_t, uint32_t, bool */
enum merge { ADD, ANY, MOST, OF_LARGEST }; /* added; in one of them; the highest; that of the largest extent */

struct row {
	const char *name;
	enum kind kind;
	enum merge merge;
	size_t member;
};
#define ROW(kind, merge, member)                                              \
	{                                                                     \
#member, kind, merge, offsetof(struct vtb_hunt_facts, member) \
	}

static const struct row rows[] = {
	ROW(COUNT, ADD, search_schedules), ROW(COUNT, ADD, partial),
	ROW(COUNT, ADD, redone),           ROW(COUNT, ADD, blocked),
	ROW(COUNT, ADD, diverged),         ROW(COUNT, ADD, not_again),
	ROW(COUNT, ADD, states),           ROW(COUNT, ADD, states_met),
	ROW(COUNT, ADD, cross_checked),    ROW(COUNT, MOST, points),
	ROW(NUMBER, MOST, threads),        ROW(NUMBER, MOST, run_limit_s),
	ROW(NUMBER, ANY, kinds),           ROW(NUMBER, ANY, uncontrolled),
	ROW(FLAG, ANY, output_cut),        ROW(FLAG, ANY, chance),
	ROW(FLAG, ANY, unsettled),         ROW(FLAG, ANY, followed),
	ROW(FLAG, ANY, assumed),           ROW(FLAG, ANY, torn_unseen),
	ROW(NUMBER, ANY, focus_free),      ROW(FLAG, OF_LARGEST, complete),
	ROW(FLAG, OF_LARGEST, zero_done),  ROW(FLAG, OF_LARGEST, enumerated),
	ROW(FLAG, OF_LARGEST, pruned),     ROW(FLAG, OF_LARGEST, by_orders),
	ROW(NUMBER, OF_LARGEST, explored), ROW(NUMBER, OF_LARGEST, done.l),
	ROW(NUMBER, OF_LARGEST, done.c),   ROW(NUMBER, OF_LARGEST, done.v),
	ROW(NUMBER, OF_LARGEST, done.t),   ROW(NUMBER, OF_LARGEST, orders.l),
	ROW(NUMBER, OF_LARGEST, orders.c), ROW(NUMBER, OF_LARGEST, orders.v),
	ROW(NUMBER, OF_LARGEST, orders.t), ROW(COUNT, ADD, unread),
};
#define ROWS (sizeof(rows) / sizeof(*rows))

static const char *const files_words[] = { "none", "mounts", "user", "kept", "plain" };
static const char *const weak_words[] = { "none", "two", "many", "unseen", "moves" };
/* Words of `stopped`, which a file may name. */
static const char *const stops[] = { "bound",  "found", "time",  "budget",        "interrupt",
	                             "memory", "level", "stuck", "contradiction", "strategy" };

static uint64_t get(const struct row *row, const struct vtb_hunt_facts *facts)
{
	const void *at = (const char *)facts + row->member;

	return row->kind == COUNT    ? *(const uint64_t *)at
	       : row->kind == NUMBER ? *(const uint32_t *)at
	                             : *(const bool *)at;
}

static void set(const struct row *row, struct vtb_hunt_facts *facts, uint64_t value)
{
	void *at = (char *)facts + row->member;

	if (row->kind == COUNT)
		*(uint64_t *)at = value;
	else if (row->kind == NUMBER)
		*(uint32_t *)at = (uint32_t)value;
	else
		*(bool *)at = value;
}

void vtb_item_facts_write(struct vtb_json_writer *w, const struct vtb_hunt_facts *facts)
{
	vtb_json_object_row(w, "facts");
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].kind == FLAG)
			vtb_json_bool(w, rows[i].name, get(&rows[i], facts));
		else
			vtb_json_u64(w, rows[i].name, get(&rows[i], facts));
	vtb_json_u64(w, "printed", facts->printed);
	vtb_json_u64(w, "outputs", facts->outputs);
	vtb_json_bool(w, "outputs_more", facts->outputs_more);
	vtb_json_string(w, "arguments", facts->arguments);
	vtb_json_string(w, "stuck", facts->stuck);
	vtb_json_string(w, "stopped", facts->stopped);
	vtb_json_string(w, "files", facts->files);
	vtb_json_string(w, "torn", *facts->torn ? facts->torn : NULL);
	vtb_json_string(w, "weak", weak_words[facts->weak]);
	vtb_json_string(w, "weak_at", *facts->weak_at ? facts->weak_at : NULL);
	vtb_json_end(w);
}

static const char *word_of(struct vtb_json *doc, const struct vtb_json_node *facts, const char *key,
                           const char *const *words, size_t n)
{
	const char *word = vtb_json_opt_string(doc, facts, key, NULL);

	for (size_t i = 0; word && i < n; i++)
		if (strcmp(words[i], word) == 0)
			return words[i];
	if (word)
		vtb_json_fail(doc, facts, key, 0, -VTB_E_SCHEMA, "\"%.40s\" is none of its words", word);
	return NULL;
}

static void read_text(struct vtb_json *doc, const struct vtb_json_node *facts, const char *key, char *ret, size_t size)
{
	snprintf(ret, size, "%s", vtb_json_opt_string(doc, facts, key, ""));
}

/* Without the word nobody has looked: an older vtb does not say it. */
static void read_weak(struct vtb_json *doc, const struct vtb_json_node *facts, struct vtb_hunt_facts *ret)
{
	const char *word = word_of(doc, facts, "weak", weak_words, sizeof(weak_words) / sizeof(*weak_words));

	ret->weak = VTB_WEAK_UNSEEN;
	for (size_t i = 0; i < sizeof(weak_words) / sizeof(*weak_words); i++)
		if (word == weak_words[i])
			ret->weak = (enum vtb_weak)i;
	read_text(doc, facts, "weak_at", ret->weak_at, sizeof(ret->weak_at));
	read_text(doc, facts, "torn", ret->torn, sizeof(ret->torn));
}

void vtb_item_facts_read(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_hunt_facts *ret)
{
	const struct vtb_json_node *facts = vtb_json_get_object(doc, object, "facts");

	for (size_t i = 0; i < ROWS && vtb_json_status(doc) >= 0; i++)
		set(&rows[i], ret,
		    rows[i].kind == FLAG
		        ? vtb_json_opt_bool(doc, facts, rows[i].name, false)
		        : vtb_json_get_u64(doc, facts, rows[i].name, rows[i].kind == COUNT ? UINT64_MAX : UINT32_MAX));
	ret->printed = vtb_json_opt_u64(doc, facts, "printed", UINT64_MAX, 0);
	ret->outputs = vtb_json_opt_u64(doc, facts, "outputs", UINT64_MAX, 0);
	ret->outputs_more = vtb_json_opt_bool(doc, facts, "outputs_more", false);
	ret->stopped = word_of(doc, facts, "stopped", stops, sizeof(stops) / sizeof(*stops));
	ret->files = word_of(doc, facts, "files", files_words, sizeof(files_words) / sizeof(*files_words));
	read_weak(doc, facts, ret);
	ret->arguments = vtb_item_text_read(doc, facts, "arguments", false);
	ret->stuck = vtb_item_text_read(doc, facts, "stuck", false);
}

bool vtb_item_facts_more(const struct vtb_hunt_facts *a, const struct vtb_hunt_facts *b)
{
	const bool x = a->enumerated, y = b->enumerated; /* else `done` means nothing */
	const uint64_t
	    left[] = { a->complete, a->zero_done, x, x && !a->by_orders, x ? a->done.c : 0, x ? a->done.v : 0 },
	    right[] = { b->complete, b->zero_done, y, y && !b->by_orders, y ? b->done.c : 0, y ? b->done.v : 0 };

	for (size_t i = 0; i < sizeof(left) / sizeof(*left); i++)
		if (left[i] != right[i])
			return left[i] > right[i];
	return false;
}

/* A fresh copy in the place of what is there. */
static int put(char **at, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

/* How many different outputs there are in all nobody knows: what is told is true of one item's runs. */
static void merge_outputs(struct vtb_hunt_facts *all, const struct vtb_hunt_facts *one)
{
	if (one->outputs <= all->outputs)
		return;
	all->printed = one->printed;
	all->outputs = one->outputs;
	all->outputs_more = one->outputs_more;
}

int vtb_item_facts_merge(struct vtb_hunt_facts *all, const struct vtb_hunt_facts *one, bool completed)
{
	const bool larger = completed && (!all->arguments || vtb_item_facts_more(one, all));
	int r = larger ? put(&all->arguments, one->arguments) : 0;

	if (r >= 0 && !all->stuck)
		r = put(&all->stuck, one->stuck);
	for (size_t i = 0; r >= 0 && i < ROWS; i++) {
		const uint64_t x = get(&rows[i], all), y = get(&rows[i], one);

		if (rows[i].merge == OF_LARGEST && larger)
			set(&rows[i], all, y);
		else if (rows[i].merge != OF_LARGEST)
			set(&rows[i], all, rows[i].merge == ADD ? x + y : rows[i].merge == ANY ? x | y : x > y ? x : y);
	}
	merge_outputs(all, one);
	vtb_extent_note_weak(all, one->weak, one->weak_at);
	vtb_extent_note_torn(all, one->torn, false);
	return r;
}
