/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/argv.h"
#include "vtb/array.h"
#include "vtb/hash.h"
#include "vtb/json.h"
#include "vtb/output.h"

#define FORMAT "vtb-state"
#define VERSION 1u
#define BYTES_MAX (16u << 20)
#define WORDS_MAX 65536u
#define FACTS_MAX 256u

void vtb_state_fini(struct vtb_state_file *s)
{
	for (size_t i = 0; i < s->n_facts; i++) {
		free(s->facts[i].name);
		free(s->facts[i].value);
	}
	free(s->facts);
	free(s->cwd);
	free(s->writer);
	vtb_argv_free(s->options);
	vtb_argv_free(s->argv);
	*s = (struct vtb_state_file){ 0 };
}

int vtb_state_fact(struct vtb_state_file *s, const char *name, const char *value)
{
	struct vtb_state_fact f = { strdup(name), strdup(value ? value : "") };

	if (!f.name || !f.value || vtb_array_room(s, facts) < 0) {
		free(f.name);
		free(f.value);
		return -ENOMEM;
	}
	s->facts[s->n_facts++] = f;
	return 0;
}

uint64_t vtb_state_identity(const struct vtb_state_file *s)
{
	uint64_t h = VERSION;

	for (size_t i = 0; i < s->n_facts; i++) {
		h = vtb_hash_seed(s->facts[i].name, strlen(s->facts[i].name) + 1, h);
		h = vtb_hash_seed(s->facts[i].value, strlen(s->facts[i].value) + 1, h);
	}
	return h;
}

static const char *fact_of(const struct vtb_state_file *s, const char *name)
{
	for (size_t i = 0; i < s->n_facts; i++)
		if (!strcmp(s->facts[i].name, name))
			return s->facts[i].value;
	return NULL;
}

int vtb_state_compare(const struct vtb_state_file *s, const struct vtb_state_file *old, const char *path,
                      struct vtb_error *err)
{
	for (size_t i = 0; i < s->n_facts; i++) {
		const char *value = fact_of(old, s->facts[i].name);

		if (!value || strcmp(value, s->facts[i].value))
			return vtb_error_set(err, -ESTALE, path, 0,
			                     "the hunt that is kept there is another one: %s was %.150s, and is %.150s",
			                     s->facts[i].name, value && *value ? value : "not set",
			                     *s->facts[i].value ? s->facts[i].value : "not set");
	}
	return 0;
}

/* ---- files */

int vtb_state_write(const struct vtb_state_file *s, const char *path, struct vtb_error *err)
{
	struct vtb_json_writer w;
	struct vtb_output out;
	int r = vtb_output_open(&out, path, err);

	if (r < 0)
		return r;
	vtb_json_begin(&w, out.file);
	vtb_json_object(&w, NULL);
	vtb_json_string(&w, "format", FORMAT);
	vtb_json_u64(&w, "version", VERSION);
	vtb_json_bytes(&w, "cwd", s->cwd);
	vtb_json_string(&w, "writer", s->writer);
	vtb_json_words(&w, "options", s->options);
	vtb_json_words(&w, "argv", s->argv);
	vtb_json_array(&w, "facts");
	for (size_t i = 0; i < s->n_facts; i++) {
		vtb_json_object_row(&w, NULL);
		vtb_json_string(&w, "name", s->facts[i].name);
		vtb_json_bytes(&w, "value", s->facts[i].value);
		vtb_json_end(&w);
	}
	vtb_json_finish(&w);
	return vtb_output_commit(&out, err);
}

static int read_facts(struct vtb_json *doc, const struct vtb_json_node *root, struct vtb_state_file *s)
{
	const struct vtb_json_node *items = vtb_json_get_array(doc, root, "facts", FACTS_MAX);
	int r = 0;

	for (size_t i = 0; i < vtb_json_count(items) && r >= 0; i++) {
		const struct vtb_json_node *item = vtb_json_item_object(doc, items, i);
		char *value = vtb_json_read_bytes(doc, item, "value", true);

		r = vtb_state_fact(s, vtb_json_get_string(doc, item, "name"), value);
		free(value);
	}
	return r;
}

static int read_members(struct vtb_json *doc, struct vtb_state_file *s)
{
	const struct vtb_json_node *root = vtb_json_root(doc);
	int r = vtb_json_expect(doc, root, FORMAT, VERSION);

	if (r < 0)
		return r;
	s->cwd = vtb_json_read_bytes(doc, root, "cwd", true);
	s->writer = strdup(vtb_json_get_string(doc, root, "writer"));
	s->options = vtb_json_read_words(doc, root, "options", WORDS_MAX, true);
	s->argv = vtb_json_read_words(doc, root, "argv", WORDS_MAX, true);
	if (vtb_json_status(doc) < 0)
		return vtb_json_status(doc);
	r = s->writer ? read_facts(doc, root, s) : -ENOMEM;
	if (r >= 0 && vtb_json_status(doc) == 0 && !s->argv[0])
		r = vtb_json_fail(doc, root, "argv", 0, -VTB_E_SCHEMA, "it names no program");
	return r < 0 ? r : vtb_json_status(doc);
}

int vtb_state_read(const char *path, struct vtb_state_file *ret, struct vtb_error *err)
{
	struct vtb_state_file s = { 0 };
	struct vtb_json *doc;
	int r = vtb_json_read(path, BYTES_MAX, &doc, err);

	if (r < 0)
		return r;
	r = read_members(doc, &s);
	if (r == -ENOMEM)
		vtb_error_set(err, r, path, 0, "%s", vtb_strerror(r));
	vtb_json_free(doc);
	if (r < 0)
		vtb_state_fini(&s);
	else
		*ret = s;
	return r;
}
