/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file focus.h
 * --focus-var and --focus-function: after which operations may a schedule deviate?
 */
#ifndef VTB_FOCUS_H
#define VTB_FOCUS_H

#include "vtb/strategy.h"

/** Is there a name in the list of --focus-var (of --focus-function) that none of these names is, or is a part of? Then
 * it is stored in buf. False without that option. O(names). */
bool vtb_focus_unknown_variable(const struct vtb_search_opts *opts, const struct vtb_symtab *tab, char *buf,
                                size_t size);
bool vtb_focus_unknown_function(const struct vtb_search_opts *opts, const struct vtb_symtab *tab, char *buf,
                                size_t size);

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
