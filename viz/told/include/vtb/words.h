/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file words.h
 * Events in words, for people. All functions write at most `size` bytes with the NUL into `buf` and return it.
 */
#ifndef VTB_WORDS_H
#define VTB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "vtb/exec.h"

/** "reads", "locks", "waits for": what the event did, or, if `pending`, what its thread has not done yet. */
const char *vtb_words_verb(const struct vtb_event *e, bool pending);

/** Did a signal's handler end the call early (EINTR), so that it has done nothing? */
bool vtb_words_interrupted(const struct vtb_event *e);

/** Was the descriptor that it is about not open (EBADF)? */
bool vtb_words_missed(const struct vtb_event *e);

/** "balance = 100", "mutex a", "thread 0.1": its object and, if known and telling, the value. "" if it has none. */
char *vtb_words_object(const struct vtb_event *e, const struct vtb_symtab *tab, char *buf, size_t size);

/** "100", "-1", "NULL", "'a'", "0.5", "true": the value as its type shows it; "" if it is unknown or an address. */
char *vtb_words_value(const struct vtb_event *e, const struct vtb_symtab *tab, char *buf, size_t size);

/** "0.1 worker": path and start routine. */
char *vtb_words_thread(const struct vtb_symtab *tab, uint32_t thread, char *buf, size_t size);

/** Who that is, if a library has started it or the program has named it: "std::thread running Pool::loop, pool.cc:35";
 * "" else. */
char *vtb_words_thread_whole(const struct vtb_symtab *tab, uint32_t thread, char *buf, size_t size);

/** The library's function that does it for the line, as people say it: "deque::push_back". "" none. */
const char *vtb_words_via(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size);

/** The variable's name without what C++ puts in for the compiler. */
char *vtb_words_variable(const struct vtb_symtab *tab, uint32_t variable, char *buf, size_t size);

/** "account.c:12", "libx.so" without line information; "" if nothing is known. */
char *vtb_words_place(const struct vtb_symtab *tab, uint32_t site, char *buf, size_t size);

/** "1,240", "13.5 million": a count a person can take in at a glance. */
char *vtb_words_count(uint64_t n, char *buf, size_t size);

/** "0.4 s", "12 s", "3 min 5 s". */
char *vtb_words_seconds(double seconds, char *buf, size_t size);

#endif /* VTB_WORDS_H */
