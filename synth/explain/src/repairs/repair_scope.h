/* SPDX-License-Identifier: GPL-2.0-or-later */
/** @file repair_scope.h Which function a piece of a thread lies in, if its ends lie in different ones. */
#ifndef VTB_REPAIR_SCOPE_H
#define VTB_REPAIR_SCOPE_H

#include "repair_text.h"

/** The innermost call of a function in which both ends of a piece take place, by itself or by what it calls. */
struct repair_scope {
	const char *function, *file;
	uint32_t first, last;           /* its lines there, the lower first */
	const char *in_first, *in_last; /* the function that it calls there; NULL: it does it itself */
	bool again;                     /* what is called there is called more than once between them */
	bool rounds;                    /* the piece ends at the lower one, in another round of a loop */
};

/** False: nothing is known of the calls, or no function of the user's has both. */
bool repair_scope_of(const struct repair_text *w, const struct repair_piece *p, struct repair_scope *ret);

/** Does `outer` hold all that `inner` does? */
bool repair_scope_holds(const struct repair_scope *outer, const struct repair_scope *inner);

/** "Cache::get at cache.cc:30 to cache.cc:37 (in Cache::put)". Returns buf. */
char *repair_scope_words(const struct repair_scope *s, char *buf, size_t size);

#endif /* VTB_REPAIR_SCOPE_H */
