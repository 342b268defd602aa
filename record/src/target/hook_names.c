/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hook_names.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "__tsan_"

/* Such a call tells no access, or tells it in words of its own. */
static const struct {
	const char *name;
	struct vtb_call_tell tell;
} others[] = {
	{ "func_entry", { 0 } },
	{ "func_exit", { 0 } },
	{ "read_range", { .reads = true } },
	{ "write_range", { .writes = true } },
	{ "vptr_read", { .reads = true, .size = 8, .table = true } },
	{ "vptr_update", { .writes = true, .size = 8, .table = true } },
	{ "atomic8_load", { .reads = true, .size = 1, .is_done = true } },
	{ "atomic16_load", { .reads = true, .size = 2, .is_done = true } },
	{ "atomic32_load", { .reads = true, .size = 4, .is_done = true } },
	{ "atomic64_load", { .reads = true, .size = 8, .is_done = true } },
	{ "atomic128_load", { .reads = true, .size = 16, .is_done = true } },
};

static const char *const leaving[] = { "__assert_fail",   "__assert_perror_fail",
	                               "__chk_fail",      "__cxa_bad_cast",
	                               "__cxa_rethrow",   "__cxa_throw",
	                               "__longjmp_chk",   "__stack_chk_fail",
	                               "_exit",           "_Exit",
	                               "_Unwind_Resume",  "_ZSt9terminatev",
	                               "abort",           "exit",
	                               "longjmp",         "pthread_exit",
	                               "quick_exit",      "siglongjmp",
	                               "thrd_exit",       "__cxa_throw_bad_array_new_length",
	                               "__cxa_bad_typeid" };

static bool skip(const char **name, const char *word)
{
	const size_t n = strlen(word);
	const bool there = !strncmp(*name, word, n);

	*name += there ? n : 0;
	return there;
}

static bool plain(const char *name, struct hook_name *ret)
{
	static const char *const sizes[] = { "1", "2", "4", "8", "16" };
	bool both, write;

	skip(&name, "unaligned_");
	skip(&name, "volatile_");
	both = skip(&name, "read_write");
	write = both || skip(&name, "write");
	if (!write && !skip(&name, "read"))
		return false;
	for (uint16_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(name, sizes[i])) {
			ret->hook = both ? HOOK_OTHER : (uint16_t)VTB_SITE_HOOK(write, i);
			ret->tell = (struct vtb_call_tell){ .size = (uint8_t)(1u << i),
				                            .reads = both || !write,
				                            .writes = write };
			return true;
		}
	return false;
}

/* std::__throw_length_error(char const*) and its kin, too. */
static bool never_returns(const char *name)
{
	const char *throws = strncmp(name, "_ZSt", 4) ? NULL : name + 4 + strspn(name + 4, "0123456789");

	for (size_t i = 0; i < sizeof(leaving) / sizeof(*leaving); i++)
		if (!strcmp(name, leaving[i]))
			return true;
	return throws && !strncmp(throws, "__throw_", strlen("__throw_"));
}

bool hook_by_name(const char *name, struct hook_name *ret)
{
	if (!skip(&name, PREFIX)) {
		*ret = (struct hook_name){ HOOK_OTHER, { .leaves = true } };
		return never_returns(name);
	}
	if (plain(name, ret))
		return true;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(name, others[i].name)) {
			*ret = (struct hook_name){ HOOK_OTHER, others[i].tell };
			return true;
		}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct vtb_call_tell *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void hook_sort_tells(struct vtb_call_sites *s)
{
	size_t n = 0;

	if (s->n_tells)
		qsort(s->tells, s->n_tells, sizeof(*s->tells), by_address);
	for (size_t i = 0; i < s->n_tells; i++)
		if (!n || s->tells[n - 1].addr != s->tells[i].addr)
			s->tells[n++] = s->tells[i];
	s->n_tells = n;
}
