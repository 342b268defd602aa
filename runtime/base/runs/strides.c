/* SPDX-License-Identifier: BSD-2-Clause */
#include "strides.h"

#include <immintrin.h>
#include <stdbool.h>

#define WORDS 8u /* looked at together */

__attribute__((target("avx2"))) static inline __m256i differs(const uint64_t *w, uint64_t period)
{
	const __m256i now = _mm256_loadu_si256((const __m256i *)w),
	              last = _mm256_loadu_si256((const __m256i *)(w - period)),
	              before = _mm256_loadu_si256((const __m256i *)(w - 2 * period));

	return _mm256_xor_si256(_mm256_sub_epi64(now, last), _mm256_sub_epi64(last, before));
}

__attribute__((target("avx2"))) static uint64_t wide(const uint64_t *w, uint64_t i, uint64_t n, uint64_t period)
{
	for (; i + WORDS <= n; i += WORDS) {
		const __m256i d = _mm256_or_si256(differs(w + i, period), differs(w + i + 4, period));

		if (!_mm256_testz_si256(d, d))
			break;
	}
	return i;
}

/* The lines stay at hand, where `rep stos` would write so many past the caches. */
__attribute__((target("avx2"))) static void clear_wide(char *at, uint64_t size)
{
	for (char *end = at + size; at < end; at += sizeof(__m256i))
		_mm256_store_si256((__m256i *)at, _mm256_setzero_si256());
}

static bool has_wide(void)
{
	static int has; /* 1 yes, -1 no */

	if (!has) {
		__builtin_cpu_init();
		has = __builtin_cpu_supports("avx2") ? 1 : -1;
	}
	return has > 0;
}

uint64_t vtb_strides_end(const uint64_t *w, uint64_t i, uint64_t n, uint64_t period)
{
	return has_wide() ? wide(w, i, n, period) : i;
}

void vtb_strides_clear(void *at, uint64_t size)
{
	if (has_wide())
		clear_wide(at, size);
	else
		__asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(0) : "memory");
}
