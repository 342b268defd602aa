/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "made_suffix.h"

#include <ctype.h>
#include <string.h>

size_t made_suffix(const char *at)
{
	static const char *const words[] = { "._omp_fn", ".constprop", ".isra", ".part", ".cold", ".omp_outlined" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const size_t n = strlen(words[i]);
		const size_t digits =
		    strncmp(at, words[i], n) == 0 && at[n] == '.' ? strspn(at + n + 1, "0123456789") : 0;

		if (strncmp(at, words[i], n) == 0 && !isalnum((unsigned char)at[n]) && at[n] != '_')
			return digits ? n + 1 + digits : n;
	}
	return 0;
}
