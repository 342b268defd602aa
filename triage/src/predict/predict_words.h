/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file predict_words.h Words for suspicions that are the same in every run: no address, no thread, no index. */
#ifndef VTB_PREDICT_WORDS_H
#define VTB_PREDICT_WORDS_H

#include <stdio.h>

#include "vtb/suspicion.h"
#include "vtb/symtab.h"

struct vtb_event;

/** Elements of one array and blocks of one allocation have one name: "slots[]". */
void vtb_predict_put_variable(FILE *to, const struct vtb_symtab *tab, uint32_t var);
/** The same for people: of blocks that one line makes for several callers the caller is named. */
void vtb_predict_put_told(FILE *to, const struct vtb_symtab *tab, uint32_t var);
/** ":prog.c:12". */
void vtb_predict_put_site(FILE *to, const struct vtb_symtab *tab, uint32_t site);
/** Close a stream of open_memstream(). 0, or -ENOMEM: *text is NULL then. */
int vtb_predict_close_text(FILE *to, char **text);
/** Append where the event is; it reads "0.1 WHAT". 0 or -ENOMEM. */
int vtb_predict_add_place(struct vtb_suspicion *s, const struct vtb_symtab *tab, const struct vtb_event *e,
                          const char *what);
/** Append a place with these words; there must be room for it. 0 or -ENOMEM. */
int vtb_predict_add_site(struct vtb_suspicion *s, const struct vtb_symtab *tab, uint32_t site, const char *words);

#endif /* VTB_PREDICT_WORDS_H */
