/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "vtb/suspicion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format_parts.h"
#include "suspicion_read.h"
#include "vtb/array.h"

static const char *const kind_names[VTB_SUSPECT_KINDS] = {
	[VTB_SUSPECT_RACE] = "race", [VTB_SUSPECT_LOCK_CYCLE] = "lock-cycle", [VTB_SUSPECT_UNLOCKED] = "unlocked"
};

const char *vtb_suspicion_kind_name(enum vtb_suspicion_kind kind)
{
	return kind_names[kind];
}

void vtb_suspicion_fini(struct vtb_suspicion *s)
{
	free(s->key);
	free(s->text);
	free(s->variable);
	free(s->lock);
	for (size_t i = 0; i < s->n_places; i++) {
		free(s->places[i].words);
		free(s->places[i].file);
	}
	*s = (struct vtb_suspicion){ 0 };
}

void vtb_suspicions_fini(struct vtb_suspicions *s)
{
	for (size_t i = 0; i < s->n_suspicions; i++)
		vtb_suspicion_fini(&s->suspicions[i]);
	free(s->suspicions);
	*s = (struct vtb_suspicions){ 0 };
}

static char *copy_text(const char *text, bool *failed)
{
	char *copy = strdup(text ? text : "");

	*failed |= !copy;
	return copy;
}

int vtb_suspicions_add(struct vtb_suspicions *to, const struct vtb_suspicion *s)
{
	struct vtb_suspicion copy = { .kind = s->kind, .n_places = s->n_places, .tried = s->tried };
	bool failed = vtb_array_room(to, suspicions) < 0;

	copy.key = copy_text(s->key, &failed);
	copy.text = copy_text(s->text, &failed);
	copy.variable = copy_text(s->variable, &failed);
	copy.lock = copy_text(s->lock, &failed);
	for (size_t i = 0; i < s->n_places; i++)
		copy.places[i] = (struct vtb_suspicion_place){ .words = copy_text(s->places[i].words, &failed),
			                                       .file = copy_text(s->places[i].file, &failed),
			                                       .line = s->places[i].line };
	if (failed) {
		vtb_suspicion_fini(&copy);
		return -ENOMEM;
	}
	to->suspicions[to->n_suspicions++] = copy;
	return 0;
}

/* ---- in files */

static void write_place(struct vtb_json_writer *w, const struct vtb_suspicion_place *place)
{
	vtb_json_object_row(w, NULL);
	vtb_json_string(w, "words", place->words);
	vtb_json_string(w, "file", place->file);
	vtb_json_u64(w, "line", place->line);
	vtb_json_end(w);
}

void vtb_suspicions_write(struct vtb_json_writer *w, const char *key, const struct vtb_suspicions *all)
{
	vtb_json_array(w, key);
	for (size_t i = 0; i < all->n_suspicions && i < VTB_SUSPICIONS_LIMIT; i++) {
		const struct vtb_suspicion *s = &all->suspicions[i];

		vtb_json_object(w, NULL);
		vtb_json_string(w, "kind", vtb_suspicion_kind_name(s->kind));
		vtb_json_string(w, "key", s->key);
		vtb_json_string(w, "text", s->text);
		vtb_json_string(w, "variable", s->variable);
		if (*s->lock)
			vtb_json_string(w, "lock", s->lock);
		vtb_json_u64(w, "tried", s->tried);
		vtb_json_array(w, "places");
		for (size_t k = 0; k < s->n_places; k++)
			write_place(w, &s->places[k]);
		vtb_json_end(w);
		vtb_json_end(w);
	}
	vtb_json_end(w);
}

static char *read_text(struct vtb_json *doc, const struct vtb_json_node *object, const char *key)
{
	return vtb_files_strdup(doc, object, vtb_json_get_string(doc, object, key));
}

static void read_one(struct vtb_json *doc, const struct vtb_json_node *object, struct vtb_suspicion *s)
{
	const struct vtb_json_node *places = vtb_json_opt_array(doc, object, "places", VTB_SUSPICION_PLACES);

	s->kind = (enum vtb_suspicion_kind)vtb_files_choice(doc, object, "kind", kind_names, VTB_SUSPECT_KINDS, -1);
	s->key = read_text(doc, object, "key");
	s->text = read_text(doc, object, "text");
	s->variable = read_text(doc, object, "variable");
	s->lock = vtb_files_strdup(doc, object, vtb_json_opt_string(doc, object, "lock", ""));
	s->tried = (uint32_t)vtb_json_opt_u64(doc, object, "tried", UINT32_MAX, 0);
	for (size_t i = 0; i < vtb_json_count(places) && vtb_json_status(doc) >= 0; i++) {
		const struct vtb_json_node *place = vtb_json_item_object(doc, places, i);

		s->n_places++;
		s->places[i].words = read_text(doc, place, "words");
		s->places[i].file = read_text(doc, place, "file");
		s->places[i].line = (uint32_t)vtb_json_opt_u64(doc, place, "line", UINT32_MAX, 0);
	}
}

void vtb_suspicions_read(struct vtb_json *doc, const struct vtb_json_node *object, const char *key,
                         struct vtb_suspicions *ret)
{
	const struct vtb_json_node *array = vtb_json_opt_array(doc, object, key, VTB_SUSPICIONS_LIMIT);

	for (size_t i = 0; i < vtb_json_count(array) && vtb_json_status(doc) >= 0; i++) {
		struct vtb_suspicion s = { 0 };

		read_one(doc, vtb_json_item_object(doc, array, i), &s);
		if (vtb_json_status(doc) >= 0)
			vtb_files_check(doc, array, vtb_suspicions_add(ret, &s));
		vtb_suspicion_fini(&s);
	}
}
