/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "differences.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/array.h"
#include "vtb/json.h"
#include "vtb/wire.h"

#define META_MAX (16u << 20)
#define VARIABLES_MAX 65536u

int vtb_differences_add(struct vtb_triage *t, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0 || vtb_array_room(t, differs) < 0)
		return -ENOMEM;
	t->differs[t->n_differs++] = text;
	return 0;
}

/* One thing about a recording: the value of a variable, its input. */
struct fact {
	char *name;
	uint64_t hash;
	uint32_t recording;
};

struct facts {
	struct fact *facts;
	size_t n_facts, cap_facts;
};

static int add_fact(struct facts *f, const char *name, uint64_t hash, uint32_t recording)
{
	char *copy = strdup(name);

	if (!copy || vtb_array_room(f, facts) < 0) {
		free(copy);
		return -ENOMEM;
	}
	f->facts[f->n_facts++] = (struct fact){ copy, hash, recording };
	return 0;
}

static int read_variables(struct vtb_json *doc, struct facts *f, uint32_t recording)
{
	const struct vtb_json_node *all = vtb_json_opt_array(doc, vtb_json_root(doc), "environment", VARIABLES_MAX);
	int r = 0;

	for (size_t i = 0; i < vtb_json_count(all) && r >= 0 && vtb_json_status(doc) >= 0; i++) {
		const struct vtb_json_node *v = vtb_json_item_object(doc, all, i);

		r = add_fact(f, vtb_json_get_string(doc, v, "name"), vtb_json_get_u64(doc, v, "hash", UINT64_MAX),
		             recording);
	}
	return r;
}

#define INPUT "\n" /* no variable is called so */

static int read_facts(const char *dir, struct facts *f, uint32_t recording)
{
	const struct vtb_json_node *input;
	char path[PATH_MAX + 16];
	struct vtb_json *doc;
	int r;

	snprintf(path, sizeof(path), "%s/meta.json", dir);
	if (vtb_json_read(path, META_MAX, &doc, NULL) < 0)
		return 0;
	r = read_variables(doc, f, recording);
	input = vtb_json_opt_object(doc, vtb_json_root(doc), "input");
	if (r >= 0 && input)
		r = add_fact(f, INPUT, vtb_json_get_u64(doc, input, "hash", UINT64_MAX), recording);
	vtb_json_free(doc);
	return r;
}

static const struct fact *fact_of(const struct facts *f, const char *name, uint32_t recording)
{
	for (size_t i = 0; i < f->n_facts; i++)
		if (f->facts[i].recording == recording && strcmp(f->facts[i].name, name) == 0)
			return &f->facts[i];
	return NULL;
}

static bool same(const struct fact *a, const struct fact *b)
{
	return a && b ? a->hash == b->hash : a == b;
}

/* Does no failing recording agree on it with any passing one? */
static bool tells_apart(const struct vtb_triage *t, const struct facts *f, const char *name)
{
	for (uint32_t i = 0; i < t->n_recordings; i++)
		for (uint32_t k = 0; k < t->n_recordings; k++)
			if (t->recordings[i].failing && !t->recordings[k].failing &&
			    same(fact_of(f, name, i), fact_of(f, name, k)))
				return false;
	return true;
}

static bool named_before(const struct facts *f, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(f->facts[i].name, f->facts[at].name) == 0)
			return true;
	return false;
}

static int compare(struct vtb_triage *t, const struct facts *f)
{
	int r = 0;

	for (size_t i = 0; i < f->n_facts && r >= 0; i++) {
		if (named_before(f, i) || !tells_apart(t, f, f->facts[i].name))
			continue;
		if (strcmp(f->facts[i].name, INPUT) == 0)
			r = vtb_differences_add(t, "input: standard input was another in runs that failed");
		else
			r = vtb_differences_add(t, "environment: %s was another in runs that failed", f->facts[i].name);
	}
	return r;
}

int vtb_differences_recorded(struct vtb_triage *t)
{
	struct facts f = { 0 };
	int r = 0;

	for (uint32_t i = 0; i < t->n_recordings && r >= 0; i++)
		r = read_facts(t->recordings[i].dir, &f, i);
	if (r >= 0 && t->failing && t->passing)
		r = compare(t, &f);
	for (size_t i = 0; i < f.n_facts; i++)
		free(f.facts[i].name);
	free(f.facts);
	return r;
}

int vtb_differences_outside(struct vtb_triage *t)
{
	if (!(t->hunt.facts.uncontrolled & (VTB_UNC_FORK | VTB_UNC_EXEC)) || !t->same_order || t->n_differs)
		return 0;
	return vtb_differences_add(
	    t, "other processes: the program starts some, and what they do is neither recorded nor controlled");
}
