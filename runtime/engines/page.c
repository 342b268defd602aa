/* SPDX-License-Identifier: BSD-2-Clause */
/* Two forms of one loop: 16 bytes at a time, which every x86-64 has, and 32. */
#include "page.h"

#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>

#define GROUP (VTB_PAGE / VTB_PAGE_GROUPS)

static const char zeros[GROUP] __attribute__((aligned(64)));

static void copy(void *to, const void *from, size_t size)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static void clear(void *at, size_t size)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(0) : "memory");
}

/* ---- a group is compared as a whole, and written as a whole if it differs: its lines are at hand then */

#define GROUP_OF(vector, target, load, store, or, other, any)                                                         \
	target static inline bool differs_##vector(const vector *a, const vector *b)                                  \
	{                                                                                                             \
		vector d = other(load(a), load(b));                                                                   \
                                                                                                                      \
		_Pragma("GCC unroll 16") for (size_t i = 1; i < GROUP / sizeof(vector); i++) d =                      \
		    or (d, other(load(a + i), load(b + i)));                                                          \
		return any(d);                                                                                        \
	}                                                                                                             \
                                                                                                                      \
	target static inline bool is_not_zero_##vector(const vector *a)                                               \
	{                                                                                                             \
		vector d = load(a);                                                                                   \
                                                                                                                      \
		_Pragma("GCC unroll 16") for (size_t i = 1; i < GROUP / sizeof(vector); i++) d = or (d, load(a + i)); \
		return any(d);                                                                                        \
	}                                                                                                             \
                                                                                                                      \
	target static inline void write_##vector(vector *to, const vector *from)                                      \
	{                                                                                                             \
		_Pragma("GCC unroll 16") for (size_t i = 0; i < GROUP / sizeof(vector); i++)                          \
		    store(to + i, load(from + i));                                                                    \
	}                                                                                                             \
                                                                                                                      \
	target static unsigned put_back_##vector(char *page, const char *saved, unsigned groups)                      \
	{                                                                                                             \
		unsigned changed = 0;                                                                                 \
                                                                                                                      \
		for (size_t at = 0; at < VTB_PAGE; at += GROUP, groups >>= 1) {                                       \
			vector *to = (vector *)(page + at);                                                           \
			const vector *from = groups & 1 ? (const vector *)(saved + at) : (const vector *)zeros;       \
                                                                                                                      \
			if (groups & 1 ? !differs_##vector(to, from) : !is_not_zero_##vector(to))                     \
				continue;                                                                             \
			write_##vector(to, from);                                                                     \
			changed++;                                                                                    \
		}                                                                                                     \
		return changed;                                                                                       \
	}

static inline bool any_128(__m128i v)
{
	return _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())) != 0xffff;
}

__attribute__((target("avx2"))) static inline bool any_256(__m256i v)
{
	return !_mm256_testz_si256(v, v);
}

GROUP_OF(__m128i, , _mm_load_si128, _mm_store_si128, _mm_or_si128, _mm_xor_si128, any_128)
GROUP_OF(__m256i, __attribute__((target("avx2"))), _mm256_load_si256, _mm256_store_si256, _mm256_or_si256,
         _mm256_xor_si256, any_256)

static unsigned (*const forms[])(char *, const char *, unsigned) = { put_back___m128i, put_back___m256i };
static unsigned (*form)(char *, const char *, unsigned);

unsigned vtb_page_forms(void)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? 2 : 1;
}

void vtb_page_use_form(unsigned number)
{
	form = forms[number];
}

unsigned vtb_page_put_back(void *page, const void *saved, unsigned groups)
{
	if (__builtin_expect(!form, 0))
		vtb_page_use_form(vtb_page_forms() - 1);
	return form(page, saved, groups);
}

void vtb_page_overwrite(void *page, const void *saved, unsigned groups)
{
	if (groups)
		copy(page, saved, VTB_PAGE);
	else
		clear(page, VTB_PAGE);
}

unsigned vtb_page_groups(const void *page)
{
	unsigned groups = 0;

	for (unsigned i = 0; i < VTB_PAGE_GROUPS; i++)
		groups |= (unsigned)is_not_zero___m128i((const __m128i *)page + i * (GROUP / sizeof(__m128i))) << i;
	return groups;
}
