/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "predict_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vtb/short_name.h"
#include "vtb/words.h"

/* "slots[3] (thread 0.1, 2nd)" becomes "slots[]": elements of one array, blocks of one allocation are one suspicion. */
static void put_stable(FILE *to, const char *name)
{
	while (*name) {
		const char *close = *name == '['                         ? strchr(name, ']')
		                    : strncmp(name, " (thread ", 9) == 0 ? strchr(name, ')')
		                                                         : NULL;

		if (close && *name == '[' && strspn(name + 1, "0123456789") == (size_t)(close - name - 1))
			fputs("[]", to);
		else if (!close || *name == '[')
			fputc(*name, to), close = name;
		name = close + 1;
	}
}

void vtb_predict_put_variable(FILE *to, const struct vtb_symtab *tab, uint32_t var)
{
	char name[160];

	put_stable(to, var < tab->n_variables ? vtb_told_alone(tab, var, name, sizeof(name)) : "an unnamed place");
}

void vtb_predict_put_told(FILE *to, const struct vtb_symtab *tab, uint32_t var)
{
	char name[160];

	put_stable(to, var < tab->n_variables ? vtb_told_variable(tab, var, name, sizeof(name)) : "an unnamed place");
}

void vtb_predict_put_site(FILE *to, const struct vtb_symtab *tab, uint32_t site)
{
	char place[160];

	fprintf(to, ":%s", vtb_words_place(tab, site, place, sizeof(place)));
}

int vtb_predict_close_text(FILE *to, char **text)
{
	if (fclose(to) == 0 && *text)
		return 0;
	free(*text);
	*text = NULL;
	return -ENOMEM;
}

int vtb_predict_add_site(struct vtb_suspicion *s, const struct vtb_symtab *tab, uint32_t site, const char *words)
{
	const struct vtb_site *at = site < tab->n_sites ? &tab->sites[site] : NULL;
	struct vtb_suspicion_place *place = &s->places[s->n_places++];

	place->file = strdup(at ? at->file : "");
	place->line = at ? at->line : 0;
	place->words = strdup(words);
	return place->file && place->words ? 0 : -ENOMEM;
}

int vtb_predict_add_place(struct vtb_suspicion *s, const struct vtb_symtab *tab, const struct vtb_event *e,
                          const char *what)
{
	char words[400];

	snprintf(words, sizeof(words), "%s %s", vtb_thread_path(tab, e->thread), what);
	return vtb_predict_add_site(s, tab, e->site, words);
}
