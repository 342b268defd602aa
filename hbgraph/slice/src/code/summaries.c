/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summaries.h"

#include <stdlib.h>
#include <string.h>

const struct summary summary_anything = { "", DOES_ANYTHING | DOES_FAIL, 0, '?', "kkkkkk" };

static const struct summary rows[] = {
#define ROW(name, does, size, ret, args) { #name, does, size, ret, args },
#include "summaries.def"
#undef ROW
};

static int by_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct summary *)row)->name);
}

#define ATOMIC(size)                                                                          \
	{ "load", DOES_ACCESS, size, '-', "l-" }, { "store", DOES_ACCESS, size, '-', "t--" }, \
	    { "compare_exchange_val", DOES_ACCESS, size, '-', "s----" },                      \
	    { "compare_exchange_strong", DOES_ACCESS, size, '-', "ss---" },                   \
	    { "compare_exchange_weak", DOES_ACCESS, size, '-', "ss---" },                     \
	    { "exchange", DOES_ACCESS, size, '-', "s--" }, { "fetch_", DOES_ACCESS, size, '-', "s--" },

/* __tsan_atomic32_fetch_add: 32 bits, fetch_add. An exchanged pointer comes back as what the memory held. */
static const struct summary *find_atomic(const char *name)
{
	static const struct summary atomics[] = { ATOMIC(1) ATOMIC(2) ATOMIC(4) ATOMIC(8) ATOMIC(16) };
	char *end;
	const unsigned long bits = strtoul(name, &end, 10);

	if (*end++ != '_')
		return NULL;
	for (size_t i = 0; i < sizeof(atomics) / sizeof(*atomics); i++)
		if (atomics[i].size * 8u == bits && !strncmp(end, atomics[i].name, strlen(atomics[i].name)))
			return &atomics[i];
	return NULL;
}

static const struct summary *find_hook(const char *name)
{
	static const struct summary hooks[2][2] = { { { "a read's hook", DOES_HOOK, 0, '-', "" },
		                                      { "a write's hook", DOES_HOOK, 1, '-', "" } },
		                                    { { "a read's hook", DOES_HOOK | DOES_RANGE, 0, '-', "" },
		                                      { "a write's hook", DOES_HOOK | DOES_RANGE, 1, '-', "" } } };
	const struct summary *of = hooks[strstr(name, "range") || strstr(name, "16")];

	if (!strncmp(name, "atomic", 6) && name[6] >= '0' && name[6] <= '9')
		return find_atomic(name + 6);
	if (strstr(name, "read_write"))
		return &of[1];
	if (!strncmp(name, "read", 4) || !strncmp(name, "unaligned_read", 14) || !strncmp(name, "volatile_read", 13) ||
	    !strncmp(name, "unaligned_volatile_read", 23) || !strcmp(name, "vptr_read"))
		return &of[0];
	if (!strncmp(name, "write", 5) || !strncmp(name, "unaligned_write", 15) ||
	    !strncmp(name, "volatile_write", 14) || !strncmp(name, "unaligned_volatile_write", 24) ||
	    !strcmp(name, "vptr_update"))
		return &of[1];
	return NULL;
}

const struct summary *summary_find(const char *name)
{
	const struct summary *row = bsearch(name, rows, sizeof(rows) / sizeof(*rows), sizeof(*rows), by_name);

	if (!row && !strncmp(name, "__tsan_", 7))
		row = find_hook(name + 7);
	return row ? row : &summary_anything;
}
