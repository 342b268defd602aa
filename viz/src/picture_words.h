/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture_words.h: what happened, in words that need no manual. */
#ifndef VTB_VIZ_WORDS_H
#define VTB_VIZ_WORDS_H

#include "text.h"
#include "vtb/trace.h"

/* The variable as reports call it. Returns buf. */
char *words_variable(const struct vtb_symtab *tab, uint32_t var, char *buf, size_t size);

/* "reads balance", "locks m", "waits for m" */
void words_event(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e);
/* The same from a kind and a name, for operations of schedules. */
void words_kind(struct text *t, unsigned kind, const char *name);
/* Is there a value that people care about? Then " = 100" (read) or " := 150" (written). */
void words_value(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e);
/* The value alone: "100". */
void words_bare_value(struct text *t, const struct vtb_trace *trace, const struct vtb_event *e);
/* "account.c:31 in deposit()", "" if nothing is known */
void words_place(struct text *t, const struct vtb_symtab *tab, uint32_t site);
/* "thread 0.1 (deposit)" */
void words_thread(struct text *t, const struct vtb_symtab *tab, uint32_t thread);
/* "An assertion fails", "Threads wait for each other's locks in a circle": begins a sentence. */
const char *words_verdict(enum vtb_verdict verdict);

#endif /* VTB_VIZ_WORDS_H */
