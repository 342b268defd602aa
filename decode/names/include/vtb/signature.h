/* SPDX-License-Identifier: GPL-2.0-or-later */
/**
 * @file signature.h
 * The stable name of a failure: two runs that fail in the same way have the same signature, in every process and after
 * a rebuild that moved the functions concerned. It holds no address, no thread number and no absolute line.
 *
 *   assertion:check_total:balance == 300           the text of assert(), or the exception of terminate
 *   assertion:worker+4                             abort() without a word: function + line in it
 *   signal:SIGSEGV:list_pop+3
 *   exit:3      output      livelock               nothing more is known
 *   memory:use after free:list_new() at list.c:31:list_pop+3
 *   deadlock:a at f+3,b at g+2                     what each thread waits for and where, sorted; also
 * condition-deadlock, lost-wakeup
 */
#ifndef VTB_SIGNATURE_H
#define VTB_SIGNATURE_H

#include <stddef.h>

#include "vtb/trace.h"

/** Set outcome->signature ("" if nothing failed) from its verdict, site, var and message, and the pending operations
 * (as in struct vtb_exec, or as PENDING events of a trace). Strings go to `tab`. 0 or -ENOMEM. O(n log n). */
int vtb_signature(struct vtb_outcome *outcome, struct vtb_symtab *tab, const struct vtb_event *pending,
                  size_t n_pending);

/** What the runtime says of an exception, with the type's name as people write it: "... instance of 'St9bad_alloc'"
 * becomes "... instance of 'std::bad_alloc'". Other messages stay as they are. Returns buf. */
char *vtb_readable_exception(const char *message, char *buf, size_t size);

#endif /* VTB_SIGNATURE_H */
