/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of the instrumented program to memcpy, strcpy and their like are accesses to the memory that they are given:
 * the compiler puts no hooks into libc. Each call is one access of its range, or two: what is read first, then what is
 * written; then the call is made, with what was there when it was read: others may have come between.
 *
 * Everybody in the process calls these, from before relocation on: without a thread of ours, or in our own code, they
 * are what they always were, and until the real ones are known a plain loop does.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "computed.h"
#include "own_names.h"

#undef memcpy
#undef memset

static inline void reads(const void *addr, size_t size, uint64_t pc)
{
	if (size && vtb_rt_is_hooked(pc))
		vtb_rt_range(VTB_E_READ, addr, size, pc);
}

static inline void writes(void *addr, size_t size, uint64_t pc)
{
	if (size && vtb_rt_is_hooked(pc))
		vtb_rt_range(VTB_E_WRITE, addr, size, pc);
}

/* ---- plain forms; volatile keeps the compiler from finding in them the functions that they stand for */

static size_t plain_length(const char *s, size_t most)
{
	const volatile char *p = s;
	size_t n = 0;

	while (n < most && p[n])
		n++;
	return n;
}

static int plain_compare(const void *a, const void *b, size_t size, bool text, size_t *ret_seen)
{
	const volatile unsigned char *p = a, *q = b;
	size_t i = 0;

	while (i < size && p[i] == q[i] && !(text && !p[i]))
		i++;
	*ret_seen = i < size ? i + 1 : size;
	return i < size ? p[i] - q[i] : 0;
}

static void *copy(void *to, const void *from, size_t size)
{
	return vtb_real.memcpy ? vtb_real.memcpy(to, from, size) : vtb_rt_copy(to, from, size);
}

static void *move(void *to, const void *from, size_t size)
{
	volatile char *p = to;
	const volatile char *q = from;

	if (vtb_real.memmove)
		return vtb_real.memmove(to, from, size);
	if ((uintptr_t)to <= (uintptr_t)from)
		return vtb_rt_copy(to, from, size);
	while (size--)
		p[size] = q[size];
	return to;
}

static void *fill(void *to, int byte, size_t size)
{
	return vtb_real.memset ? vtb_real.memset(to, byte, size) : vtb_rt_fill(to, byte, size);
}

static size_t length(const char *s)
{
	return vtb_real.strlen ? vtb_real.strlen(s) : plain_length(s, SIZE_MAX);
}

static size_t bounded_length(const char *s, size_t most)
{
	return vtb_real.strnlen ? vtb_real.strnlen(s, most) : plain_length(s, most);
}

/* ---- memory */

#define KEPT_BYTES 64u /* what is longer is kept only where others may come */

/* Room for what is longer. */
static size_t large_room(size_t size)
{
	return size > KEPT_BYTES && vtb_rt_others_come() ? vtb_rt_fits_on_stack(size) : 0;
}

#define KEEPS_LARGE(from, size) \
	if (large_room(size))   \
	from = copy(alloca(size), from, size)

static __attribute__((noinline)) void *tell_large_copy(void *to, const void *from, size_t size, uint64_t pc)
{
	KEEPS_LARGE(from, size);
	writes(to, size, pc);
	return move(to, from, size);
}

/* The bytes at `from` are as they were when they were read, whatever others do before they are written. */
static void *tell_copy(void *to, const void *from, size_t size, uint64_t pc)
{
	char kept[KEPT_BYTES];

	reads(from, size, pc);
	if (size > sizeof(kept))
		return tell_large_copy(to, from, size, pc);
	copy(kept, from, size);
	writes(to, size, pc);
	return copy(to, kept, size);
}

VTB_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t size);
VTB_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_copy(to, from, size, VTB_CALLER) : copy(to, from, size);
}

VTB_EXPORT void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
VTB_EXPORT void *__memcpy_chk(void *to, const void *from, size_t size, size_t room)
{
	if (size > room)
		return vtb_real.__memcpy_chk(to, from, size, room); /* ends the process */
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_copy(to, from, size, VTB_CALLER) : copy(to, from, size);
}

VTB_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t size);
VTB_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t size)
{
	if (vtb_rt_is_hooked(VTB_CALLER))
		return (char *)tell_copy(to, from, size, VTB_CALLER) + size;
	return (char *)copy(to, from, size) + size;
}

VTB_EXPORT void *memmove(void *to, const void *from, size_t size);
VTB_EXPORT void *memmove(void *to, const void *from, size_t size)
{
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_copy(to, from, size, VTB_CALLER) : move(to, from, size);
}

VTB_EXPORT void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
VTB_EXPORT void *__memmove_chk(void *to, const void *from, size_t size, size_t room)
{
	if (size > room)
		return vtb_real.__memmove_chk(to, from, size, room);
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_copy(to, from, size, VTB_CALLER) : move(to, from, size);
}

VTB_EXPORT void *memset(void *to, int byte, size_t size);
VTB_EXPORT void *memset(void *to, int byte, size_t size)
{
	writes(to, size, VTB_CALLER);
	return fill(to, byte, size);
}

VTB_EXPORT void *__memset_chk(void *to, int byte, size_t size, size_t room);
VTB_EXPORT void *__memset_chk(void *to, int byte, size_t size, size_t room)
{
	if (size > room)
		return vtb_real.__memset_chk(to, byte, size, room);
	writes(to, size, VTB_CALLER);
	return fill(to, byte, size);
}

/* The text up to its end, or `most` bytes of it. */
static const char *keep_text(char *to, const char *from, size_t most)
{
	const size_t n = bounded_length(from, most);

	copy(to, from, n < most ? n + 1 : n);
	return to;
}

/* Of what is longer the bytes that have been read are kept; they are told from the others by reading on. */
static __attribute__((noinline)) int compare_large(const char *a, const char *b, size_t size, bool text, size_t seen,
                                                   uint64_t pc)
{
	const char *kept = a;
	int r;
	size_t n;

	KEEPS_LARGE(kept, seen);
	vtb_rt_range(VTB_E_READ, b, seen, pc);
	r = plain_compare(kept, b, seen, text, &n);
	if (r || n < seen || (text && !kept[seen - 1]))
		return r;
	return plain_compare(a + seen, b + seen, size - seen, text, &n);
}

/* What is looked at ends with the first difference. Others may run before each of the two is read. */
static int compare(const void *a, const void *b, size_t size, bool text, uint64_t pc)
{
	char kept[KEPT_BYTES];
	size_t seen, n;

	if (!vtb_rt_is_hooked(pc))
		return plain_compare(a, b, size, text, &seen);
	plain_compare(a, b, size, text, &seen);
	vtb_rt_range(VTB_E_READ, a, seen, pc);
	if (seen > sizeof(kept))
		return compare_large(a, b, size, text, seen, pc);
	n = !text ? size : size > sizeof(kept) ? bounded_length(a, sizeof(kept)) + 1 : size;
	if (n <= sizeof(kept))
		a = text ? keep_text(kept, a, n) : copy(kept, a, n);
	vtb_rt_range(VTB_E_READ, b, seen, pc);
	return plain_compare(a, b, size, text, &seen);
}

VTB_EXPORT int memcmp(const void *a, const void *b, size_t size);
VTB_EXPORT int memcmp(const void *a, const void *b, size_t size)
{
	return vtb_real.memcmp && !vtb_rt_is_hooked(VTB_CALLER) ? vtb_real.memcmp(a, b, size)
	                                                        : compare(a, b, size, false, VTB_CALLER);
}

/* ---- text */

VTB_EXPORT size_t strlen(const char *s);
VTB_EXPORT size_t strlen(const char *s)
{
	if (vtb_rt_is_hooked(VTB_CALLER))
		reads(s, length(s) + 1, VTB_CALLER);
	return length(s);
}

VTB_EXPORT size_t strnlen(const char *s, size_t most);
VTB_EXPORT size_t strnlen(const char *s, size_t most)
{
	if (vtb_rt_is_hooked(VTB_CALLER)) {
		const size_t n = bounded_length(s, most);

		reads(s, n < most ? n + 1 : n, VTB_CALLER);
	}
	return bounded_length(s, most);
}

VTB_EXPORT int strcmp(const char *a, const char *b);
VTB_EXPORT int strcmp(const char *a, const char *b)
{
	return vtb_real.strcmp && !vtb_rt_is_hooked(VTB_CALLER) ? vtb_real.strcmp(a, b)
	                                                        : compare(a, b, SIZE_MAX, true, VTB_CALLER);
}

VTB_EXPORT int strncmp(const char *a, const char *b, size_t most);
VTB_EXPORT int strncmp(const char *a, const char *b, size_t most)
{
	return vtb_real.strncmp && !vtb_rt_is_hooked(VTB_CALLER) ? vtb_real.strncmp(a, b, most)
	                                                         : compare(a, b, most, true, VTB_CALLER);
}

/* Read the text *from, of at most `most` bytes: *from is what it was then, in `kept` if there is room. Its length. */
static size_t read_text(const char **from, char kept[KEPT_BYTES], size_t most, uint64_t pc)
{
	size_t n = bounded_length(*from, most);

	reads(*from, n < most ? n + 1 : n, pc);
	n = bounded_length(*from, most);
	if (n <= KEPT_BYTES)
		*from = copy(kept, *from, n);
	return n;
}

/* A copy of the text that `from` is when it is read, of at most `most` bytes and the end. */
static char *tell_text(char *to, const char *from, size_t most, uint64_t pc)
{
	char kept[KEPT_BYTES];
	const size_t n = read_text(&from, kept, most, pc);

	KEEPS_LARGE(from, n);
	writes(to, n + 1, pc);
	copy(to, from, n);
	to[n] = 0;
	return to;
}

VTB_EXPORT char *strcpy(char *restrict to, const char *restrict from);
VTB_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_text(to, from, SIZE_MAX, VTB_CALLER)
	                                    : copy(to, from, length(from) + 1);
}

VTB_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room);
VTB_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (length(from) >= room)
		return vtb_real.__strcpy_chk(to, from, room);
	return vtb_rt_is_hooked(VTB_CALLER) ? tell_text(to, from, SIZE_MAX, VTB_CALLER)
	                                    : copy(to, from, length(from) + 1);
}

VTB_EXPORT char *stpcpy(char *restrict to, const char *restrict from);
VTB_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
	size_t n;

	if (vtb_rt_is_hooked(VTB_CALLER))
		return (char *)tell_text(to, from, SIZE_MAX, VTB_CALLER) + length(to);
	n = length(from);
	return (char *)copy(to, from, n + 1) + n;
}

VTB_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t size);
VTB_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t size)
{
	char kept[KEPT_BYTES];
	size_t n = bounded_length(from, size);

	if (vtb_rt_is_hooked(VTB_CALLER)) {
		reads(from, n < size ? n + 1 : n, VTB_CALLER);
		n = bounded_length(from, size);
		if (n <= sizeof(kept))
			from = copy(kept, from, n);
		KEEPS_LARGE(from, n);
		writes(to, size, VTB_CALLER);
	}
	copy(to, from, n);
	fill(to + n, 0, size - n);
	return to;
}

/* Where `to` ends is read after what is put there, and what both were then is what is written. */
static void tell_behind(char *to, const char *from, size_t most, uint64_t pc)
{
	char kept[KEPT_BYTES];
	const size_t n = read_text(&from, kept, most, pc);

	KEEPS_LARGE(from, n);
	reads(to, length(to) + 1, pc);
	to += length(to);
	writes(to, n + 1, pc);
	copy(to, from, n);
	to[n] = 0;
}

VTB_EXPORT char *strcat(char *restrict to, const char *restrict from);
VTB_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
	if (vtb_rt_is_hooked(VTB_CALLER))
		tell_behind(to, from, SIZE_MAX, VTB_CALLER);
	else
		copy(to + length(to), from, length(from) + 1);
	return to;
}

VTB_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t most);
VTB_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t most)
{
	char *end;
	size_t n;

	if (vtb_rt_is_hooked(VTB_CALLER)) {
		tell_behind(to, from, most, VTB_CALLER);
		return to;
	}
	end = to + length(to);
	n = bounded_length(from, most);
	copy(end, from, n);
	end[n] = 0;
	return to;
}

static char *find(const char *s, int c)
{
	const volatile char *p = s;

	if (vtb_real.strchr)
		return vtb_real.strchr(s, c);
	while (*p && *p != (char)c)
		p++;
	return *p == (char)c ? (char *)(uintptr_t)p : NULL;
}

VTB_EXPORT char *strchr(const char *s, int c);
VTB_EXPORT char *strchr(const char *s, int c)
{
	if (vtb_rt_is_hooked(VTB_CALLER)) {
		const char *found = find(s, c);

		reads(s, (found ? (size_t)(found - s) : length(s)) + 1, VTB_CALLER);
	}
	return find(s, c);
}
