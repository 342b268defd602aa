/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file focus.h
 * --focus-var and --focus-function: after which operations may a schedule deviate?
 */
#ifndef VTB_FOCUS_H
#define VTB_FOCUS_H

#include "vtb/strategy.h"

/** Does `name` name `focus`, a part of it ("account" covers "account.balance" and "account[3]") or nothing asked for?
 */
bool vtb_focus_names(const char *focus, const char *name);

/** Have these names the variable and the function that the options focus on (true without)? O(names). */
bool vtb_focus_has_variable(const struct vtb_search_opts *opts, const struct vtb_symtab *tab);
bool vtb_focus_has_function(const struct vtb_search_opts *opts, const struct vtb_symtab *tab);

/** What the focus on `name` means for where a search has deviated: one sentence. `free` is that of its claim. Returns
 * buf. */
const char *vtb_focus_words(enum vtb_focus_kind kind, const char *name, const char *strategy, uint32_t free, char *buf,
                            size_t size);

/** May a schedule deviate right after this operation? O(length of names). */
bool vtb_focus_allows(const struct vtb_space *space, const struct vtb_event *e);
/** Likewise as far as the variable goes, or the function. */
bool vtb_focus_allows_variable(const struct vtb_space *space, const struct vtb_event *e);
bool vtb_focus_allows_function(const struct vtb_space *space, const struct vtb_event *e);

struct vtb_chance;
/** Likewise what time or chance may do after event `before`: if that lies in the focus, or what is waited at does, or
 * if the focus is the clock and a deadline passes. */
bool vtb_focus_allows_chance(const struct vtb_space *space, const struct vtb_event *before, const struct vtb_chance *c);

#endif /* VTB_FOCUS_H */
