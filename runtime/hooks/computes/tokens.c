/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts that are cut to pieces: as libc does it, and told as it is done. */
#ifndef __NO_INLINE__
#define __NO_INLINE__ 1 /* what is defined here is not to be defined by libc's headers before */
#endif

#include "rows.h"

#undef strtok_r

struct set {
	bool has[256];
};

static void read_set(struct set *to, const char *set, uint64_t pc)
{
	if (vtb_rt_is_hooked(pc))
		looks_text(set, pc);
	memset(to, 0, sizeof(*to));
	for (; *set; set++)
		to->has[(unsigned char)*set] = true;
}

static char *skip(char *text, const struct set *set, bool while_has)
{
	while (*text && set->has[(unsigned char)*text] == while_has)
		text++;
	return text;
}

/* Where the token ends its end is written, if the text goes on there. */
static char *next_token(char *text, const char *separators, char **rest, uint64_t pc)
{
	const bool hooked = vtb_rt_is_hooked(pc);
	struct set set;
	char *end, *next;

	read_set(&set, separators, pc);
	if (!text) {
		if (hooked)
			looks(rest, sizeof(*rest), pc);
		text = *rest;
	}
	if (!text)
		return NULL;
	if (hooked)
		looks_text(text, pc);
	text = skip(text, &set, true);
	end = skip(text, &set, false);
	next = *end ? end + 1 : end;
	if (next > end) {
		if (hooked)
			changes(end, 1, pc);
		*end = 0;
	}
	if (hooked)
		changes(rest, sizeof(*rest), pc);
	*rest = next;
	return end > text ? text : NULL;
}

VTB_EXPORT char *strtok(char *restrict text, const char *restrict set);
VTB_EXPORT char *strtok(char *restrict text, const char *restrict set)
{
	static char *rest;

	return next_token(text, set, &rest, VTB_CALLER);
}

VTB_EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest);
VTB_EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	return next_token(text, set, rest, VTB_CALLER);
}

VTB_EXPORT char *__strtok_r(char *restrict text, const char *restrict set, char **restrict rest);
VTB_EXPORT char *__strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
	return next_token(text, set, rest, VTB_CALLER);
}
