/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suspects of a hunt: those of one object together. */
#include <string.h>

#include "told_parts.h"
#include "vtb/bounded_text.h"

#define LIKEWISE 6u /* others of the same object that are named */
#define TEXT 4000   /* bytes */

/* What a variable is a part of: "stat" of "stat.hits", "the node from a.c:3" of "next of the node from a.c:3", and all
 * of "the node from a.c:3", whose dot is none of a part. */
static const char *object_of(const char *variable, size_t *ret_size)
{
	const char *of = strstr(variable, " of the ");

	variable = of ? of + 4 : variable;
	*ret_size = strchr(variable, ' ') ? strlen(variable) : strcspn(variable, ".[");
	return variable;
}

static bool same_object(const struct vtb_suspicion *a, const struct vtb_suspicion *b)
{
	size_t n_a, n_b;
	const char *of_a = object_of(a->variable, &n_a), *of_b = object_of(b->variable, &n_b);

	return a->kind == VTB_SUSPECT_RACE && b->kind == VTB_SUSPECT_RACE && a->n_places == 2 && b->n_places == 2 &&
	       n_a && n_a == n_b && !strncmp(of_a, of_b, n_a);
}

static bool is_told_before(const struct vtb_suspicions *all, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_object(&all->suspicions[k], &all->suspicions[i]))
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "stat.hits at a.c:6", "at a.c:9 and a.c:12" of the variable before. */
static void add_other(struct vtb_bounded_text *t, const struct vtb_suspicion *s, const struct vtb_suspicion *before)
{
	const struct vtb_suspicion_place *a = &s->places[0], *b = &s->places[1];

	if (strcmp(s->variable, before->variable) != 0)
		vtb_bounded_text_add(t, "%s ", s->variable);
	vtb_bounded_text_add(t, "at %s:%u", base_name(a->file), a->line);
	if (a->line != b->line || strcmp(a->file, b->file) != 0)
		vtb_bounded_text_add(t, " and %s:%u", base_name(b->file), b->line);
}

/* Number `first`, and what is as it is of its object. How many that are. */
static size_t tell(const struct vtb_sheet *s, const struct vtb_suspicions *all, size_t first, bool together)
{
	const struct vtb_suspicion *one = &all->suspicions[first], *before = one;
	char text[TEXT] = "";
	struct vtb_bounded_text t = { .buf = text, .size = sizeof(text) };
	size_t n = 0;

	vtb_bounded_text_add(&t, "%s%s", one->kind == VTB_SUSPECT_RACE ? "race on " : "", one->text);
	for (size_t i = first + 1; together && i < all->n_suspicions; i++) {
		if (!same_object(one, &all->suspicions[i]) || ++n > LIKEWISE)
			continue;
		vtb_bounded_text_add(&t, "%s", n == 1 ? "; likewise " : ", ");
		add_other(&t, &all->suspicions[i], before);
		before = &all->suspicions[i];
	}
	if (n > LIKEWISE)
		vtb_bounded_text_add(&t, " and %zu more", n - LIKEWISE);
	vtb_sheet_line(s, "", "- %s", text);
	return n + 1;
}

/* Apart from what is proved, and last: nobody is to take them for bugs. */
void vtb_told_suspects(const struct vtb_sheet *s, const struct vtb_suspicions *all, size_t n_findings)
{
	size_t told = 0, lines = 0;

	if (!all->n_suspicions)
		return;
	if (n_findings)
		vtb_sheet_line(s, "suspects",
		               "%zu besides, not shown to be part of the failure%s above:", all->n_suspicions,
		               n_findings == 1 ? "" : "s");
	else
		vtb_sheet_line(s, "suspects",
		               "%zu, and no schedule that was tried fails because of %s:", all->n_suspicions,
		               all->n_suspicions == 1 ? "it" : "them");
	for (size_t i = 0; i < all->n_suspicions && (s->verbose || lines < VTB_TOLD_SUSPECTS); i++) {
		if (!s->verbose && is_told_before(all, i))
			continue;
		told += tell(s, all, i, !s->verbose);
		lines++;
	}
	if (told < all->n_suspicions)
		vtb_sheet_line(s, "", "... and %zu more, shown by -v and --json", all->n_suspicions - told);
}
